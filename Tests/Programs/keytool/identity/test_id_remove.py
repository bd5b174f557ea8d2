"""id remove deletes the private key: only after a confirmation, and never another identity's."""

import os

import pytest

from kit import oracle
from kit.known import BACKUP_PASSWORD, EMPTY_KEYSTORE
from kit.runner import snapshot


@pytest.fixture
def made(keytool):
    """ABCD1234, the only identity."""
    return keytool.json("id", "create", "--id", "ABCD1234")


def ids(keytool):
    return [one["id"] for one in keytool.json("id", "list")["identities"]]


def test_yes(made, keytool):
    shown = keytool.json("id", "remove", "--yes")
    assert (shown["command"], shown["id"]) == ("id remove", "ABCD1234")
    assert ids(keytool) == []
    keytool.fails(10, "id", "show", "ABCD1234")


def test_in_words(made, keytool):
    result = keytool.ok("id", "remove", "ABCD1234", "--yes")
    assert "removed" in result.out and "ABCD1234" in result.out


def test_nothing_is_left_in_the_keystore(made, keytool):
    before = snapshot(keytool.keystore)
    keytool.ok("id", "create", "--id", "ZZZZ9999")
    keytool.ok("id", "remove", "ZZZZ9999", "--yes")
    assert snapshot(keytool.keystore) == before
    assert not list(keytool.keystore.rglob("*ZZZZ9999*"))
    keytool.ok("id", "remove", "ABCD1234", "--yes")
    assert list((keytool.keystore / "identities/threema").iterdir()) == []


def test_other_identities_stay_as_they_are(made, keytool, directory, safe_password, backup_password):
    keytool.ok("safe", "setup", "--create", "--server", directory.url, *safe_password)
    keytool.ok("safe", "push")
    kept, on_server = snapshot(keytool.keystore), snapshot(directory.path)
    keytool.ok("id", "create", "--id", "ZZZZ9999")
    keytool.ok("id", "remove", "ZZZZ9999", "--yes")
    assert (snapshot(keytool.keystore), snapshot(directory.path)) == (kept, on_server)
    code = keytool.json("backup", "export", *backup_password)["code"]
    assert oracle.open_code(code, BACKUP_PASSWORD).public_key == made["public_key"]


def test_a_file_whose_name_is_not_utf8_goes_too(made, keytool):
    home = keytool.keystore / "identities/threema"
    with open(os.fsencode(home / "ABCD1234") + b"/\xff\xfe", "wb"):
        pass
    keytool.ok("id", "remove", "ABCD1234", "--yes")
    assert list(home.iterdir()) == [] and ids(keytool) == []


@pytest.mark.parametrize("name", [b"\xff", b"a/b/c/d/e"])
def test_a_directory_that_cannot_be_removed_stops_it_before_anything_happens(made, keytool, name):
    home = keytool.keystore / "identities/threema"
    path = os.fsencode(home / "ABCD1234")
    for part in name.split(b"/"):
        path += b"/" + part
        os.mkdir(path, 0o700)
    result = keytool("id", "remove", "ABCD1234", "--yes")
    assert result.code not in (0, 70) and "ABCD1234" in result.err, result
    assert [each.name for each in home.iterdir()] == ["ABCD1234"] and ids(keytool) == ["ABCD1234"]
    assert keytool.json("id", "show")["public_key"] == made["public_key"]


def test_again_is_absent(made, keytool):
    keytool.ok("id", "remove", "ABCD1234", "--yes")
    keytool.fails(10, "id", "remove", "ABCD1234", "--yes")
    keytool.fails(10, "id", "remove", "--yes")


def test_absent(made, keytool, other_keytool):
    before = snapshot(keytool.keystore)
    keytool.fails(10, "id", "remove", "ZZZZ9999", "--yes")
    assert snapshot(keytool.keystore) == before
    other_keytool.fails(10, "id", "remove", "--yes")
    assert snapshot(other_keytool.keystore) == EMPTY_KEYSTORE


