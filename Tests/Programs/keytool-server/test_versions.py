"""keytool-server versions and restore."""

import fcntl
import os
import subprocess
import time

from kit_store import DAY, compact, faketime, forget_faketime, identifier, on_terminal, store  # noqa: F401
from server import curl

TIMES = ["20261120T030000123Z", "20261121T030000123Z"]
REPLACED = ["20261121T030000123Z", "20261122T150000000Z"]


def test_versions_are_listed_the_newest_first(store):
    store.fails(10, "versions", identifier(1))
    store.put(1)
    assert store.ok("versions", identifier(1)).out == ""
    for place, moment in enumerate(TIMES):
        store.put_previous(1, moment, b"y" * (place + 1), replaced=REPLACED[place])
    store.put_previous(2, TIMES[0])
    assert store.ok("versions", identifier(1).upper()).out == f"{TIMES[1]}  2 bytes\n{TIMES[0]}  1 bytes\n"
    document = store.json("versions", identifier(1))
    assert document["present_bytes"] == 1 and [each["time"] for each in document["versions"]] == TIMES[::-1]
    assert document["versions"][0]["uploaded_at"] == "2026-11-21T03:00:00Z"
    assert document["versions"][0]["replaced_at"] == "2026-11-22T15:00:00Z"
    for wrong in ("abc", identifier(1)[1:], "g" * 64):
        store.fails(64, "versions", wrong)


def test_versions_of_a_backup_that_cannot_be_read(store):
    """Then their times are needed most. Nor does it keep `restore --at` from the other backups."""
    store.put(1)
    store.put_previous(1, TIMES[0], b"good")
    os.truncate(store.path / "backups" / identifier(1), 5 << 20)
    assert store.ok("versions", identifier(1)).out.startswith(TIMES[0])
    assert store.json("versions", identifier(1))["present_bytes"] == 5 << 20

    before, _ = attacked(store)
    backups = store.directory("alice") / "backups"
    os.truncate(backups / identifier(1), 5 << 20)
    store.ok("restore", "--account", "alice", "--at", before, "--yes")
    assert [(backups / identifier(number)).read_bytes() for number in (1, 2)] == [b"good 1", b"good 2"]


def test_all_ids_are_listed_the_last_change_first(store):
    """A deleted backup has no file any more from which the operator could know its id."""
    assert "there are no previous backups" in store.ok("versions").err and store.ok("versions").out == ""
    store.put(1)
    store.put_previous(1, TIMES[0])
    store.put_previous(2, TIMES[0])
    store.put_previous(2, TIMES[1], replaced=REPLACED[1])
    store.put(3)
    assert store.ok("versions").out == (
        f"{identifier(2)}  {TIMES[1]}  absent   2 previous backups\n"
        f"{identifier(1)}  {TIMES[0]}  present  1 previous backup\n")
    document = store.json("versions")
    assert "account" not in document and document["ids"] == 2
    assert [each["id"] for each in document["backups"]] == [identifier(2), identifier(1)]
    assert document["backups"][0] == {
        "id": identifier(2), "time": TIMES[1], "changed_at": "2026-11-22T15:00:00Z", "present": False, "versions": 2}
    # What it names can be restored.
    store.ok("restore", identifier(2), document["backups"][0]["time"])
    assert store.json("versions")["backups"][0]["present"] is True


def test_all_ids_of_an_account(store):
    store.add("alice")
    store.put_previous(1, TIMES[0], account="alice")
    listed = store.ok("versions", "--account", "alice").out
    assert listed == f"{identifier(1)}  {TIMES[0]}  absent   1 previous backup\n"
    assert store.json("versions", "--account", "alice")["account"] == "alice"
    assert "--account NAME" in store.ok("versions").err
    store.fails(10, "versions", "--account", "bob")


def test_a_deleted_backup_is_restored_without_a_question(store):
    store.put_previous(1, TIMES[0], b"old")
    assert store.ok("restore", identifier(1), TIMES[0]).out == f"restored the backup of {TIMES[0]}, 3 bytes\n"
    path = store.path / "backups" / identifier(1)
    assert path.read_bytes() == b"old" and oct(path.stat().st_mode) == "0o100600"
    assert store.ok("versions", identifier(1)).out.startswith(TIMES[0])


