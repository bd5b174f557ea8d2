"""keytool-server sweep: what expires, and when nothing is deleted."""

import json
import os
import re
import subprocess
import time

import kit_store
import pytest
from kit_store import DAY, identifier, store  # noqa: F401


def compact(days_ago):
    return kit_store.compact(time.time() - days_ago * DAY)


def test_what_is_over_its_term_goes_and_nothing_else(store):
    store.add("alice")
    old = [store.put(1, days_ago=211), store.put(2, days_ago=211, account="alice")]
    young = [store.put(3, days_ago=209), store.put(4, account="alice")]
    previous = [store.put_previous(1, compact(8)), store.put_previous(9, compact(8), account="alice")]
    kept = [store.put_previous(1, compact(6)), store.put_previous(9, compact(6), account="alice")]
    before = store.tree()
    dry = store.ok("sweep", "--dry-run")
    assert dry.out == "would delete 2 of 4 backups, and 2 previous backups\n" and store.tree() == before
    assert store.ok("sweep").out == "deleted 2 of 4 backups, and 2 previous backups\n"
    assert not any(path.exists() for path in old + previous) and all(path.exists() for path in young + kept)
    assert store.ok("sweep").out == "deleted 0 of 2 backups, and 0 previous backups\n"
    store.environment["KEYTOOL_SERVER_KEEP_PREVIOUS"] = "5d"
    assert store.ok("sweep", "--keep-previous", "7d").out == "deleted 0 of 2 backups, and 0 previous backups\n"
    assert store.ok("sweep").out == "deleted 0 of 2 backups, and 2 previous backups\n"
    store.environment["KEYTOOL_SERVER_KEEP_PREVIOUS"] = "5"
    store.fails(64, "sweep")


def test_a_sweep_by_hand_retains_what_the_server_retains(store, serve):
    old = store.put_previous(1, compact(20))
    server = serve("--keep-previous", "30d", store=f"file://{store.path}")
    assert store.ok("sweep").out == "deleted 0 of 0 backups, and 0 previous backups\n" and old.exists()
    assert server.stop() == 0
    assert store.ok("sweep").out == "deleted 0 of 0 backups, and 0 previous backups\n" and old.exists()
    for damaged in (b"", b"30d\n", b"-1\n", b"2592000", b"9" * 40 + b"\n"):
        (store.path / "keep-previous").write_bytes(damaged)
        assert "keep-previous" in store.fails(74, "sweep").err
    assert store.ok("sweep", "--keep-previous", "19d").out == "deleted 0 of 0 backups, and 1 previous backup\n"
    for options in (["--keep-previous", "1d"], []):
        server = serve(*options, store=f"file://{store.path}")
        assert server.stop() == 0
    assert (store.path / "keep-previous").read_bytes() == b"604800\n"


def test_the_retention_is_that_of_the_configuration(store):
    store.configure(retention_days=10)
    store.put(1, days_ago=41)
    store.put(2, days_ago=39)
    assert store.json("sweep")["expired"] == 1


def test_too_many_are_refused_unless_forced(store):
    for number in range(4):
        store.put(number, days_ago=300)
    store.put(9)
    result = store.fails(1, "sweep")
    assert "4 of 5 backups would expire at once; nothing was deleted" in result.err and "--force" in result.err
    assert '"reason":"too_many_expired"' in store("sweep", "--json").err
    dry = store.ok("sweep", "--dry-run")
    assert dry.out.startswith("would delete 4 of 5") and "would expire at once" in dry.err
    document = store.json("sweep", "--force")
    assert document["expired"] == 4 and document["deleted"] is True and document["suspicion"] == "too_many_expired"
    assert len(list((store.path / "backups").iterdir())) == 1


def test_up_to_three_of_a_small_server_expire_if_another_stays(store):
    for number in range(3):
        store.put(number, days_ago=300)
    store.fails(1, "sweep")
    store.put(3)
    assert store.json("sweep")["expired"] == 3


def test_a_backup_that_is_newer_than_the_clock_stops_nothing(store):
    store.put(1, days_ago=300)
    store.put(2)
    store.put(3, days_ago=-400)
    assert store.json("sweep")["expired"] == 1


def test_what_expires_becomes_a_previous_backup(store):
    store.put(1, b"last words", days_ago=211)
    store.put(2)
    store.ok("sweep")
    store.ok("restore", identifier(1), newest_version(store))
    assert (store.path / "backups" / identifier(1)).read_bytes() == b"last words"
    assert store.ok("sweep").out == "deleted 0 of 2 backups, and 0 previous backups\n"
    store.put(3, days_ago=211)
    store.ok("sweep", "--keep-previous", "0s")
    assert "no backup of this id" in store.fails(10, "versions", identifier(3)).err


def test_a_jump_of_the_clock_counts_for_a_week(store):
    """The store was read last 400 days ago: by then its backup was a day old, so it is eight days old now. The clock may
    be wrong, so a sweep has to be forced."""
    backup = store.put(1, days_ago=401)
    store.put(2, days_ago=400)
    for _ in range(3):
        store.set_clock(days_ago=400)
        dry = store.ok("sweep", "--dry-run").out
        assert dry == "would delete 0 of 2 backups, and 0 previous backups\n"
        assert '"code":1,"name":"failed","reason":"clock_leapt"' in store("sweep", "--json").err
        assert store.ok("sweep", "--force").out == "deleted 0 of 2 backups, and 0 previous backups\n"
    clock = json.loads((store.path / "clock").read_text())
    assert abs(clock["wall"] / 1000 - time.time()) < DAY
    assert abs(clock["sum"] / 1000 - (time.time() - 393 * DAY)) < DAY
    assert backup.exists()


