"""The examples of keytool-formats(5), and how each follows from what is given in it, on other people's primitives.

An example is the literal block of a section: names in the first column, each with its value beside it or below.
"""

import base64
import datetime
import gzip
import hashlib
import hmac
import json
import plistlib
import struct
import tarfile
import zlib

import nacl.bindings as sodium
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from kit import identityfiles, keyfiles, oracle, sessions, sophax, telegram, textsecure
from kit.keyfiles import message
from kit.pages import manual
from kit.vectorfiles import sophaxgroups

EXAMPLES = {}  # by the section's title: what is given, and what computes the rest


def values(lines):
    found, name = {}, None
    for line in lines:
        if not line.startswith(" "):
            name, *value = line.split()
            assert name not in found and len(value) <= 1, line
            found[name] = "".join(value)
        else:
            found[name] += line.strip()
    return found


PAGE = {title.partition("/")[2]: values(lines)
        for title, lines in manual.page("keytool-formats.5").examples.items()}


def example(title, *given):
    def keep(compute):
        EXAMPLES[title] = (given, compute)
        return compute
    return keep


def unhex(text):
    return bytes.fromhex(text)


def xor(*parts):
    return bytes(a ^ b ^ c for a, b, c in zip(*parts, strict=True))


# Identity and codes


@example("Identity", "id", "private-key")
def identity(e):
    return {"public-key": sodium.crypto_scalarmult_base(unhex(e["private-key"])).hex(),
            "identity": e["id"].encode().hex() + e["private-key"]}


@example("Contact code", "id", "public-key")
def contact(e):
    return {"code": f"3mid:{e['id']},{e['public-key']}"}


def own(e):
    body = unhex(e["identity"])
    return oracle.Identity(body[:8].decode(), body[8:])


@example("Code of 80 characters", "password", "salt", "identity")
def code80(e):
    password, salt = e["password"].encode(), unhex(e["salt"])
    code = oracle.seal_code(own(e), password, salt)
    return {"check": hashlib.sha256(unhex(e["identity"])).hexdigest()[:4],
            "key": hashlib.pbkdf2_hmac("sha256", password, salt, 100_000, 32).hex(),
            "bytes": oracle.code_bytes(code).hex(), "code": code}


@example("Code of 104 characters", "password", "salt", "identity")
def code104(e):
    password, salt = e["password"].encode(), unhex(e["salt"])
    code = oracle.seal_code_argon2id(own(e), password, salt)
    return {"key": oracle._argon2id(password, salt).hex(), "bytes": oracle.code_bytes(code).hex(), "code": code}


@example("Check word", "code")
def check(e):
    return {"word": oracle.check_word(e["code"])}


@example("Row check", "number", "row")
def row_check(e):
    return {"row-check": oracle.row_check(e["row"], int(e["number"]))}


# Safe


@example("Safe keys", "password", "id", "server")
def safe_keys(e):
    both = hashlib.scrypt(e["password"].encode(), salt=e["id"].encode(), n=65536, r=8, p=1, dklen=64, maxmem=1 << 27)
    id = both[:32].hex()
    return {"backup-id": id, "encryption-key": both[32:].hex(),
            "backup": e["server"].replace("{backupIdPrefix8}", id[:2]) + "backups/" + id}


@example("Safe server")
def config(e):
    return {"config": compact({"maxBackupBytes": 524288, "retentionDays": 180})}


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def stored(content):
    """A gzip member of one stored block."""
    assert len(content) <= 65_535
    return (unhex("1f8b08" + "00" * 7) + b"\1" + struct.pack("<HH", len(content), 0xFFFF ^ len(content)) + content
            + struct.pack("<II", zlib.crc32(content), len(content)))


@example("Encrypted backup", "encryption-key", "document", "nonce")
def backup(e):
    member, nonce = stored(e["document"].encode()), unhex(e["nonce"])
    assert gzip.decompress(member) == e["document"].encode()
    return {"gzip": member.hex(),
            "backup": (nonce + sodium.crypto_secretbox(member, nonce, unhex(e["encryption-key"]))).hex()}


@example("Document", "private-key", "generation", "written-at", "writer")
def document(e):
    """The smallest one, members in order of their names."""
    profile = {"contacts": [], "info": {"device": "keytool", "version": 1}, "settings": {"syncContacts": False},
               "user": {}}
    stamp = {"generation": int(e["generation"]), "written_at": int(e["written-at"]), "writer": e["writer"]}
    private = base64.b64encode(unhex(e["private-key"])).decode()
    whole = {**profile, "keytool": stamp, "user": {"privatekey": private}}
    return {name: json.dumps(value, separators=(",", ":"), sort_keys=True)
            for name, value in (("profile", profile), ("document", whole))}


# Keystore


