"""safe mirror and safe history, beside a phone that writes the Safe; places that are set up for reading only."""

import json
import re
from datetime import datetime, timedelta

import pytest

from kit import identityfiles, oracle
from kit.damage import flip
from kit.known import SAFE_PASSWORD
from kit.processes.clock import Clocked
from kit.runner import snapshot
from kit.servers.phone import ID, Phone
from kit.servers.safedirectory import SafeDirectory

NOON = datetime(2026, 11, 21, 12)


@pytest.fixture
def phone(keytool, directory, safe_password):
    phone = Phone(keytool, directory)
    phone.writes("first")
    phone.guarded_by(*safe_password)
    return phone


@pytest.fixture
def server(phone):
    """What the server holds: nothing here may change it."""
    return lambda: snapshot(phone.directory.path)


def at(keytool, day):
    return Clocked(keytool, NOON + timedelta(days=day))


def test_new_and_unchanged(phone, server):
    before = server()
    first = phone.keytool.json("safe", "mirror")
    assert first["result"] == "mirrored" and first["contacts"] == 10 and first["bytes"] == len(phone.blob)
    second = phone.keytool.json("safe", "mirror")
    assert second["result"] == "unchanged" and second["changed_at"] == first["changed_at"]
    assert phone.keytool.ok("safe", "mirror", ID).out.startswith(f"unchanged on {phone.directory.url} since 20")
    assert phone.mirrored() == ["first"] and phone.kept == [phone.blob]
    assert server() == before


def test_history(phone):
    for nickname, contacts in (("one", 10), ("two", 11), ("three", 12)):
        phone.writes(nickname, contacts)
        phone.keytool.ok("safe", "mirror")
    listed = phone.keytool.json("safe", "history")["backups"]
    assert [(one["number"], one["contacts"], one["origin"], one["opens"], one["written_by"]) for one in listed] == [
        (3, 12, "mirrored", True, "app"), (2, 11, "mirrored", True, "app"), (1, 10, "mirrored", True, "app")]
    lines = phone.keytool.ok("safe", "history").out.splitlines()
    assert len(lines) == 3 and "12 contacts, 0 groups, by an app (6.4.2A/de_CH)" in lines[0]


def test_what_has_changed(phone):
    phone.writes("one", 10)
    phone.keytool.ok("safe", "mirror")
    phone.writes("two", 12)
    phone.keytool.ok("safe", "mirror")
    lines = phone.keytool.ok("safe", "history", ID, "--diff", "1", "2").out.splitlines()
    assert sorted(lines) == [
        "contact CONTA010: only in backup 2", "contact CONTA011: only in backup 2", 'nickname: "one" in backup 1, "two" in backup 2']
    back = phone.keytool.json("safe", "history", "--diff", "2", "1")
    assert back["nickname"] == {"before": "two", "after": "one"} and back["same"] is False and back["same_private_key"] is True
    assert [one["id"] for one in back["contacts"]["removed"]] == ["CONTA010", "CONTA011"]
    assert "say the same" in phone.keytool.ok("safe", "history", "--diff", "1", "1").out
    phone.keytool.fails(10, "safe", "history", "--diff", "1", "3")
    for numbers in (["1"], ["1", "2", "1"], ["1", "x"], []):
        phone.keytool.fails(64, "safe", "history", "--diff", *numbers)


def test_history_is_empty(safe):
    result = safe.keytool.ok("safe", "history")
    assert result.out == "" and "the history of ABCD1234 is empty" in result.err


