"""sophaxchat show-session: what other programs have stored, made here without keytool."""

import base64
import json
import sqlite3
import time

import pytest

from kit import archives, masterkey, sessions, sophax
from kit.processes.locks import Held
from kit.sophax import ALICE, BOB, MESSENGER

ID, BOB_ID = sophax.peer_id(ALICE), sophax.peer_id(BOB)
DAY = 86_400_000
KEY = bytes(range(100, 132))
NOW = int(time.time() * 1000)
SESSIONS = [(NOW - 3 * DAY, 0, 2, sophax.ratchet(7, 4, 9, (2, 5), KEY)),
            (NOW - 9 * DAY, NOW - 3 * DAY, 1, sophax.ratchet(1, 0, 3, (), KEY))]


@pytest.fixture
def identity(write):
    return ["--identity", write("agekey", archives.IDENTITY + "\n")]


@pytest.fixture
def alice(keytool, write, identity):
    keytool.ok("sophaxchat", "import", write("a.age", archives.seal(sophax.account_text(ALICE))), *identity)
    return keytool


def put(keytool, value, name=BOB_ID, kind="session"):
    path = sessions.path(keytool.keystore, MESSENGER, ID)
    path.unlink(missing_ok=True)
    sessions.create(keytool.keystore, masterkey.read(keytool), MESSENGER, ID, {(kind, name.encode()): value})


@pytest.fixture
def stored(alice):
    put(alice, sophax.peer_record(BOB, SESSIONS))
    return alice


def test_facts(stored):
    shown = stored.json("sophaxchat", "show-session", BOB_ID)
    assert {name: shown[name] for name in ("id", "peer", "signed", "message_version", "copied")} == {
        "id": ID, "peer": BOB_ID, "signed": "whole", "message_version": 2, "copied": True}
    assert shown["bytes"] == len(sophax.peer_record(BOB, SESSIONS))
    first, second = shown["sessions"]
    assert {name: first[name] for name in first if not name.endswith("_at")} == {
        "can_send": True, "header_form": "labelled", "sent": 7, "previously_sent": 4, "received": 9,
        "skipped_keys": 2, "bytes": 1 + len(SESSIONS[0][3])}
    assert "replaced_at" not in first and second["replaced_at"][:10] == first["began_at"][:10]
    assert (second["can_send"], second["header_form"], second["received"]) == (False, "plain", 3)


def test_an_emptied_store_is_damaged_and_stays(stored, tmp_path):
    path = sessions.path(stored.keystore, MESSENGER, ID)
    path.write_bytes(b"")
    for command in (["sophaxchat", "show-session", BOB_ID],
                    ["archive", "export", "--with-sessions", "-o", tmp_path / "archive.age", "--recipient",
                     archives.RECIPIENT]):
        assert stored.fails(65, *command, "--json").error["reason"] == "damaged_sessions"
        assert path.read_bytes() == b"" and not (tmp_path / "archive.age").exists()


def test_text(stored):
    shown = stored.ok("sophaxchat", "show-session", BOB_ID, "--id", ID[:16])
    assert "are a copy" in shown.err
    for words in ("session 1      sends; 3 days old", "sent 7, on the chain before 4", "received 9",
                  "2 keys of skipped messages", "headers labelled", "receives only, replaced 3 days ago; 9 days old",
                  "messages       version 2", "signed         all of it"):
        assert words in shown.out, words
    for secret in (KEY.hex(), base64.b64encode(KEY).decode()[:40]):
        assert secret not in shown.out + shown.err + stored.ok("sophaxchat", "show-session", BOB_ID, "-v", "--json").out


def test_nothing_is_changed(stored):
    master = masterkey.read(stored)
    before = sessions.values(stored.keystore, master, MESSENGER, ID)
    stored.ok("sophaxchat", "show-session", BOB_ID)
    assert sessions.values(stored.keystore, master, MESSENGER, ID) == before
    assert {path.name for path in (stored.keystore / "identities" / MESSENGER / ID).iterdir()} == {
        "identity", "sessions.db"}


def test_a_peer_that_has_proved_little(alice):
    put(alice, sophax.peer_record(BOB, [], form=0, version=1))
    shown = alice.json("sophaxchat", "show-session", BOB_ID)
    assert "signed" not in shown and shown["message_version"] == 1 and shown["sessions"] == []
    assert "session        none" in alice.ok("sophaxchat", "show-session", BOB_ID).out


