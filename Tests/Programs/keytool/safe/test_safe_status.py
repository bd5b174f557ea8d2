"""safe status: what is known of a backup without asking the server, and its age as an exit code."""

import datetime
import re
import time

import pytest

from kit import oracle
from kit.processes.clock import Clocked
from kit.processes.injection import without_waiting
from kit.runner import snapshot
from kit.servers.safedirectory import SafeDirectory
from kit.stages.edit import edit

HOUR = datetime.timedelta(hours=1)


def status(safe, *options):
    return safe.keytool.json("safe", "status", *options)


def moment(text):
    assert text.endswith("Z")
    return datetime.datetime.fromisoformat(text)


def is_recent(text):
    age = datetime.datetime.now(datetime.timezone.utc) - moment(text)
    return datetime.timedelta(0) <= age < datetime.timedelta(minutes=1)


def test_before_the_first_push(safe):
    shown = status(safe)
    assert (shown["command"], shown["id"]) == ("safe status", "ABCD1234")
    assert str(safe.directory.path) in shown["server"]["address"]
    assert (shown["generation"], shown["changed"], shown["failed"]) == (0, True, False)
    for field in ("uploaded_at", "seen_at", "expires_at", "password_proven_at", "code_proven_at"):
        assert shown.get(field) is None
    assert "never" in safe.keytool.ok("safe", "status").out


def test_after_a_push(safe):
    backup = safe.push()["backup"]
    shown = status(safe)
    for field in ("uploaded_at", "expires_at", "generation"):
        assert shown[field] == backup[field]
    assert is_recent(shown["uploaded_at"]) and is_recent(shown["seen_at"])
    assert moment(shown["expires_at"]) - moment(shown["uploaded_at"]) == 180 * 24 * HOUR
    assert (shown["changed"], shown["failed"]) == (False, False)
    safe.push("--force")
    assert status(safe)["generation"] == backup["generation"] + 1
    assert status(safe)["bytes"] == len(safe.blob)
    assert f"size        {len(safe.blob)} bytes\n" in safe.keytool.ok("safe", "status").out
    safe.keytool.ok("safe", "delete", "--yes", "--keep-setup")
    assert "bytes" not in status(safe)


def test_in_words(safe):
    backup = safe.push()["backup"]
    result = safe.keytool.ok("safe", "status")
    for word in (safe.id, str(safe.directory.path), backup["uploaded_at"], backup["expires_at"][:10]):
        assert word in result.out
    assert re.search(r"\bgeneration 1\b", result.out)
    assert "verified    Safe password never, backup code never\n" in result.out
    assert safe.keys.backup_id not in result.out + result.err


def test_unverified_upload_was_not_seen(safe):
    safe.push("--no-verify")
    shown = status(safe)
    assert is_recent(shown["uploaded_at"])
    assert shown.get("seen_at") is None


def test_changed_by_a_pull(safe):
    safe.push()
    edit(safe, "ECHOECHO")
    assert status(safe)["changed"] is True
    safe.push("--force")
    assert status(safe)["changed"] is False


def test_push_that_failed(safe):
    safe.push()
    safe.directory.go_away()
    safe.keytool.fails(75, "safe", "push", "--force")
    assert status(safe)["failed"] is True
    assert "failed" in safe.keytool.ok("safe", "status").out
    safe.directory.come_back()
    safe.push()
    assert status(safe)["failed"] is False


def test_asks_no_server(safe):
    safe.push()
    before = status(safe)
    safe.directory.go_away()
    assert status(safe, "--max-age", "1h") == before
    assert not safe.directory.path.exists()


def test_changes_nothing(safe):
    safe.push()
    before = snapshot(safe.keytool.keystore), snapshot(safe.directory.path)
    status(safe)
    safe.keytool("safe", "status", "--max-age", "1s")
    assert (snapshot(safe.keytool.keystore), snapshot(safe.directory.path)) == before


def test_backup_code_that_was_proven(safe, backup_password):
    code = safe.keytool.ok("backup", "export", *backup_password).out
    assert status(safe).get("code_proven_at") is None
    safe.keytool.ok("backup", "check", "-", *backup_password, stdin=code)
    assert is_recent(status(safe)["code_proven_at"])


def test_after_a_deletion(safe):
    """The backup was there, and the user has deleted it: neither "never" nor a loss."""
    safe.push()
    safe.keytool.ok("safe", "delete", "--yes", "--keep-setup")
    shown = safe.keytool.ok("safe", "status").out
    assert "uploaded    nothing since the backup was deleted\n" in shown and "never from this keystore" not in shown
    overdue = safe.keytool("safe", "status", "--max-age", "1d")
    assert overdue.code == 18 and "the backup was deleted by keytool safe delete\n" in overdue.err
    assert "hint: keytool safe push ABCD1234 uploads it\n" in overdue.err
    safe.push()
    assert "deleted" not in safe.keytool.ok("safe", "status", "--max-age", "1d").out