def test_restore_an_earlier_backup(phone, server):
    phone.writes("good", 10)
    phone.keytool.ok("safe", "mirror")
    phone.writes("wiped", 1)
    phone.keytool.fails(17, "safe", "mirror")
    before = server()
    shown = phone.keytool.json("safe", "pull", "--from", "1", "--show", "--quiet")
    assert shown["contacts"] == 10 and shown["stored"] is False
    assert phone.keytool.json("safe", "pull", "--from", "2", "--replace")["contacts"] == 1
    result = phone.keytool.ok("safe", "pull", "--from", "1", "--replace")
    assert "restored ABCD1234 from backup 1 of the history" in result.out
    assert phone.keytool.json("safe", "pull", "--from", "1")["stored"] is True
    assert server() == before
    # The profiles that the first and the second one replaced; the third one replaced nothing.
    kept = phone.keytool.json("safe", "history")["backups"][:-2]
    assert [(one["number"], one["contacts"], one["origin"]) for one in kept] == [
        (4, 1, "replaced"), (3, 10, "replaced")]
    phone.keytool.fails(10, "safe", "pull", "--from", "5")
    phone.keytool.fails(10, "safe", "pull", "--from", "99999999999999999999")


def test_one_contact(phone):
    phone.writes("one", 1)
    phone.keytool.ok("safe", "mirror")
    assert ", 1 contact, 0 groups, by an app" in phone.keytool.ok("safe", "history").out


def test_take_an_entry_out(phone, tmp_path, other_keytool, safe_password):
    """With nothing but the file, the ID and the Safe password."""
    phone.keytool.ok("safe", "mirror")
    file = tmp_path / "entry"
    phone.keytool.ok("safe", "pull", "--from", "1", "--raw", "-o", file)
    assert file.read_bytes() == phone.blob
    result = other_keytool.json("safe", "pull", "--from", file, "--id", ID, *safe_password)
    assert result["stored"] is True and result["contacts"] == 10
    other_keytool.fails(10, "safe", "push")
    document = tmp_path / "document"
    phone.keytool.ok("safe", "pull", "--from", file, "-o", document)
    assert json.loads(document.read_text())["user"] == {"nickname": "first"}
    # In a directory of its own, the file may have a number for its name.
    (tmp_path / "1").write_bytes(phone.writes("other", 3))
    assert phone.keytool.json("safe", "pull", "--from", "./1", "--show", cwd=tmp_path)["contacts"] == 3


def test_a_file_that_does_not_open(phone, given, write):
    file = write("file", phone.blob[:-1])
    assert "does not open" in phone.keytool.fails(12, "safe", "pull", "--from", file).err
    good = write("good", phone.blob)
    phone.keytool.fails(12, "safe", "pull", "--from", good, "--id", ID, *given("safe-password", b"another password"))
    phone.keytool.fails(66, "safe", "pull", "--from", file.with_name("absent"))
    for options in (["--raw", "-o", "x"], ["--server", "file:///x"], ["--no-setup"], ["--read-only"]):
        phone.keytool.fails(64, "safe", "pull", "--from", good, *options)
    phone.keytool.fails(64, "safe", "pull", "--from", "1", "--id", ID)


def test_local_changes_are_not_lost(phone, write):
    """Another profile than the one that was restored last."""
    phone.keytool.ok("safe", "mirror")
    phone.writes("second")
    phone.keytool.ok("safe", "mirror")
    phone.keytool.ok("safe", "pull", "--from", "1", "--replace")
    failed = phone.keytool.fails(17, "safe", "pull", "--from", "2")
    assert "changes that are not in a backup" in failed.err and "--replace" in failed.err


def test_each_alarm(phone, server):
    phone.keytool.ok("safe", "mirror")
    first = phone.blob
    phone.writes("second")
    phone.keytool.ok("safe", "mirror")
    phone.directory.put(phone.keys, first)
    cases = [(lambda: None, 19, "older"), (lambda: phone.writes("wiped", 1), 17, "loses_contacts"),
             (lambda: phone.writes("key", key=bytes(32)), 19, "other_key"),
             (lambda: phone.directory.put(phone.keys, first[:-1]), 65, "damaged"),
             (lambda: phone.directory.backup(phone.keys).unlink(), 10, "no_backup")]
    for change, code, reason in cases:
        change()
        before = server()
        for _ in range(2):
            failed = phone.keytool.fails(code, "safe", "mirror", "--json")
            assert failed.error["reason"] == reason, failed
        assert server() == before
    assert phone.mirrored() == ["first", "second", "wiped", "key"]
    phone.writes("back")
    assert phone.keytool.json("safe", "mirror")["result"] == "mirrored"


