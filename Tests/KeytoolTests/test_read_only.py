"""A keystore that cannot be written, and verbs that only read: they work, and change no byte, there and elsewhere."""

import shutil
import signal
import sqlite3
import subprocess
import sys

import pytest

from kit import archives, injection, sessions, sophax
from kit.archives import RECIPIENT
from kit.readonly import WAYS
from kit.runner import snapshot
from kit.sophax import ALICE, BOB, MESSENGER

ID, BOB_ID = sophax.peer_id(ALICE), sophax.peer_id(BOB)
ONE = "1" * 32
SESSION = sophax.peer_record(BOB, [(1_767_225_600_000, 0, 1, sophax.ratchet(1, 0, 0))])
GROUP = sophax.group_record(members=[ONE, BOB_ID])
READING = [
    ["doctor"], ["sophaxchat", "show-session", BOB_ID], ["sophaxchat", "list-sessions"],
    ["sophaxchat", "show-group", "G"],
    ["archive", "export", "--with-sessions", "-o", "-", "--recipient", RECIPIENT],
]
SIDECARS = ("sessions.db-wal", "sessions.db-shm", "sessions.db-journal")


@pytest.fixture
def stored(keytool, write):
    """An identity with sessions, whose program has ended well."""
    identity = ["--identity", write("agekey", archives.IDENTITY + "\n")]
    keytool.ok("sophaxchat", "import", write("a.age", archives.seal(sophax.account_text(ALICE))), *identity)
    sophax.put_group(keytool, GROUP, **{BOB_ID: SESSION})
    with sqlite3.connect(database(keytool)) as opened:
        opened.execute("PRAGMA journal_mode = WAL")
    opened.close()
    assert [name for name in SIDECARS if beside(keytool, name).exists()] == []
    return keytool


def database(keytool):
    return sessions.path(keytool.keystore, MESSENGER, ID)


def beside(keytool, name):
    return database(keytool).with_name(name)


def everything(keytool):
    """Names, modes, contents and times, those of locks included."""
    return snapshot(keytool.keystore, without=()), {
        path: path.stat().st_mtime_ns for path in keytool.keystore.rglob("*")}


def expect_reading(runner, store, verbs=READING):
    before = everything(store)
    for verb in verbs:
        result = runner.ok(*verb)
        assert "cannot be read" not in result.out, result
        assert everything(store) == before, verb
    return before


def killed_writer(keytool, rows=1):
    """A program that has changed the sessions, and is killed: the change is in the log."""
    program = """
import os, signal, sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("PRAGMA locking_mode = EXCLUSIVE")
database.execute("PRAGMA journal_mode = WAL")
for row in range(int(sys.argv[2])):
    database.execute("UPDATE value SET sealed = sealed")
database.execute("DELETE FROM value WHERE kind = 'session'")
os.kill(os.getpid(), signal.SIGKILL)
"""
    ended = subprocess.run([sys.executable, "-c", program, database(keytool), str(rows)], timeout=30)
    assert ended.returncode == -signal.SIGKILL
    log = beside(keytool, "sessions.db-wal")
    assert log.stat().st_size > 0
    log.chmod(0o600)


def test_reading_changes_nothing(stored):
    expect_reading(stored, stored)
    # Nor when nobody has ever locked the identity.
    assert not beside(stored, "lock").exists()
    beside(stored, "lock").touch(0o600)
    expect_reading(stored, stored)


@pytest.mark.parametrize("mode", ["DELETE", "TRUNCATE"])
def test_a_store_of_another_journal_mode_stays_so(stored, mode):
    with sqlite3.connect(database(stored)) as opened:
        opened.execute(f"PRAGMA journal_mode = {mode}")
    opened.close()
    expect_reading(stored, stored)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("has_lock", [True, False], ids=["locked before", "never locked"])
def test_read_only(stored, way, has_lock):
    if has_lock:
        beside(stored, "lock").touch(0o600)
    there = WAYS[way](stored)
    expect_reading(there, stored)
    shown = there.json("sophaxchat", "show-session", BOB_ID)
    assert shown["peer"] == BOB_ID and len(shown["sessions"]) == 1


@pytest.mark.parametrize("way", [None, *WAYS])
def test_the_log_of_a_killed_program_is_read(stored, way):
    """What is in the log counts, and stays there."""
    killed_writer(stored)
    there = WAYS[way](stored) if way else stored
    expect_reading(there, stored, [verb for verb in READING if "show-session" not in verb])
    assert there.json("sophaxchat", "list-sessions")["peers"] == []
    assert there.fails(10, "sophaxchat", "show-session", BOB_ID, "--json").error["reason"] == "no_session"


@pytest.mark.parametrize("way", [None, *WAYS])
@pytest.mark.parametrize("log", ["empty", "torn"])
def test_a_log_without_changes(stored, way, log):
    if log == "torn":
        killed_writer(stored)
        content = beside(stored, "sessions.db-wal").read_bytes()[:100]
    else:
        content = b""
    beside(stored, "sessions.db-wal").write_bytes(content)
    beside(stored, "sessions.db-wal").chmod(0o600)
    expect_reading(WAYS[way](stored) if way else stored, stored)


@pytest.mark.parametrize("way", [None, *WAYS])
def test_an_interrupted_change_is_named(stored, way):
    """SQLite would restore the file from its journal: that is for the program that uses it."""
    with sqlite3.connect(database(stored)) as opened:
        opened.execute("PRAGMA journal_mode = DELETE")
    opened.close()
    beside(stored, "sessions.db-journal").write_bytes(b"journal")
    beside(stored, "sessions.db-journal").chmod(0o600)
    there = WAYS[way](stored) if way else stored
    before = everything(stored)
    for verb in READING[1:]:
        failed = there.fails(74, *verb, "--json").error
        assert failed["reason"] == "sessions_interrupted" and "was interrupted" in failed["message"], failed
        assert "copy" in failed["hint"], failed
    assert "interrupted" in there.ok("doctor").out
    assert everything(stored) == before


def test_killed_while_it_reads(stored):
    """Nothing has to be cleaned up after it, so nothing is left by a kill."""
    injection.require_tracing()
    before = everything(stored)
    for verb in READING[:4]:
        log = stored.home / "trace"
        injection.Prefixed(stored, "strace", "-qq", "-f", "-o", log, "-e", f"trace={','.join(injection.CHANGING)}").ok(*verb)
        changes = [line for line in log.read_text(errors="replace").splitlines()
                   if str(stored.keystore) in line or "sessions.db" in line
                   if "O_CREAT" in line or not line.split(None, 1)[1].startswith(("openat(", "flock("))]
        assert changes == [], (verb, changes)
    assert everything(stored) == before


def test_another_program_that_has_it_open(stored):
    """sqlite3, which knows nothing of the identity's lock, in each of its states."""
    for begin in ("BEGIN EXCLUSIVE", "SELECT count(*) FROM value", "BEGIN IMMEDIATE"):
        opened = sqlite3.connect(database(stored), isolation_level=None)
        opened.execute(begin).fetchall()
        for verb in READING[1:]:
            assert stored.fails(11, *verb, "--json").error["reason"] == "sessions_open", (begin, verb)
        assert "in use: another program has it open" in stored.ok("doctor").out
        opened.close()
    expect_reading(stored, stored)


def test_a_path_that_a_uri_would_misread(stored, home):
    odd = home / "a%20b?c#d&e=f ü"
    shutil.copytree(stored.keystore, odd)
    odd.chmod(0o700)
    expect_reading(stored.with_keystore(odd), stored.with_keystore(odd))
