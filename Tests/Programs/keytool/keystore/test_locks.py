"""Several keytools at once: the first creation, and the lock of an identity."""

import json
import os
import re
import time

import pytest

from kit.processes.locks import Held
from kit.runner import snapshot

DOCUMENTED = {1, 11, 17, 65, 73, 74, 75, 77}


def test_sixteen_first_creations(keytool):
    running = [keytool.start("id", "create", "--json", "--no-passphrase") for _ in range(16)]
    results = [keytool.finish(process, timeout=60) for process in running]
    made = [result.json for result in results if result.code == 0]
    for result in results:
        if result.code != 0:
            assert result.code in DOCUMENTED and result.error["code"] == result.code, result
    assert made, "at least the first one gets through"
    top = {path.name for path in keytool.keystore.iterdir()}
    assert top == {"keystore", "master.key", "lock", "identities"}
    listed = {one["id"]: one["public_key"] for one in keytool.json("id", "list")["identities"]}
    assert listed == {one["id"]: one["public_key"] for one in made}
    for one in made:
        keytool.ok("id", "show", one["id"])


def test_sixteen_times_the_same_id(keytool):
    running = [keytool.start("id", "create", "--id", "ABCD1234", "--json") for _ in range(16)]
    results = [keytool.finish(process, timeout=60) for process in running]
    made = [result.json for result in results if result.code == 0]
    assert len(made) == 1
    assert {result.code for result in results} <= {0, 11, 17}
    assert keytool.json("id", "show")["public_key"] == made[0]["public_key"]


@pytest.mark.parametrize("round", range(3))
def test_sixteen_removals_of_one_identity(keytool, round):
    """One of them removes it; to the others there is no such identity."""
    keytool.ok("id", "create", "--id", "ABCD1234")
    keytool.ok("id", "create", "--id", "ZZZZ9999")
    running = [keytool.start("id", "remove", "ABCD1234", "--yes", "--json") for _ in range(16)]
    results = [keytool.finish(process, timeout=60) for process in running]
    assert sorted(result.code for result in results) == [0] + [10] * 15, results
    # Some have looked before it was gone, and warned of what would be lost: the error is the last line.
    errors = [json.loads(result.err.splitlines()[-1])["error"] for result in results if result.code]
    assert {error["name"] for error in errors} == {"absent"}
    assert [one["id"] for one in keytool.json("id", "list")["identities"]] == ["ZZZZ9999"]


@pytest.fixture
def lock(safe):
    return safe.record("lock")


def test_push_waits_for_the_lock(safe, lock):
    with Held(lock):
        waiting = safe.keytool.start("safe", "push", "--json")
        time.sleep(2)
        assert waiting.poll() is None, "pushed although the lock is held"
        assert safe.directory.names() == []
    result = safe.keytool.finish(waiting)
    assert result.code == 0 and result.json["result"] == "uploaded"


def test_lock_wait(safe, lock):
    before = snapshot(safe.keytool.keystore), snapshot(safe.directory.path)
    with Held(lock):
        start = time.monotonic()
        result = safe.keytool.fails(11, "safe", "push", "--lock-wait", "1s")
        assert 0.9 < time.monotonic() - start < 50, "without the option it is a minute"
        assert re.search("lock|another keytool", result.err)
        assert safe.keytool.fails(11, "safe", "push", "--lock-wait", "1s", "--json"
                                  ).error["name"] == "locked"
    assert (snapshot(safe.keytool.keystore), snapshot(safe.directory.path)) == before
    safe.push()


def test_lock_that_was_replaced_is_noticed(safe, lock):
    """A push waits on a lock file that is then deleted: it must not go on beside the holder
    of the new one."""
    with Held(lock) as first:
        waiting = safe.keytool.start("safe", "push", "--json")
        time.sleep(0.5)
        lock.unlink()
        with Held(lock):
            os.close(first.descriptor)
            time.sleep(1)
            still_waiting = waiting.poll() is None
            first.descriptor = os.open(os.devnull, os.O_RDONLY)
        result = safe.keytool.finish(waiting)
    assert still_waiting, result
    assert result.code == 0, result


def test_a_lock_cannot_go_stale(safe, lock):
    with Held(lock):
        pass
    assert lock.exists()
    assert safe.push("--lock-wait", "1s")["result"] == "uploaded"


def test_bad_durations(safe):
    for duration in ("1", "x", "-1s", "1s2", "", "99999999999999999999d", "1.5s"):
        safe.keytool.fails(64, "safe", "push", "--lock-wait", duration)