def test_which_of_two(made, keytool):
    keytool.ok("id", "create", "--id", "ZZZZ9999")
    refused = keytool.fails(64, "id", "remove", "--yes")
    assert "ABCD1234" in refused.err and "ZZZZ9999" in refused.err
    assert ids(keytool) == ["ABCD1234", "ZZZZ9999"]


# Confirmation


def test_without_yes_and_without_a_terminal(made, keytool, terminal):
    before = snapshot(keytool.keystore)
    keytool.fails(64, "id", "remove")
    keytool.fails(64, "id", "remove", "ABCD1234", stdin="ABCD1234\n")
    assert terminal("id", "remove", "--no-input").finish() == 64
    assert snapshot(keytool.keystore) == before


def asked(run):
    run.expect("type ABCD1234")
    run.expect(r": ?$")
    assert run.echo, "an ID is no secret"
    return run


def test_typing_the_id_again(made, keytool, terminal):
    run = asked(terminal("id", "remove"))
    run.send("ABCD1234")
    assert run.finish() == 0, run.text
    assert ids(keytool) == []


def test_typing_something_else(made, keytool, terminal):
    before = snapshot(keytool.keystore)
    for answer in ("y", "yes", "ABCD1235", "ABCD123", ""):
        run = asked(terminal("id", "remove"))
        run.send(answer)
        assert run.finish() == 64, run.text
    run = asked(terminal("id", "remove"))
    run.press(b"\x03")
    assert run.finish() == 130, run.text
    assert snapshot(keytool.keystore) == before


# What is said before it is too late


def test_code_that_was_never_proven(made, keytool, backup_password):
    keytool.ok("backup", "export", *backup_password)
    refused = keytool.fails(64, "id", "remove")
    assert "warning" in refused.err and "ever verified" in refused.err, "exporting proves nothing"
    assert "ever verified" in keytool.ok("id", "remove", "--yes").err


def test_code_that_was_proven(made, keytool, backup_password):
    code = keytool.ok("backup", "export", *backup_password).out
    keytool.ok("backup", "check", "-", *backup_password, stdin=code)
    result = keytool.ok("id", "remove", "--yes")
    assert "warning" not in result.err
    keytool.ok("backup", "import", "-", *backup_password, stdin=code)
    assert keytool.json("id", "show")["public_key"] == made["public_key"]


def test_code_of_another_key_proves_nothing(made, keytool, backup_password):
    code = oracle.seal_code(oracle.Identity("ABCD1234", bytes(range(32))), BACKUP_PASSWORD)
    assert keytool("backup", "check", "-", *backup_password, stdin=code).code == 19
    assert "ever verified" in keytool.ok("id", "remove", "--yes").err


def test_code_proven_in_json(made, keytool, backup_password):
    code = keytool.ok("backup", "export", *backup_password).out
    keytool.ok("backup", "check", "-", *backup_password, stdin=code)
    keytool.ok("id", "create", "--id", "ZZZZ9999")
    for id, proven in (("ABCD1234", True), ("ZZZZ9999", False)):
        assert keytool.json("id", "remove", id, "--yes")["code_proven"] is proven


def test_safe_that_is_left_on_a_server(safe, safe_password):
    safe.push()
    before = snapshot(safe.directory.path)
    refused = safe.keytool.fails(64, "id", "remove")
    assert str(safe.directory.path) in refused.err
    result = safe.keytool.ok("id", "remove", "--yes")
    assert str(safe.directory.path) in result.err
    assert safe.keys.backup_id not in result.out + result.err
    assert snapshot(safe.directory.path) == before, "safe delete is another verb"
    # and that is the way back
    safe.keytool.ok("safe", "pull", "--id", safe.id, "--server", safe.directory.url, *safe_password)
    assert ids(safe.keytool) == ["ABCD1234"]


def test_safe_that_is_left_on_a_server_that_is_away(safe):
    safe.push()
    safe.directory.go_away()
    shown = safe.keytool.json("id", "remove", "--yes")
    assert str(safe.directory.path) in shown["safe_left_on"]
    assert ids(safe.keytool) == []


def test_quiet(made, keytool):
    result = keytool.ok("id", "remove", "--yes", "-q")
    assert result.out == ""
    assert "ever verified" in result.err, "a warning is not a word of success"