def test_a_clock_that_is_ahead_once_costs_no_previous_backups(store):
    """A start a year ahead makes the store a week older, which is all the time of a previous backup."""
    store.put(1)
    previous = store.put_previous(1, compact(1))
    assert "the clock has moved on by more than a week at once" in store.fails(1, "sweep", days_ahead=365).err
    assert "more than a week at once" in store.fails(1, "sweep").err and previous.exists()
    # It was a leap, and then the clock was right again. A week later, the backup is a week old.
    clock = json.loads((store.path / "clock").read_text())
    assert clock["back"] is True
    for passed, code in [(6.9, 1), (7.1, 0)]:
        clock["sum"] = clock["leap"] + int(passed * DAY * 1000)
        (store.path / "clock").write_text(json.dumps(clock))
        assert store("sweep").code == code
    assert not previous.exists()


def test_a_server_that_was_off_for_longer_sweeps_a_day_later(store):
    store.put(1)
    previous = store.put_previous(1, compact(20))
    store.set_clock(days_ago=10)
    store.fails(1, "sweep")
    assert previous.exists()
    assert store.ok("sweep", days_ahead=1).out == "deleted 0 of 1 backup, and 1 previous backup\n"


@pytest.mark.parametrize("damage", [None, b"", b"{", b"{}", b"x" * 5000])
def test_a_clock_that_is_lost_begins_beside_the_newest_backup(store, damage):
    backup = store.put(1, days_ago=400)
    store.put(2, days_ago=100)
    path = store.path / "clock"
    path.unlink()
    if damage is not None:
        path.write_bytes(damage)
    store.ok("sweep", "--dry-run")
    assert path.exists() == (damage is not None)
    store.put(3, days_ago=300)
    assert store.ok("sweep", "--keep-previous", "0s").out == "deleted 1 of 3 backups, and 0 previous backups\n"
    assert not backup.exists()
    assert abs(json.loads(path.read_text())["sum"] / 1000 - (time.time() - 93 * DAY)) < DAY


def test_a_restored_backup_has_the_time_of_the_store(store):
    store.put(1)
    store.put_previous(1, compact(1))
    store.set_clock(days_ago=50)
    store.ok("restore", identifier(1), newest_version(store), "--yes")
    restored = (store.path / "backups" / identifier(1)).stat().st_mtime
    assert abs(restored - (time.time() - 43 * DAY)) < DAY


def newest_version(store):
    return store.json("versions", identifier(1))["versions"][0]["time"]


def test_ids_are_shown_on_request_only(store):
    store.put(0xABC, days_ago=300)
    store.put(1)
    store.put_previous(0xDEF, compact(8))
    for options in ((), ("--json",)):
        assert "abc" not in store.ok("sweep", "--dry-run", *options).out
    shown = store.ok("sweep", "--dry-run", "-v").out
    assert identifier(0xABC) in shown and identifier(0xDEF) in shown
    assert store.json("sweep", "--dry-run", "-v")["expired_backups"][0]["id"] == identifier(0xABC)


def test_the_last_upload_is_shown_by_the_wall_clock(store):
    """The store's clock, which dates the files, is 43 days behind."""
    store.set_clock(days_behind=43)
    path = store.put(1, days_ago=300)
    store.put(2, days_ago=43)
    last = time.gmtime(path.stat().st_mtime_ns // 10**9 + 43 * DAY)
    shown = store.ok("sweep", "--dry-run", "-v").out
    assert f"{identifier(1)}  last upload {time.strftime('%Y-%m-%dT%H:%M:%SZ', last)}\n" in shown
    document = store.json("sweep", "--dry-run", "-v")
    assert document["expired_backups"][0]["time"].startswith(time.strftime("%Y%m%dT%H%M%S", last))


def test_an_account_that_cannot_be_read_is_named_and_keeps_no_other(store):
    for account in ("alice", "bob"):
        store.add(account)
    old, _ = store.put(1, days_ago=211, account="alice"), store.put(2, account="alice")
    broken = store.directory("bob") / "backups"
    broken.rmdir()
    broken.write_text("")
    for options, there in (["--dry-run"], True), ([], False):
        failed = store("sweep", "-v", *options)
        assert failed.code == 74 and " 1 of 2 backups, and 0 previous backups\n" in failed.out and identifier(1) in failed.out
        assert "warning: the backups of bob were not swept: " in failed.err and old.exists() == there
    # A decision that is refused is told as ever.
    refused = store("sweep", days_ahead=400)
    assert refused.code != 74 and "nothing was deleted" in refused.err and refused.out == ""


def test_other_files_stay(store):
    stranger = store.path / "backups/notes.txt"
    stranger.write_text("x")
    os.utime(stranger, (0, 0))
    store.put(1)
    store.ok("sweep")
    assert stranger.exists()
    store.fails(64, "sweep", "--keep-previous", "7")


def test_a_sweep_looks_at_each_backup_once(store, tmp_path):
    """Again only where something is over."""
    def looks(*options):
        trace = tmp_path / "trace"
        subprocess.run(
            ["strace", "-f", "-qq", "-e", "trace=newfstatat,statx", "-o", trace, *store.command_line("sweep", *options)],
            env=store.environment, stdout=subprocess.DEVNULL, check=True, timeout=60)
        return len(re.findall(r', "0{50}', trace.read_text()))

    store.add("alice")
    for number in range(100):
        store.put(number)
        store.put(number, account="alice")
    assert looks() == 200
    store.put(1, days_ago=300, account="alice")
    assert 300 <= looks() < 320
    assert looks() == 199