@example("Master key without a passphrase", "master-key")
def v2_plain(e):
    return {"file": "0000" "0a28" "0000" "0a24" "0000" "0a20" + e["master-key"]}


@example("Master key under Argon2id", "passphrase", "master-key", "salt", "nonce")
def v2(e):
    passphrase, salt, nonce = e["passphrase"].encode(), unhex(e["salt"]), unhex(e["nonce"])
    key = keyfiles.argon2id(passphrase, salt, 131_072, 8)
    intermediate = unhex("0000" "0a24" "0000" "0a20" + e["master-key"])
    sealed = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(intermediate, b"", nonce, key)
    argon = message((2, salt), (3, 131_072), (4, 8), (5, 1), (6, message((1, nonce), (2, sealed))))
    return {"key": key.hex(), "file": "0000" + message((2, argon)).hex()}


@example("Master key under scrypt", "master-key", "constant", "passphrase", "salt")
def v1(e):
    key, constant, salt = (unhex(e[name]) for name in ("master-key", "constant", "salt"))
    mask = hashlib.scrypt(e["passphrase"].encode(), salt=salt, n=65536, r=8, p=1, dklen=32, maxmem=1 << 27)
    check = hashlib.sha1(key).digest()[:4]
    return {"mask": mask.hex(), "unprotected": (b"\0" + xor(key, bytes(32), constant) + bytes(8) + check).hex(),
            "protected": (b"\2" + xor(key, mask, constant) + salt + check).hex()}


def master():
    return unhex(PAGE["Master key without a passphrase"]["master-key"])


def record_key(name):
    return identityfiles.record_key(master(), name)


def sealed(name, nonce, content, place="", file_name=None):
    """Of ABCD1234."""
    where = ("threema", "ABCD1234", place, file_name or name)
    return identityfiles.sealed(content, master(), name, where, unhex(nonce)).hex()


@example("Sealed record", "master-key", "nonce", "content")
def keystore(e):
    content = unhex(e["content"])
    assert content[0] == 2 and len(content) == 17
    where = ("", "", "", "keystore")
    record = identityfiles.sealed(content, master(), "keystore", where, unhex(e["nonce"]))
    return {"key": record_key("keystore").hex(), "additional": identityfiles.additional_data(*where).hex(),
            "record": record.hex()}


@example("The records identity and profile", "nonce", "identity", "profile")
def records(e):
    contents = {"identity": unhex(e["identity"]), "profile": e["profile"].encode()}
    return {f"{name}-{what}": value for name, content in contents.items() for what, value in (
        ("key", record_key(name).hex()), ("record", sealed(name, e["nonce"], content)))}


def safe_target(e, which=""):
    return message((1, unhex(e["safe-keys"])), (2, e[which + "address"].encode()), (7, unhex(e[which + "place"])))


@example("The record safe", "safe-keys", "address", "place", "nonce", "next-address", "next-place", "consent")
def safe(e):
    content = b"\1" + message((1, safe_target(e)))
    moving = content + message((2, safe_target(e, "next-")), (5, unhex(e["consent"])), (6, b""))
    return {"content": content.hex(), "key": record_key("safe").hex(), "moving": moving.hex(),
            "additional": identityfiles.additional_data("threema", "ABCD1234", "main", "safe").hex(),
            "record": sealed("safe", e["nonce"], content, "main")}


@example("state.json", "master-key", "place", "backup-id")
def state(e):
    key = record_key("state")

    def digest(content):
        return hashlib.blake2b(content, digest_size=32, key=key).hexdigest()

    target = unhex(e["place"]) + b"\0" + e["backup-id"].encode()
    content = digest(target + PAGE["Document"]["profile"].encode())
    seen = hashlib.blake2b(unhex(PAGE["Encrypted backup"]["backup"]), digest_size=32).hexdigest()
    moment = int(PAGE["Document"]["written-at"])
    file = {"version": 1, "safe": {
        "target": digest(target), "content": content, "seen": seen, "journal": [seen], "uploaded_at": moment,
        "seen_at": moment, "failed": False, "retention_days": 180, "generation": 1, "contacts": 0,
        "honours_conditions": True}}
    ordered = json.dumps(file, separators=(",", ":"), sort_keys=True)
    mac = digest(b"ABCD1234\0" + ordered.encode())
    return {"state-key": key.hex(), "target": digest(target), "content": content, "seen": seen, "mac": mac,
            "writer": digest(b"writer\0" + target)[:32], "file": compact({**file, "mac": mac})}


