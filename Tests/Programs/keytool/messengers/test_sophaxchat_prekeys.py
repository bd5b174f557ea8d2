"""sophaxchat's prekeys and bundles, safety numbers and message backups."""

import json
import re
import shlex
import struct
import time
from datetime import datetime, timedelta, timezone

import pytest

from kit import archives, sophax
from kit.damage import flipped
from kit.pages import manual
from kit.processes.clock import Clocked
from kit.runner import snapshot
from kit.sophax import ALICE, BOB

PHRASE = b"a long passphrase, sixteen+"
BOB_ID = sophax.peer_id(BOB)
DAY = 86_400_000


@pytest.fixture
def made(keytool):
    """The JSON of `init`, and the private keys."""
    made = keytool.json("sophaxchat", "init", "--username", "Ann")
    return made["id"], sophax.held(keytool, made["id"])[0]


@pytest.fixture
def second(keytool, made):
    """The ID of another identity beside it."""
    return keytool.json("sophaxchat", "init", "--another", "--username", "Bea")["id"]


def record(keytool, id):
    return sophax.record(keytool, id, "prekeys")


def aged(keytool, id, days):
    """The current signed prekey so many days older."""
    sophax.put(keytool, id, "prekeys", sophax.aged(record(keytool, id), days))


def after(keytool, days):
    """The program so many days from now by its clock."""
    return Clocked(keytool, datetime.now(timezone.utc) + timedelta(days=days))


def signed(keytool, id):
    return sophax.prekeys(record(keytool, id))[0]


def test_show_and_refill(keytool, made):
    id, _ = made
    shown = keytool.json("sophaxchat", "show-prekeys")
    held, _ = sophax.prekeys(record(keytool, id))
    assert [one["id"] for one in shown["signed_prekeys"]] == [held[0][0]]
    assert shown["one_time_prekeys"] == len(set(shown["one_time_ids"])) == 20 and 0 not in shown["one_time_ids"]
    assert shown["last_resort"] == {"id": 0, "made": shown["signed_prekeys"][0]["made"]}
    assert "last resort    0, 0 days old" in keytool.ok("sophaxchat", "show-prekeys").out
    before = snapshot(keytool.keystore)
    assert keytool.json("sophaxchat", "refill-prekeys")["made"] == 0
    assert snapshot(keytool.keystore) == before
    (sophax.directory(keytool, id) / "prekeys").unlink()
    assert keytool.fails(10, "sophaxchat", "show-prekeys", "--json").error["reason"] == "no_prekeys"
    assert keytool.fails(10, "sophaxchat", "export-bundle", "--json").error["reason"] == "no_prekeys"
    refilled = keytool.json("sophaxchat", "refill-prekeys")
    assert (refilled["made"], refilled["rotated"], refilled["one_time_prekeys"]) == (20, True, 20)
    assert sophax.prekeys(record(keytool, id))[0][0][0] != held[0][0]


def test_rotation(keytool, made):
    id, _ = made
    before = record(keytool, id)
    assert keytool.json("sophaxchat", "rotate-prekeys")["rotated"] is False
    assert record(keytool, id) == before
    aged(keytool, id, 7)
    assert "rotate-prekeys" in keytool.ok("sophaxchat", "show-prekeys").err
    old = sophax.prekeys(record(keytool, id))[0][0]
    assert keytool.json("sophaxchat", "rotate-prekeys")["rotated"] is True
    first, second = sophax.prekeys(record(keytool, id))[0]
    # The one before stays, with its last-resort key.
    assert first[:4] == old[:4] and first[4] == second[1] and second[4] is None
    assert len({first[0], second[0], first[2], first[3], second[2], second[3]}) == 6


def test_a_forced_rotation_that_is_due_happens_once(keytool, made):
    id, _ = made
    aged(keytool, id, 8)
    assert keytool.json("sophaxchat", "rotate-prekeys", "--force")["rotated"]
    assert len(sophax.prekeys(record(keytool, id))[0]) == 2


