"""Secrets with bytes that nobody sees: the marks of a paste, control characters, a blank at the end."""

import pytest

from kit import oracle
from kit.known import CODE_PASSWORD
from kit.runner import snapshot

BEGIN, END = "\x1b[200~", "\x1b[201~"
SECRET = "pasted secret words"
FIRST = r"Backup password[^\n,]*: $"
AGAIN = r"Backup password[^\n,]*, again: $"
CONTROL = r"error: the backup password contains a control character"
WARNED_CONTROL = "warning: the backup password contains control characters, which nobody can type elsewhere"
WARNED_BLANK = "warning: the backup password ends with a blank, which is part of it"


@pytest.fixture
def identity(keytool):
    return keytool.json("id", "create", "--id", "ABCD1234")


@pytest.fixture
def file(tmp_path):
    return tmp_path / "code"


@pytest.fixture
def export(identity, terminal, file):
    return terminal("backup", "export", "-o", file)


def answer(run, prompt, text):
    run.expect(prompt)
    run.send(text)


def opens(file, password, identity):
    return oracle.open_code(file.read_text().strip(), password.encode()).public_key == identity["public_key"]


@pytest.mark.parametrize("first, again", [
    (BEGIN + SECRET + END, BEGIN + SECRET + END), (BEGIN + SECRET + END, SECRET), (SECRET, BEGIN + SECRET)],
    ids=["both", "first", "again"])
def test_a_pasted_new_secret(export, file, identity, first, again):
    answer(export, FIRST, first)
    answer(export, AGAIN, again)
    assert export.finish() == 0, export.text
    assert opens(file, SECRET, identity)


def test_a_paste_opens(terminal, code_file):
    run = terminal("backup", "check", code_file)
    answer(run, FIRST, BEGIN + CODE_PASSWORD.decode() + END)
    assert run.finish() == 0, run.text


@pytest.mark.parametrize("typed", ["\x08", "\t", "\x1b[D", "\x16\x7f", "\x1b[20~"], ids=repr)
def test_a_control_character_is_asked_for_again(export, file, identity, typed):
    answer(export, FIRST, f"wal{typed}nut words 7")
    export.expect(CONTROL)
    answer(export, FIRST, SECRET)
    answer(export, AGAIN, SECRET)
    assert export.finish() == 0, export.text
    assert opens(file, SECRET, identity)


def test_control_characters_take_an_attempt_each(export, keytool, file):
    before = snapshot(keytool.keystore)
    for _ in range(3):
        answer(export, FIRST, "walnut\twords 7")
    assert export.finish() == 65, export.text
    assert snapshot(keytool.keystore) == before and not file.exists()


def test_a_typed_blank_at_the_end_is_said(export, file, identity):
    answer(export, FIRST, SECRET + " ")
    export.expect(WARNED_BLANK)
    answer(export, AGAIN, SECRET + " ")
    assert export.finish() == 0, export.text
    assert opens(file, SECRET + " ", identity)


@pytest.mark.parametrize("secret, warnings", [
    ("walnut words 7", []), (" walnut  words 7", []), ("walnut\twords 7", [WARNED_CONTROL]),
    (BEGIN + "walnut words 7", [WARNED_CONTROL]), ("walnut words 7 ", [WARNED_BLANK]),
    ("walnut words 7\r", [WARNED_CONTROL, WARNED_BLANK]), ("walnut words\x7f7", [WARNED_CONTROL])], ids=repr)
@pytest.mark.parametrize("quiet", [[], ["-q"]], ids=["", "quiet"])
def test_a_source_is_warned_of(keytool, identity, given, file, secret, warnings, quiet):
    """It is taken as it is: what a program has made may have any bytes."""
    option = given("backup-password", secret)
    said = keytool.ok("backup", "export", "-o", file, *option, *quiet).err
    for warning in (WARNED_CONTROL, WARNED_BLANK):
        assert (warning in said) == (warning in warnings), said
    assert secret not in said and opens(file, secret, identity)
    # What opens is as it is, and nothing is to be said of it.
    assert "warning" not in keytool.ok("backup", "check", file, *option).err
