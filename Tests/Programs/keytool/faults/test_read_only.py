"""A keystore that cannot be written, and verbs that only read: they work, and change no byte, there and elsewhere."""

import shutil
import sqlite3

import pytest

from kit import archives, sessions, sophax
from kit.archives import RECIPIENT
from kit.damage import flipped
from kit.processes import injection
from kit.runner import snapshot
from kit.sophax import ALICE, BOB, MESSENGER
from kit.stages.readonly import WAYS

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


def killed_writer(keytool):
    """A program that was killed while it removed all sessions: the journal has them."""
    journal = sessions.interrupt(database(keytool), "DELETE FROM value WHERE kind = 'session'")
    assert journal == beside(keytool, "sessions.db-journal")
    return journal


def test_reading_changes_nothing(stored):
    expect_reading(stored, stored)
    # Nor when nobody has ever locked the identity.
    assert not beside(stored, "lock").exists()
    beside(stored, "lock").touch(0o600)
    expect_reading(stored, stored)


@pytest.mark.parametrize("way", [None, *WAYS])
def test_a_store_of_version_2_is_refused(stored, way):
    """It had a log, which kept replaced keys. Nothing is merged and nothing is changed."""
    with sqlite3.connect(database(stored)) as opened:
        opened.execute("PRAGMA user_version = 2")
        opened.execute("PRAGMA journal_mode = WAL")
    opened.close()
    there = WAYS[way](stored) if way else stored
    before = everything(stored)
    for verb in READING[1:]:
        failed = there.fails(65, *verb, "--json").error
        assert "have version 2" in failed["message"] and "without this file peers begin new sessions" in failed["hint"], failed
    doctor = there("doctor")
    assert doctor.code == 65 and "of a version that this keytool does not support" in doctor.out
    assert everything(stored) == before


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
def test_the_journal_of_a_killed_program_is_read(stored, way):
    """What it has changed does not count: the last commit is shown, and everything stays."""
    killed_writer(stored)
    there = WAYS[way](stored) if way else stored
    expect_reading(there, stored)
    assert [peer["peer"] for peer in there.json("sophaxchat", "list-sessions")["peers"]] == [BOB_ID]


@pytest.mark.parametrize("way", [None, *WAYS])
@pytest.mark.parametrize("journal", ["empty", "ended", "not synced", "torn"])
def test_a_journal_without_changes(stored, way, journal):
    path = killed_writer(stored)
    content = path.read_bytes()
    path.write_bytes({
        "empty": b"", "ended": bytes(28) + content[28:], "not synced": bytes(12) + content[12:],
        "torn": bytes(12) + content[12:1000]}[journal])
    there = WAYS[way](stored) if way else stored
    expect_reading(there, stored, [verb for verb in READING if "show-session" not in verb])
    assert there.fails(10, "sophaxchat", "show-session", BOB_ID, "--json").error["reason"] == "no_session"


@pytest.mark.parametrize("way", [None, *WAYS])
def test_a_damaged_journal_is_refused(stored, way):
    """SQLite would restore a part of it in silence."""
    path = killed_writer(stored)
    content = path.read_bytes()
    for damaged in (b"journal", content[:-1], flipped(content[:-4], 4800) + b"sums"):
        path.write_bytes(damaged)
        there = WAYS[way](stored) if way else stored
        before = everything(stored)
        for verb in READING[1:]:
            assert there.fails(65, *verb, "--json").error["reason"] == "damaged_sessions", verb
        doctor = there("doctor")
        assert doctor.code == 65 and "1 of 1 damaged" in doctor.out
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
    for begin in ("BEGIN EXCLUSIVE", "BEGIN; SELECT count(*) FROM value", "BEGIN IMMEDIATE"):
        opened = sqlite3.connect(database(stored), isolation_level=None)
        for statement in begin.split(";"):
            opened.execute(statement).fetchall()
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
