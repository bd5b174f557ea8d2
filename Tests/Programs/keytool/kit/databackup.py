"""Writes data backups as the Android app does, from the format's description: zlib, hashlib and AES only.

    Backup      what is in one: identity, contacts, groups, lists, pictures, messages
    files(...)  its entries, with the columns and names of a version
    archive(...)  the ZIP file: deflate, then WinZip AES-256 (AE-2)
"""

import hashlib
import hmac
import os
import struct
import zlib
from typing import NamedTuple

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from kit import oracle

LATEST = 27


class Contact(NamedTuple):
    id: str
    public_key: bytes
    level: int = 0
    first: str = ""
    last: str = ""
    nickname: str = ""
    last_update: int | None = None
    hidden: bool = False
    archived: bool = False
    uid: str = "0000000001"


class Group(NamedTuple):
    id: str  # 16 hexadecimal digits
    creator: str
    name: str
    created_at: int | None
    last_update: int | None
    members: tuple
    user_state: int = 0
    deleted: bool = False
    uid: str = "0000000002"


class DistributionList(NamedTuple):
    id: int
    name: str
    created_at: int | None
    last_update: int | None
    members: tuple


class Backup(NamedTuple):
    identity: oracle.Identity
    contacts: tuple = ()
    groups: tuple = ()
    lists: tuple = ()
    picture: bytes | None = None
    conversations: int = 0
    media: int = 0


# CSV


def cell(value):
    text = value if isinstance(value, str) else "" if value is None else str(int(value))
    return '"' + text.replace("\\", "\\\\").replace('"', '""') + '"'


def table(columns, rows):
    """Columns that no row sets are nothing between commas."""
    lines = [",".join(cell(name) for name in columns)]
    lines += [",".join(cell(row[name]) if name in row else "" for name in columns) for row in rows]
    return "".join(line + "\n" for line in lines).encode()


LEVELS = ("UNVERIFIED", "SERVER_VERIFIED", "FULLY_VERIFIED")


def contact_columns(version):
    return (["identity", "publickey", "verification", "acid"] + ["tacid"] * (version < 24)
            + ["firstname", "lastname", "nick_name"] + ["color"] * (version < 18)
            + ["last_update"] * (version >= 22) + ["hidden", "archived"]
            + ["forward_security"] * (version == 18) + ["identity_id"] * (version >= 19))


def group_columns(version):
    return (["id", "creator", "groupname", "created_at"] + ["last_update"] * (version >= 22) + ["members"]
            + ["deleted"] * (version < 27) + ["archived"]
            + ["groupDesc", "groupDescTimestamp"] * (version >= 17) + ["group_uid"] * (version >= 19)
            + ["user_state"] * (version >= 25))


def list_columns(version):
    return (["id", "distribution_list_name", "created_at"] + ["last_update"] * (version >= 22)
            + ["distribution_members", "archived"])


def contacts_table(backup, version):
    return table(contact_columns(version), [{
        "identity": c.id, "publickey": c.public_key.hex(), "verification": LEVELS[c.level],
        "acid": "3049i7-4F", "tacid": "", "firstname": c.first, "lastname": c.last, "nick_name": c.nickname,
        "color": -16777216, "last_update": c.last_update, "hidden": c.hidden, "archived": c.archived,
        "forward_security": 0, "identity_id": c.uid} for c in backup.contacts])


def groups_table(backup, version):
    return table(group_columns(version), [{
        "id": g.id, "creator": g.creator, "groupname": g.name, "created_at": g.created_at,
        "last_update": g.last_update, "members": ";".join(g.members), "deleted": g.deleted, "archived": 0,
        "group_uid": g.uid, "user_state": g.user_state, "groupDescTimestamp": None} for g in backup.groups])


def lists_table(backup, version):
    return table(list_columns(version), [{
        "id": str(d.id), "distribution_list_name": d.name, "created_at": d.created_at,
        "last_update": d.last_update, "distribution_members": ";".join(d.members), "archived": 0}
        for d in backup.lists])


def files(backup, password, version=LATEST, code=None):
    """The entries in the app's order: (name, content, deflate level).

    `password`: UTF-8; `code`: another backup code than that of the identity.
    """
    own, named = backup.identity.id, version < 19
    found = [("settings", table(["version", str(version)], []), 5),
             ("identity", (code or oracle.seal_code(backup.identity, password)).encode(), 0)]
    if backup.picture is not None:
        found.append((f"contact_avatar_{own}" if named else "contact_avatar_me", backup.picture, 0))
    for contact in backup.contacts[: backup.conversations]:
        uid = contact.id if named else contact.uid
        found.append((f"contact_profile_pic_{uid}", b"\xff\xd8\xff\xd9", 0))
        found += [(f"{kind}_{n:08x}", bytes(100 + n), 0)
                  for n in range(backup.media) for kind in ("message_media", "message_thumbnail")]
        found.append((f"message_{uid}.csv", b'"apiid","uid"\n', 5))
    found.append(("contacts.csv", contacts_table(backup, version), 5))
    found.append(("groups.csv", groups_table(backup, version), 5))
    found.append(("distribution_list.csv", lists_table(backup, version), 5))
    found += [(f"ballot{end}.csv", b'"id"\n', 5) for end in ("", "_choice", "_vote")]
    if version >= 26:
        found.append(("reaction_counts.csv", b'"contactReactions","groupReactions"\n"0","0"\n', 5))
    if version >= 19:
        found.append(("nonces.csv", b'"nonces"\n"' + b"ab" * 32 + b'"\n', 5))
    return found


# The ZIP file


