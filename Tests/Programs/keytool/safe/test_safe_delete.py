"""safe delete removes the backup, then the setup, and only after a confirmation."""

import time

import pytest

from kit import oracle
from kit.processes.injection import without_waiting
from kit.processes.locks import Held
from kit.runner import snapshot
from kit.servers.safedirectory import SafeDirectory


def test_delete(safe):
    safe.push()
    uploaded = safe.blob
    result = safe.keytool.ok("safe", "delete", "--yes")
    assert result.out.startswith("deleted the Safe backup of ABCD1234")
    assert safe.directory.names() == []
    assert safe.kept == [uploaded], "what is deleted is kept first"
    assert safe.directory.config.exists(), "the directory stays a Safe server"
    assert not safe.record("safe").exists()
    assert safe.keytool.json("id", "list")["identities"][0]["safe"] is False
    assert "safe setup" in safe.keytool.fails(10, "safe", "delete", "--yes").err


def test_identity_stays(safe):
    before = safe.keytool.json("id", "show")
    assert before.pop("places") == ["main"]
    safe.keytool.ok("safe", "delete", "--yes", "ABCD1234")
    assert safe.keytool.json("id", "show") == before


def test_backup_that_is_not_there(safe, safe_password):
    result = safe.keytool.ok("safe", "delete", "--yes")
    assert "no Safe backup of ABCD1234" in result.out and "deleted" not in result.out
    assert not safe.record("safe").exists()
    safe.keytool.ok("safe", "setup", "--server", safe.directory.url, *safe_password)
    shown = safe.keytool.json("safe", "delete", "--yes")
    assert (shown["was_there"], shown["deleted"]) == (False, True)


def test_backup_that_went_missing(safe):
    """It was expected: a second look comes before anybody believes that it is gone."""
    safe.push()
    safe.directory.backup(safe.keys).unlink()
    shown = without_waiting(safe.keytool).json("safe", "delete", "--yes")
    assert (shown["was_there"], shown["deleted"]) == (False, True)


def test_damaged_backup_is_deleted(safe):
    safe.push()
    damaged = safe.blob[:-1]
    safe.directory.put(safe.keys, damaged)
    assert without_waiting(safe.keytool).json("safe", "delete", "--yes")["was_there"] is True
    assert safe.directory.names() == [] and safe.kept == [damaged]


def test_backup_of_another_device_is_not_deleted(safe):
    safe.push()
    foreign = oracle.seal_safe({**safe.document, "contacts": []}, safe.keys)
    safe.directory.put(safe.keys, foreign)
    before = snapshot(safe.directory.path)
    for options in ([], ["--keep-setup"]):
        error = safe.keytool.fails(20, "safe", "delete", "--yes", *options, "--json").error
        assert (error["name"], error["reason"]) == ("conflict", "foreign")
    assert snapshot(safe.directory.path) == before and safe.record("safe").exists()
    # No upload is due, but what a command has seen comes before what the clock says.
    safe.keytool.fails(20, "safe", "push")
    result = safe.keytool.ok("safe", "delete", "--yes", "--force")
    assert "abandoned" in result.out and "another device" in result.err
    assert snapshot(safe.directory.path) == before and not safe.record("safe").exists()


def test_lock_of_the_directory_is_held(safe):
    """Two keystores that share a directory do not delete what the other has just written."""
    safe.push()
    with Held(safe.directory.backups):
        waiting = safe.keytool.start("safe", "delete", "--yes", "--json")
        time.sleep(2)
        assert waiting.poll() is None, "deleted although the lock is held"
        assert safe.directory.names() == [safe.keys.backup_id]
    result = safe.keytool.finish(waiting)
    assert result.code == 0 and result.json["was_there"] is True, result
    assert safe.directory.names() == []


def test_keep_setup(safe):
    safe.push()
    safe.keytool.ok("safe", "delete", "--yes", "--keep-setup")
    assert safe.directory.names() == []
    assert safe.push()["result"] == "uploaded"


def test_other_backups_are_left_alone(safe):
    safe.push()
    stranger = safe.directory.backups / ("0" * 64)
    stranger.write_bytes(b"somebody else's")
    safe.keytool.ok("safe", "delete", "--yes")
    assert safe.directory.names() == [stranger.name]


