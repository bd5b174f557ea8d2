"""Values of the environment and arguments that are not UTF-8, relative paths, and root in another home."""

import os
import pwd

import pytest

from kit.runner import snapshot

BAD, OTHER_BAD = os.fsdecode(b"bad\xff"), os.fsdecode(b"bad\xfe")


# What is not UTF-8


def in_two_places(keytool, name, made):
    """Both values end in 64, and neither makes anything: they must not become one keystore."""
    for bad in (BAD, OTHER_BAD):
        before = snapshot(keytool.home)
        runner = keytool.with_keystore(None).with_environment(**{name: keytool.home / bad})
        result = runner.fails(64, "id", "create")
        assert name in result.err and "UTF-8" in result.err, result
        assert snapshot(keytool.home) == before
        assert not made.exists()


@pytest.mark.parametrize("name", ["KEYTOOL_KEYSTORE", "STATE_DIRECTORY", "XDG_DATA_HOME", "HOME"])
def test_paths_of_the_environment(keytool, name):
    in_two_places(keytool, name, keytool.home / "bad\ufffd")


@pytest.mark.parametrize("kind", ["FILE", "COMMAND", "FD"])
def test_sources_of_secrets(keytool, code_file, kind):
    name = f"KEYTOOL_BACKUP_PASSWORD_{kind}"
    result = keytool.with_environment(**{name: BAD}).fails(64, "backup", "check", code_file)
    assert name in result.err and "UTF-8" in result.err


def test_other_values_of_ours(keytool, code_file, safe_password):
    keytool.with_environment(CREDENTIALS_DIRECTORY=BAD).fails(64, "backup", "check", code_file)
    keytool.ok("id", "create")
    result = keytool.with_environment(KEYTOOL_SERVER=f"file:///{BAD}").fails(64, "safe", "setup", *safe_password)
    assert "KEYTOOL_SERVER" in result.err


def test_values_that_are_not_used(keytool):
    keytool.with_environment(
        KEYTOOL_SERVER=BAD, XDG_DATA_HOME=BAD, HOME=BAD, KEYTOOL_SAFE_PASSWORD_FILE=BAD, LANG=BAD, TERM=BAD,
        PATH=f"{BAD}:/usr/bin").ok("id", "create")


def test_arguments(keytool, tmp_path):
    for bad in (BAD, OTHER_BAD):
        result = keytool.with_keystore(None).fails(64, "--keystore", tmp_path / bad, "id", "create")
        assert "UTF-8" in result.err
    assert not (tmp_path / "bad\ufffd").exists()


def test_a_replacement_character_is_text(keytool, tmp_path):
    """It stands for what was no text, but is text itself."""
    runner = keytool.with_keystore(tmp_path / "bad\ufffd")
    runner.ok("id", "create")
    runner.with_keystore(None).with_environment(KEYTOOL_KEYSTORE=runner.keystore).ok("id", "show")


# Relative paths


def test_relative_paths_are_ignored(keytool):
    """The keystore must not depend on the directory that one happens to be in."""
    nowhere = keytool.with_keystore(None)
    before = snapshot(keytool.home)
    home = pwd.getpwuid(os.getuid()).pw_dir
    expected = nowhere.with_environment(HOME=home)("id", "list", "--json").out
    for name, value in (("HOME", "there"), ("HOME", "."), ("HOME", "~")):
        assert nowhere.with_environment(**{name: value})("id", "list", "--json").out == expected
    in_home = keytool.home / ".local/share/keytool"
    nowhere.with_environment(STATE_DIRECTORY="there").ok("id", "create", "--id", "ABCD1234")
    assert in_home.exists()
    listed = nowhere.with_environment(STATE_DIRECTORY="there:/elsewhere", XDG_DATA_HOME="data").json("id", "list")
    assert [one["id"] for one in listed["identities"]] == ["ABCD1234"]
    assert set(snapshot(keytool.home)) - set(before) == {
        path for path in snapshot(keytool.home) if path.startswith(".local")}


# Root in somebody else's home


@pytest.fixture
def others_home(keytool, tmp_path):
    if os.getuid() != 0:
        pytest.skip("only root can give directories away")
    home = tmp_path / "others-home"
    home.mkdir(mode=0o755)
    os.chown(home, 65534, 65534)
    return home


@pytest.mark.parametrize("form", ["HOME", "HOME, missing below", "XDG_DATA_HOME"])
def test_root_makes_nothing_in_another_home(keytool, others_home, form):
    """As with sudo that keeps HOME."""
    variables = {"HOME": {"HOME": others_home}, "HOME, missing below": {"HOME": others_home / "a/b"},
                 "XDG_DATA_HOME": {"XDG_DATA_HOME": others_home / "share"}}[form]
    runner = keytool.with_keystore(None).with_environment(**variables)
    for command in (["id", "create"], ["id", "list"], ["key", "status"]):
        result = runner.fails(77, *command)
        assert "sudo -u nobody keytool" in result.err and "--keystore" in result.err, result
    assert list(others_home.iterdir()) == []


def test_root_has_a_keystore_of_its_own(keytool, others_home, tmp_path):
    runner = keytool.with_environment(HOME=others_home)
    runner.ok("id", "create")
    runner.with_keystore(None).with_environment(KEYTOOL_KEYSTORE=tmp_path / "roots").ok("id", "create")
    assert list(others_home.iterdir()) == []


# The width of help


@pytest.mark.parametrize("columns", ["-5", "0", "1", "26", "39"])
def test_help_in_a_few_columns(keytool, columns):
    """It is whole, and wider than asked."""
    narrow, wide = (keytool.with_environment(COLUMNS=each) for each in (columns, "40"))
    for arguments in (["--help"], ["help", "safe", "push"], ["textsecure", "open-push", "--help"]):
        assert narrow.ok(*arguments).out == wide.ok(*arguments).out
    assert narrow.fails(64, "id").err == wide.fails(64, "id").err
