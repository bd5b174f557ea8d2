"""sophaxchat rekey-group: what programs have stored of a group, made and read here without keytool."""

import base64
import json
import sqlite3
import time

import pytest

from kit import archives, sessions, sophax
from kit.processes import injection
from kit.runner import snapshot
from kit.sophax import ALICE, BOB
from kit.vectorfiles import sophaxgroups

ID, BOB_ID = sophax.peer_id(ALICE), sophax.peer_id(BOB)
ONE, TWO, THREE = "1" * 32, "2" * 32, "3" * 32
NEW = "ab" * 16
STORED = sophax.group_record(members=[ONE, TWO, THREE])


@pytest.fixture
def identity(write):
    return ["--identity", write("agekey", archives.IDENTITY + "\n")]


@pytest.fixture
def alice(keytool, write, identity):
    keytool.ok("sophaxchat", "import", write("a.age", archives.seal(sophax.account_text(ALICE))), *identity)
    return keytool


@pytest.fixture
def stored(alice):
    sophax.put_group(alice, STORED)
    return alice


def rekey(*members, group="G"):
    return ["sophaxchat", "rekey-group", group, "--members", *members]


def distributions(text, group="G"):
    """{member: distribution}, each as an independent reader has it."""
    value = json.loads(text)
    assert text == json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert value["version"] == 1 and value["group"] == group and len(value) == 3
    found = {}
    for part in value["distributions"]:
        read = sophaxgroups.distribution_decode(json.dumps(part["distribution"]))
        assert read["form"] == "3" and read["group"] == group and len(part) == 2
        found[part["member"]] = read
    return found


def is_stored(keytool, found, group="G"):
    """Whether the store seals with the chain that all members are given, from its first message on."""
    id, key, next, first, generation, hash = sophax.own_chain(sophax.stored_group(keytool, group))
    assert next == first
    return all((id.hex(), key.hex(), next, generation, hash.hex()) == (
        one["chain_id"], one["chain_key"], one["iteration"], one["generation"], one["transcript"])
        for one in found.values())


def test_a_new_chain_for_each_member(stored, tmp_path):
    path = tmp_path / "chain.json"
    result = stored.ok(*rekey(ONE, THREE), "-o", path)
    assert path.stat().st_mode & 0o777 == 0o600
    found = distributions(path.read_bytes())
    assert sorted(found) == [ONE, THREE] and is_stored(stored, found)
    [(id, key, iteration, generation)] = {tuple(one[name] for name in (
        "chain_id", "chain_key", "iteration", "generation")) for one in found.values()}
    # Not everybody has proved version 3: apps of the old form refuse a lower number.
    assert (iteration, generation) == (41, 1)
    assert {one["transcript"] for one in found.values()} == {sophaxgroups.start(bytes.fromhex(id)).hex()}
    record = sophax.stored_group(stored)
    assert sophax.OWN_CHAIN[0] not in record and sophax.OWN_CHAIN[1] not in record
    assert TWO.encode() not in record
    assert f"removed        {TWO}" in result.out and "generation     1" in result.out
    assert f"there is no session with {ONE}" in result.err and "1 member has not proved version 3" in result.err
    for said in (result.out, result.err):
        assert key not in said and base64.b64encode(bytes.fromhex(key)).decode() not in said


def test_each_time_another_one(stored, tmp_path):
    chains = []
    for generation in (1, 2, 3):
        path = tmp_path / f"{generation}.json"
        stored.ok(*rekey(ONE, TWO, THREE), "-o", path)
        found = distributions(path.read_bytes())
        assert is_stored(stored, found) and {one["generation"] for one in found.values()} == {generation}
        chains.append((found[ONE]["chain_id"], found[ONE]["chain_key"]))
    assert len(set(chains)) == 3 and len({key for _, key in chains}) == 3
    # The chain of the other member stays.
    assert bytes(range(16, 32)) in sophax.stored_group(stored)


def test_a_group_in_which_all_have_proved_version_3(alice, tmp_path):
    sophax.put_group(alice, sophax.group_record(members=[ONE, TWO], proved=f"{ONE},{TWO}"))
    shown = alice.json(*rekey(ONE, TWO), "-o", tmp_path / "chain.json")
    assert shown["without_version_3"] == []
    found = distributions((tmp_path / "chain.json").read_bytes())
    assert {one["iteration"] for one in found.values()} == {41} and is_stored(alice, found)


