"""Which passphrases a keystore accepts: in key protect, key passwd, and in the commands that make a keystore."""

import pytest

from kit import masterkey, oracle
from kit.known import CODE, CODE_PASSWORD, SAFE_PASSWORD
from kit.masterkey import PASSPHRASE
from kit.runner import snapshot

CHANGING = ["key protect", "key passwd"]
MAKING = ["id create", "backup import", "safe pull"]
IDENTITY = oracle.Identity("ABCD1234", bytes(range(32)))


def commands(*names):
    return pytest.mark.parametrize("choosing", names, indirect=True)


class Choosing:
    """A command that takes a new passphrase, in a place where it would succeed."""

    def __init__(self, name, keytool, write, options):
        self.name, self.keytool, self.write, self.options = name, keytool, write, options
        self.stem = "new-passphrase" if name == "key passwd" else "passphrase"

    def takes(self, content, *options):
        return self.keytool.ok(*self._command(content), *options)

    def refuses(self, code, content, *options):
        return self.refuses_all(code, *self._command(content), *options)

    def refuses_all(self, code, *command, runner=None):
        before = snapshot(self.keytool.keystore)
        result = (runner or self.keytool).fails(code, *command)
        assert snapshot(self.keytool.keystore) == before
        return result

    @property
    def command(self):
        return [*self.name.split(), *self.options]

    def _command(self, content):
        return [*self.command, f"--{self.stem}-file", self.write("chosen", content)]


@pytest.fixture
def choosing(request, keytool, write, given):
    name, options = request.param, []
    if name in CHANGING:
        keytool.ok("id", "create", "--id", "ABCD1234")
        options = ["--scheme", "scrypt"]
    if name == "key passwd":
        masterkey.rewrap(keytool)
        options += given("passphrase", PASSPHRASE)
    elif name == "backup import":
        options = [write("code", CODE), *given("backup-password", CODE_PASSWORD)]
    elif name == "safe pull":
        directory = request.getfixturevalue("directory").prepare()
        keys = oracle.safe_keys(SAFE_PASSWORD, "ABCD1234")
        directory.put(keys, oracle.seal_safe(oracle.safe_document(IDENTITY.client_key), keys))
        options = ["--id", "ABCD1234", "--server", directory.url,
                   *given("safe-password", SAFE_PASSWORD)]
    return Choosing(name, keytool, write, options)


@commands(*CHANGING, *MAKING)
def test_refused(choosing):
    for content, code in (
            (b"7 chars", 64),
            ("ÄÄÄÖÖÖÜ".encode(), 64),  # characters, not bytes
            (b"", 65), (b"\n", 65), (b"long\0enough", 65), (b"long\nenough", 65),
            (b"\xff\xfe long enough", 65), (b"long enough \xcc", 65)):
        choosing.refuses(code, content)
        choosing.refuses(code, content, "--weak-ok")


@commands(*CHANGING, *MAKING)
def test_weak(choosing):
    for content in (b"aaaaaaaaaa", b"123456789012345", b"Password1"):
        refused = choosing.refuses(64, content)
        assert "weak" in refused.err and "--weak-ok" in refused.err
        assert content.decode() not in refused.err
    taken = choosing.takes(b"12345678", "--weak-ok")
    assert "warning" in taken.err and "weak" in taken.err
    assert "not protected" not in taken.err
    assert masterkey.read(choosing.keytool, b"12345678")


@commands(*CHANGING)
def test_bytes_are_used_as_typed(choosing):
    """No trimming, no normalisation: eight characters, with blanks at both ends, not composed."""
    text = " A\u0308 € \U0001f511 "
    assert len(text) == 8
    choosing.takes(text.encode() + b"\n")
    assert masterkey.read(choosing.keytool, text.encode())


@commands(*MAKING)
def test_a_source_that_fails_never_means_none(choosing, tmp_path):
    """A keystore that was to be protected must not end up without a passphrase."""
    for kind, value, code in (("FILE", tmp_path / "absent", 66), ("COMMAND", "false", 16),
                              ("COMMAND", "true", 16), ("FD", "77", (64, 66))):
        runner = choosing.keytool.with_environment(**{f"KEYTOOL_PASSPHRASE_{kind}": value})
        choosing.refuses_all(code, *choosing.command, runner=runner)


@commands(*MAKING)
def test_no_source_at_all_is_said(choosing):
    """Without a terminal there is nobody to ask; a credential that is not there is no source."""
    absent = choosing.keytool.with_environment(CREDENTIALS_DIRECTORY="/nonexistent")
    assert "not protected by a passphrase" in absent.ok(*choosing.command).err
    assert masterkey.read(choosing.keytool)


def test_a_new_keystore_says_that_it_is_protected(keytool, given):
    passphrase = given("passphrase", PASSPHRASE)
    made = keytool.json("id", "create", "--id", "ABCD1234", *passphrase)
    assert made["protection"] == "passphrase"
    assert masterkey.read(keytool, PASSPHRASE)
    assert keytool.json("key", "status")["scheme"] == "argon2id"
    masterkey.rewrap(keytool, old=PASSPHRASE)
    second = keytool.ok("id", "create", "--id", "ZZZZ9999", *passphrase)
    assert "not protected" not in second.out + second.err
    listed = keytool.ok("id", "list", *passphrase)
    assert "not protected" not in listed.out + listed.err


def test_no_passphrase_contradicts_a_source_that_is_named(keytool, given):
    """Somebody who names a passphrase must not get a keystore without one."""
    keytool.fails(64, "id", "create", "--no-passphrase", *given("passphrase", PASSPHRASE))
    assert not masterkey.file(keytool).exists()