def test_the_layout_of_earlier_releases(store):
    """It was flat, and a name had the time of the replacement only."""
    now = time.time()
    store.put_flat(1, now - 9 * DAY, now - 8 * DAY, b"older")
    kept = store.put_flat(1, now - 8 * DAY, now - 6 * DAY, b"old")
    present = store.put(1, b"present", days_ago=6)
    store.put_flat(2, now - 3 * DAY, now - 2 * DAY)
    store.put_previous(3, compact(now - 3 * DAY), replaced=compact(now - DAY))
    times = [compact(now - days * DAY) for days in (8, 9)]
    # The time of a file has milliseconds.
    listed = [line.split()[0] for line in store.ok("versions", identifier(1)).out.splitlines()]
    assert [each[:15] for each in listed] == [each[:15] for each in times]
    # The present one becomes a previous one, in the new layout.
    store.ok("restore", identifier(1), listed[0], "--yes")
    assert present.read_bytes() == b"old"
    assert [path.read_bytes() for path in store.previous()] == [b"present", b"y"]
    ids = [(each["id"], each["versions"]) for each in store.json("versions")["backups"]]
    assert ids == [(identifier(1), 3), (identifier(3), 1), (identifier(2), 1)]
    shown = store.ok("sweep", "--dry-run", "-v").out
    assert shown.endswith(f"{identifier(1)}  previous backup of {listed[1]}\n")
    assert store.ok("sweep").out == "deleted 0 of 1 backup, and 1 previous backup\n"
    assert [line.split()[0] for line in store.ok("versions", identifier(1)).out.splitlines()][1:] == listed[:1]
    assert kept.exists()


def test_a_version_has_the_wall_clock_s_time(store):
    """The store's clock is 43 days behind for good, because the server was off."""
    store.put(1, b"first", days_ago=50)
    store.set_clock(days_ago=50)
    begin = int(time.time() * 1000)
    store.put_previous(1, TIMES[0], b"old", replaced=compact(begin / 1000 - 51 * DAY))
    store.ok("restore", identifier(1), TIMES[0], "--yes")
    store.ok("restore", identifier(1), TIMES[0], "--yes")
    end = int(time.time() * 1000)
    times = [each["time"] for each in store.json("versions", identifier(1))["versions"]]
    assert compact(begin / 1000 - 1) <= times[0] <= compact(end / 1000 + 1)
    replaced = store.previous()[-1].name.split("-")[2]
    assert compact(end / 1000 - 44 * DAY) < replaced < compact(end / 1000 - 42 * DAY)


def test_what_is_printed_of_a_replacement_is_the_wall_clock_s_time(store):
    """As that of the upload beside it. The name of the file has the store's, which is 43 days behind."""
    store.set_clock(days_behind=43)
    store.put_previous(1, TIMES[1], replaced=REPLACED[1])
    version = store.json("versions", identifier(1))["versions"][0]
    assert (version["uploaded_at"], version["replaced_at"]) == ("2026-11-21T03:00:00Z", "2027-01-04T15:00:00Z")
    assert store.json("versions")["backups"][0]["changed_at"] == "2027-01-04T15:00:00Z"


def test_the_present_backup_becomes_a_previous_one(store):
    path = store.put(1, b"present")
    store.put_previous(1, TIMES[0], b"old")
    assert "--yes" in store.fails(64, "restore", identifier(1), TIMES[0]).err
    document = store.json("restore", identifier(1), TIMES[0], "--yes")
    assert document["replaced"] is True and path.read_bytes() == b"old"
    newest = store.json("versions", identifier(1))["versions"][0]
    store.ok("restore", identifier(1), newest["time"], "--yes")
    assert path.read_bytes() == b"present"


def test_what_does_not_exist_is_not_restored(store):
    store.fails(10, "restore", identifier(1), TIMES[0], "--yes")
    store.put_previous(1, TIMES[0])
    assert f"versions {identifier(1)} --store file://{store.path} lists them" in store.fails(10, "restore", identifier(1), TIMES[1], "--yes").err
    for wrong in ("2026-11-20T03:00:00Z", "20261120T030000Z", "20261320T030000123Z"):
        store.fails(64, "restore", identifier(1), wrong, "--yes")


def test_the_backups_of_an_account(store):
    store.add("alice")
    store.put(1, account="alice")
    store.put_previous(1, TIMES[0], b"old", account="alice")
    assert "--account" in store.fails(10, "versions", identifier(1)).err
    assert TIMES[0] in store.ok("versions", identifier(1), "--account", "alice").out
    store.ok("restore", identifier(1), TIMES[0], "--account", "alice", "--yes")
    assert (store.path / "accounts/alice/backups" / identifier(1)).read_bytes() == b"old"
    assert not (store.path / "backups" / identifier(1)).exists()
    store.fails(10, "versions", identifier(1), "--account", "bob")
    store.fails(64, "versions", identifier(1), "--account", "../alice")


def test_a_question_on_the_terminal(store, on_terminal):
    path = store.put(1, b"present")
    store.put_previous(1, TIMES[0], b"old")
    for answer, code, content in (("n", 64, b"present"), ("y", 0, b"old")):
        run = on_terminal("restore", identifier(1), TIMES[0])
        run.expect("Replace the present backup")
        run.send(answer)
        assert run.finish() == code and path.read_bytes() == content