def test_json(alice, tmp_path):
    later = "cd" * 16
    sophax.put_group(alice, STORED, **{BOB_ID: sophax.peer_record(BOB, [(1, 0, 1, sophax.ratchet(1, 0, 0))]),
                                       NEW: b"\1no record", later: b"\2"})
    path = tmp_path / "chain.json"
    shown = alice.json(*rekey(BOB_ID, NEW, later, ONE), "-o", path)
    assert {name: shown[name] for name in ("id", "group", "generation", "removed", "file", "bytes")} == {
        "id": ID, "group": "G", "generation": 1, "removed": [TWO, THREE], "file": str(path),
        "bytes": path.stat().st_size}
    assert shown["members"] == sorted([
        {"id": BOB_ID, "new": True, "session": "held"}, {"id": NEW, "new": True, "session": "damaged"},
        {"id": later, "new": True, "session": "later"}, {"id": ONE, "new": False, "session": "none"}], key=lambda one: one["id"])


def test_a_session_that_does_not_open(alice, tmp_path):
    sophax.put_group(alice, STORED, **{BOB_ID: sophax.peer_record(BOB, [(1, 0, 1, sophax.ratchet(1, 0, 0))])})
    with sqlite3.connect(sessions.path(alice.keystore, sophax.MESSENGER, ID)) as database:
        database.execute("UPDATE value SET sealed = zeroblob(length(sealed)) WHERE kind = 'session'")
    shown = alice.json(*rekey(BOB_ID, ONE), "-o", tmp_path / "chain.json")
    assert {member["id"]: member["session"] for member in shown["members"]} == {BOB_ID: "damaged", ONE: "none"}


def test_the_file_has_the_chain_of_the_store(stored, tmp_path):
    """Two at once: the second one waits until the file of the first one has its name."""
    injection.require_tracing()
    path = tmp_path / "chain.json"
    slow = injection.Prefixed(stored, "strace", "-f", "-o", tmp_path / "trace", "-e", "trace=renameat",
                              "-e", "inject=renameat:delay_enter=2000000")
    first = slow.start(*rekey(ONE, TWO), "-o", path, "--force")
    deadline = time.monotonic() + 60
    while sophax.stored_group(stored) == STORED:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    stored.fails(11, *rekey(ONE, TWO), "-o", path, "--force", "--lock-wait", "0s")
    stored.ok(*rekey(ONE, TWO), "-o", path, "--force")
    assert first.wait(timeout=60) == 0
    found = distributions(path.read_bytes())
    assert is_stored(stored, found) and {one["generation"] for one in found.values()} == {2}


def test_a_pipe_has_the_document_and_nothing_else(stored):
    result = stored.ok(*rekey(ONE), "-o", "-", "--json")
    found = distributions(result.out.encode())
    assert is_stored(stored, found)


def test_not_to_a_terminal(stored, terminal):
    run = terminal(*rekey(ONE), "-o", "-", runner=stored)
    assert run.finish() == 64 and "not written to a terminal" in run.words, run.text
    assert sophax.stored_group(stored) == STORED


def test_names_of_members(stored, tmp_path):
    given = [ONE[:16], ID, TWO.upper(), NEW.upper()]
    shown = stored.json(*rekey(*given), "-o", tmp_path / "chain.json")
    assert [member["id"] for member in shown["members"]] == [ONE, TWO, NEW]


@pytest.mark.parametrize("code, members", [
    (64, [NEW[:16]]), (64, [ONE, ONE]), (64, [ONE, ONE[:16]]), (64, [NEW, NEW.upper()]), (64, [ID]), (64, ["bob"]),
    (64, []), (14, [f"{number:032x}" for number in range(100)]),
], ids=range(8))
def test_lists_that_are_none(stored, tmp_path, code, members):
    stored.fails(code, *rekey(*members), "-o", tmp_path / "chain.json")
    assert sophax.stored_group(stored) == STORED and not (tmp_path / "chain.json").exists()