def low_bytes(password):
    """The bytes of a ZIP password as apps up to 4.52 have them."""
    return bytes(unit & 0xFF for unit in struct.unpack(f"<{len(password.encode('utf-16-le')) // 2}H",
                                                       password.encode("utf-16-le")))


def deflated(content, level):
    compressor = zlib.compressobj(level, zlib.DEFLATED, -15)
    return compressor.compress(content) + compressor.flush()


def encrypted(plain, password, salt=None):
    """salt (16), check (2), AES-256-CTR with a little-endian counter from 1, tag (10)."""
    salt = os.urandom(16) if salt is None else salt
    material = hashlib.pbkdf2_hmac("sha1", password, salt, 1000, 66)
    counters = b"".join(n.to_bytes(16, "little") for n in range(1, (len(plain) + 15) // 16 + 1))
    aes = Cipher(algorithms.AES(material[:32]), modes.ECB()).encryptor()
    stream = (aes.update(counters) + aes.finalize())[: len(plain)]
    cipher = (int.from_bytes(plain, "big") ^ int.from_bytes(stream, "big")).to_bytes(len(plain), "big")
    return salt + material[64:] + cipher + hmac.digest(material[32:64], cipher, "sha1")[:10]


class Entry(NamedTuple):
    """An entry with all that a header says of it, for tests that change one thing."""
    name: bytes
    data: bytes
    count: int  # of the content
    flags: int = 0x0809
    method: int = 99
    crc: int = 0
    aes: bytes = b"\x02\0AE\x03\x08\0"
    local_name: bytes | None = None
    local_flags: int | None = None
    large: bool = False  # with a Zip64 field
    offset: int | None = None  # another one than its own


def entry(name, content, password, level=5, **more):
    return Entry(name.encode(), encrypted(deflated(content, level), password), len(content), **more)


def archive(entries, *, zip64=False, comment=b"", entry_count=None):
    """Local headers with lengths of zero, data, data descriptors, directory, end record."""
    file, directory = bytearray(), bytearray()
    for each in entries:
        offset = len(file) if each.offset is None else each.offset
        aes = struct.pack("<HH", 0x9901, len(each.aes)) + each.aes if each.aes else b""
        name = each.name if each.local_name is None else each.local_name
        flags = each.flags if each.local_flags is None else each.local_flags
        file += struct.pack("<4sHHHIIIIHH", b"PK\3\4", 51, flags, each.method, 0x5A210000, 0, 0, 0,
                            len(name), len(aes)) + name + aes
        file += each.data + struct.pack("<4sIII", b"PK\7\x08", 0, len(each.data), each.count & 0xFFFFFFFF)
        extra, count, length, place, disk = aes, each.count, len(each.data), offset, 0
        if each.large:
            extra = struct.pack("<HHQQQI", 1, 28, count, length, place, 0) + aes
            count = length = place = 0xFFFFFFFF
            disk = 0xFFFF
        directory += struct.pack("<4sHHHHIIIIHHHHHII", b"PK\1\2", 0x0333, 51, each.flags, each.method, 0x5A210000,
                                 each.crc, length, count, len(each.name), len(extra), 0, disk, 0, 0o100644 << 16,
                                 place) + each.name + extra
    start, number = len(file), len(entries) if entry_count is None else entry_count
    file += directory
    if zip64:
        end = len(file)
        file += struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 0x0333, 51, 0, 0, number, number, len(directory), start)
        file += struct.pack("<4sIQI", b"PK\6\7", 0, end, 1)
        start = 0xFFFFFFFF
    file += struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, min(number, 0xFFFF), min(number, 0xFFFF), len(directory), start,
                        len(comment)) + comment
    return bytes(file)


def entries(found, password):
    return [entry(name, content, password, level) for name, content, level in found]


def write(backup, password, version=LATEST, *, zip_password=None, zip64=False, code=None):
    """A whole file. `password` is text; `zip_password`: its bytes for the ZIP entries, UTF-8 if not given."""
    utf8 = password.encode()
    made = entries(files(backup, utf8, version, code), utf8 if zip_password is None else zip_password)
    return archive([each._replace(large=zip64) for each in made], zip64=zip64)


# What an import has to make of it


def document(backup, version=LATEST):
    """The contacts, groups and lists of the Safe document, as the format sheet says."""
    own = backup.identity.id

    def times(item):
        known = version >= 22 and item.last_update is not None
        return {"lastUpdate": item.last_update} if known else {}

    contacts = [{
        "identity": c.id, "publickey": oracle.base64.b64encode(c.public_key).decode(), "verification": c.level,
        "firstname": newlines(c.first), "lastname": newlines(c.last), "nickname": newlines(c.nickname), "hidden": c.hidden,
        "createdAt": 0, "private": False, "workVerified": False, "readReceipts": 0, "typingIndicators": 0,
        **times(c)} for c in backup.contacts]
    groups = [{
        "id": g.id.lower(), "creator": g.creator, "createdAt": g.created_at or 0, "deleted": False, "private": False,
        "members": members(g, own, version), **({"groupname": newlines(g.name)} if g.name else {}), **times(g)}
        for g in backup.groups if not (g.deleted and version < 27)]
    lists = [{
        "id": d.id.to_bytes(8, "little").hex(), "name": newlines(d.name), "createdAt": d.created_at or 0,
        "members": list(d.members), "private": False, **times(d)} for d in backup.lists]
    return {"contacts": contacts, "groups": groups, "distributionlists": lists}


def members(group, own, version):
    found = list(group.members)
    if version < 25:
        return found
    if group.user_state == 0:
        return found if own in found else [*found, own]
    return [one for one in found if one != own]


def newlines(text):
    return text.replace("\r\n", "\n").replace("\r", "\n")
