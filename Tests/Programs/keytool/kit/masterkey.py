"""Reads a keystore's master key, and wraps it again under another passphrase."""

from kit import keyfiles
from kit.runner import snapshot

PASSPHRASE = b"correct-horse-7"
NEW_PASSPHRASE = b"battery-staple-8"
WRONG = b"nopedinope"

FILE = "master.key"  # the one file that a new passphrase changes


def file(keytool):
    return keytool.keystore / FILE


def read(keytool, passphrase=None):
    """The master key. Raises ValueError where the passphrase does not open it."""
    return keyfiles.unwrap(file(keytool).read_bytes(), passphrase)


def rewrap(keytool, passphrase=PASSPHRASE, old=None, **cost):
    """Protects it, at a cost that no test has to wait for. Gives the master key."""
    key = read(keytool, old)
    file(keytool).write_bytes(
        keyfiles.wrap_v2(key, passphrase, **{**keyfiles.LEAST_COST, **cost}))
    return key


def others(keytool):
    """Everything in the keystore but the master key's file."""
    return snapshot(keytool.keystore, without=("lock", FILE))


class Replaced:
    """A keystore whose master key's file is replaced by one of the test's making."""

    def __init__(self, keytool, passphrase):
        self.keytool = keytool
        self.made = keytool.json("id", "create", "--id", "ABCD1234")
        self.key, self.good = read(keytool), file(keytool).read_bytes()
        self.passphrase = passphrase  # the option

    def by(self, content):
        file(self.keytool).write_bytes(content)
        return self

    @property
    def fitting(self):
        """The passphrase, but for a file that has none: giving one for that is an error of its own."""
        return [] if keyfiles.is_bare(file(self.keytool).read_bytes()) else self.passphrase

    def opens(self, **expected):
        """`expected`: what key status says of it."""
        status = self.keytool.json("key", "status")
        assert {**status, **expected} == status
        if expected["protection"] != "none":
            self.keytool.fails(16, "id", "show")
        shown = self.keytool.json("id", "show", *self.fitting)
        assert shown["public_key"] == self.made["public_key"]

    def is_refused(self, code, words="", keytool=None):
        """Nothing is opened, nothing is sealed, nothing is changed."""
        before, passphrase = snapshot(self.keytool.keystore), self.fitting
        for command in (["id", "show"], ["id", "create", "--id", "ZZZZ9999"]):
            result = (keytool or self.keytool).fails(code, *command, *passphrase)
            assert words in result.err, result
        assert snapshot(self.keytool.keystore) == before