def test_a_backup_that_changes_during_the_question_is_not_restored(store, on_terminal):
    """Somebody uploads or deletes, or a sweep removes what was to be restored."""
    path = store.put(1, b"present", days_ago=1)
    old = store.put_previous(1, TIMES[0], b"old")

    def uploaded():
        store.put(1, b"newer")

    def deleted():
        path.unlink()

    def swept():
        old.unlink()

    for change in (uploaded, deleted, swept):
        store.put(1, b"present", days_ago=1)
        run = on_terminal("restore", identifier(1), TIMES[0])
        run.expect("Replace the present backup")
        change()
        tree = store.tree()
        run.send("y")
        assert run.finish() == 75 and "the backup has changed meanwhile" in run.words, run.text
        assert store.tree() == tree


def test_a_write_of_a_server_is_waited_for(store):
    """A server shares the lock of the directory among its writes; a restore needs it alone."""
    store.put_previous(1, TIMES[0])
    lock = os.open(store.path / "backups", os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_SH)
        assert "another process" in store.fails(11, "restore", identifier(1), TIMES[0]).err
        fcntl.flock(lock, fcntl.LOCK_UN)
        store.ok("restore", identifier(1), TIMES[0])
    finally:
        os.close(lock)


def attacked(store):
    """An account whose backups were overwritten, deleted and added two hours ago. Gives the time before that."""
    store.add("alice")
    now = time.time()
    day, hours = (compact(now - DAY), compact(now - 2 * 3600))
    for number in (1, 2):
        store.put_previous(number, day, b"good %d" % number, account="alice", replaced=hours)
        store.put_previous(number, hours, b"bad", account="alice", replaced=compact(now - 3600))
    store.put(1, b"bad", account="alice")
    store.put(3, b"bad and new", account="alice")
    store.put(4, b"untouched", days_ago=3, account="alice")
    store.put_previous(5, compact(now - 4 * DAY), account="alice", replaced=compact(now - 3 * DAY))
    store.put_previous(6, day, b"same", account="alice", replaced=hours)
    store.put(6, b"same", account="alice")
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now - 3 * 3600)), day


def test_an_account_as_it_was_before_an_attack(store):
    before, day = attacked(store)
    tree = store.tree()
    command = ["restore", "--account", "alice", "--at", before]
    dry = store.ok(*command, "--dry-run")
    rows = [f"{identifier(number)}  {day}  6 bytes" for number in (1, 2)]
    assert dry.out.splitlines() == rows + ["would restore 2 backups of alice, in place of 1 backup; 2 unchanged"]
    assert "1 backup uploaded first after that time" in dry.err and store.tree() == tree
    assert "--yes" in store.fails(64, *command).err
    document = store.json(*command, "--yes")
    assert [(each["id"], each["replaced"]) for each in document["backups"]] == [
        (identifier(1), True), (identifier(2), False)]
    assert (document["account"], document["at"], document["dry_run"]) == ("alice", before, False)
    assert (document["unchanged"], document["newer"]) == (2, 1)
    backups = store.directory("alice") / "backups"
    contents = {path.name: path.read_bytes() for path in backups.iterdir() if path.name[0] != "."}
    assert contents == {identifier(1): b"good 1", identifier(2): b"good 2", identifier(3): b"bad and new",
                        identifier(4): b"untouched", identifier(6): b"same"}
    # What was there is not lost, and a second run has nothing to do.
    assert [path.read_bytes() for path in store.previous("alice")].count(b"bad") == 3
    assert store.ok(*command).out == "restored 0 backups of alice; 4 unchanged\n"


def test_what_was_deleted_at_a_time_stays_deleted(store, serve):
    """Also if a newer backup is there, which would be replaced."""
    store.add("alice")
    (store.path / "clock").unlink()
    url = f"http://127.0.0.1:{{}}/alice/backups/{identifier(1)}"
    for days, option in [(5, []), (4, ["-X", "DELETE"]), (1, [])]:
        server = serve(store=f"file://{store.path}", **faketime(-days))
        answer = curl(url.format(server.port), "-u", "alice:correct horse", *option,
                      body=None if option else b"%d" % days)
        assert answer.status in (201, 204)
        assert server.stop() == 0
        forget_faketime(server.process)
    at = [time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - days * DAY)) for days in (3, 4.5)]
    command = ["restore", "--account", "alice", "--yes", "--at"]
    result = store.ok(*command, at[0])
    assert result.out == "restored 0 backups of alice; 0 unchanged\n" and "left as they are" in result.err
    assert "restored 1 backup of alice, in place of 1 backup" in store.ok(*command, at[1]).out


