"""SophaxChat's identities without the program: names, numbers, files and records, on hashlib and Python's cryptography.
"""

import base64
import hashlib
import json
import struct

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from kit import agefile, identityfiles, masterkey, sessions
from kit.vectorfiles import sophaxgroups

MESSENGER = "sophaxchat"
# The identity of the published vectors, and another one.
ALICE = (bytes.fromhex("1f121f835765d4e14fc24d323e78f53a6c225320d15ac102dec4f6bfc3ad4c27"),
         bytes.fromhex("1f7b72b5b706bd65ff05ae682b3eba420c085a833c26f0bb117e437e117b52a9"))
BOB = (bytes([7] * 32), bytes.fromhex("32d84544ec06cfbec20f7f156e2713b0df776945d3235fe72cf6ac52c1bbfd6d"))
DOMAIN = b"SophaxChat_SafetyNumber_v1"
EPOCH = 978_307_200  # 2001
# ID and key of the chain in a stored group, and the key of another member's.
OWN_CHAIN = (bytes(range(16)), hashlib.sha256(b"own chain").digest())
OTHER_CHAIN_KEY = hashlib.sha256(b"another's chain").digest()


def public(keys):
    signing, dh = keys
    return (agefile.public_key(Ed25519PrivateKey.from_private_bytes(signing)),
            agefile.public_key(X25519PrivateKey.from_private_bytes(dh)))


def peer_id(keys):
    return hashlib.sha256(b"".join(public(keys))).hexdigest()[:32]


def safety_number(keys, domain=DOMAIN):
    digest = hashlib.sha512(domain + b"".join(public(keys))).digest()
    return " ".join(f"{int.from_bytes(digest[at:at + 5], 'big') % 100_000:05}" for at in range(0, 30, 5))


def pair_number(one, other, domain=DOMAIN):
    return " ".join(sorted([safety_number(one, domain), safety_number(other, domain)]))


def encode(data):
    return base64.b64encode(data).decode()


# Files


def account_text(keys, username="alice", verified=None, prekeys=None):
    value = {"dh": encode(keys[1]), "messenger": MESSENGER, "signing": encode(keys[0]), "username": username,
             "verified": verified or {}, "version": 1}
    if prekeys:
        value["prekeys"] = encode(prekeys)
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def sxid(keys, passphrase, username="alice", iterations=600_000, version=2):
    salt, nonce = bytes(range(32)), bytes(range(12))
    text = json.dumps({"signingKeyPrivate": encode(keys[0]), "dhKeyPrivate": encode(keys[1]), "username": username,
                       "exportedAt": 796_000_000.5}).encode()
    key = hashlib.pbkdf2_hmac("sha256", passphrase, salt, iterations)
    return (b"SXID" + bytes([version]) + struct.pack(">I", iterations) + salt + nonce
            + AESGCM(key).encrypt(nonce, text, b""))


def open_sxid(file, passphrase):
    assert file[:5] == b"SXID\2"
    key = hashlib.pbkdf2_hmac("sha256", passphrase, file[9:41], int.from_bytes(file[5:9], "big"))
    return json.loads(AESGCM(key).decrypt(file[41:53], file[53:], b""))


def sxbk(content, passphrase):
    salt, nonce = bytes(range(32)), bytes(range(12))
    key = hashlib.pbkdf2_hmac("sha256", passphrase, salt, 720_000)
    return b"SXBK\2" + salt + nonce + AESGCM(key).encrypt(nonce, content, b"")


# Shares: the value at 0 of the polynomial through them, over GF(2⁸) modulo 0x11B


def multiply(left, right):
    product = 0
    while right:
        product ^= left * (right & 1)
        left = left << 1 ^ (0x11B if left & 0x80 else 0)
        right >>= 1
    return product


def inverse(value):
    return next(other for other in range(1, 256) if multiply(value, other) == 1)


def join(shares):
    joined = bytearray(64)
    for share in shares:
        weight = 1
        for other in shares:
            if other is not share:
                weight = multiply(weight, multiply(other["index"], inverse(other["index"] ^ share["index"])))
        for at, byte in enumerate(base64.b64decode(share["data"])):
            joined[at] ^= multiply(byte, weight)
    return bytes(joined[:32]), bytes(joined[32:])


def share(keys, index, threshold=2, total=3, **members):
    """Of a line through the secret: its slope is 1 in each byte."""
    data = bytes(byte ^ index for byte in b"".join(keys))
    return json.dumps({"id": "11111111-2222-4333-8444-555555555555", "index": index, "threshold": threshold,
                       "total": total, "data": encode(data), "createdAt": 796_000_000, **members}).encode()


