"""A folder with everything that a command touches, looked at without the program.

Two views of it are equal where every private key, profile, setup and backup is.
"""

import shutil

import nacl.bindings

import oracle
from known import BACKUP_PASSWORD, CODE, CODE_PASSWORD, SAFE_PASSWORD
from runner import Keytool
from safefolder import SafeFolder

NEW_PASSWORD = b"another-stable-5"
ID, OTHER_ID = "ABCD1234", "ZZZZ9999"


class Place:
    """A folder with everything that a command touches, and copies of how it was."""

    def __init__(self, path):
        self.path = path
        self.home, self.keystore = path / "home", path / "keystore"
        for folder in (path, self.home):
            folder.mkdir(mode=0o700)
        self.keytool = Keytool(self.home, self.keystore)
        self.folder, self.second = (SafeFolder(path / name) for name in ("safe", "second"))
        self.code = self.home / "written-code"
        for name, content in {"safe-password": SAFE_PASSWORD, "code-password": CODE_PASSWORD,
                              "new-safe-password": NEW_PASSWORD, "code": CODE.encode(),
                              "backup-password": BACKUP_PASSWORD}.items():
            (self.home / name).write_bytes(content)
            (self.home / name).chmod(0o600)

    def keep(self, name):
        shutil.rmtree(self._kept(name), ignore_errors=True)
        shutil.copytree(self.path, self._kept(name))

    def bring_back(self, name):
        shutil.rmtree(self.path)
        shutil.copytree(self._kept(name), self.path)

    def _kept(self, name):
        return self.path.with_name(f"{self.path.name}-{name}")

    def temporary(self):
        """What a writer that is still at work would have."""
        return sorted(str(path.relative_to(self.path)) for path in self.path.rglob(".*"))

    def backups(self):
        """(folder, name, document without its stamp), which is None where it does not open."""
        found = []
        for folder in (self.folder, self.second):
            for path in sorted(folder.backups.glob("*")):
                if not path.name.startswith("."):
                    found.append((folder.path.name, path.name, _opened(path)))
        return found

    def view(self, drawn=()):
        """`drawn`: IDs whose private key is random, so that it differs in every run."""
        identities = {}
        for folder in sorted(self.keystore.glob("identities/[0-9A-Z*]*")):
            records = {name: _record(self.keystore, folder.name, name)
                       for name in ("identity", "profile", "safe") if (folder / name).exists()}
            if folder.name in drawn:
                records["identity"] = len(records["identity"])
            identities[folder.name] = records
        code = (oct(self.code.stat().st_mode), oracle.open_code(
            self.code.read_text().strip(), BACKUP_PASSWORD)) if self.code.exists() else None
        return {"identities": identities, "backups": self.backups(), "code": code}


def _opened(path):
    for password in (SAFE_PASSWORD, NEW_PASSWORD):
        keys = oracle.safe_keys(password, ID)
        if keys.backup_id == path.name:
            document = oracle.open_safe(path.read_bytes(), keys)
            document.pop("keytool", None)
            return document
    return None


def _record(keystore, id, name):
    """By the key from the unprotected master.key."""
    return opened_record(keystore / "identities" / id / name,
                         (keystore / "master.key").read_bytes()[12:])


def opened_record(path, master, id=None):
    """KTR1, nonce (24), XChaCha20-Poly1305; of an identity's records the folder is its ID."""
    id, name, sealed = id or path.parent.name, path.name, path.read_bytes()
    key = nacl.bindings.crypto_generichash_blake2b_salt_personal(
        b"", 32, master, name.encode(), b"keytool-record-1")
    return nacl.bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(
        sealed[28:], sealed[:4] + id.encode() + name.encode(), sealed[4:28], key)
