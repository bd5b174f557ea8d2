"""Every command that opens a record opens a protected keystore, from every source but a person."""

import os

import pytest

from kit import masterkey
from kit.masterkey import PASSPHRASE, WRONG
from kit.runner import snapshot
from kit.stages.opening import COMMANDS, filled, place, prepared, sources  # a fixture
from kit.stages.place import ID


@pytest.fixture(scope="module")
def ready(built, tmp_path_factory):
    """Under a passphrase."""
    place = prepared(tmp_path_factory.mktemp("sources") / "place")
    masterkey.rewrap(place.keytool)
    place.keep("ready")
    return place


def test_the_table_is_complete(keytool):
    """Every leaf command that has the option is in it, but for those with tests of their own, those that ask a
    directory, and the others of profile and contact."""
    found = set()
    for noun in ("id", "backup", "safe", "key", "revoke", "qr"):
        listed = keytool.ok(noun, "--help").out.split("SUBCOMMANDS:")[1].splitlines()
        verbs = [line.split()[0] for line in listed if line[:2] == "  " and line[2:3].strip()]
        found |= {f"{noun} {verb}" for verb in verbs if verb != "See" and
                  " --passphrase-file" in keytool.ok(noun, verb, "--help").out}
    asking = {"id fetch", "id link", "id revoke", "revoke check", "revoke set"}
    others = {"backup check", "key import", "key protect", "key unlock"} | asking
    assert found - others == set(COMMANDS) - {"profile show", "contact list"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_source(place, name):
    command = filled(place, name)
    for options, environment in sources(place):
        place.bring_back("ready")
        descriptor = os.open(place.home / "right", os.O_RDONLY)
        options = [str(one).format(fd=descriptor) for one in options]
        environment = {key: str(value).format(fd=descriptor) for key, value in environment.items()}
        runner = place.keytool.with_environment(**environment)
        runner.ok(*command, *options, pass_fds=[descriptor])
        os.close(descriptor)


@pytest.mark.parametrize("name", COMMANDS)
def test_no_source_and_a_wrong_one(place, name):
    command, before = filled(place, name), snapshot(place.path)
    missing = place.keytool.fails(16, *command)
    assert "keystore passphrase" in missing.err and "--passphrase-file" in missing.err
    place.keytool.fails(16, *command, "--no-input")
    wrong = place.keytool.fails(12, *command, "--passphrase-file", place.home / "wrong")
    assert "damaged" in wrong.err
    assert snapshot(place.path) == before


# Order


def shows(place, code, *options, stdin=None, **environment):
    runner = place.keytool.with_environment(**environment)
    command = ["id", "show", ID, *options]
    if code == 0:
        return runner.ok(*command, stdin=stdin)
    return runner.fails(code, *command, stdin=stdin)


def test_option_before_environment_before_credential(place):
    """Each of two sources is right where it has to count, and wrong where it must not."""
    right, wrong = place.home / "right", place.home / "wrong"
    directory = place.home / "credentials"
    shows(place, 12, "--passphrase-file", wrong, KEYTOOL_PASSPHRASE_FILE=right)
    shows(place, 0, "--passphrase-file", right, KEYTOOL_PASSPHRASE_FILE=wrong)
    shows(place, 12, KEYTOOL_PASSPHRASE_FILE=wrong, CREDENTIALS_DIRECTORY=directory)
    shows(place, 12, "--passphrase-command", f"cat {wrong}", CREDENTIALS_DIRECTORY=directory)
    (directory / "keytool.passphrase").write_bytes(WRONG)
    shows(place, 0, KEYTOOL_PASSPHRASE_COMMAND=f"cat {right}", CREDENTIALS_DIRECTORY=directory)
    shows(place, 12, CREDENTIALS_DIRECTORY=directory)
    (directory / "keytool.passphrase").unlink()
    shows(place, 16, CREDENTIALS_DIRECTORY=directory)


def test_empty_variables_count_as_unset(place):
    empty = {f"KEYTOOL_PASSPHRASE_{kind}": "" for kind in ("FILE", "COMMAND", "FD")}
    shows(place, 0, **empty, CREDENTIALS_DIRECTORY=place.home / "credentials")


def test_two_options(place):
    right = place.home / "right"
    shows(place, 64, "--passphrase-file", right, "--passphrase-command", f"cat {right}")
    shows(place, 64, "--passphrase-file", right, "--passphrase-fd", "0")


def test_stdin_once_and_not_twice(place):
    right, home = PASSPHRASE + b"\n", place.home
    shows(place, 0, "--passphrase-file", "-", stdin=right)
    shows(place, 0, KEYTOOL_PASSPHRASE_FILE="-", stdin=right)
    before = snapshot(place.path)
    code_password = (home / "code-password").read_bytes()
    for stdin, command in (
            ((home / "code").read_bytes(),
             ["backup", "import", "-", "--backup-password-file", home / "code-password"]),
            (right, ["backup", "export", ID, "--backup-password-file", "-"]),
            (right, ["key", "passwd", "--new-passphrase-file", "-"]),
            (right, ["key", "passwd", "--new-passphrase-fd", "0"]),
            (code_password,
             ["backup", "import", home / "keystorage.pb3", "--file-passphrase-file", "-"])):
        place.keytool.fails(64, *command, "--passphrase-file", "-", stdin=stdin)
        assert snapshot(place.path) == before


def test_what_needs_no_passphrase_does_not_ask_for_one(place):
    for command in (["key", "status"], ["qr", "show"], ["id", "--help"]):
        place.keytool.ok(*command, stdin="x")
