"""safe push with --dry-run, --all, --jitter and --tolerate, and a push that loses contacts."""

import fcntl
import os
import re
import time

import pytest

from kit.processes.locks import Held
from kit.runner import snapshot
from kit.servers.safedirectory import SafeDirectory
from kit.stages.edit import edit


def disks(safe):
    return snapshot(safe.keytool.keystore), snapshot(safe.directory.path)


# --dry-run


def planned(safe, *options):
    before = disks(safe)
    done = safe.push("--dry-run", *options)
    assert disks(safe) == before, "a dry run is dry"
    assert done["attempts"] == 0 and "bytes" not in done["backup"]
    return done["result"]


def test_dry_run_before_and_after_the_first_push(safe):
    assert planned(safe) == "would_upload"
    assert safe.push()["result"] == "uploaded"
    assert planned(safe) == "unchanged"
    assert planned(safe, "--force") == "would_upload"


def test_dry_run_of_a_change(safe):
    safe.push()
    edit(safe, "ECHOECHO")
    assert planned(safe) == "deferred"
    assert planned(safe, "--force") == "would_upload"


def test_dry_run_after_a_failure(safe):
    safe.push()
    safe.directory.go_away()
    safe.keytool.fails(75, "safe", "push", "--force")
    safe.directory.come_back()
    assert planned(safe) == "would_upload"


def test_dry_run_in_words(safe):
    assert "would upload" in safe.keytool.ok("safe", "push", "--dry-run").out
    # That is all that it was asked for.
    assert "would upload" in safe.keytool.ok("safe", "push", "--dry-run", "--quiet").out
    assert "would upload" in safe.keytool.ok("safe", "push", "--all", "--dry-run", "--quiet").out
    assert safe.directory.names() == []


# Losing contacts


FOUR = ("AAAA1111", "BBBB2222", "CCCC3333", "DDDD4444")


@pytest.fixture
def due(safe):
    """due(*ids): four contacts were uploaded, these are left, and the push is due."""

    def due(*ids):
        safe.push()
        edit(safe, *FOUR)
        safe.push("--force")
        edit(safe, *ids)
        # A push that failed is repeated at once, where a change alone would be deferred.
        safe.directory.go_away()
        safe.keytool.fails((17, 75), "safe", "push", "--force")
        safe.directory.come_back()

    return due


def test_losing_over_half_of_the_contacts(safe, due):
    due("AAAA1111")
    before = snapshot(safe.directory.path)
    for options in ([], ["--overwrite"], ["--force"]):
        result = safe.keytool.fails(17, "safe", "push", *options)
        assert "--accept-loss" in result.err and "4" in result.err
        assert snapshot(safe.directory.path) == before
    for options in ([], ["--dry-run"], ["--dry-run", "--force"]):
        error = safe.keytool.fails(17, "safe", "push", "--json", *options).error
        assert (error["name"], error["reason"]) == ("exists", "loses_contacts")
    assert planned(safe, "--accept-loss") == "would_upload"
    assert safe.push("--accept-loss")["result"] == "uploaded"
    assert [one["identity"] for one in safe.document["contacts"]] == ["AAAA1111"]
    assert safe.push()["result"] == "unchanged"


@pytest.mark.parametrize("verb", ["passwd", "move"])
def test_losing_over_half_of_the_contacts_by_a_change(safe, due, verb, tmp_path, given):
    """The guard counts from what the old place holds, not from the new one, which holds nothing."""
    due("AAAA1111")
    second = SafeDirectory(tmp_path / "another-server")
    change = {"passwd": ["safe", "passwd", *given("new-safe-password", b"another-stable-5\n")],
              "move": ["safe", "move", "--create", "--server", second.url]}[verb]
    before = safe.blob
    error = safe.keytool.fails(17, *change, "--json").error
    assert error["reason"] == "loses_contacts" and "--accept-loss" in error["hint"]
    assert safe.blob == before
    safe.keytool.ok(*change, "--accept-loss")
    assert before in safe.kept and safe.keytool.json("safe", "check")["contacts"] == 1