def test_rotation_goes_on_after_a_clock_that_was_ahead(keytool, made):
    id, _ = made
    after(keytool, 3650).ok("sophaxchat", "rotate-prekeys")
    wrong = signed(keytool, id)[-1]
    said = keytool.ok("sophaxchat", "rotate-prekeys", "--if-due", "-q")
    assert said.out == "" and "clock" in said.err and f"rotate-prekeys --force {id}" in said.err
    assert signed(keytool, id)[-1] == wrong
    # Doctor names no identity.
    told = keytool("doctor").out
    assert re.search(r"sophaxchat +1, all of them open; the clock is wrong, or was: .*--force PEER-ID", told)
    assert id not in told
    # Without it cron goes on a week later.
    later = after(keytool, 7.5).ok("sophaxchat", "rotate-prekeys", "--if-due")
    assert later.out == f"replaced the signed prekey of {id}\n" and later.err == ""
    assert signed(keytool, id)[-1][1] < wrong[1] - 3000 * DAY


def test_a_forced_rotation_says_that_the_clock_is_right(keytool, made):
    """Times of the future are moved to now, and a refusal names the date when one is possible."""
    id, _ = made
    after(keytool, 3650).ok("sophaxchat", "rotate-prekeys")
    for count in range(3, 7):
        assert "clock" not in keytool.ok("sophaxchat", "rotate-prekeys", "--force", id).err
        assert "or was" not in keytool("doctor").out
        held = signed(keytool, id)
        assert len(held) == count
        assert all(moment <= time.time() * 1000 for one in held for moment in (one[1], one[4] or 0))
    refused = keytool.fails(17, "sophaxchat", "rotate-prekeys", "--force", "--json").error
    assert refused["reason"] == "too_many_rotations"
    due = datetime.fromisoformat(re.search(r"at (\S+)Z$", refused["message"])[1] + "+00:00")
    assert timedelta(days=6.9) < due - datetime.now(timezone.utc) <= timedelta(days=7)
    week = after(keytool, 7.1).json("sophaxchat", "rotate-prekeys", "--force")
    assert week["rotated"] and len(week["signed_prekeys"]) == 7
    assert len(after(keytool, 14.3).json("sophaxchat", "rotate-prekeys")["signed_prekeys"]) == 3


def test_an_import_takes_over_no_time_of_the_future(keytool, other_keytool, made, tmp_path, write):
    id, _ = made
    identity = ["--identity", write("agekey", archives.IDENTITY + "\n")]
    keytool.ok("sophaxchat", "export", "-o", tmp_path / "good.age", "--recipient", archives.RECIPIENT)
    other_keytool.ok("sophaxchat", "import", tmp_path / "good.age", *identity)
    wrong = after(keytool, 3650)
    wrong.ok("sophaxchat", "rotate-prekeys")
    wrong.ok("sophaxchat", "export", "-o", tmp_path / "wrong.age", "--recipient", archives.RECIPIENT)
    assert other_keytool.json("sophaxchat", "import", tmp_path / "wrong.age", *identity)["added_signed_prekeys"] == 1
    assert other_keytool.ok("sophaxchat", "rotate-prekeys").err == ""
    for days in (8, 16):
        assert after(other_keytool, days).json("sophaxchat", "rotate-prekeys", "--if-due")["results"][0]["rotated"]
    # Where the identity was not held, too.
    other_keytool.ok("id", "remove", f"sophaxchat/{id}", "--yes")
    other_keytool.ok("sophaxchat", "import", tmp_path / "wrong.age", *identity)
    assert all(one[1] <= time.time() * 1000 for one in signed(other_keytool, id))


def test_a_clock_that_jumps_ahead_drops_no_prekey(keytool, made):
    id, _ = made
    first = signed(keytool, id)[0]
    keytool.ok("sophaxchat", "rotate-prekeys", "--force")
    after(keytool, 20).ok("sophaxchat", "rotate-prekeys", "--if-due", "-q")
    assert signed(keytool, id)[0][:4] == first[:4]
    # Of its 14 days one week has passed at most.
    keytool.ok("sophaxchat", "rotate-prekeys", "--if-due", "-q")
    after(keytool, 6.5).ok("sophaxchat", "rotate-prekeys", "--if-due", "-q")
    assert first[0] in [one[0] for one in signed(keytool, id)]


def test_a_clock_that_was_behind_drops_no_prekey(keytool, made):
    id, _ = made
    first = signed(keytool, id)[0]
    assert "clock" in after(keytool, -20).ok("sophaxchat", "show-prekeys").err
    after(keytool, -20).ok("sophaxchat", "rotate-prekeys", "--force")
    second = signed(keytool, id)[1]
    # The clock is right again: the key of the past is due, and none is dropped.
    assert keytool.ok("sophaxchat", "rotate-prekeys").err == ""
    assert [one[0] for one in signed(keytool, id)][:2] == [first[0], second[0]]