def test_a_loss_is_accepted(phone):
    phone.keytool.ok("safe", "mirror")
    phone.writes("few", 4)
    failed = phone.keytool.fails(17, "safe", "mirror")
    assert "has only 4 contacts; the last normal one had 10" in failed.err
    assert "keytool safe mirror --accept-loss ABCD1234" in failed.err
    assert phone.keytool.json("safe", "mirror", "--accept-loss")["result"] == "unchanged"
    assert phone.keytool.json("safe", "mirror")["result"] == "unchanged"


def test_the_age_of_the_content(phone):
    at(phone.keytool, 0).ok("safe", "mirror", "--max-age", "3d")
    at(phone.keytool, 3).ok("safe", "mirror", "--max-age", "4d")
    failed = at(phone.keytool, 4).fails(18, "safe", "mirror", "--max-age", "3d")
    assert "has not changed since 2026-11-21T12:00:0" in failed.err
    phone.writes("again")
    at(phone.keytool, 5).ok("safe", "mirror", "--max-age", "3d")


def test_tolerance(phone):
    at(phone.keytool, 0).ok("safe", "mirror")
    phone.directory.go_away()
    silent = at(phone.keytool, 2).ok("safe", "mirror", "--tolerate", "3d")
    assert silent.out == silent.err == ""
    at(phone.keytool, 4).fails(75, "safe", "mirror", "--tolerate", "3d")
    phone.directory.come_back()
    phone.directory.backup(phone.keys).unlink()
    at(phone.keytool, 1).fails(10, "safe", "mirror", "--tolerate", "3d")


def test_monitoring(phone, tmp_path):
    metrics = tmp_path / "keytool.prom"
    phone.keytool.ok("safe", "mirror", "--metrics-file", metrics)
    text = metrics.read_text()
    assert "keytool_safe_last_exit_code 0" in text and f"keytool_safe_backup_bytes {len(phone.blob)}" in text
    phone.directory.backup(phone.keys).unlink()
    phone.keytool.fails(10, "safe", "mirror", "--metrics-file", metrics)
    assert "keytool_safe_last_exit_code 10" in metrics.read_text()


def test_all(phone, tmp_path, safe_password):
    """A read-only place and one that this keystore writes."""
    phone.keytool.ok("id", "create", "--id", "ZZZZ9999")
    own = tmp_path / "own"
    own.mkdir()
    phone.keytool.ok("safe", "setup", "ZZZZ9999", "--create", "--server", f"file://{own}", *safe_password)
    pushed = phone.keytool.json("safe", "push", "--all")["results"]
    assert [one["id"] for one in pushed] == ["ZZZZ9999"]
    mirrored = phone.keytool.json("safe", "mirror", "--all")["results"]
    assert [(one["id"], one["result"]) for one in mirrored] == [(ID, "mirrored"), ("ZZZZ9999", "mirrored")]
    phone.directory.go_away()
    failed = phone.keytool("safe", "mirror", "--all")
    assert failed.code == 75 and "ZZZZ9999: unchanged" in failed.out and ID in failed.err, failed
    phone.keytool.ok("safe", "delete", "ZZZZ9999", "--setup-only", "--yes")
    assert "safe mirror --all" in phone.keytool.fails(64, "safe", "push", "--all").err


def test_a_place_beside_it_that_cannot_be_read(phone, tmp_path, safe_password):
    """A push leaves out what is for reading only, and nothing else."""
    own = tmp_path / "own"
    own.mkdir()
    phone.keytool.ok("safe", "setup", "--name", "own", "--create", "--server", f"file://{own}", *safe_password)
    identityfiles.directory(phone.keytool.keystore, ID).joinpath("places", "own").chmod(0o755)
    assert "accessible to other users" in phone.keytool.fails(77, "safe", "push", "--all").err