def test_losing_half_of_the_contacts(safe, due):
    due(*FOUR[:2])
    assert safe.push()["result"] == "uploaded"


# --lock-wait


def test_lock_wait_is_also_about_the_directory(safe):
    safe.push()
    with Held(safe.directory.backups):
        failed = safe.keytool.fails(75, "safe", "push", "--force", "--lock-wait", "1s", "--retry-max-time", "0s")
        assert "another" in failed.err


# --tolerate


def is_silent(result):
    return (result.code, result.out, result.err) == (0, "", "")


def test_server_away_is_tolerated_after_a_first_success(safe):
    safe.push()
    safe.directory.go_away()
    for _ in range(2):  # the first failure does not use it up
        assert is_silent(safe.keytool("safe", "push", "--force", "--tolerate", "3d"))
    safe.keytool.fails(75, "safe", "push", "--force")
    safe.directory.come_back()
    assert safe.push("--tolerate", "3d")["result"] == "uploaded", "nor is it forgotten"


def test_server_away_is_told_before_the_first_success(safe):
    safe.directory.go_away()
    for _ in range(2):
        safe.keytool.fails(75, "safe", "push", "--tolerate", "3d")


def test_server_away_is_told_when_the_last_success_is_older(safe):
    safe.push()
    safe.directory.go_away()
    time.sleep(1.1)
    safe.keytool.fails(75, "safe", "push", "--force", "--tolerate", "1s")
    assert is_silent(safe.keytool("safe", "push", "--force", "--tolerate", "1h"))


