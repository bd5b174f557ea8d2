"""No secret in any output of everyday commands, with every option that makes them say more."""

import base64

import pytest

from kit import oracle
from kit.known import BACKUP_PASSWORD, CODE, CODE_IDENTITY, CODE_PASSWORD, SAFE_PASSWORD


class Listening:
    """Runs keytool and keeps everything it says."""

    def __init__(self, keytool):
        self.keytool, self.said = keytool, ""

    def __call__(self, *arguments, **options):
        for loud in ((), ("-v",), ("--json",)):
            result = self.keytool(*arguments, *loud, **options)
            self.said += result.out + result.err
        return result

    def never_said(self, *secrets):
        for secret in secrets:
            text = secret if isinstance(secret, str) else secret.decode()
            assert text not in self.said, f"said {text!r}"


def spellings(key):
    return (key.hex(), key.hex().upper(), base64.b64encode(key).decode(),
            base64.b64encode(key).decode().rstrip("="))


def test_import_and_safe(keytool, directory, code_file, code_password, safe_password):
    run = Listening(keytool)
    run("backup", "check", code_file, *code_password)
    run("backup", "import", code_file, *code_password)
    run("id", "show")
    run("id", "list")
    run("safe", "setup", "--create", "--server", directory.url, *safe_password)
    run("safe", "push")
    run("safe", "push", "--force")
    run("safe", "pull")
    run("safe", "pull", "--show")
    run("safe", "delete", "--yes")
    keys = oracle.safe_keys(SAFE_PASSWORD, CODE_IDENTITY.id)
    run.never_said(CODE_PASSWORD, SAFE_PASSWORD, CODE, *spellings(CODE_IDENTITY.client_key),
                   *spellings(keys.encryption_key), keys.backup_id)


def test_failures(keytool, directory, code_file, given, safe):
    run = Listening(keytool)
    key = oracle.SafeKeys(*safe.keys)
    run("backup", "import", code_file, *given("backup-password", b"hunter2hunter2"))
    run("backup", "check", "-", *given("backup-password", CODE_PASSWORD), stdin=CODE[:-1])
    run("backup", "check", "-", *given("backup-password", CODE_PASSWORD), stdin=CODE + "?")
    run("backup", "export", *given("backup-password", b"abc7xyz"))
    run("safe", "pull", "--id", "ZZZZ9999", "--server", directory.url,
        *given("safe-password", b"hunter2hunter2"))
    safe.directory.put(safe.keys, bytes(100))
    run("safe", "pull")
    safe.directory.go_away()
    run("safe", "push")
    run("safe", "pull")
    run.never_said("hunter2", "abc7xyz", CODE_PASSWORD, CODE[:-1], SAFE_PASSWORD,
                   key.backup_id, *spellings(key.encryption_key))


def test_export_says_the_code_and_nothing_more(keytool, backup_password):
    keytool.ok("id", "create")
    run = Listening(keytool)
    code = run("backup", "export", *backup_password).json["code"]
    run.never_said(BACKUP_PASSWORD, *spellings(oracle.open_code(code, BACKUP_PASSWORD).client_key))


@pytest.mark.parametrize("option", [
    "--backup-password", "--password", "--passphrase", "--insecure"])
def test_there_is_no_option_that_takes_a_secret(keytool, code_file, option):
    result = keytool.fails(64, "backup", "check", code_file, option, "testpassword")
    assert "testpassword" not in result.err


@pytest.mark.parametrize("name", ["KEYTOOL_BACKUP_PASSWORD", "KEYTOOL_PASSWORD"])
def test_no_variable_holds_a_secret(keytool, code_file, name):
    runner = keytool.with_environment(**{name: "testpassword"})
    assert "testpassword" not in runner.fails(16, "backup", "check", code_file).err


def test_url_with_credentials_is_never_repeated(keytool, safe_password):
    keytool.ok("id", "create")
    for url in ("https://anna:hunter2@safe.example.net/", "file://anna:hunter2@host/x",
                "ftp://anna:hunter2@safe.example.net/"):
        result = keytool("safe", "setup", "--server", url, *safe_password)
        assert result.code in (64, 69), result
        assert "hunter2" not in result.out + result.err
