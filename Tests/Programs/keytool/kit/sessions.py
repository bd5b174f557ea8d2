"""Session stores (`sessions.db`) without the program: sqlite3, hashlib and PyNaCl, as keytool-formats(5) describes them.
"""

import hashlib
import os
import pathlib
import shutil
import sqlite3
import struct
import subprocess
import tempfile

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


def place(file):
    """That of a file on this machine: a store that has it is no copy."""
    shown = subprocess.run(["stat", "-c", "%i %.9W", file], capture_output=True, text=True, check=True).stdout
    inode, birth = shown.split()
    machine = pathlib.Path("/etc/machine-id")
    id = bytes.fromhex(machine.read_text().strip()) if machine.exists() else b""
    return b"\1" + struct.pack(">QQ", int(inode), int(birth.replace(".", ""))) + (id if len(id) == 16 else bytes(16))


def create(keystore, master, messenger, id, values, is_copy=True):
    """`values`: by kind and name."""
    file = path(keystore, messenger, id)
    file.touch(0o600)
    value_key, name_key = keys(master, messenger, id)
    with sqlite3.connect(file, isolation_level=None) as database:
        database.execute(TABLE)
        database.execute("PRAGMA application_id = 0x4b545331")
        database.execute("PRAGMA user_version = 3")
        for (kind, name), value in {
                **values, ("store", b"place"): NOWHERE if is_copy else place(file)}.items():
            database.execute("INSERT INTO value VALUES (?, ?, ?)", (
                kind, digest(name_key, name), sealed(value_key, messenger, id, kind, name, value, os.urandom(24))))
    database.close()


def values(keystore, master, messenger, id):
    """By kind and name, with that of the place; nothing is changed."""
    return opened(path(keystore, messenger, id), master, messenger, id)


def restored_values(file, master, messenger, id):
    """The same of a store whose journal a killed command has left: of a copy, which SQLite restores."""
    with tempfile.TemporaryDirectory() as directory:
        for one in file.parent.glob(file.name + "*"):
            shutil.copy(one, directory)
        copy = pathlib.Path(directory) / file.name
        database = sqlite3.connect(copy)
        database.execute("SELECT count(*) FROM value").fetchone()
        database.close()
        return opened(copy, master, messenger, id)


def opened(file, master, messenger, id):
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


def interrupt(file, *statements):
    """As if a program was killed while it wrote a transaction: the file is as after it, and the pages before it are in
    the journal (SQLite, "Database File Format", 3). Returns the journal's path."""
    former, size = file.read_bytes(), 4096
    database = sqlite3.connect(file)
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()
    later, nonce, records = file.read_bytes(), 0x01020304, []
    for at in range(0, len(former), size):
        page = former[at:at + size]
        if later[at:at + size] != page:
            checksum = nonce + sum(page[size - 200:0:-200])
            records.append(struct.pack(">I", at // size + 1) + page + struct.pack(">I", checksum))
    journal = file.with_name(file.name + "-journal")
    header = struct.pack(">QIIIII", 0xD9D505F920A163D7, len(records), nonce, len(former) // size, 512, size)
    journal.write_bytes(header.ljust(512, b"\0") + b"".join(records))
    journal.chmod(0o600)
    return journal


def exported(values):
    """As an archive contains them."""
    file = b"KTV1"
    for (kind, name), value in sorted(((kind.encode(), name), value) for (kind, name), value in values.items()):
        file += bytes([len(kind)]) + kind + bytes([len(name)]) + name + struct.pack(">I", len(value)) + value
    return file
