"""Another keytool that holds a lock, as far as flock(2) can tell."""

import fcntl
import os


class Held:
    def __init__(self, path):
        """path: a lock file, which is made where it is missing, or a directory."""
        flags = os.O_RDONLY if path.is_dir() else os.O_RDWR | os.O_CREAT
        self.descriptor = os.open(path, flags, 0o600)
        fcntl.flock(self.descriptor, fcntl.LOCK_EX)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.descriptor)
