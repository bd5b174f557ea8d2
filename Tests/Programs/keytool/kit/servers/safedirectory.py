"""A Safe server in a directory: `config` and `backups/<64 hex>`, as the tests see it."""

import json
import urllib.parse
from pathlib import Path

from kit import history, identityfiles, oracle

MAX_BACKUP_BYTES = 524288
RETENTION_DAYS = 180


class SafeDirectory:
    def __init__(self, path):
        self.path = Path(path)
        self.url = "file://" + urllib.parse.quote(str(self.path), safe="/!$&'()*+,;=:@")
        self.config = self.path / "config"
        self.backups = self.path / "backups"

    def prepare(self, max_backup_bytes=MAX_BACKUP_BYTES, retention_days=RETENTION_DAYS):
        """What `safe setup --create` makes of a bare directory."""
        self.backups.mkdir(exist_ok=True)
        self.config.write_text(json.dumps(
            {"maxBackupBytes": max_backup_bytes, "retentionDays": retention_days}))
        return self

    def backup(self, keys):
        return self.backups / keys.backup_id

    def put(self, keys, blob):
        self.backup(keys).write_bytes(blob)

    def names(self):
        return sorted(path.name for path in self.backups.iterdir())

    def go_away(self):
        """The directory is unmounted, renamed, not there: give the path to bring it back."""
        return self.path.rename(self.path.with_name(self.path.name + "-away"))

    def come_back(self):
        self.path.with_name(self.path.name + "-away").rename(self.path)


class SafeSetup:
    """A keystore with one identity whose Safe is set up, and what the oracle knows of it."""

    def __init__(self, keytool, directory, id, password):
        self.keytool, self.directory, self.id, self.password = keytool, directory, id, password

    @property
    def keys(self):
        return oracle.safe_keys(self.password, self.id)

    @property
    def blob(self):
        return self.directory.backup(self.keys).read_bytes()

    @property
    def document(self):
        return oracle.open_safe(self.blob, self.keys)

    @property
    def kept(self):
        """The backups in the history, encrypted, the oldest first."""
        return history.kept(self.keytool, self.id)

    def push(self, *options):
        return self.keytool.json("safe", "push", *options)

    def record(self, name):
        return identityfiles.path(self.keytool.keystore, self.id, name)