def test_an_older_backup_than_that_of_the_time_is_told(store):
    """What was there then is not retained: somebody uploaded too often that day."""
    store.add("alice")
    now = time.time()
    times = [compact(now - hours * 3600) for hours in (9, 8, 7)]
    for number in (1, 2):
        store.put_previous(number, times[0], b"older", account="alice", replaced=times[1])
    store.put_previous(2, times[1], b"exact", account="alice", replaced=times[2])
    store.put(1, b"bad", account="alice")
    store.put(2, b"bad", account="alice")
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now - 7.5 * 3600))
    command = ["restore", "--account", "alice", "--at", at]
    document = store.json(*command, "--dry-run")
    assert [(each["time"], each["exact"]) for each in document["backups"]] == [(times[0], False), (times[1], True)]
    assert document["older"] == 1
    warning = "1 backup older than those of that time, which are not retained any more"
    assert warning in store.ok(*command, "--yes").err
    assert warning not in store.ok(*command[:-1], at.replace(at[:10], "2020-01-01"), "--yes").err


def test_a_previous_backup_that_is_removed_during_the_restore(store):
    """By a sweep, which waits for nobody. Those before it are restored, and a second run does the rest."""
    before, _ = attacked(store)
    gone = next(each for each in store.previous("alice") if each.read_bytes() == b"good 2")
    command = ["restore", "--account", "alice", "--at", before, "--yes"]
    result = subprocess.run(
        ["strace", "-f", "-qq", "-o", "/dev/null", "-P", gone.name, "-e", "trace=openat", "-e",
         "inject=openat:error=ENOENT", *store.command_line(*command)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, env=store.environment, timeout=60)
    assert result.returncode == 75 and "of several backups, some may be restored" in result.stderr, result
    assert "hint: run the command again" in result.stderr and result.stdout == ""
    backups = store.directory("alice") / "backups"
    assert (backups / identifier(1)).read_bytes() == b"good 1" and not (backups / identifier(2)).exists()
    assert "restored 1 backup of alice; 3 unchanged" in store.ok(*command).out
    assert (backups / identifier(2)).read_bytes() == b"good 2"


def test_a_restored_account_is_confirmed(store, on_terminal):
    before, _ = attacked(store)
    path = store.directory("alice") / "backups" / identifier(1)
    for answer, code, content in (("n", 64, b"bad"), ("y", 0, b"good 1")):
        run = on_terminal("restore", "--account", "alice", "--at", before)
        run.expect("Restore 2 backups of alice, and replace 1 backup")
        run.send(answer)
        assert run.finish() == code and path.read_bytes() == content


def test_an_account_that_changes_during_the_question_is_not_restored(store, on_terminal):
    """Somebody uploads, deletes, or a sweep removes what was to be restored: what was said is not what would be done."""
    before, day = attacked(store)
    path = store.directory("alice") / "backups"

    def uploaded():
        (path / identifier(1)).write_bytes(b"newer")

    def deleted():
        (path / identifier(1)).unlink()

    def added():
        store.put(2, b"again", account="alice")

    def swept():
        for each in store.previous("alice"):
            if each.read_bytes() == b"good 2":
                each.unlink()

    for change in (uploaded, deleted, added, swept):
        run = on_terminal("restore", "--account", "alice", "--at", before)
        run.expect("of alice, and replace")
        change()
        tree = store.tree()
        run.send("y")
        assert run.finish() == 75 and "changed meanwhile" in run.words, run.text
        assert store.tree() == tree
        store.put(1, b"bad", account="alice")


def test_what_cannot_be_asked_of_restore(store):
    store.add("alice")
    before = "2026-11-21T03:00:00Z"
    for wrong in ([], [identifier(1)], ["--at", before], ["--account", "alice"],
                  [identifier(1), "--account", "alice", "--at", before],
                  ["--account", "alice", "--at", "2026-11-21"], ["--account", "alice", "--at", "2026-11-31T03:00:00Z"],
                  ["--account", "alice", "--at", "2999-01-01T00:00:00Z"]):
        store.fails(64, "restore", *wrong)
    store.fails(10, "restore", "--account", "bob", "--at", before)
    assert store.ok("restore", "--account", "alice", "--at", TIMES[0]).out == "restored 0 backups of alice; 0 unchanged\n"


def test_one_backup_is_not_restored_by_a_dry_run(store):
    store.put(1, b"present")
    store.put_previous(1, TIMES[0], b"old")
    before = store.tree()
    assert store.ok("restore", identifier(1), TIMES[0], "--dry-run").out == (
        f"would restore the backup of {TIMES[0]}, 3 bytes\n")
    assert store.tree() == before
