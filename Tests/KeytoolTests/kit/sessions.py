"""Session stores (`sessions.db`) without the program: sqlite3, hashlib and PyNaCl, as keytool-formats(5) describes them.
"""

import hashlib
import os
import sqlite3
import struct

import nacl.bindings as sodium

from kit import identityfiles
from kit.identityfiles import prefixed

TABLE = ("CREATE TABLE value (kind TEXT NOT NULL, name BLOB NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY (kind, name)) "
         "STRICT, WITHOUT ROWID")
NOWHERE = b"\1" + bytes(32)  # the place of no file


def keys(master, messenger, id):
    """Those of values and of names."""
    store, owner = identityfiles.record_key(master, "sessions"), prefixed(messenger, id)
    return [hashlib.blake2b(owner, digest_size=32, key=store, salt=salt, person=b"keytool-session1").digest()
            for salt in (b"value", b"name")]


def digest(key, name):
    return hashlib.blake2b(name, digest_size=16, key=key).digest()


def sealed(key, messenger, id, kind, name, value, nonce):
    data = b"KTS2" + prefixed(messenger, id, kind)
    content = bytes([len(name)]) + name + value
    return b"KTS2" + nonce + sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(content, data, nonce, key)


def unsealed(key, messenger, id, kind, file):
    """Name and value."""
    assert file[:4] == b"KTS2"
    content = sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(
        file[28:], b"KTS2" + prefixed(messenger, id, kind), file[4:28], key)
    return content[1:1 + content[0]], content[1 + content[0]:]


def path(keystore, messenger, id):
    return keystore / "identities" / messenger / id / "sessions.db"


def create(keystore, master, messenger, id, values):
    """`values`: by kind and name."""
    file = path(keystore, messenger, id)
    file.touch(0o600)
    value_key, name_key = keys(master, messenger, id)
    with sqlite3.connect(file, isolation_level=None) as database:
        database.execute(TABLE)
        database.execute("PRAGMA application_id = 0x4b545331")
        database.execute("PRAGMA user_version = 2")
        for (kind, name), value in {**values, ("store", b"place"): NOWHERE}.items():
            database.execute("INSERT INTO value VALUES (?, ?, ?)", (
                kind, digest(name_key, name), sealed(value_key, messenger, id, kind, name, value, os.urandom(24))))
    database.close()


def values(keystore, master, messenger, id):
    """By kind and name, with that of the place; nothing is changed."""
    file = path(keystore, messenger, id)
    value_key, name_key = keys(master, messenger, id)
    database = sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True)
    assert [row[0] for row in database.execute("SELECT sql FROM sqlite_schema")] == [TABLE]
    assert database.execute("PRAGMA application_id").fetchone() == (0x4B545331,)
    found = {}
    for kind, name_digest, row in database.execute("SELECT kind, name, sealed FROM value"):
        name, value = unsealed(value_key, messenger, id, kind, row)
        assert digest(name_key, name) == name_digest
        found[kind, name] = value
    database.close()
    return found


def exported(values):
    """As an archive contains them."""
    file = b"KTV1"
    for (kind, name), value in sorted(((kind.encode(), name), value) for (kind, name), value in values.items()):
        file += bytes([len(kind)]) + kind + bytes([len(name)]) + name + struct.pack(">I", len(value)) + value
    return file