def test_lock_is_tolerated(safe):
    command = ["safe", "push", "--force", "--lock-wait", "0s"]
    descriptor = os.open(safe.record("lock"), os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    safe.keytool.fails(11, *command, "--tolerate", "3d")  # no success yet
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    safe.push()
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    assert is_silent(safe.keytool(*command, "--tolerate", "3d"))
    os.close(descriptor)


def test_conflict_is_not_tolerated(safe, other_keytool, safe_password):
    safe.push()
    other_keytool.ok("safe", "pull", "--id", safe.id, "--server", safe.directory.url, *safe_password)
    other_keytool.ok("safe", "push", "--force")
    safe.keytool.fails(20, "safe", "push", "--force", "--tolerate", "3d")


def test_wrong_disk_is_not_tolerated(safe):
    safe.push()
    safe.directory.config.unlink()
    safe.keytool.fails(15, "safe", "push", "--force", "--tolerate", "3d")


# --all


@pytest.fixture
def family(safe, tmp_path, safe_password):
    """Three identities and a server for each of the first two: ABCD1234, MMMM5555, ZZZZ9999.
    Gives the second one's server."""
    (tmp_path / "family-server").mkdir()
    directory = SafeDirectory(tmp_path / "family-server")
    for id in ("MMMM5555", "ZZZZ9999"):
        safe.keytool.ok("id", "create", "--id", id)
    safe.keytool.ok("safe", "setup", "MMMM5555", "--create", "--server", directory.url, *safe_password)
    return directory


def test_all(safe, family):
    lines = safe.keytool.ok("safe", "push", "--all").out.splitlines()
    assert len(lines) == 2
    for id, line in zip(("ABCD1234", "MMMM5555"), lines):
        assert id in line and "uploaded" in line
    assert len(safe.directory.names()) == len(family.names()) == 1
    shown = safe.keytool.json("safe", "push", "--all")
    assert shown["command"] == "safe push"
    assert [(one["id"], one["result"]) for one in shown["results"]] == [
        ("ABCD1234", "unchanged"), ("MMMM5555", "unchanged")]
    quiet = safe.keytool.ok("safe", "push", "--all", "--force", "-q")
    assert quiet.out == quiet.err == ""


def test_all_goes_on_after_a_failure(safe, family):
    safe.directory.go_away()
    result = safe.keytool("safe", "push", "--all")
    assert result.code == 75, result
    errors = re.findall(r"^keytool: error: .*", result.err, re.M)
    assert len(errors) == 1 and "ABCD1234" in errors[0]
    assert "MMMM5555" in result.out and "ABCD1234" not in result.out
    assert len(family.names()) == 1
    result = safe.keytool("safe", "push", "--all", "--json")
    assert result.code == result.error["code"] == 75, result
    first, second = result.json["results"]
    assert (first["id"], first["error"]["code"], first["error"]["name"]) == (
        "ABCD1234", 75, "tempfail")
    assert (second["id"], second["result"]) == ("MMMM5555", "unchanged")


def test_all_exits_with_the_first_code(safe, family):
    safe.directory.config.unlink()
    family.go_away()
    result = safe.keytool("safe", "push", "--all")
    assert result.code == 15, result
    errors = re.findall(r"^keytool: error: .*", result.err, re.M)
    assert ["ABCD1234" in errors[0], "MMMM5555" in errors[1]] == [True, True]
    assert result.out == ""


def test_all_tolerates_for_each(safe, family):
    safe.push("ABCD1234")
    safe.directory.go_away()
    family.go_away()
    # ABCD1234 has succeeded before, MMMM5555 has not.
    result = safe.keytool("safe", "push", "--all", "--force", "--tolerate", "3d")
    assert result.code == 75, result
    assert "MMMM5555" in result.err and "ABCD1234" not in result.err


def test_all_that_does_nothing(safe, family):
    safe.keytool.fails(64, "safe", "push", "--all", "ABCD1234")
    before = disks(safe), snapshot(family.path)
    shown = safe.keytool.json("safe", "push", "--all", "--dry-run")
    assert [one["result"] for one in shown["results"]] == ["would_upload"] * 2
    assert (disks(safe), snapshot(family.path)) == before
    assert safe.directory.names() == family.names() == []


# --jitter


def test_jitter_is_a_random_delay_below_its_limit(safe):
    """Twelve at once, so that the chance of all of them being short is nil."""
    safe.push()
    start = time.monotonic()
    running = [safe.keytool.start("safe", "push", "--jitter", "1s") for _ in range(12)]
    ends = {}
    while len(ends) < len(running):
        for process in running:
            if process.pid not in ends and process.poll() is not None:
                ends[process.pid] = time.monotonic() - start
        time.sleep(0.005)
    for process in running:
        assert safe.keytool.finish(process).code == 0
    took = sorted(ends.values())
    assert took[-1] > 0.35, "no delay"
    assert took[0] < 30, "the delay is not below its limit"
    assert took[-1] - took[0] > 0.2, "the same delay for all"


def test_jitter_on_a_terminal_says_how_long(safe, terminal):
    """Else it looks as if nothing happened; scripts and cron hear nothing of it."""
    run = terminal("safe", "push", "--jitter", "3d", runner=safe.keytool)
    run.expect(r"^keytool: waiting (\d+d )?(\d+h )?(\d+m )?\d+s before the push; Ctrl-C cancels it\n")
    run.press(b"\x03")
    assert run.finish() == 130, run.text
    for quiet in ["--quiet"], ["--json"]:
        run = terminal("safe", "push", "--jitter", "1s", *quiet, runner=safe.keytool)
        assert run.finish() == 0 and "sleeping" not in run.text, run.text
    assert "sleeping" not in safe.keytool.ok("safe", "push", "--jitter", "1s").err


def test_durations_that_are_none(safe):
    for option in ("--jitter", "--tolerate", "--lock-wait"):
        for duration in ("", "5", "5x", "-1s"):
            safe.keytool.fails(64, "safe", "push", f"{option}={duration}")
    assert safe.directory.names() == []


def test_all_of_none_is_a_lost_setup(keytool):
    keytool.ok("id", "create")
    keytool.fails(10, "safe", "push", "--all")