def test_a_damaged_setup_is_no_reason_to_leave_a_place_out(phone, tmp_path, safe_password):
    """A job that mirrors one of two places must not say that all is well."""
    (tmp_path / "second").mkdir()
    second = Phone(phone.keytool, SafeDirectory(tmp_path / "second"))
    second.writes("second")
    phone.keytool.ok("safe", "setup", "--read-only", "--name", "second", "--server", second.directory.url, *safe_password)
    setup = identityfiles.directory(phone.keytool.keystore, ID) / "places" / "second" / "safe"
    flip(setup)
    for options in ([], ["--all"]):
        failed = phone.keytool("safe", "mirror", *options)
        assert failed.code == 65 and f"{ID} main: " in failed.out and "second" in failed.err, failed


WRITING = [["push"], ["push", "--force"], ["push", "--overwrite"], ["push", "--dry-run"], ["delete", "--yes"],
           ["move", "--server", "file:///tmp"], ["move", "--abort"]]


@pytest.mark.parametrize("verb", WRITING, ids=" ".join)
def test_no_verb_writes_to_a_read_only_place(phone, server, verb):
    before = server()
    failed = phone.keytool.fails(64, "safe", *verb)
    assert "set up for reading only" in failed.err
    assert server() == before


def test_passwd_does_not_write(phone, server, given):
    before = server()
    phone.keytool.fails(64, "safe", "passwd", *given("new-safe-password", b"another password"))
    assert server() == before and phone.keytool.json("safe", "mirror")["result"] == "mirrored"


def test_a_new_password_of_the_phone(phone, server, given):
    phone.keytool.ok("safe", "mirror")
    new = Phone(phone.keytool, phone.directory)
    new.password = b"the phone's new one"
    adopt = ["safe", "passwd", "--adopt", *given("new-safe-password", new.password)]
    phone.keytool.fails(10, *adopt)
    new.writes("key", key=bytes(32))
    phone.keytool.fails(19, *adopt)
    new.directory.put(new.keys, oracle.seal_safe("x", new.keys))
    phone.keytool.fails(65, *adopt)
    phone.directory.backup(phone.keys).unlink()
    for verb in ("mirror", "check", "pull"):
        failed = phone.keytool.fails(10, "safe", verb)
        assert "hint: keytool safe passwd --adopt ABCD1234 uses the Safe password that" in failed.err
    new.writes("wiped", 1)
    before = server()
    assert phone.keytool.json(*adopt)["adopted"] is True
    # What the phone writes is nothing that this keystore has to upload.
    assert phone.keytool.json("safe", "status")["changed"] is False
    phone.keytool.fails(64, *adopt)
    # What was mirrored under the old password is still compared, also without the state.
    phone.keytool.fails(17, "safe", "mirror")
    phone.record("state.json").unlink()
    phone.keytool.fails(17, "safe", "mirror")
    assert [one["contacts"] for one in phone.keytool.json("safe", "history")["backups"]] == [1, 10]
    assert phone.keytool.json("safe", "pull", "--from", "1", "--show")["contacts"] == 10
    assert server() == before
    phone.keytool.fails(64, *adopt, "--overwrite")


def test_a_pull_does_not_hide_or_make_an_alarm(phone):
    phone.keytool.ok("safe", "mirror")
    phone.keytool.ok("profile", "set", "--nickname", "edited")
    phone.writes("second")
    phone.keytool.fails(17, "safe", "pull")
    phone.keytool.ok("safe", "status", "--max-age", "8d")
    phone.writes("wiped", 1)
    phone.keytool.fails(17, "safe", "mirror")
    phone.keytool.ok("safe", "pull", "--replace")
    assert phone.keytool("safe", "status", "--max-age", "8d").code == 18
    phone.keytool.ok("safe", "mirror", "--accept-loss")
    phone.keytool.ok("safe", "status", "--max-age", "8d")


