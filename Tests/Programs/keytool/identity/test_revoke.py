"""revoke hash: the four bytes that the directory keeps of a revocation password."""

import os

import pytest

from kit.known import EMPTY_KEYSTORE
from kit.runner import snapshot
from kit.vectorfiles import read_vectors

PASSWORD = "abcdefgh"
KEY = next(v["key_base64"] for v in read_vectors("revocation") if v["id"] == "rev-gen-abcdefgh")
SOURCES = ("FILE", "COMMAND", "FD")


def stated(result):
    """The one line on stdout, after a look at what must not be there."""
    assert PASSWORD not in result.out + result.err
    assert result.out.endswith("\n") and result.out.count("\n") == 1
    return result.out.rstrip("\n")


@pytest.mark.parametrize("vector", read_vectors("revocation"), ids=lambda v: v["id"])
def test_vectors(keytool, given, vector):
    password = bytes.fromhex(vector["password_utf8_hex"])
    options = given("revocation-password", password)
    for format, key in (([], "key_base64"), (["--format", "base64"], "key_base64"),
                        (["--format", "hex"], "key_hex")):
        wanted = vector[key]
        result = keytool.ok("revoke", "hash", *format, *options)
        assert result.out == wanted + "\n"
        assert password.decode() not in result.err
        shown = keytool.json("revoke", "hash", *format, *options)
        assert shown == {"schema": "keytool/1", "command": "revoke hash", "key": wanted}


def test_no_keystore_is_needed_or_made(keytool, given, tmp_path):
    options = given("revocation-password", PASSWORD)
    keytool.ok("revoke", "hash", *options)
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE
    keytool.with_keystore(tmp_path / "absent").ok("revoke", "hash", *options)
    assert not (tmp_path / "absent").exists()


def pipe(content):
    reading, writing = os.pipe()
    os.write(writing, content.encode())
    os.close(writing)
    return reading


def test_secret_by_option(keytool, given):
    assert stated(keytool.ok("revoke", "hash", *given("revocation-password", PASSWORD))) == KEY
    stdin = keytool.ok("revoke", "hash", "--revocation-password-file", "-", stdin=PASSWORD + "\n")
    assert stated(stdin) == KEY
    command = keytool.ok("revoke", "hash", "--revocation-password-command", f"echo {PASSWORD}")
    assert stated(command) == KEY
    descriptor = pipe(PASSWORD)
    piped = keytool.ok("revoke", "hash", "--revocation-password-fd", descriptor,
                       pass_fds=[descriptor])
    os.close(descriptor)
    assert stated(piped) == KEY


@pytest.mark.parametrize("source", SOURCES)
def test_secret_by_environment(keytool, write, source):
    descriptor = pipe(PASSWORD)
    value = {"FILE": write("secret", PASSWORD), "COMMAND": f"printf %s {PASSWORD}",
             "FD": descriptor}[source]
    runner = keytool.with_environment(**{f"KEYTOOL_REVOCATION_PASSWORD_{source}": value})
    result = runner.ok("revoke", "hash", pass_fds=[descriptor])
    os.close(descriptor)
    assert stated(result) == KEY


def test_secret_by_credential(keytool, tmp_path):
    directory = tmp_path / "credentials"
    directory.mkdir()
    (directory / "keytool.revocation-password").write_text(PASSWORD)
    runner = keytool.with_environment(CREDENTIALS_DIRECTORY=directory)
    assert stated(runner.ok("revoke", "hash")) == KEY


def test_secret_by_two_answers(terminal, tmp_path):
    with open(tmp_path / "out", "wb") as out:
        run = terminal("revoke", "hash", stdout=out)
        run.expect(r"[Rr]evocation password[^\n]*: ?$")
        assert not run.echo
        run.send(PASSWORD)
        run.expect(r"[Rr]evocation password[^\n]*again: ?$")
        assert not run.echo
        run.send(PASSWORD)
        assert run.finish() == 0, run.text
    assert (tmp_path / "out").read_text() == KEY + "\n"
    assert PASSWORD not in run.text


def test_other_secrets_are_not_taken_for_it(keytool, write):
    secret = write("secret", PASSWORD)
    runner = keytool.with_environment(KEYTOOL_BACKUP_PASSWORD_FILE=secret,
                                      KEYTOOL_SAFE_PASSWORD_FILE=secret)
    runner.fails(16, "revoke", "hash")
    keytool.fails(64, "revoke", "hash", "--backup-password-file", secret)


def test_without_a_source_or_a_terminal(keytool, terminal):
    keytool.fails(16, "revoke", "hash")
    keytool.fails(16, "revoke", "hash", stdin=PASSWORD)
    run = terminal("revoke", "hash", "--no-input")
    assert run.finish() == 16, run.text


@pytest.mark.parametrize("password", [b"1234567", b"seven77", "🔑🔑🔑🔑🔑🔑🔑".encode()])
def test_under_eight_characters(keytool, given, password):
    keytool.fails(64, "revoke", "hash", *given("revocation-password", password))


@pytest.mark.parametrize("content", [
    b"", b"\n", b"two\nlines of it", b"with\0 a NUL", b"caf\xe9 latin1"])
def test_bad_sources(keytool, given, content):
    keytool.fails(65, "revoke", "hash", *given("revocation-password", content))


def test_unknown_format(keytool, given):
    keytool.fails(64, "revoke", "hash", "--format", "octal",
                  *given("revocation-password", PASSWORD))
