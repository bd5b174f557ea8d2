"""sophaxchat show-session: what other programs have stored, made here without keytool."""

import base64
import time

import pytest

from kit import archives, masterkey, sessions, sophax
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
        "identity", "lock", "sessions.db"}


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
