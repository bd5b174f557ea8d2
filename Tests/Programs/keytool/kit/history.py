"""The backups in a keystore's history, opened without the program: keytool-formats(5)."""

import hashlib
from datetime import datetime, timezone

from kit import identityfiles, masterkey

ORIGINS = ("replaced", "mirrored", "both")


def kept(keytool, id):
    """The encrypted backups in an identity's history, the oldest first."""
    directory = identityfiles.path(keytool.keystore, id, "history")
    if not directory.exists():
        return []
    master = masterkey.read(keytool)
    return [_opened(path, master) for path in sorted(directory.glob("[0-9]*"))]


def _opened(path, master):
    content = identityfiles.opened(path, master)
    version, digest = content[0], content[9:41]
    backup = content[41:] if version == 1 else content[105:]
    assert version in (1, 2) and digest == hashlib.blake2b(backup, digest_size=32).digest()
    moment = datetime.fromtimestamp(int.from_bytes(content[1:9], "big") / 1000, timezone.utc)
    start = f"{moment:%Y%m%dT%H%M%S}{moment.microsecond // 1000:03d}Z-{digest[:8].hex()}"
    assert path.name in ([start] if version == 1 else [f"{start}-{origin}" for origin in ORIGINS])
    return backup