@example("The file commit", "master-key")
def commit(e):
    """The profile and the state change, and the Safe is removed."""
    changes = (("profile", unhex(PAGE["The records identity and profile"]["profile-record"])),
               ("main/state.json", b'{"version":1}'), ("main/safe", None))
    body = b"".join(
        bytes([1 if content is not None else 2, len(name)]) + name.encode()
        + struct.pack(">I", len(content or b"")) + (content or b"") for name, content in changes)
    key = record_key("commit")
    start = b"KTC2" + identityfiles.prefixed("threema", "ABCD1234")
    digest = hashlib.blake2b(start + body, digest_size=32, key=key).digest()
    return {"key": key.hex(), "digest": digest.hex(), "file": (b"KTC2" + digest + body).hex()}


@example("History", "time", "secret", "backup", "nonce")
def history(e):
    backup, time = unhex(e["backup"]), int(e["time"])
    digest = hashlib.blake2b(backup, digest_size=32).digest()
    moment = datetime.datetime.fromtimestamp(time // 1000, datetime.UTC)
    name = f"{moment:%Y%m%dT%H%M%S}{time % 1000:03}Z-{digest[:8].hex()}-replaced"
    content = b"\2" + struct.pack(">q", time) + digest + unhex(e["secret"]) + backup
    return {"digest": digest.hex(), "name": name, "key": record_key("history").hex(), "content": content.hex(),
            "record": sealed("history", e["nonce"], content, "main", name)}


@example("Kernel keyring", "keystore")
def keyring(e):
    return {"name": "keytool:" + hashlib.sha256(unhex(e["keystore"])).hexdigest()[:32]}


# Others


@example("Desktop", "password", "salt", "memory", "passes", "id", "private-key", "nonce")
def desktop(e):
    salt, nonce, memory, passes = unhex(e["salt"]), unhex(e["nonce"]), int(e["memory"]), int(e["passes"])
    key = keyfiles.argon2id(e["password"].encode(), salt, memory // 1024, passes)
    owner = message((1, e["id"].encode()), (2, unhex(e["private-key"])), (4, b"0f"))
    content = message((1, owner), (2, b"\xdd" * 32), (3, b"\xee" * 32), (5, 2))
    box = nonce + sodium.crypto_secretbox(content, nonce, key)
    file = message((1, box), (2, message((2, salt), (3, memory), (4, passes), (5, 1))), (3, 1))
    return {"key": key.hex(), "content": content.hex(), "file": file.hex()}


def property_list(value):
    return plistlib.dumps(value, fmt=plistlib.FMT_BINARY)


def ctr(key, iv, data):
    return Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor().update(data)


@example("Check value", "main-key")
def check_value(e):
    return {"check-value": hmac.digest(unhex(e["main-key"]), b"keytool-mainkey-id", "sha256")[:8].hex()}


@example("Key under a PIN", "main-key", "pin", "salt", "iv")
def key_under_pin(e):
    iv, content = unhex(e["iv"]), property_list(list(unhex(e["main-key"])))
    key = hashlib.scrypt(e["pin"].encode(), salt=unhex(e["salt"]), n=32768, r=8, p=1, dklen=32, maxmem=2 ** 26)
    return {"pin-key": key.hex(), "list": content.hex(), "item": (iv + ctr(key, iv, content)).hex(),
            "old-item": ctr(key, key[:16], content).hex()}


@example("Value of the app", "main-key", "iv", "text")
def value_of_the_app(e):
    iv, content = unhex(e["iv"]), property_list([e["text"]])
    return {"list": content.hex(), "value": (iv + ctr(unhex(e["main-key"]), iv, content)).hex()}


@example("Locked value", "main-key", "name", "content", "nonce")
def locked_value(e):
    nonce, info = unhex(e["nonce"]), b"KTL2"
    key = hmac.digest(hmac.digest(bytes(32), unhex(e["main-key"]), "sha256"), info + b"\1", "sha256")
    sealed = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(
        e["content"].encode(), info + e["name"].encode(), nonce, key)
    return {"key": key.hex(), "value": (info + nonce + sealed).hex()}


@example("Revocation key", "password")
def revocation(e):
    key = hashlib.sha256(e["password"].encode()).digest()[:4]
    return {"key": key.hex(), "base64": base64.b64encode(key).decode()}


@example("Archive", "name", "time", "identity")
def archive_header(e):
    entry = tarfile.TarInfo(e["name"])
    entry.size, entry.mtime, entry.mode = len(unhex(e["identity"])), int(e["time"]), 0o600
    return {"header": entry.tobuf(tarfile.USTAR_FORMAT).hex()}


@example("Session store", "master-key", "id", "kind", "name", "value", "nonce")
def session_store(e):
    master, name, owner = unhex(e["master-key"]), e["name"].encode(), ("threema", e["id"])
    value_key, name_key = sessions.keys(master, *owner)
    sealed = sessions.sealed(value_key, *owner, e["kind"], name, e["value"].encode(), unhex(e["nonce"]))
    return {"store-key": identityfiles.record_key(master, "sessions").hex(), "value-key": value_key.hex(),
            "name-key": name_key.hex(), "row-name": sessions.digest(name_key, name).hex(), "sealed": sealed.hex()}


@example("Sessions in an archive", "kind", "name", "value")
def archived_sessions(e):
    return {"values": sessions.exported({(e["kind"], e["name"].encode()): e["value"].encode()}).hex()}


@example("SophaxChat sessions", "key", "peer", "sent", "before", "received", "skipped", "time")
def sophax_sessions(e):
    assert unhex(e["peer"]) == b"".join(sophax.public(sophax.BOB))
    numbers = [int(e[name]) for name in ("sent", "before", "received")]
    state = sophax.ratchet(*numbers, (int(e["skipped"]),), unhex(e["key"]), int(e["time"]))
    return {"record": sophax.peer_record(sophax.BOB, [(int(e["time"]), 0, 2, state)]).hex()}


@example("SophaxChat groups", "key", "group", "own", "member", "chain", "received", "time")
def sophax_groups(e):
    assert e["own"] == sophax.peer_id(sophax.ALICE)
    record = sophax.group_record(
        e["group"], [e["member"]], own_chain_id=e["chain"], own_chain_key=e["key"], own_first=0, chain_key=e["key"],
        received=e["received"], time=int(e["time"]))
    start = sophaxgroups.start(unhex(e["chain"])).hex()
    return {"record": record.hex(),
            **sophaxgroups.distribution_encode(e["group"], e["chain"], 0, e["key"], 0, start)}


@example("Random password", "bits")
def proquint(e):
    def word(bits):
        letters = ((12, 15), (10, 3), (6, 15), (4, 3), (0, 15))
        return "".join(("bdfghjklmnprstvz" if mask == 15 else "aiou")[bits >> shift & mask] for shift, mask in letters)
    return {"password": "-".join(map(word, struct.unpack(">5H", unhex(e["bits"]))))}


@example("Telegram account", "key", "user", "data-centre")
def telegram_account(e):
    key, main = unhex(e["key"]), int(e["data-centre"])
    return {"sha1": hashlib.sha1(key).hexdigest(), "account": telegram.key_id(key),
            "text": telegram.account_text({main: key}, main, e["user"]).decode()}


@example("TextSecure account", "number", "identity-key", "last-resort", "prekey-id", "prekey", "signaling-key", "password",
         "registration", "server")
def textsecure_account(e):
    def key(name):
        return base64.b64encode(unhex(e[name])).decode()

    prekey_id = int(e["prekey-id"])
    members = {
        "messenger": "textsecure", "identity": key("identity-key"), "number": e["number"], "password": e["password"],
        "lastResort": {"id": textsecure.LAST_RESORT, "private": key("last-resort")}, "nextPrekeyId": prekey_id + 1,
        "prekeys": [{"id": prekey_id, "private": key("prekey")}], "registrationId": int(e["registration"]),
        "relay": None, "server": e["server"], "signalingKey": key("signaling-key"), "version": 1}
    return {"identity-public": textsecure.identity(members).hex(), "text": textsecure.text(members).decode()}


@example("SophaxChat identity", "signing", "dh", "peer", "peer-number", "username")
def sophaxchat_identity(e):
    def spaced(digits):
        return " ".join(digits[at:at + 5] for at in range(0, 30, 5))
    keys = unhex(e["signing"]), unhex(e["dh"])
    text = sophax.account_text(keys, e["username"], {e["peer"]: spaced(e["peer-number"])})
    return {"peerid": sophax.peer_id(keys), "number": sophax.safety_number(keys).replace(" ", ""),
            "text64": sophax.encode(text)}


@example("SophaxChat lock", "pin", "salt", "duress", "duress-salt", "failures", "end", "changed")
def sophaxchat_lock(e):
    hashed = [(e[pin].encode(), unhex(e[salt])) for pin, salt in (("pin", "salt"), ("duress", "duress-salt"))]
    attempts = struct.pack(">I", int(e["failures"])) + struct.pack("<d", float(e["end"]))
    return {"record": sophax.lock_record(*hashed).hex(), "attempts": attempts.hex(),
            "changes": sophax.allowance(int(e["changed"])).hex()}


@example("Telegram key", "password", "key", "iv")
def telegram_key(e):
    """The file is that of the program openssl; its key follows from the page's words."""
    password, iv = e["password"].encode(), unhex(e["iv"])
    first = hashlib.md5(password + iv[:8]).digest()
    aes_key = first + hashlib.md5(first + password + iv[:8]).digest()
    file = telegram.FORMS["openssl"](unhex(e["key"]), password)
    assert file == iv + telegram.cbc(aes_key, iv, telegram.hashed(unhex(e["key"])))
    return {"aes-key": aes_key.hex(), "file": file.hex()}