# Bundles


def time_bytes(seconds):
    return struct.pack("<d", seconds)


def bundle(keys, seconds, username="bob"):
    """As the app writes it: form C, without a one-time prekey."""
    signing, dh = public(keys)
    prekey = public((keys[0], bytes([9] * 32)))[1]
    signature = Ed25519PrivateKey.from_private_bytes(keys[0]).sign(signing + prekey + time_bytes(seconds))
    return json.dumps({
        "signingKeyPublic": encode(signing), "dhIdentityKeyPublic": encode(dh), "signedPreKeyPublic": encode(prekey),
        "signedPreKeySignature": encode(signature), "signedPreKeyId": 77, "username": username, "timestamp": seconds,
    }).encode()


def check_bundle(text, keys):
    """Both signatures of a bundle of keytool, and that of the last-resort key."""
    value = json.loads(text)
    data = {name: base64.b64decode(value[name]) for name in value if isinstance(value[name], str) and name not in (
        "username", "tcpAddress")}
    assert (data["signingKeyPublic"], data["dhIdentityKeyPublic"]) == public(keys)
    key = Ed25519PublicKey.from_public_bytes(data["signingKeyPublic"])
    key.verify(data["signedPreKeySignature"],
               data["signingKeyPublic"] + data["signedPreKeyPublic"] + time_bytes(value["timestamp"]))
    if value["oneTimePreKeyId"] == 0:
        key.verify(data["lastResortSignature"], b"SophaxChat_LastResort_v1" + data["oneTimePreKeyPublic"])
    else:
        assert "lastResortSignature" not in value
    whole = b"SophaxChat_Bundle_v1"
    for field in (data["signingKeyPublic"], data["dhIdentityKeyPublic"], data["signedPreKeyPublic"],
                  struct.pack(">I", value["signedPreKeyId"]), data["signedPreKeySignature"],
                  data["oneTimePreKeyPublic"], struct.pack(">I", value["oneTimePreKeyId"]),
                  data.get("lastResortSignature"), value["username"].encode(), time_bytes(value["timestamp"]),
                  value["tcpAddress"].encode() if "tcpAddress" in value else None):
        whole += bytes([field is not None]) + struct.pack(">I", len(field or b"")) + (field or b"")
    key.verify(data["bundleSignature"], whole)
    return value


def is_signed(text, keys):
    try:
        return bool(check_bundle(text, keys))
    except InvalidSignature:
        return False


# Records


def directory(keytool, id):
    return keytool.keystore / "identities" / MESSENGER / id


def ids(keystore):
    home = keystore / "identities" / MESSENGER
    return sorted(path.name for path in home.glob("*") if not path.name.startswith("."))


def record(keytool, id, name, passphrase=None):
    """The content; None without such a record."""
    path = directory(keytool, id) / name
    return identityfiles.opened(path, masterkey.read(keytool, passphrase)) if path.exists() else None


def put(keytool, id, name, content):
    """Seals a record in the place of another one."""
    where = (MESSENGER, id, "", name)
    path = directory(keytool, id) / name
    path.write_bytes(identityfiles.sealed(content, masterkey.read(keytool), name, where, bytes(range(24))))
    path.chmod(0o600)


def forget(keytool, id, *names):
    """Removes records, if they are there."""
    for name in names:
        (directory(keytool, id) / name).unlink(missing_ok=True)


def held(keytool, id, passphrase=None):
    """The private keys and the rest of an identity's record."""
    value = json.loads(record(keytool, id, "identity", passphrase))
    return (base64.b64decode(value["signing"]), base64.b64decode(value["dh"])), value


SIGNED = 18  # where the signed prekeys of a record begin, each 100 bytes
CLOCK = 1  # where the observed time stands


def prekeys(record):
    """[(id, made, key, last-resort key, when replaced or None)] of the signed prekeys, and the rest of the record."""
    assert record[0] == 2
    found = []
    end = SIGNED + 100 * record[17]
    for at in range(SIGNED, end, 100):
        id, made, _, key, last, replaced, _ = struct.unpack(">Iqq32s32sqq", record[at:at + 100])
        found.append((id, made, key, last, replaced if at + 100 < end else None))
    return found, record[end:]


def aged(record, days):
    """The record with the current signed prekey so many days older by the wall clock."""
    at = SIGNED + 100 * (record[17] - 1) + 4
    made, = struct.unpack(">q", record[at:at + 8])
    return record[:at] + struct.pack(">q", made - days * 86_400_000) + record[at + 8:]


