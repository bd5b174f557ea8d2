"""keytool-server sweep: what expires, and when nothing is deleted."""

import os
import time

from kit_store import DAY, identifier, store  # noqa: F401


def compact(days_ago):
    return time.strftime("%Y%m%dT%H%M%S000Z", time.gmtime(time.time() - days_ago * DAY))


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


def test_a_clock_that_is_behind_deletes_nothing(store):
    store.put(1, days_ago=300)
    store.put(2)
    store.put(3, days_ago=-2)
    assert "the clock is behind" in store.fails(1, "sweep").err


def test_ids_are_shown_on_request_only(store):
    store.put(0xABC, days_ago=300)
    store.put(1)
    store.put_previous(0xDEF, compact(8))
    for options in ((), ("--json",)):
        assert "abc" not in store.ok("sweep", "--dry-run", *options).out
    shown = store.ok("sweep", "--dry-run", "-v").out
    assert identifier(0xABC) in shown and identifier(0xDEF) in shown
    assert store.json("sweep", "--dry-run", "-v")["expired_backups"][0]["id"] == identifier(0xABC)


def test_other_files_stay(store):
    stranger = store.path / "backups/notes.txt"
    stranger.write_text("x")
    os.utime(stranger, (0, 0))
    store.put(1)
    store.ok("sweep")
    assert stranger.exists()
    store.fails(64, "sweep", "--keep-previous", "7")
