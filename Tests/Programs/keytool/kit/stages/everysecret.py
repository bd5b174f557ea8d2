"""An identity with a Safe in a keystore whose secrets are all known; its passwords are words that no
program contains."""

import base64
import hashlib
import shutil

from kit import archives, identityfiles, keyfiles, masterkey, oracle, shamir
from kit.runner import Keytool
from kit.servers.safedirectory import SafeDirectory

ID = "ABCD1234"
PASSWORDS = {
    "passphrase": b"Quartz-Lantern-61",
    "new-passphrase": b"Velvet-Harbour-28",
    "file-passphrase": b"Marble-Compass-19",
    "new-file-passphrase": b"Copper-Orchard-56",
    "telegram-passcode": b"Walnut-Signal-34",
    "attachment-key": b"UXVhcnR6LUxhbnRlcm4tVmVsdmV0LUhhcmJvdXItTWFyYmxlLUNvbXBhc3MtQ29wcGVyLU9yY2hhcmQtU2VhbA==",
    "client-password": b"Hazel-Turbine-52",
    "archive-passphrase": b"Walnut-Ferry-44",
    "backup-password": b"Saffron-Ladder-93",
    "safe-password": b"Cobalt-Meadow-47",
    "new-safe-password": b"Tundra-Whistle-85",
    "revocation-password": b"Juniper-Anchor-72",
    "pin": b"Walnut-Terrace-38",
    "new-pin": b"Copper-Orchard-56",
    "duress-pin": b"Amber-Thicket-67",
}
# So much memory that the program maps it, as it does the 128 MiB of its own files.
COST = {"memory_kib": 16_384, "passes": 2}
RECORDS = ("keystore", "identity", "profile", "devicegroupkey", "safe", "state", "commit", "history", "prekeys", "pin",
           "attempts", "changes", "clearings")
DEVICE_GROUP_KEY = bytes.fromhex("a7419c02e85f36d17b90fc284de3065a81b7d92e43cf15607a8e3bd4920f6cc1")


class EverySecret:
    """`home` holds each password in a file; the keystore is there, and empty."""

    def __init__(self, path):
        self.path, self.home = path, path / "home"
        self.keystore = path / "keystore"
        for directory in (path, self.home, self.keystore):
            directory.mkdir(mode=0o700)
        self.keytool = Keytool(self.home, self.keystore)
        self.directory = SafeDirectory(path / "safe")
        self.secrets = dict(PASSWORDS)
        for stem, password in PASSWORDS.items():
            self.file(stem, password + b"\n")

    def file(self, name, content):
        path = self.home / name
        path.write_bytes(content)
        path.chmod(0o600)
        return path

    def given(self, *stems, source="file"):
        """The options that give these secrets."""
        found = []
        for stem in stems:
            path = self.home / stem
            found += [f"--{stem}-{source}", {"file": path, "command": f"cat '{path}'"}[source]]
        return found

    def shared_archive(self, client_key):
        """A file with this key, which two of three shares open, and the words of all three."""
        words = shamir.split(archives.SECRET, 2, 3)[0]
        shamir.learn(self, words[:2])
        self.secrets["client key"] = client_key
        self.secrets["age key"] = archives.SECRET
        self.secrets["age key as text"] = archives.IDENTITY[16:].encode()
        return self.file("archive.age", archives.archive(*archives.threema(ID, client_key))), words

    def identity(self):
        """Made in an unprotected keystore, and pushed to its Safe; its profile has a device group key."""
        self.keytool.ok("id", "create", "--id", ID)
        self.keytool.ok("safe", "setup", "--create", "--server", self.directory.url,
                        *self.given("safe-password"))
        self.keytool.ok("safe", "push")
        keys = oracle.safe_keys(PASSWORDS["safe-password"], ID)
        document = oracle.open_safe(self.directory.backup(keys).read_bytes(), keys)
        document["user"]["temporaryDeviceGroupKeyTodoRemove"] = base64.b64encode(DEVICE_GROUP_KEY).decode()
        self.directory.put(keys, oracle.seal_safe(document, keys))
        self.keytool.ok("safe", "pull", "--replace")
        self.keytool.ok("safe", "push", "--force")
        return self

    def keep(self):
        shutil.copytree(self.path, self._kept)
        return self

    def bring_back(self):
        """As it was, and at the same place: the setup knows where the Safe stands."""
        shutil.rmtree(self.path)
        shutil.copytree(self._kept, self.path)
        self.secrets = dict(PASSWORDS)
        return self

    @property
    def _kept(self):
        return self.path.with_name(f"{self.path.name}-kept")

    def protect(self, scheme):
        """By a passphrase, at a cost that a file may ask for and no test has to wait for."""
        key, password = masterkey.read(self.keytool), PASSWORDS["passphrase"]
        masterkey.file(self.keytool).write_bytes({
            "none": lambda: keyfiles.wrap_v2(key),
            "scrypt": lambda: keyfiles.wrap_v1(key, password),
            "argon2id": lambda: keyfiles.wrap_v2(key, password, **COST),
        }[scheme]())
        return self

    def learn(self):
        """Adds what the keystore and the Safe hold now, opened without the program."""
        for password in ("safe-password", "new-safe-password"):
            keys = oracle.safe_keys(PASSWORDS[password], ID)
            self.secrets[f"backup id of the {password}"] = bytes.fromhex(keys.backup_id)
            self.secrets[f"Safe key of the {password}"] = keys.encryption_key
        file = masterkey.file(self.keytool)
        if file.exists():
            self._learn_master_key(file.read_bytes())
        return self

    def learn_code(self, code):
        """The key of a backup code, and the client key under it."""
        password, raw = PASSWORDS["backup-password"], oracle.code_bytes(code)
        self.secrets["client key"] = oracle.open_code(code, password).client_key
        self.secrets["backup code's key"] = (
            oracle._argon2id(password, raw[1:9]) if len(raw) == oracle.ARGON2ID_BYTES else
            hashlib.pbkdf2_hmac("sha256", password, raw[:8], oracle.ITERATIONS, 32))

    def _learn_master_key(self, file):
        for stem in (None, "passphrase", "new-passphrase", "file-passphrase"):
            password = stem and PASSWORDS[stem]
            try:
                key = keyfiles.unwrap(file, password)
            except ValueError:
                continue
            self.secrets["master key"] = key
            if password:
                self.secrets[f"wrapping key of the {stem}"] = wrapping_key(file, password)
            for name in RECORDS:
                self.secrets[f"key of {name} records"] = identityfiles.record_key(key, name)
            self._learn_identities(key)
            return
        raise AssertionError("no passphrase opens the master key")

    def _learn_identities(self, key):
        for directory in identityfiles.directories(self.keystore):
            self.secrets["client key"] = identityfiles.opened(directory / "identity", key)[8:]
            if (directory / "devicegroupkey").exists():
                self.secrets["device group key"] = identityfiles.opened(directory / "devicegroupkey", key)


def wrapping_key(file, password):
    if len(file) == 45:
        return hashlib.scrypt(password, salt=file[33:41], n=65536, r=8, p=1, dklen=32,
                              maxmem=128 << 20)
    memory, passes, salt = keyfiles.cost(file)
    return keyfiles.argon2id(password, salt, memory, passes)
