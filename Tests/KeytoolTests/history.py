"""The backups that a keystore keeps before it replaces or deletes them, opened without the program: keytool-formats(5)."""

import hashlib
from datetime import datetime, timezone

import masterkey
import nacl.bindings

VERSION = 1


def kept(keytool, id):
    """The encrypted backups in an identity's history, the oldest first."""
    folder = keytool.keystore / "identities" / id / "history"
    if not folder.exists():
        return []
    key = nacl.bindings.crypto_generichash_blake2b_salt_personal(
        b"", 32, masterkey.read(keytool), b"history", b"keytool-record-1")
    return [_opened(path, id, key) for path in sorted(folder.glob("[0-9]*"))]


def _opened(path, id, key):
    sealed = path.read_bytes()
    content = nacl.bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(
        sealed[28:], b"KTR1" + id.encode() + path.name.encode(), sealed[4:28], key)
    digest, backup = content[9:41], content[41:]
    assert content[0] == VERSION and digest == hashlib.blake2b(backup, digest_size=32).digest()
    moment = datetime.fromtimestamp(int.from_bytes(content[1:9], "big") / 1000, timezone.utc)
    assert path.name == f"{moment:%Y%m%dT%H%M%S}{moment.microsecond // 1000:03d}Z-{digest[:8].hex()}"
    return backup