def test_no_group(alice, tmp_path):
    path = tmp_path / "chain.json"
    for prepare in (lambda: None, lambda: sophax.put_group(alice, STORED, group="H")):
        prepare()
        for name in ("G", "n" * 256, "g"):
            assert alice.fails(10, *rekey(ONE, group=name), "-o", path, "--json").error["reason"] == "no_group"
    assert not path.exists()


def test_a_group_of_another_name_form_or_identity_is_damaged(alice, tmp_path):
    path = tmp_path / "chain.json"
    other = sophax.group_record(members=[ONE, BOB_ID], own=BOB_ID, holders=ONE)
    for record in (b"", STORED[:-1], STORED + b"x", b"\1\1H" + STORED[3:], other):
        sophax.put_group(alice, record)
        assert alice.fails(65, *rekey(ONE), "-o", path, "--json").error["reason"] == "damaged_group"
        assert sophax.stored_group(alice) == record
    # Form 2 is for a claim, which is not there; form 3 is not known.
    sophax.put_group(alice, b"\2" + STORED[1:])
    assert alice.fails(65, *rekey(ONE), "-o", path, "--json").error["reason"] == "damaged_group"
    sophax.put_group(alice, b"\3" + STORED[1:])
    assert "has form 3" in alice.fails(65, *rekey(ONE), "-o", path).err and not path.exists()
    for command in (("sophaxchat", "show-group", "G"), (*rekey(ONE), "-o", path)):
        assert alice.fails(65, *command, "--json").error["reason"] == "newer_version"
    # So has what is inside.
    chains = STORED.index(b"\1\x20" + ID.encode())
    sophax.put_group(alice, STORED[:chains] + b"\3" + STORED[chains + 1:])
    assert alice.fails(65, "sophaxchat", "show-group", "G", "--json").error["reason"] == "newer_version"


def test_the_copy_of_an_archive_is_refused(stored, identity, other_keytool, tmp_path):
    archive, path = tmp_path / "all.age", tmp_path / "chain.json"
    stored.ok("archive", "export", "-o", archive, "--with-sessions", "--recipient", archives.RECIPIENT)
    other_keytool.ok("archive", "import", archive, *identity)
    assert sophax.stored_group(other_keytool) == STORED
    assert "are a copy" in other_keytool.fails(17, *rekey(ONE), "-o", path).err
    assert sophax.stored_group(other_keytool) == STORED and not path.exists()
    # The exported one is no copy.
    stored.ok(*rekey(ONE), "-o", path)


def test_files_are_refused_before_the_chain_is_replaced(stored, tmp_path):
    path = tmp_path / "chain.json"
    path.write_text("old")
    stored.fails(17, *rekey(ONE), "-o", path)
    stored.fails(73, *rekey(ONE), "-o", tmp_path / "none" / "chain.json")
    assert sophax.stored_group(stored) == STORED and path.read_text() == "old"
    stored.ok(*rekey(ONE), "-o", path, "--force")
    assert is_stored(stored, distributions(path.read_bytes()))


def test_a_reader_that_takes_nothing(stored, tmp_path):
    """The chain is stored, and its members do not have it: that is said, and the command goes again."""
    with open("/dev/full", "wb") as full:
        result = stored(*rekey(ONE), "-o", "-", stdout=full)
    assert result.code == 74 and "run the command again" in result.err, result
    assert sophax.own_chain(sophax.stored_group(stored))[4] == 1
    stored.ok(*rekey(ONE), "-o", tmp_path / "chain.json")
    assert sophax.own_chain(sophax.stored_group(stored))[4] == 2


def prepared(keytool):
    """The store as it was, and no result."""
    sophax.put_group(keytool, STORED)
    for left in sessions.path(keytool.keystore, sophax.MESSENGER, ID).parent.glob("sessions.db-*"):
        left.unlink()