def test_a_new_password_that_is_that_of_another_place(phone, given):
    """Then both would be one backup, which this keystore writes."""
    other = given("safe-password", b"that of the other place")
    phone.keytool.ok("safe", "setup", "--name", "nas", "--server", phone.directory.url, *other)
    phone.keytool.ok("safe", "push", "--name", "nas")
    before = phone.record("safe").read_bytes()
    adopt = ["safe", "passwd", "--adopt", "--name", "main", "--new-safe-password-file", other[1]]
    assert phone.keytool.fails(17, *adopt, "--json").error["reason"] == "same_place"
    assert phone.record("safe").read_bytes() == before and len(phone.directory.names()) == 2


def test_only_a_read_only_place_adopts(safe, given):
    safe.push()
    failed = safe.keytool.fails(64, "safe", "passwd", "--adopt", *given("new-safe-password", b"another password"))
    assert "is not set up for reading only" in failed.err


def test_setup_for_reading(phone, server, safe_password, given, tmp_path):
    phone.keytool.ok("safe", "delete", "--setup-only", "--yes")
    before = server()
    setup = ["safe", "setup", "--read-only", "--server", phone.directory.url]
    failed = phone.keytool.fails(10, *setup, *given("safe-password", b"mistyped password"))
    assert "check the Safe password" in failed.err
    phone.writes("key", key=bytes(32))
    phone.keytool.fails(19, *setup, *safe_password)
    phone.directory.put(phone.keys, oracle.seal_safe("x", phone.keys))
    phone.keytool.fails(65, *setup, *safe_password)
    phone.writes("first")
    done = phone.keytool.json(*setup, *safe_password)
    assert done["read_only"] is True and done["tested"] is True and "honours_conditions" not in done
    assert set(server()) == set(before)
    phone.keytool.fails(64, *setup, "--create", *safe_password)
    assert phone.keytool.json("safe", "mirror")["result"] == "mirrored"


def test_the_setup_is_removed_and_the_history_stays(phone, server):
    phone.keytool.ok("safe", "mirror")
    before = server()
    failed = phone.keytool.fails(64, "safe", "delete", "--yes")
    assert "keytool safe delete --setup-only ABCD1234" in failed.err
    phone.keytool.fails(64, "safe", "delete", "--setup-only")
    done = phone.keytool.json("safe", "delete", "--setup-only", "--yes")
    assert done["deleted"] is False and server() == before
    assert len(phone.keytool.json("safe", "history")["backups"]) == 1
    assert phone.keytool.json("safe", "pull", "--from", "1", "--show")["contacts"] == 10
    for options in (["--keep-setup"], ["--force"]):
        phone.keytool.fails(64, "safe", "delete", "--setup-only", *options)


def test_status_and_check(phone):
    assert "for reading only" in phone.keytool.ok("safe", "status").out
    assert phone.keytool("safe", "status", "--max-age", "1d").code == 18
    phone.keytool.ok("safe", "mirror")
    status = phone.keytool.json("safe", "status", "--remote")
    assert status["read_only"] is True and status["remote"]["found"] == "newest_mirrored"
    phone.keytool.ok("safe", "status", "--max-age", "1d")
    assert "equals the newest backup in the history" in phone.keytool.ok("safe", "check").out
    old = phone.blob
    phone.writes("second")
    assert phone.keytool.json("safe", "status", "--remote")["remote"]["found"] == "newer"
    assert phone.keytool.json("safe", "check")["same"] is False
    phone.keytool.ok("safe", "mirror")
    phone.directory.put(phone.keys, old)
    failed = phone.keytool("safe", "status", "--remote")
    assert failed.code == 19 and "an older backup than the newest one in the history" in failed.out
    phone.keytool.fails(19, "safe", "check")