def ratchet(sent, previous, received, skipped=(), key=b"\x11" * 32, time=1_767_225_600_250):
    """The record of a double ratchet with one sending and one receiving chain; all of its keys are `key`."""
    record = b"\1\x28\3" + 3 * key + struct.pack("<I", previous) + key + struct.pack("<I", sent) + 3 * key
    record += b"\1" + key + b"\1" + key + struct.pack("<I", received) + key + struct.pack("<H", len(skipped))
    return record + b"".join(struct.pack("<IQ", number, time) for number in skipped) + len(skipped) * key


def peer_record(keys, sessions, form=4, version=2):
    """What programs store of a peer. `sessions`: (began, replaced or 0, form of headers, ratchet)."""
    record = b"\1" + b"".join(public(keys)) + bytes([form, version, len(sessions)])
    for began, replaced, header, state in sessions:
        record += struct.pack(">QQI", began, replaced, 1 + len(state)) + bytes([header]) + state
    return record


def group_record(group="G", members=(), **changes):
    """What Alice's programs store of a group: she has given her chain to all; the first other member has given one."""
    ids = sorted([peer_id(ALICE), *members])
    others = [one for one in ids if one != peer_id(ALICE)]
    inputs = {"group": group, "own": peer_id(ALICE), "members": ",".join(ids), "own_chain_id": OWN_CHAIN[0].hex(),
              "own_chain_key": OWN_CHAIN[1].hex(), "own_first": 41, "holders": ",".join(others), "sender": others[0],
              "chain_id": bytes(range(16, 32)).hex(), "chain_key": OTHER_CHAIN_KEY.hex(), "received": "0,1,4",
              "time": 1_767_225_600_250, "proved": others[0], **changes}
    return bytes.fromhex(sophaxgroups.group_record(**inputs)["record"])


def put_group(keytool, record, group="G", is_copy=False, **others):
    """A session store of Alice with this group, as the program that uses it has left it."""
    path = sessions.path(keytool.keystore, MESSENGER, peer_id(ALICE))
    path.unlink(missing_ok=True)
    values = {("session", peer.encode()): value for peer, value in others.items()}
    sessions.create(keytool.keystore, masterkey.read(keytool), MESSENGER, peer_id(ALICE),
                    {("group", group.encode()): record, **values}, is_copy=is_copy)


def stored_group(keytool, group="G"):
    """What the store has of it now. What a killed command has left is restored first, in a copy."""
    path = sessions.path(keytool.keystore, MESSENGER, peer_id(ALICE))
    values = sessions.restored_values(path, masterkey.read(keytool), MESSENGER, peer_id(ALICE))
    return values["group", group.encode()]


def own_chain(record):
    """ID, key, next number, first number and generation of the own chain in a group's record; its transcript's hash."""
    at = 2 + record[1]
    proved, at = int.from_bytes(record[at:at + 2], "big"), at + 2
    for _ in range(proved):
        at += 2 + record[at]
    end = at + 4 + int.from_bytes(record[at:at + 4], "big")
    at += 5
    at += 1 + record[at]
    others, at = int.from_bytes(record[at:at + 2], "little"), at + 2
    for _ in range(others):
        at += 1 + record[at]
    assert record[at] == 1 and record[at + 5] == 1
    chain = struct.unpack("<16s32sIII", record[at + 6:at + 66])
    assert record[end] == 1 and record[end + 1:end + 17] == chain[0]
    return (*chain, record[end + 24:end + 56])


def pin_hashes(record):
    """[(salt, hash)] of the owner's PIN and that of duress, both of version 2."""
    assert record[0] == 1 and len(record) == 131 and record[1] == record[66] == 2
    return [(record[at:at + 32], record[at + 32:at + 64]) for at in (2, 67)]


def is_pin(pin, hashed):
    salt, digest = hashed
    return hashlib.pbkdf2_hmac("sha256", pin, salt, 100_000) == digest


def attempts(record):
    """Failures, and the end of the delay in Unix time."""
    return struct.unpack(">I", record[:4]) + struct.unpack("<d", record[4:])


def uses(record):
    """The times of an allowance, in milliseconds."""
    return list(struct.unpack(f">{len(record) // 8}q", record))


def allowance(*milliseconds):
    return struct.pack(f">{len(milliseconds)}q", *milliseconds)


def lock_record(*pins):
    """The record of a lock; for the PIN and that of duress (PIN, salt)."""
    return b"\1" + b"".join(b"\2" + salt + hashlib.pbkdf2_hmac("sha256", pin, salt, 100_000) for pin, salt in pins)