def test_killed_at_any_call(stored, tmp_path):
    """The former chain or the new one; a file only of the one that is stored; and run again, yet another one."""
    injection.require_tracing()
    path = tmp_path / "chain.json"
    command = [*rekey(ONE, TWO), "-o", path]
    points = injection.points(stored, *command)
    seen = set()
    for point in points:
        path.unlink(missing_ok=True)
        prepared(stored)
        injection.kill(stored, point, *command)
        record = sophax.stored_group(stored)
        is_new = record != STORED
        seen.add((is_new, path.exists()))
        if path.exists():
            assert is_stored(stored, distributions(path.read_bytes())), point
            path.unlink()
        before = sophax.own_chain(record)
        stored.ok(*command)
        after = sophax.own_chain(sophax.stored_group(stored))
        assert after[4] == before[4] + 1 and after[0] != before[0] and after[1] != before[1], point
        assert is_stored(stored, distributions(path.read_bytes())), point
        assert not [left for left in tmp_path.iterdir() if left.name.startswith(".")], point
    assert seen >= {(False, False), (True, False)} and (False, True) not in seen, seen


@pytest.mark.parametrize("error", ["EIO", "ENOSPC"])
def test_failing_at_any_call(stored, tmp_path, error):
    injection.require_tracing()
    path = tmp_path / "chain.json"
    command = [*rekey(ONE, TWO), "-o", path]
    for point in injection.points(stored, *command):
        path.unlink(missing_ok=True)
        prepared(stored)
        result = injection.fail(stored, point, error, *command)
        record = sophax.stored_group(stored)
        if result.code == 0:
            assert is_stored(stored, distributions(path.read_bytes())), point
        else:
            assert not path.exists(), f"{point}: {result}"
            assert (record != STORED) == ("run the command again" in result.err), f"{point}: {result}"
        path.unlink(missing_ok=True)
        stored.ok(*command)


def test_show_group(stored, tmp_path):
    shown = stored.json("sophaxchat", "show-group", "G")
    assert {name: shown[name] for name in ("id", "group", "copied", "bytes", "mixed", "generation", "sent")} == {
        "id": ID, "group": "G", "copied": False, "bytes": len(STORED), "mixed": True, "generation": 0, "sent": 0}
    # The own chain began at a fixed time, years ago.
    assert shown["pending"] == [ONE, TWO, THREE] and shown["own_chain_began_at"][:10] == "2026-01-01"
    assert shown["members"] == [
        {"id": ONE, "version_3": True, "has_own_chain": True, "generation": 0, "next": 5, "skipped_keys": 2,
         "forked": False, "missing_from": 2, "missing_to": 3},
        *({"id": id, "version_3": False, "has_own_chain": True, "skipped_keys": 0, "forked": False}
          for id in (TWO, THREE))]
    text = stored.ok("sophaxchat", "show-group", "G")
    assert "own chain      generation 0," in text.out and "2 to 3 missing; 2 keys of skipped messages" in text.out
    assert "mixed" in text.out and "nothing can be sent until 3 members got the chain" in text.out
    for secret in (sophax.OWN_CHAIN[1], sophax.OTHER_CHAIN_KEY):
        assert secret.hex() not in text.out and base64.b64encode(secret).decode() not in text.out
    assert sophax.stored_group(stored) == STORED
    stored.ok(*rekey(ONE), "-o", tmp_path / "chain.json")
    shown = stored.json("sophaxchat", "show-group", "G")
    assert (shown["generation"], shown["pending"], shown["mixed"]) == (1, [], False)
    assert "nothing can be sent" not in stored.ok("sophaxchat", "show-group", "G").out


def test_a_group_with_apps_of_the_old_form(alice, tmp_path):
    """One of them has given two chains; what was sent to them was of the old form, too."""
    keys = [bytes([value]) * 32 for value in (0x61, 0x62)]
    record = bytes.fromhex(sophaxgroups.old_group_record(
        group="G", own=ID, members=",".join([ID, ONE, TWO]), own_chain_id=sophax.OWN_CHAIN[0].hex(),
        own_chain_key=sophax.OWN_CHAIN[1].hex(), own_first=41, sealed="00" * 30, sender=ONE,
        ids=f"{'51' * 16},{'52' * 16}", chains=",".join(key.hex() for key in keys), received="0,1,2;1,4",
        time=1_767_225_600_250)["record"])
    sophax.put_group(alice, record)
    shown = alice.json("sophaxchat", "show-group", "G")
    assert shown["mixed"] and shown["sent"] == 1
    assert shown["members"] == [
        {"id": ONE, "version_3": False, "has_own_chain": True, "old_chains": 2, "next": 5, "skipped_keys": 3,
         "forked": False},
        {"id": TWO, "version_3": False, "has_own_chain": True, "skipped_keys": 0, "forked": False}]
    text = alice.ok("sophaxchat", "show-group", "G")
    assert "mixed: sent in the old form" in text.out
    assert "2 chains of the old form, next message 5; 3 keys of skipped messages" in text.out
    for key in keys:
        assert key.hex() not in text.out and base64.b64encode(key).decode() not in text.out
    shown = alice.json(*rekey(ONE, TWO), "-o", tmp_path / "chain.json")
    assert shown["without_version_3"] == [ONE, TWO]
    found = distributions((tmp_path / "chain.json").read_bytes())
    assert {one["iteration"] for one in found.values()} == {42} and is_stored(alice, found)


