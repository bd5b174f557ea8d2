"""A directory with everything that a command touches, read without the program.

Two views of it are equal where every private key, profile, setup and backup is.
"""

import shutil

from kit import history, identityfiles, keyfiles, oracle, sessions
from kit.known import BACKUP_PASSWORD, CODE, CODE_PASSWORD, SAFE_PASSWORD
from kit.runner import Keytool
from kit.servers.safedirectory import SafeDirectory

NEW_PASSWORD = b"another-stable-5"
ID, OTHER_ID = "ABCD1234", "ZZZZ9999"
RECORDS = ("identity", "profile", "devicegroupkey", "safe")
# Somebody else's backup in the same directory: no command may touch it.
PROBE_BYTES = 64  # no backup is that short
STRANGER, STRANGERS_BACKUP = "0" * 64, b"somebody else's backup"


class Place:
    """A directory with everything that a command touches, and copies of how it was."""

    def __init__(self, path):
        self.path = path
        self.home, self.keystore = path / "home", path / "keystore"
        for directory in (path, self.home):
            directory.mkdir(mode=0o700)
        self.keytool = Keytool(self.home, self.keystore)
        self.directory, self.second = (SafeDirectory(path / name) for name in ("safe", "second"))
        self.code = self.home / "written-code"
        for name, content in {"safe-password": SAFE_PASSWORD, "code-password": CODE_PASSWORD,
                              "new-safe-password": NEW_PASSWORD, "code": CODE.encode(),
                              "backup-password": BACKUP_PASSWORD}.items():
            (self.home / name).write_bytes(content)
            (self.home / name).chmod(0o600)

    def keep(self, name):
        shutil.rmtree(self._kept(name), ignore_errors=True)
        shutil.copytree(self.path, self._kept(name), symlinks=True)

    def bring_back(self, name):
        shutil.rmtree(self.path)
        shutil.copytree(self._kept(name), self.path, symlinks=True)

    def _kept(self, name):
        return self.path.with_name(f"{self.path.name}-{name}")

    def temporary(self):
        """What a writer that is still at work would have. A probe in a Safe directory does not count: it goes with the
        next upload there."""
        return sorted(str(path.relative_to(self.path)) for path in self.path.rglob(".*")
                      if path.parent.name != "backups" or path.lstat().st_size > PROBE_BYTES)

    @property
    def directories(self):
        """The directories; the second may be another name of the first."""
        return [self.directory] if self.second.path.is_symlink() else [self.directory, self.second]

    def _backups(self):
        return [path for path in self._files() if path.stat().st_size != PROBE_BYTES]

    def probes(self):
        """Random bytes under a random name, by which a command tries whether a server works."""
        return [path for path in self._files() if path.stat().st_size == PROBE_BYTES]

    def _files(self):
        return [path for directory in self.directories for path in sorted(directory.backups.glob("*"))
                if path.name != STRANGER and not path.name.startswith(".")]

    def backups(self):
        """(directory, name, document without its writer info), which is None where it does not open."""
        return [(path.parent.parent.name, path.name, _opened(path)) for path in self._backups()]

    def blobs(self):
        """The backups as they lie there, encrypted; of those that were replaced or deleted, what the history keeps."""
        return [path.read_bytes() for path in self._backups()] + history.kept(self.keytool, ID)

    def add_strangers(self):
        for directory in self.directories:
            if directory.backups.exists():
                (directory.backups / STRANGER).write_bytes(STRANGERS_BACKUP)

    def strangers(self):
        paths = (directory.backups / STRANGER for directory in self.directories)
        return [path.exists() and path.read_bytes() for path in paths]

    def view(self, drawn=()):
        """`drawn`: IDs whose private key is random, so that it differs in every run."""
        identities = {}
        for directory in identityfiles.directories(self.keystore):
            found = records(self.keystore, directory.name)
            if directory.name in drawn:
                found["identity"] = len(found["identity"])
            identities[directory.name] = found
        code = (oct(self.code.stat().st_mode), oracle.open_code(
            self.code.read_text().strip(), BACKUP_PASSWORD)) if self.code.exists() else None
        return {"identities": identities, "backups": self.backups(), "code": code}


def _opened(path):
    for password in (SAFE_PASSWORD, NEW_PASSWORD):
        keys = oracle.safe_keys(password, ID)
        if keys.backup_id == path.name:
            try:
                document = oracle.open_safe(path.read_bytes(), keys)
            except ValueError:
                return None
            document.pop("keytool", None)
            return document
    return None


def records(keystore, id):
    """What an identity's records hold, by the key from the unprotected master.key. What a process that was killed
    has left in the file `commit` counts as written."""
    master = (keystore / "master.key").read_bytes()[12:]
    paths = {name: identityfiles.path(keystore, id, name) for name in RECORDS}
    files = {name: path.read_bytes() for name, path in paths.items() if path.exists()}
    files |= committed(identityfiles.path(keystore, id, "commit"))
    found = {name: identityfiles.unsealed(files[name], master, name, identityfiles.names(paths[name]))
             for name in RECORDS if files.get(name)}
    if "safe" in found:
        found["safe"] = _setup(found["safe"])
    if sessions.path(keystore, identityfiles.MESSENGER, id).exists():
        found["sessions"] = sessions.values(keystore, master, identityfiles.MESSENGER, id)
    return found


def committed(path):
    """Name and content of each file of a commit that was not written out; None for one that is removed."""
    changes, position = {}, 36
    commit = path.read_bytes() if path.exists() else b""
    while position < len(commit):
        kind, length = commit[position : position + 2]
        name = commit[position + 2 : position + 2 + length].decode().removeprefix("main/")
        start = position + 6 + length
        position = start + int.from_bytes(commit[start - 4 : start], "big")
        changes[name] = commit[start:position] if kind == 1 else None
    return changes


def _setup(record):
    """The fields of the targets, without the name of the place, which is drawn."""
    targets = keyfiles.fields(record[1:])
    return {number: {field: value for field, value in keyfiles.fields(target).items() if field != 7}
            if number <= 3 else target for number, target in targets.items()}