def test_a_record_of_form_1_is_read(keytool, made):
    id, _ = made
    held, rest = sophax.prekeys(record(keytool, id))
    (number, moment, key, last, _), = held
    old = struct.pack(">Iq32s32sBq", number, moment, key, last, 0, 0)
    before = struct.pack(">Iq32s32sBq", number ^ 1, moment - 20 * DAY, last, key, 1, moment - 15 * DAY)
    sophax.put(keytool, id, "prekeys", bytes([1, 2]) + before + old + rest)
    shown = keytool.json("sophaxchat", "show-prekeys")["signed_prekeys"]
    assert [one["id"] for one in shown] == [number ^ 1, number]
    assert after(keytool, 7.5).json("sophaxchat", "rotate-prekeys")["rotated"]
    now, same = sophax.prekeys(record(keytool, id))
    assert [one[2:4] for one in now[:2]] == [(last, key), (key, last)] and same == rest
    after(keytool, 15).json("sophaxchat", "rotate-prekeys")
    assert [one[0] for one in signed(keytool, id)][0] == number


def test_forced_rotations_have_an_end(keytool, made):
    id, _ = made
    for count in range(2, 7):
        assert keytool.json("sophaxchat", "rotate-prekeys", "--force")["rotated"]
        assert len(sophax.prekeys(record(keytool, id))[0]) == count
    before = record(keytool, id)
    keytool.fails(17, "sophaxchat", "rotate-prekeys", "--force")
    assert record(keytool, id) == before


def test_if_due_is_for_cron(keytool, made, second):
    """The line of keytool-cron(7): every identity, and no word if none is due."""
    (line,) = [line for line in manual.page("keytool-cron.7").examples["PREKEYS"] if "rotate-prekeys" in line]
    words = shlex.split(line)[5:]
    assert words[0] == "keytool"
    id, _ = made
    before = snapshot(keytool.keystore)
    for typed in (words[1:], ["sophaxchat", "rotate-prekeys", "--if-due"]):
        said = keytool.ok(*typed)
        assert (said.out, said.err) == ("", "")
    assert snapshot(keytool.keystore) == before
    aged(keytool, id, 7)
    aged(keytool, second, 8)
    said = keytool.ok(*words[1:])
    assert (said.out, said.err) == ("", "")
    assert [len(sophax.prekeys(record(keytool, each))[0]) for each in (id, second)] == [2, 2]


def test_if_due_of_one_identity(keytool, made, second):
    id, _ = made
    aged(keytool, id, 7)
    aged(keytool, second, 7)
    assert keytool.ok("sophaxchat", "rotate-prekeys", "--if-due", id).out == f"replaced the signed prekey of {id}\n"
    assert len(sophax.prekeys(record(keytool, second))[0]) == 1
    keytool.fails(64, "sophaxchat", "rotate-prekeys", "--if-due", "--force")


def test_if_due_beside_a_damaged_record(keytool, made, second):
    id, _ = made
    sophax.put(keytool, min(id, second), "prekeys", b"\x09")
    aged(keytool, max(id, second), 7)
    said = keytool("sophaxchat", "rotate-prekeys", "--if-due", "--json")
    assert said.code == 65
    damaged, rotated = json.loads(said.out)["results"]
    assert (damaged["id"], damaged["error"]["code"]) == (min(id, second), 65)
    assert (rotated["id"], rotated["rotated"]) == (max(id, second), True)


def test_a_rotation_makes_no_prekeys(keytool, made, second):
    """They may be in an age file that is still to be imported."""
    id, _ = made
    sophax.forget(keytool, id, "prekeys")
    before = snapshot(keytool.keystore)
    for more in ((), ("--force",)):
        refused = keytool.fails(10, "sophaxchat", "rotate-prekeys", id, *more, "--json").error
        assert refused["reason"] == "no_prekeys" and f"refill-prekeys {id}" in refused["hint"]
    for named in ((), (id,)):
        said = keytool.ok("sophaxchat", "rotate-prekeys", "--if-due", *named)
        assert (said.out, said.err) == ("", "")
    results = keytool.json("sophaxchat", "rotate-prekeys", "--if-due")["results"]
    assert {one["id"]: one["rotated"] for one in results} == {id: False, second: False}
    assert snapshot(keytool.keystore) == before
    aged(keytool, second, 7)
    said = keytool.ok("sophaxchat", "rotate-prekeys", "--if-due")
    assert (said.out, said.err) == (f"replaced the signed prekey of {second}\n", "")
    assert record(keytool, id) is None
    assert keytool.json("sophaxchat", "refill-prekeys", id)["rotated"]