def test_none(alice):
    for prepare in (lambda: None, lambda: put(alice, b"", kind="queue")):
        prepare()
        failed = alice.fails(10, "sophaxchat", "show-session", BOB_ID, "--json")
        assert failed.error["reason"] == "no_session"
    assert alice.fails(10, "sophaxchat", "show-session", BOB_ID, "--id", "0" * 32, "--json").error["reason"] == \
        "no_identity"
    for name in (BOB_ID[:16], BOB_ID[:31] + "g", "bob"):
        alice.fails(64, "sophaxchat", "show-session", name)


def test_names_in_either_case(stored):
    shown = stored.json("sophaxchat", "show-session", BOB_ID.upper(), "--id", ID[:16].upper())
    assert shown == stored.json("sophaxchat", "show-session", BOB_ID, "--id", ID)
    assert (shown["id"], shown["peer"]) == (ID, BOB_ID)
    assert stored.ok("id", "show", "sophaxchat/" + ID.upper()).out == stored.ok("sophaxchat", "show", ID.upper()).out


@pytest.mark.parametrize("value", [
    b"", b"\2" + sophax.peer_record(BOB, SESSIONS)[1:], sophax.peer_record(BOB, SESSIONS)[:-1],
    sophax.peer_record(ALICE, SESSIONS), sophax.peer_record(BOB, SESSIONS, form=9),
    sophax.peer_record(BOB, [(1, 0, 1, sophax.ratchet(1, 0, 0, (1,)))]), sophax.peer_record(BOB, SESSIONS[::-1]),
    sophax.peer_record(BOB, SESSIONS[:1] + SESSIONS[1:] * 6), sophax.peer_record(BOB, [(1, 0, 3, SESSIONS[0][3])]),
], ids=range(9))
def test_damaged(alice, value):
    put(alice, value)
    assert alice.fails(65, "sophaxchat", "show-session", BOB_ID).err


def test_from_an_archive(stored, identity, other_keytool, tmp_path):
    path = tmp_path / "all.age"
    stored.ok("archive", "export", "-o", path, "--with-sessions", "--recipient", archives.RECIPIENT)
    other_keytool.ok("archive", "import", path, *identity)
    shown = other_keytool.json("sophaxchat", "show-session", BOB_ID)
    assert shown == stored.json("sophaxchat", "show-session", BOB_ID) and shown["copied"]


# The list

CAROL = (bytes([9] * 32), bytes([0x48] * 32))
DAVE = (bytes([11] * 32), bytes([0x50] * 32))
VERIFIED, NOT_VERIFIED, OTHER = "verified", "not verified", "another number was verified"


def several(keytool, values):
    """`values`: by name and kind."""
    sessions.path(keytool.keystore, MESSENGER, ID).unlink(missing_ok=True)
    sessions.create(keytool.keystore, masterkey.read(keytool), MESSENGER, ID, values)


@pytest.fixture
def peers(keytool, write, identity):
    """Three peers: one verified, one not, one under another number."""
    text = sophax.account_text(ALICE, verified={
        BOB_ID: sophax.safety_number(BOB), sophax.peer_id(DAVE): sophax.safety_number(CAROL)})
    keytool.ok("sophaxchat", "import", write("a.age", archives.seal(text)), *identity)
    several(keytool, {
        ("session", sophax.peer_id(keys).encode()): sophax.peer_record(keys, records)
        for keys, records in ((BOB, SESSIONS), (CAROL, []), (DAVE, SESSIONS[:1]))} | {("queue", b"1"): b"message"})
    return keytool


def test_list(peers):
    listed = peers.json("sophaxchat", "list-sessions", ID.upper())
    assert listed["id"] == ID
    found = {peer.pop("peer"): peer for peer in listed["peers"]}
    assert list(found) == sorted(found) and len(found) == 3
    bob, carol, dave = (found[sophax.peer_id(keys)] for keys in (BOB, CAROL, DAVE))
    assert bob.pop("began_at")[:4] == dave.pop("began_at")[:4]
    assert bob == {"verified": True, "copied": True, "sessions": 2}
    assert carol == {"verified": False, "copied": True, "sessions": 0}
    assert dave == {"verified": False, "other_number": True, "copied": True, "sessions": 1}
    shown = peers.ok("sophaxchat", "list-sessions")
    assert sorted(shown.out.splitlines()) == sorted([
        f"{BOB_ID}  verified, 2 sessions, the newest 3 days old",
        f"{sophax.peer_id(CAROL)}  not verified, 0 sessions",
        f"{sophax.peer_id(DAVE)}  another number was verified, 1 session, the newest 3 days old"])
    assert "are a copy" in shown.err
    everything = shown.out + shown.err + peers.ok("sophaxchat", "list-sessions", "-v", "--json").out
    for secret in (KEY.hex(), base64.b64encode(KEY).decode()[:40]):
        assert secret not in everything


