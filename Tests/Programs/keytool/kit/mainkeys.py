"""MainKeys without the program: the check value, the record of the protections, the entry in the keyring."""

import hashlib
import hmac
import os
import struct

from kit import agefile, identityfiles, masterkey
from kit.processes import keyring

MESSENGER = "mainkey"
PIN, NEW_PIN, WRONG_PIN = b"271828-pin", b"314159-new", b"161803-not"
KEY = bytes(range(32))
KEY_ID = "edc1a26daadfba87"
NONE, AGE_PIN, AGE_KEY, RECIPIENTS = range(4)


def check_value(key):
    return hmac.digest(key, b"keytool-mainkey-id", "sha256")[:8].hex()


def directory(keystore, id):
    return keystore / "identities" / MESSENGER / id


def ids(keystore):
    home = keystore / "identities" / MESSENGER
    return sorted(path.name for path in home.glob("*") if not path.name.startswith("."))


def protections(keytool, id, passphrase=None):
    """{kind: content} of the record, which holds nothing else."""
    record = identityfiles.opened(
        directory(keytool.keystore, id) / "protections", masterkey.read(keytool, passphrase))
    return parsed(record)


def parsed(record):
    assert record[0] == 1
    found, at = {}, 1
    while at < len(record):
        kind, length = struct.unpack_from(">BI", record, at)
        assert not found or kind > max(found)
        found[kind] = record[at + 5 : at + 5 + length]
        assert len(found[kind]) == length
        at += 5 + length
    return found


def encoded(parts):
    return b"\x01" + b"".join(struct.pack(">BI", kind, len(content)) + content
                              for kind, content in sorted(parts.items()))


def put(keytool, id, parts):
    """Replaces the record, or makes the key's directory with it."""
    home = directory(keytool.keystore, id)
    for path in (home.parent.parent, home.parent, home):
        path.mkdir(mode=0o700, exist_ok=True)
    master = masterkey.read(keytool)
    path = home / "protections"
    content = parts if isinstance(parts, bytes) else encoded(parts)
    path.write_bytes(identityfiles.sealed(
        content, master, "protections", identityfiles.names(path)[:3] + ("protections",), os.urandom(24)))
    path.chmod(0o600)
    return path


def opened(parts, pin=None, identity=None):
    """The keys that the parts hold, by what opens them: each has to be there and whole."""
    found = {}
    for kind, content in parts.items():
        if kind == NONE:
            found[kind] = content
        elif kind == AGE_PIN and pin:
            found[kind] = agefile.open_file(content, passphrase=pin)
        elif kind == AGE_KEY and identity:
            found[kind] = agefile.open_file(content, identity=agefile.decode_key(identity, "age-secret-key-"))
    return found


def under_pin(key, pin=PIN, work_factor=12):
    """An age file whose derivation no test has to wait for."""
    file_key = os.urandom(16)
    return agefile.seal(key, [agefile.scrypt_stanza(file_key, pin, os.urandom(16), work_factor)], file_key,
                        os.urandom(16))


def for_key(key, recipient):
    file_key = os.urandom(16)
    stanza = agefile.x25519_stanza(file_key, agefile.decode_key(recipient, "age"), os.urandom(32))
    return agefile.seal(key, [stanza], file_key, os.urandom(16))


def entry_name(keystore, id):
    """The name of an unlocked key in the kernel's keyring."""
    named = (keystore / "keystore").read_bytes() + identityfiles.prefixed(MESSENGER, id)
    return "keytool:" + hashlib.sha256(named).digest()[:16].hex()


def entry(keystore, id):
    return keyring.find(entry_name(keystore, id))