def test_if_due_without_an_identity(keytool):
    keytool.fails(10, "sophaxchat", "rotate-prekeys", "--if-due")


def test_bundle(keytool, made, tmp_path):
    id, keys = made
    path = tmp_path / "bundle.json"
    said = keytool.json("sophaxchat", "export-bundle", "-o", path)
    value = sophax.check_bundle(path.read_bytes(), keys)
    signed = sophax.prekeys(record(keytool, id))[0][0]
    assert (said["signed_prekey_id"], said["one_time_prekey_id"]) == (value["signedPreKeyId"], 0) == (signed[0], 0)
    assert sophax.base64.b64decode(value["signedPreKeyPublic"]) == sophax.public((keys[0], signed[2]))[1]
    assert sophax.base64.b64decode(value["oneTimePreKeyPublic"]) == sophax.public((keys[0], signed[3]))[1]
    assert value["username"] == "Ann" and "tcpAddress" not in value
    keytool.fails(17, "sophaxchat", "export-bundle", "-o", path)
    # On stdout, with a one-time prekey and an address.
    number = keytool.json("sophaxchat", "show-prekeys")["one_time_ids"][3]
    text = keytool.ok("sophaxchat", "export-bundle", "--one-time", number, "--address", "ann.example:4000").out
    value = sophax.check_bundle(text, keys)
    assert (value["oneTimePreKeyId"], value["tcpAddress"]) == (number, "ann.example:4000")
    warned = keytool.ok("sophaxchat", "export-bundle", "--one-time", number).err
    assert "not recorded" in warned and str(number) in warned
    assert not any(sophax.encode(secret) in text for secret in (*keys, *signed[2:4]))
    # The keys beside the name are random, and their base64 may hold "Ann", too.
    assert not sophax.is_signed(json.dumps({**json.loads(text), "username": "Eve"}), keys)
    absent = keytool.fails(10, "sophaxchat", "export-bundle", "--one-time", "0")
    assert f"keytool sophaxchat show-prekeys --json {id} lists them" in absent.err
    keytool.fails(64, "sophaxchat", "export-bundle", "--address", "")


# Safety numbers


@pytest.fixture
def bob(write):
    return write("bob.json", sophax.bundle(BOB, 788_918_400.25))


def test_safety(keytool, made, bob, write):
    id, keys = made
    shown = keytool.json("sophaxchat", "safety", bob)
    assert (shown["id"], shown["peer"], shown["verified"]) == (id, BOB_ID, False)
    assert shown["safety_number"] == sophax.pair_number(keys, BOB)
    assert shown["peer_safety_number"] == sophax.safety_number(BOB)
    assert keytool.json("sophaxchat", "safety", bob, "--old")["safety_number"] == sophax.pair_number(keys, BOB, b"")
    code = write("code", b"".join(sophax.public(BOB)))
    assert keytool.json("sophaxchat", "safety", code)["safety_number"] == shown["safety_number"]
    drawn = keytool.ok("sophaxchat", "safety", bob, "--qr", "--mode", "ascii").out
    assert "##" in drawn and len(drawn.splitlines()) > 25
    assert f"verify-peer FILE --number DIGITS --id {id}\n" in keytool.ok("sophaxchat", "safety", bob).err
    for content in (b"", b"{}", bytes(63), sophax.bundle(BOB, 1.5).replace(b"1.5", b"2.5")):
        keytool.fails(65, "sophaxchat", "safety", write("wrong", content))