def test_the_rules_of_keep(phone):
    for day in range(40):
        phone.writes(str(day))
        at(phone.keytool, day).ok("safe", "mirror", "--keep", "all")
    assert phone.mirrored() == [str(day) for day in range(40)]
    # The 40th day is the 30th of December.
    at(phone.keytool, 40).ok("safe", "mirror", "--keep", "last=2,daily=3,weekly=2,monthly=3")
    assert phone.mirrored() == ["9", "36", "37", "38", "39"]
    at(phone.keytool, 41).ok("safe", "mirror", "--keep", "last=1")
    assert phone.mirrored() == ["39"]


def test_the_normal_backup_stays(phone):
    """A phone that was wiped writes for longer than the rules keep anything."""
    phone.writes("full", 10)
    at(phone.keytool, 0).ok("safe", "mirror")
    for day in range(1, 6):
        phone.writes(f"wiped {day}", 1)
        at(phone.keytool, day).fails(17, "safe", "mirror", "--keep", "last=1")
    assert phone.mirrored() == ["full"] + [f"wiped {day}" for day in range(1, 6)]
    at(phone.keytool, 6).ok("safe", "mirror", "--keep", "last=1", "--accept-loss")
    assert phone.mirrored() == ["wiped 5"]


@pytest.mark.parametrize("rules", ["", "x", "last", "last=", "last=-1", "last=1,last=2", "daily=1,", "yearly=1",
                                   "last=+1", "last=1 ", "last=999999999"])
def test_rules_that_are_none(phone, rules):
    phone.keytool.fails(64, "safe", "mirror", "--keep", rules)


def test_beside_pushes_nothing_becomes_known(safe):
    safe.push()
    safe.keytool.ok("safe", "mirror")
    document = {**safe.document, "contacts": [{"identity": "ECHOECHO", "verification": 2}]}
    document.pop("keytool")
    theirs = oracle.seal_safe(document, safe.keys)
    safe.directory.put(safe.keys, theirs)
    assert safe.keytool.json("safe", "mirror")["result"] == "mirrored"
    safe.keytool.fails(20, "safe", "push")
    safe.keytool.fails(20, "safe", "delete", "--yes")
    assert safe.blob == theirs


def test_a_setup_becomes_one_for_reading(phone, safe_password, tmp_path, server):
    """It was one for writing, and a phone writes there, too."""
    phone.keytool.ok("safe", "delete", "--setup-only", "--yes")
    phone.keytool.ok("safe", "setup", "--server", phone.directory.url, *safe_password)
    before = server()
    pull = ["safe", "pull", "--read-only", "--id", ID, *safe_password, "--server"]
    phone.keytool.ok(*pull, phone.directory.url)
    assert phone.keytool.json("safe", "status")["read_only"] is True
    phone.keytool.fails(64, "safe", "push", "--force")
    other = tmp_path / "other"
    other.mkdir()
    (other / "backups").mkdir()
    (other / "config").write_bytes(phone.directory.config.read_bytes())
    (other / "backups" / phone.keys.backup_id).write_bytes(phone.blob)
    phone.keytool.fails(17, *pull, f"file://{other}")
    assert server() == before


def test_a_damaged_setup_is_repaired_for_reading(phone, safe_password, server):
    phone.keytool.ok("safe", "mirror")
    record = phone.record("safe")
    record.write_bytes(record.read_bytes()[:-3])
    failed = phone.keytool.fails(65, "safe", "mirror")
    assert "--read-only" in failed.err
    before = server()
    phone.keytool.ok("safe", "pull", "--replace", "--id", ID, "--server", phone.directory.url, *safe_password)
    phone.keytool.fails(64, "safe", "push", "--force")
    assert server() == before