def test_one_line_for_each_says_why_no_time_is_known(safe, tmp_path):
    """Neither a deletion nor a clock that was ahead is "never"."""
    (tmp_path / "second-server").mkdir()
    safe.keytool.ok("safe", "setup", "--name", "nas", "--same-password", "--create", "--server",
                    SafeDirectory(tmp_path / "second-server").url)
    Clocked(safe.keytool, datetime.datetime.now(datetime.timezone.utc) + 100 * 24 * HOUR).ok("safe", "push")
    shown = safe.keytool.ok("safe", "status").out
    assert shown.count("uploaded at an unknown time: the clock was wrong then, or is now") == 2
    safe.keytool.ok("safe", "delete", "--name", "nas", "--yes", "--keep-setup")
    shown = safe.keytool.ok("safe", "status").out
    assert "uploaded nothing since the backup was deleted" in shown and "never uploaded" not in shown


def test_another_server_knows_nothing_of_it(safe, tmp_path, safe_password):
    safe.push()
    safe.keytool.ok("safe", "delete", "--yes")
    (tmp_path / "second-server").mkdir()
    second = SafeDirectory(tmp_path / "second-server")
    safe.keytool.ok("safe", "setup", "--create", "--server", second.url, *safe_password)
    assert status(safe).get("uploaded_at") is None


# What was found


def remote(safe, code=0):
    """What the server holds now, and that the exit code says the same."""
    result = safe.keytool("safe", "status", "--remote", "--json")
    assert result.code == code and (code == 0 or result.error["code"] == code), result
    return result.json["remote"]


def test_remote(safe):
    assert (remote(safe, 10)["known"], status(safe).get("finding")) == (False, None)
    safe.push()
    shown = remote(safe)
    assert (shown["known"], shown["found"], shown["contacts"]) == (True, "last_uploaded", 0)
    assert "the last upload" in safe.keytool.ok("safe", "status", "--remote").out


def other_contacts(safe):
    return oracle.seal_safe({**safe.document, "contacts": [{"identity": "ECHOECHO", "verification": 2}]}, safe.keys)


@pytest.mark.parametrize("what, code, finding", [
    ("nothing", 10, "missing"), ("damaged", 65, "damaged"), ("foreign", 20, "foreign"), ("older", 19, "older")])
def test_what_was_found_is_not_forgotten(safe, what, code, finding):
    """Seen once, it stands in the way of "all is well" until a push has put it right."""
    safe.push()
    older = safe.blob
    safe.push("--force")
    content = {"nothing": None, "damaged": safe.blob[:-1], "foreign": other_contacts(safe), "older": older}[what]
    if content is None:
        safe.directory.backup(safe.keys).unlink()
    else:
        safe.directory.put(safe.keys, content)
    # Nobody has looked yet: nothing is due, and nothing is known.
    assert safe.push()["result"] == "unchanged" and status(safe, "--max-age", "1d")["id"] == safe.id
    assert remote(safe, code)["known"] is False
    assert status(safe)["finding"] == finding
    assert "the next push checks again" in safe.keytool.ok("safe", "status").out
    overdue(safe.keytool, "1d")
    doctor = safe.keytool("doctor", "--json")
    assert [check["result"] for check in doctor.json["checks"] if check["check"] == "safe 1"] == ["problem"], doctor
    hurried = without_waiting(safe.keytool)
    if what == "foreign":
        hurried.fails(20, "safe", "push")
        hurried.ok("safe", "push", "--overwrite")
    else:
        assert hurried.json("safe", "push")["result"] == "restored"
    assert status(safe, "--max-age", "1d").get("finding") is None
    assert remote(safe)["known"] is True and safe.push()["result"] == "unchanged"


# Age


def overdue(keytool, *options):
    """The status is told all the same; only then the error."""
    result = keytool("safe", "status", "--max-age", *options)
    assert result.code == 18 and result.out, result
    return result


def test_never_uploaded_is_overdue(safe):
    result = overdue(safe.keytool, "100d")
    assert len(re.findall(r"^keytool: error: \S", result.err, re.M)) == 1


def test_max_age(safe):
    safe.push()
    for duration in ("1h", "2d", "10m", "30s"):
        safe.keytool.ok("safe", "status", "--max-age", duration)
    time.sleep(2.1)
    overdue(safe.keytool, "2s")
    result = overdue(safe.keytool, "2s", "--json")
    assert result.json["id"] == safe.id
    assert (result.error["code"], result.error["name"]) == (18, "overdue")
    # Seeing the backup makes it young again.
    later = Clocked(safe.keytool, datetime.datetime.now() + HOUR)
    overdue(later, "30m")
    later.ok("safe", "check")
    shown = later.json("safe", "status", "--max-age", "30m")
    assert moment(shown["seen_at"]) > moment(shown["uploaded_at"])


def test_durations_that_are_none(safe):
    for duration in ("", "1", "1y", "-1d", "soon", "1 d"):
        safe.keytool.fails(64, "safe", "status", f"--max-age={duration}")


# Which


def test_no_setup(keytool):
    keytool.fails(10, "safe", "status")
    keytool.ok("id", "create", "--id", "ABCD1234")
    result = keytool.fails(10, "safe", "status")
    assert "safe setup" in result.err
    error = keytool.fails(10, "safe", "status", "--max-age", "1d", "--json").error
    assert error["name"] == "absent"
    keytool.fails(10, "safe", "status", "ZZZZ9999")


def test_one_of_several(safe):
    safe.keytool.ok("id", "create", "--id", "ZZZZ9999")
    safe.keytool.fails(64, "safe", "status")
    assert status(safe, "ABCD1234")["id"] == "ABCD1234"
    safe.keytool.fails(10, "safe", "status", "ZZZZ9999")