def test_without_yes_and_without_a_terminal(safe):
    safe.push()
    before = snapshot(safe.keytool.keystore), snapshot(safe.directory.path)
    safe.keytool.fails(64, "safe", "delete")
    safe.keytool.fails(64, "safe", "delete", stdin="ABCD1234\n")
    assert (snapshot(safe.keytool.keystore), snapshot(safe.directory.path)) == before


def test_directory_away_keeps_the_setup(safe):
    safe.push()
    safe.directory.go_away()
    safe.keytool.fails(75, "safe", "delete", "--yes")
    assert safe.record("safe").exists()
    safe.directory.come_back()
    safe.keytool.ok("safe", "delete", "--yes")
    assert safe.directory.names() == []


def test_delete_that_failed_leaves_the_setup(safe):
    safe.push()
    before = safe.directory.names()
    safe.directory.go_away()
    result = safe.keytool.fails(75, "safe", "delete", "--yes")
    assert "--force" in result.err
    safe.directory.come_back()
    # It is over: no later push deletes, and none is kept from its work.
    assert safe.keytool.json("safe", "status")["deleting"] is False
    assert safe.push()["result"] == "unchanged"
    assert safe.push("--force")["result"] == "uploaded" and safe.directory.names() == before


def test_server_that_is_gone_for_good_can_be_given_up(safe, safe_password, tmp_path):
    safe.push()
    safe.directory.go_away()
    result = safe.keytool.ok("safe", "delete", "--yes", "--force")
    assert "abandoned" in result.out and "warning" in result.err
    safe.keytool.fails(10, "safe", "push")
    safe.directory.come_back()
    assert safe.directory.names() == [safe.keys.backup_id], "left where it is"
    safe.keytool.ok("safe", "setup", "--server", safe.directory.url, *safe_password)


def test_setup_again_after_delete(safe, safe_password):
    safe.push()
    safe.keytool.ok("safe", "delete", "--yes")
    safe.keytool.ok("safe", "setup", "--server", safe.directory.url, *safe_password)
    assert safe.push()["result"] == "uploaded"


def test_quiet_delete_is_silent(safe):
    result = safe.keytool.ok("safe", "delete", "--yes", "-q")
    assert result.out == result.err == ""


def asked(run):
    run.expect("ABCD1234")
    run.expect(r"(: ?|\? ?)$")
    return run


def test_typing_the_id_again(safe, terminal):
    safe.push()
    run = asked(terminal("safe", "delete"))
    run.send("abcd1234")  # an ID may be typed in lower case
    assert run.finish() == 0, run.text
    assert safe.directory.names() == []


def test_typing_something_else(safe, terminal):
    safe.push()
    for answer in ("y", "yes", "ABCD1235", "ABCD12345", ""):
        run = asked(terminal("safe", "delete"))
        run.send(answer)
        assert run.finish() == 64, run.text
    assert safe.directory.names() == [safe.keys.backup_id]
    assert safe.record("safe").exists()


def test_no_input_counts_as_no_terminal(safe, terminal):
    run = terminal("safe", "delete", "--no-input")
    assert run.finish() == 64, run.text
    assert safe.record("safe").exists()


# Beside an old backup


@pytest.fixture
def moved(safe, tmp_path):
    """Moved to a new server while the old one was away: an old backup is left."""
    safe.push()
    old = safe.directory
    old.go_away()
    safe.directory = SafeDirectory(tmp_path / "new")
    result = safe.keytool.ok("safe", "move", "--server", safe.directory.url, "--create")
    assert "was not deleted" in result.err and "--forget-old" in result.err
    assert safe.directory.names() == [safe.keys.backup_id]
    return safe, old


@pytest.mark.parametrize("options", [[], ["--keep-setup"]], ids=["all", "keep-setup"])
def test_delete_that_fails_at_the_old_server(moved, options, safe_password):
    """Nothing is deleted: the present backup comes last."""
    safe, old = moved
    error = safe.keytool.fails(75, "safe", "delete", "--yes", *options).err
    assert "hint: the old place still holds a backup; --force abandons what cannot be deleted\n" in error
    assert safe.directory.names() == [safe.keys.backup_id]
    assert safe.push()["result"] == "unchanged"
    old.come_back()
    safe.keytool.ok("safe", "delete", "--yes", *options)
    assert old.names() == safe.directory.names() == []