def test_another_key_has_no_proven_code(phone, given):
    password = given("backup-password", b"a good code password")
    code = phone.keytool.ok("backup", "export", *password).out
    phone.keytool.ok("backup", "check", *password, stdin=code)
    assert "code_proven_at" in phone.keytool.json("safe", "status")
    phone.writes("key", key=bytes(range(32)))
    phone.keytool.fails(19, "safe", "mirror")
    phone.keytool.ok("safe", "pull", "--from", "1", "--replace", "--replace-key", ID)
    assert "code_proven_at" not in phone.keytool.json("safe", "status")
    phone.keytool.ok("safe", "pull", "--show")


def test_a_wrong_clock_in_one_run(phone):
    at(phone.keytool, 27000).ok("safe", "mirror")
    for day in range(1, 9):
        phone.writes(str(day))
        at(phone.keytool, day).ok("safe", "mirror")
    assert [oracle.open_safe(blob, phone.keys)["user"]["nickname"] for blob in phone.kept][:-1] == list("12345678")
    listed = phone.keytool.json("safe", "history")["backups"]
    assert [one["stored_at"][:10] for one in listed][:2] == ["2026-11-29", "2026-11-28"]
    assert phone.keytool.json("safe", "pull", "--from", "1", "--show")["contacts"] == 10
    # The age of a change in the future is what runs have observed since.
    phone.writes("late")
    at(phone.keytool, 27000).ok("safe", "mirror")
    at(phone.keytool, 9).ok("safe", "mirror", "--max-age", "3d")
    at(phone.keytool, 11).ok("safe", "mirror", "--max-age", "3d")
    failed = at(phone.keytool, 13).fails(18, "safe", "mirror", "--max-age", "3d")
    assert re.search("has not changed for at least [34] days", failed.err), failed


def test_a_mirror_in_2031(phone):
    """Back in the present, it neither alarms nor says that nothing was ever mirrored; if it stops, it alarms."""
    keytool = phone.keytool
    at(keytool, 0).ok("safe", "mirror")
    at(keytool, 1700).ok("safe", "mirror")
    status = at(keytool, 1).ok("safe", "status", "--max-age", "2d")
    assert "last good   at an unknown time" in status.out, status
    # Runs that fail observe its age, too.
    phone.directory.go_away()
    for day in range(1, 4):
        at(keytool, day).fails(75, "safe", "mirror")
        status = at(keytool, day)("safe", "status", "--max-age", "36h")
        assert status.code == (18 if day == 3 else 0), (day, status)
    assert re.search("last known to be on the server (1 day|2 days) ago or earlier", status.err), status
    phone.directory.come_back()
    at(keytool, 4).ok("safe", "mirror")
    assert "last good   2026-" in at(keytool, 5).ok("safe", "status", "--max-age", "36h").out


def test_status_shows_what_a_mirror_has_found(phone):
    phone.keytool.ok("safe", "mirror")
    good = phone.blob
    cases = [(lambda: phone.directory.backup(phone.keys).unlink(), "missing"),
             (lambda: phone.directory.put(phone.keys, good[:-1]), "damaged"),
             (lambda: phone.writes("wiped", 1), "lossy"),
             (lambda: phone.directory.put(phone.keys, good), "older"),
             (lambda: phone.writes("key", key=bytes(32)), "foreign")]
    for change, finding in cases:
        change()
        assert phone.keytool("safe", "mirror").code != 0
        assert phone.keytool.json("safe", "status")["finding"] == finding
        status = phone.keytool("safe", "status", "--max-age", "1d")
        assert status.code == 18 and "found       the last check" in status.out, status
    phone.writes("good")
    phone.keytool.ok("safe", "mirror")
    assert "finding" not in phone.keytool.json("safe", "status", "--max-age", "1d")


def test_move_prepares_nothing(phone, tmp_path):
    new = tmp_path / "new"
    new.mkdir()
    phone.keytool.fails(64, "safe", "move", "--create", "--server", f"file://{new}")
    assert not list(new.iterdir())