def test_verify_peer(keytool, made, bob):
    id, keys = made
    before = snapshot(keytool.keystore)
    wrong = sophax.pair_number(keys, ALICE)
    refused = keytool.fails(19, "sophaxchat", "verify-peer", bob, "--number", wrong, "--json").error
    assert refused["reason"] == "other_number" and sophax.pair_number(keys, BOB) in refused["message"]
    for text in ("", "12345", "x" * 60, sophax.pair_number(keys, BOB)[:-1], sophax.safety_number(keys)[:-1] + "x"):
        keytool.fails(64, "sophaxchat", "verify-peer", bob, "--number", text)
    # One's own number is not the peer's.
    keytool.fails(19, "sophaxchat", "verify-peer", bob, "--number", sophax.safety_number(keys))
    assert snapshot(keytool.keystore) == before
    shown = sophax.pair_number(keys, BOB)
    # As two lines that were copied together.
    lines = f"{shown[:len(shown) // 2]}\n\t{shown[len(shown) // 2:]}\n"
    assert keytool.json("sophaxchat", "verify-peer", bob, "--number", lines)["changed"]
    number = shown.replace(" ", "")
    assert not keytool.json("sophaxchat", "verify-peer", bob, "--number", number)["changed"]
    assert sophax.held(keytool, id)[1]["verified"] == {BOB_ID: sophax.safety_number(BOB)}
    assert not keytool.json("sophaxchat", "verify-peer", bob, "--number", number)["changed"]
    assert keytool.json("sophaxchat", "safety", bob)["verified"]
    assert keytool.json("sophaxchat", "show")["verified_peers"] == 1


def test_oneself_is_no_peer(keytool, made, tmp_path):
    id, keys = made
    keytool.ok("sophaxchat", "export-bundle", "-o", tmp_path / "own.json")
    before = snapshot(keytool.keystore)
    keytool.fails(64, "sophaxchat", "safety", tmp_path / "own.json")
    keytool.fails(64, "sophaxchat", "verify-peer", tmp_path / "own.json", "--number", sophax.safety_number(keys))
    assert snapshot(keytool.keystore) == before


def test_another_number_is_an_alert(keytool, made, bob):
    """Under a name of this peer, also under its 16 digits, another number was verified."""
    id, keys = made
    for name in (BOB_ID, BOB_ID[:16]):
        text = sophax.account_text(keys, "Ann", {name: sophax.safety_number(ALICE)})
        sophax.put(keytool, id, "identity", text)
        assert keytool.fails(19, "sophaxchat", "safety", bob, "--json").error["reason"] == "other_number"
        number = sophax.pair_number(keys, BOB)
        keytool.fails(19, "sophaxchat", "verify-peer", bob, "--number", number)
        assert sophax.record(keytool, id, "identity") == text


# Message backups

CONTENT = json.dumps({"version": 2, "createdAt": 796_000_000.5, "username": "al\u001bice", "peers": [{}, {}],
                      "messages": {"a": 1, "b": 2, "c": 3}, "identityFingerprint": "abcd"}).encode()


def test_open_backup(keytool, write, given, tmp_path):
    file, passphrase = write("backup", sophax.sxbk(CONTENT, PHRASE)), given("file-passphrase", PHRASE)
    shown = keytool.json("sophaxchat", "open-backup", file, *passphrase)
    assert (shown["peers"], shown["messages"], shown["version"], shown["made"]) == (2, 3, 2, "2026-03-23T23:06:40Z")
    path = tmp_path / "content.json"
    keytool.ok("sophaxchat", "open-backup", file, "-o", path, *passphrase)
    assert path.read_bytes() == CONTENT and path.stat().st_mode & 0o777 == 0o600
    keytool.fails(17, "sophaxchat", "open-backup", file, "-o", path, *passphrase)
    assert keytool.ok("sophaxchat", "open-backup", file, "-o", "-", *passphrase).out == CONTENT.decode()
    assert not any(keytool.keystore.iterdir())


def test_backups_that_do_not_open(keytool, write, given, tmp_path):
    good = sophax.sxbk(CONTENT, PHRASE)
    out = ["-o", tmp_path / "out"]
    keytool.fails(12, "sophaxchat", "open-backup", write("b", good), *out, *given("file-passphrase", b"another one"))
    keytool.fails(12, "sophaxchat", "open-backup", write("b", flipped(good)), *out,
                  *given("file-passphrase", PHRASE))
    for content in (b"", good[:60], good[:4] + b"\1" + good[5:], sophax.sxid(ALICE, PHRASE)):
        keytool.fails(65, "sophaxchat", "open-backup", write("b", content), *out)
    wrong = keytool.fails(65, "sophaxchat", "open-backup", write("b", sophax.sxid(ALICE, PHRASE)))
    assert "SXBK" in wrong.err and "age file" not in wrong.err
    for content in (b"{}", b"[]", CONTENT.replace(b'"peers"', b'"piers"')):
        keytool.fails(65, "sophaxchat", "open-backup", write("b", sophax.sxbk(content, PHRASE)), *out,
                      *given("file-passphrase", PHRASE))
    assert not (tmp_path / "out").exists()