def test_list_of_nothing(alice):
    for prepare in (lambda: None, lambda: put(alice, b"", kind="queue")):
        prepare()
        assert alice.json("sophaxchat", "list-sessions")["peers"] == []
        assert alice.ok("sophaxchat", "list-sessions").out == ""


def test_a_damaged_record_does_not_hide_the_others(peers):
    carol = sophax.peer_id(CAROL)
    later = b"\2" + sophax.peer_record(BOB, SESSIONS)[1:]
    several(peers, {("session", BOB_ID.encode()): sophax.peer_record(BOB, SESSIONS), ("session", carol.encode()): b"\1",
                    ("session", sophax.peer_id(DAVE).encode()): later, ("session", b"no name"): b"x"})
    listed = peers("sophaxchat", "list-sessions")
    assert listed.code == 65 and listed.out.startswith(BOB_ID + "  verified, 2 sessions"), listed
    assert len(listed.out.splitlines()) == 1
    for words in (f"the session with {carol} is damaged", f"{sophax.peer_id(DAVE)} has form 2", "does not tell with which peer"):
        assert listed.err.count(words) == 1, (words, listed)
    as_json = peers("sophaxchat", "list-sessions", "--json")
    entries = json.loads(as_json.out)["peers"]
    assert as_json.code == 65 and [entry.get("peer") for entry in entries if "error" not in entry] == [BOB_ID]
    assert {entry.get("peer") for entry in entries if "error" in entry} == {carol, sophax.peer_id(DAVE), None}
    shown = peers.fails(65, "sophaxchat", "show-session", sophax.peer_id(DAVE), "--json")
    assert shown.error["reason"] == "newer_version"


def test_a_value_that_does_not_open_does_not_hide_the_others(peers):
    database = sqlite3.connect(sessions.path(peers.keystore, MESSENGER, ID))
    database.execute("UPDATE value SET sealed = zeroblob(99) WHERE kind = 'session' AND name = "
                     "(SELECT min(name) FROM value WHERE kind = 'session')")
    database.commit()
    database.close()
    result = peers("sophaxchat", "list-sessions")
    assert result.code == 65 and len(result.out.splitlines()) == 2 and "does not tell with which peer" in result.err


def test_the_list_changes_nothing(peers):
    master = masterkey.read(peers)
    before = sessions.values(peers.keystore, master, MESSENGER, ID)
    peers.ok("sophaxchat", "list-sessions")
    assert sessions.values(peers.keystore, master, MESSENGER, ID) == before


# Programs that use the sessions

VERBS = [("show-session", BOB_ID), ("list-sessions",)]


@pytest.mark.parametrize("verb", VERBS, ids=[verb[0] for verb in VERBS])
def test_the_wait_for_a_program_is_told(stored, verb, terminal):
    with Held(stored.keystore / "identities" / MESSENGER / ID / "lock"):
        quiet = stored.fails(11, "sophaxchat", *verb, "--lock-wait", "1s")
        assert "waiting" not in quiet.err and f"another program is using the sessions of {ID}" in quiet.err
        assert "--lock-wait" in quiet.err
        said = stored.fails(11, "sophaxchat", *verb, "--lock-wait", "1s", "-v").err
        assert said.count(f"waiting for a program that uses the sessions of {ID}") == 1
        assert "waiting" not in stored.fails(11, "sophaxchat", *verb, "--lock-wait", "0s", "-v").err
        assert stored.fails(11, "sophaxchat", *verb, "--lock-wait", "0s", "--json").error["reason"] == "locked"
        shown = terminal("sophaxchat", *verb, "--lock-wait", "1s")
        shown.expect("waiting for a program that uses the sessions of")
        assert shown.finish() == 11


def test_a_program_that_ends_in_time(stored):
    held = Held(stored.keystore / "identities" / MESSENGER / ID / "lock")
    waiting = stored.start("sophaxchat", "list-sessions", "--lock-wait", "30s")
    time.sleep(1)
    held.__exit__()
    assert stored.finish(waiting).code == 0


@pytest.mark.parametrize("verb", VERBS, ids=[verb[0] for verb in VERBS])
def test_a_program_without_the_lock_is_named_at_once(stored, verb):
    """For example sqlite3, which knows nothing of the lock of an identity."""
    database = sqlite3.connect(sessions.path(stored.keystore, MESSENGER, ID), isolation_level=None)
    database.execute("BEGIN EXCLUSIVE")
    began = time.monotonic()
    failed = stored.fails(11, "sophaxchat", *verb)
    assert time.monotonic() - began < 50, "that was a minute of waiting"
    assert "without the lock of its identity" in failed.err and "not waited for" in failed.err
    assert stored.fails(11, "sophaxchat", *verb, "--json").error["reason"] == "sessions_open"
    database.close()