def test_a_replaced_backup_stays_though_it_was_mirrored(safe):
    for nickname in "ABCDEFGHIJK":
        safe.keytool.ok("profile", "set", "--nickname", nickname)
        safe.push("--force")
        safe.keytool.ok("safe", "mirror", "--keep", "last=1")
    listed = safe.keytool.json("safe", "history")["backups"]
    assert [(one["generation"], one["origin"]) for one in listed] == [
        (11, "mirrored"), *((generation, "both") for generation in range(10, 0, -1))]
    # After 90 days, the rules of the mirror hold for them, but for the newest 8. At most a week passes from run to run.
    for day in range(7, 200, 7):
        at(safe.keytool, day).ok("safe", "mirror", "--keep", "last=1")
        left = [one["generation"] for one in safe.keytool.json("safe", "history")["backups"]]
        assert day > 90 or left == [*range(11, 0, -1)]
    assert left == [*range(11, 2, -1)]


@pytest.mark.parametrize("damage", [lambda file: file.unlink(), lambda file: file.write_bytes(file.read_bytes()[:-1])],
                         ids=["lost", "damaged"])
def test_a_lost_or_damaged_copy_is_stored_again(phone, damage):
    phone.keytool.ok("safe", "mirror")
    (file,) = phone.record("history").iterdir()
    damage(file)
    assert phone.keytool.json("safe", "mirror")["result"] == "unchanged"
    (number,) = (one["number"] for one in phone.keytool.json("safe", "history")["backups"] if one["opens"])
    assert phone.keytool.json("safe", "pull", "--from", str(number), "--show")["contacts"] == 10


def test_numbers_are_never_used_again(phone):
    """Neither after a backup was thinned out, nor after the setup was removed."""
    def numbers():
        return [one["number"] for one in phone.keytool.json("safe", "history")["backups"]]
    for number in range(1, 6):
        phone.writes(str(number))
        phone.keytool.ok("safe", "mirror", "--keep", "last=2")
        assert numbers() == [number, number - 1][:number]
    names = {one["number"]: one["stored_at"] for one in phone.keytool.json("safe", "history")["backups"]}
    phone.keytool.ok("safe", "delete", "--setup-only", "--yes")
    assert {one["number"]: one["stored_at"] for one in phone.keytool.json("safe", "history")["backups"]} == names
    for gone in ("1", "3", "6"):
        assert f"has no backup {gone}" in phone.keytool.fails(10, "safe", "pull", "--from", gone, "--show").err


def test_advice_is_about_the_same_backup(phone):
    phone.keytool.ok("safe", "mirror")
    phone.keytool.ok("profile", "set", "--nickname", "edited")
    failed = phone.keytool.fails(17, "safe", "pull", "--from", "1")
    assert "--replace restores backup 1 of the history" in failed.err and "safe push" not in failed.err
    failed = phone.keytool.fails(17, "safe", "pull")
    assert "safe pull --replace" in failed.err and "safe push" not in failed.err
    failed = phone.keytool.fails(64, "safe", "passwd")
    assert "safe passwd --adopt" in failed.err


def test_no_advice_is_to_write(phone, given, safe_password, tmp_path):
    """Nothing is uploaded to a place for reading only, and its password is the phone's."""
    failed = phone.keytool.fails(12, "safe", "check", "--with-password", *given("safe-password", b"mistyped password"))
    assert "safe passwd --adopt" in failed.err and "sets a new one" not in failed.err
    phone.directory.backup(phone.keys).unlink()
    for options in (["--show"], ["--raw", "--output", tmp_path / "raw"]):
        failed = phone.keytool.fails(10, "safe", "pull", *options)
        assert "safe passwd --adopt" in failed.err and "safe push" not in failed.err
    phone.keytool.ok("safe", "delete", "--setup-only", "--yes")
    phone.writes("key", key=bytes(32))
    failed = phone.keytool.fails(19, "safe", "setup", "--read-only", "--server", phone.directory.url, *safe_password)
    assert "safe history" not in failed.err
