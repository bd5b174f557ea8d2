#!/usr/bin/python3
"""Keystores of version 1, by their description: what a keystore of version 2 would have been before.

    python3 -m kit.version1 DIR   turns the keystore in DIR, whose master key has no passphrase, into one of version 1

Imported, `downgrade` does the same with a master key that the caller knows.
"""

import hashlib
import os
import pathlib
import shutil
import sys

from nacl import bindings, utils
from nacl.exceptions import CryptoError

from kit import identityfiles
from kit.identityfiles import record_key

PLAIN = {"state.json", "lock"}


def seal_old(master, content, id, file_name, name=None):
    """A record of version 1; its name is the file's except in the history."""
    nonce = utils.random(24)
    return b"KTR1" + nonce + bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(
        content, f"KTR1{id}{file_name}".encode(), nonce, record_key(master, name or file_name))


def old_commit(master, id, changes):
    """A commit file of version 1: changes are (name, content of the file or None)."""
    body = b"".join(
        bytes([1 if content is not None else 2, len(name)]) + name.encode()
        + len(content or b"").to_bytes(4, "big") + (content or b"")
        for name, content in changes)
    digest = hashlib.blake2b(
        b"KTC1" + id.encode() + body, digest_size=32, key=record_key(master, "commit")).digest()
    return b"KTC1" + digest + body


def put(path, content):
    path.touch(0o600)
    path.write_bytes(content)


def resealed(master, path):
    try:
        content = identityfiles.opened(path, master)
    except (AssertionError, CryptoError):
        return path.read_bytes()
    _, id, _, name = identityfiles.names(path)
    return seal_old(master, content, id, path.name, name)


def downgrade_identity(master, new, old):
    old.mkdir(0o700)
    place = identityfiles.of_place(new)
    files = [path for directory in (new, place) if directory.exists() for path in directory.iterdir() if path.is_file()]
    for path in files:
        put(old / path.name, path.read_bytes() if path.name in PLAIN else resealed(master, path))
    if (place / "history").exists():
        (old / "history").mkdir(0o700)
        for path in (place / "history").iterdir():
            put(old / "history" / path.name, resealed(master, path))
    if (new / "lock").exists():
        status = (new / "lock").stat()
        os.utime(old / "lock", ns=(status.st_atime_ns, status.st_mtime_ns))


def downgrade(keystore, master):
    """Turns a keystore of version 2, with identities of Threema that have one place at most, into one of version 1."""
    keystore = pathlib.Path(keystore)
    own = identityfiles.opened(keystore / "keystore", master)
    assert own[0] == 2 and len(own) == 17
    put(keystore / "keystore", seal_old(master, b"\x01" + own[1:], "********", "keystore"))
    for new in identityfiles.directories(keystore):
        downgrade_identity(master, new, keystore / "identities" / new.name)
    shutil.rmtree(keystore / "identities" / identityfiles.MESSENGER, ignore_errors=True)


if __name__ == "__main__":
    directory = pathlib.Path(sys.argv[1])
    key_file = (directory / "master.key").read_bytes()
    assert len(key_file) == 44
    downgrade(directory, key_file[12:])