def test_show_a_fork_and_a_copy(alice):
    # The flag of the view of the only member with a chain, whose last message is behind a gap.
    view = len(STORED) - (9 + 3 * 32 + 68)
    sophax.put_group(alice, STORED[:view + 4] + b"\1" + STORED[view + 5:], is_copy=True)
    shown = alice.json("sophaxchat", "show-group", "G")
    assert shown["members"][0]["forked"] and shown["copied"]
    text = alice.ok("sophaxchat", "show-group", "G")
    assert "forked" in text.out and f"the messages of {ONE} do not fit together" in text.err
    assert "is a copy" in text.err
    # Form 2: another member claims that, and its name stands behind the view.
    claim = b"\2" + STORED[1:view + 4] + b"\2" + STORED[view + 5:] + bytes([32]) + TWO.encode()
    sophax.put_group(alice, claim)
    shown = alice.json("sophaxchat", "show-group", "G")
    assert not shown["members"][0]["forked"] and shown["members"][0]["fork_claimed_by"] == TWO
    assert shown["members"][0]["missing_from"] == 2
    text = alice.ok("sophaxchat", "show-group", "G")
    assert f"{TWO} claims that {ONE} has shown it other messages" in text.err and "forked" not in text.out
    assert "do not fit together" not in text.err
    assert alice.fails(10, "sophaxchat", "show-group", "H", "--json").error["reason"] == "no_group"
    sophax.put_group(alice, STORED[:-1])
    assert alice.fails(65, "sophaxchat", "show-group", "G", "--json").error["reason"] == "damaged_group"


@pytest.fixture
def interrupted(stored):
    """A store from which a program had removed the group G when it was killed before the commit."""
    return stored, sessions.interrupt(
        sessions.path(stored.keystore, "sophaxchat", ID), "DELETE FROM value WHERE kind = 'group'")


def looked_at(keytool):
    """What doctor says of the sessions, its code, and that of show-group; nothing may have changed."""
    before = snapshot(keytool.keystore)
    said = keytool("doctor")
    [line] = [line for line in said.out.splitlines() if " sessions " in line]
    code = keytool("sophaxchat", "show-group", "G").code
    assert snapshot(keytool.keystore) == before
    return line[:7].strip(), said.code, code


def test_a_damaged_journal_is_no_end_of_the_journal(interrupted, tmp_path):
    keytool, path = interrupted
    journal = path.read_bytes()
    assert (len(journal) - 512) % 4104 == 0 and len(journal) > 512
    assert looked_at(keytool) == ("ok", 0, 0)
    for at in (0, 11, 15, 19, 27, 512, 516 + 96, len(journal) - 1):
        path.write_bytes(journal[:at] + bytes([journal[at] ^ 1]) + journal[at + 1:])
        assert looked_at(keytool) == ("PROBLEM", 65, 65), at
        before = snapshot(keytool.keystore)
        refused = keytool.fails(65, *rekey(ONE), "-o", tmp_path / "out", "--json").error
        assert refused["reason"] == "damaged_sessions" and snapshot(keytool.keystore) == before
    path.write_bytes(journal)
    assert looked_at(keytool) == ("ok", 0, 0)
    keytool.ok(*rekey(ONE), "-o", tmp_path / "out")
    assert not path.exists() and looked_at(keytool) == ("ok", 0, 0)
