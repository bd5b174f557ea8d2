"""A keystore of version 1 (version1.py) is read as it is, and converted with everything that it holds, whatever comes
in between."""

import os
import shutil
import subprocess
import tarfile

import pytest

from kit import history, identityfiles, injection, keyfiles, keyring, masterkey, oracle, readonly, scenes, version1
from kit.known import SAFE_PASSWORD
from kit.locks import Held
from kit.masterkey import NEW_PASSPHRASE, PASSPHRASE
from kit.place import ID, OTHER_ID, Place
from kit.runner import REPOSITORY, on_two_processors, snapshot
from kit.safedirectory import SafeSetup
from kit.staged import each

OLD_LOCK = f"identities/{ID}/lock"


def grown(place):
    """Two identities; one with a proven code, a history, contacts, and a move to a second server not finished."""
    scenes.moving(place)
    place.keytool.ok("id", "create", "--id", OTHER_ID)
    place.keytool.ok("backup", "export", ID, "-o", place.code, "--backup-password-file", place.home / "backup-password")
    place.keytool.ok("backup", "check", place.code, "--backup-password-file", place.home / "backup-password")
    safe = SafeSetup(place.keytool, place.directory, ID, SAFE_PASSWORD)
    place.directory.put(safe.keys, oracle.seal_safe(
        {**safe.document, "contacts": [{"identity": "ECHOECHO", "verification": 2}]}, safe.keys))
    # Its backup is replaced, and goes into the history; the move stays.
    place.keytool.ok("safe", "pull", ID, "--force")
    return place


def facts(place, *options):
    """What the program says of it, and what the files hold."""
    keytool = place.keytool
    listed = keytool.json("id", "list", *options)
    status = keytool.json("safe", "status", ID, *options)
    shown = [keytool.json("id", "show", id, *options) for id in (ID, OTHER_ID)]
    return listed, status, shown


@pytest.fixture
def place(built, tmp_path):
    return Place(tmp_path / "place")


@pytest.fixture
def old(place):
    """Of version 1, and what was said of it before."""
    grown(place)
    place.said, place.seen = facts(place), place.view()
    place.time = identityfiles.path(place.keystore, ID, "lock").stat().st_mtime_ns
    version1.downgrade(place.keystore, masterkey.read(place.keytool))
    return place


def is_converted(keystore):
    names = {path.name for path in (keystore / "identities").iterdir()}
    return names == {"threema"} and (keystore / "keystore").read_bytes()[:4] == b"KTR2"


def test_nothing_is_lost(old):
    assert not is_converted(old.keystore) and (old.keystore / OLD_LOCK).exists()
    assert facts(old) == old.said
    assert is_converted(old.keystore) and old.view() == old.seen
    assert identityfiles.path(old.keystore, ID, "lock").stat().st_mtime_ns // 10**6 == old.time // 10**6
    assert facts(old) == old.said
    pushed = old.keytool.json("safe", "push", ID)
    assert pushed["server"]["address"] == old.second.url, pushed
    assert old.keytool.json("safe", "push", ID)["result"] == "unchanged"
    # It is a keystore like any other.
    old.keytool.ok("id", "create", "--id", "NEWONE00")
    old.keytool.ok("id", "remove", OTHER_ID, "--yes")
    assert [one["id"] for one in old.keytool.json("id", "list")["identities"]] == [ID, "NEWONE00"]


@pytest.mark.parametrize("command", [
    ["id", "list"], ["id", "show", ID], ["safe", "status", ID], ["safe", "push", ID], ["safe", "check", ID],
    ["id", "create", "--id", "NEWONE00"], ["safe", "delete", ID, "--yes"]], ids=" ".join)
def test_any_command_converts(old, command):
    result = old.keytool(*command)
    assert result.code in (0, 20), result
    assert is_converted(old.keystore)


@pytest.mark.parametrize("command", [["key", "status"], ["id", "list", "--help"]], ids=" ".join)
def test_commands_that_open_no_record_do_not_convert(old, command):
    before = snapshot(old.keystore)
    old.keytool(*command)
    assert snapshot(old.keystore) == before


@pytest.mark.parametrize("wrap", [keyfiles.wrap_v1, keyfiles.wrap_v2], ids=["scrypt", "Argon2id"])
def test_protected(old, wrap, given):
    key, cost = masterkey.read(old.keytool), keyfiles.LEAST_COST if wrap == keyfiles.wrap_v2 else {}
    masterkey.file(old.keytool).write_bytes(wrap(key, PASSPHRASE, **cost))
    before = snapshot(old.keystore)
    old.keytool.fails(16, "id", "list")
    assert snapshot(old.keystore) == before
    passphrase = given("passphrase", PASSPHRASE)
    assert facts(old, *passphrase) == old.said
    assert is_converted(old.keystore)
    old.keytool.ok("key", "passwd", *passphrase, *given("new-passphrase", NEW_PASSPHRASE))
    assert facts(old, *given("passphrase", NEW_PASSPHRASE)) == old.said


def test_unlocked_in_the_kernel(old, given):
    """The key there is named by the record that the conversion rewrites: it moves along, with its time."""
    refusal = keyring.refusal()
    if refusal:
        pytest.skip(f"the kernel's keyring cannot be used here: {refusal}")
    masterkey.rewrap(old.keytool)
    passphrase = given("passphrase", PASSPHRASE)
    names = [keyring.name(old.keystore)]
    try:
        old.keytool.ok("key", "unlock", "--for", "2h", *passphrase)
        assert not is_converted(old.keystore) and keyring.find(names[0])
        assert facts(old) == old.said
        assert is_converted(old.keystore)
        names.append(keyring.name(old.keystore))
        assert names[1] != names[0] and keyring.find(names[0]) is None
        moved = keyring.find(names[1])
        assert moved.payload == masterkey.read(old.keytool, PASSPHRASE) and moved.expiry in ("2h", "1h", "59m"), moved
        assert facts(old) == old.said
        assert old.keytool.json("key", "lock")["unlocked"] is False and keyring.find(names[1]) is None
        old.keytool.fails(16, "id", "list")
    finally:
        for name in names:
            keyring.remove(name)


def test_beside_a_push(old):
    """An identity that another process holds is left alone; the others are converted, and so is it when it is free."""
    with Held(old.keystore / OLD_LOCK):
        held = snapshot(old.keystore / f"identities/{ID}")
        assert facts(old) == old.said
        assert snapshot(old.keystore / f"identities/{ID}") == held
        assert [path.name for path in identityfiles.directories(old.keystore)] == [OTHER_ID]
        old.keytool.fails(11, "safe", "push", ID, "--lock-wait", "0s")
    waiting = Held(old.keystore / OLD_LOCK)
    push = old.keytool.start("safe", "push", ID, "--lock-wait", "20s")
    other = old.keytool.start("safe", "check", ID)
    with waiting:
        with pytest.raises(subprocess.TimeoutExpired):
            push.communicate(timeout=2)
    for process in (push, other):
        _, errors = process.communicate(timeout=30)
        assert process.returncode == 0, errors
    # The push has converted the identity; the next command finishes.
    old.keytool.ok("id", "list")
    assert is_converted(old.keystore)


def test_many_at_once(old):
    started = [old.keytool.start(*command) for command in
               [["id", "list"], ["safe", "status", ID], ["safe", "push", ID], ["id", "show", OTHER_ID]] * 3]
    for process in started:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
    old.keytool.ok("id", "list")
    assert is_converted(old.keystore)
    assert old.keytool.json("safe", "push", ID)["result"] == "unchanged"


def test_read_only(old):
    """On a medium that cannot be written."""
    there = readonly.on_a_medium(old.keytool)
    before = snapshot(old.keystore)
    assert there.json("id", "list") == old.said[0]
    assert there.json("safe", "status", ID) == old.said[1]
    assert [there.json("id", "show", id) for id in (ID, OTHER_ID)] == old.said[2]
    assert there("safe", "push", ID).code in (73, 74)
    assert snapshot(old.keystore) == before
    assert facts(old) == old.said


def test_a_commit_that_was_not_written_out(old):
    """The file `commit` of version 1 counts, read-only too, and is written out by the conversion."""
    master = masterkey.read(old.keytool)
    nickname = version1.seal_old(
        master, b'{"contacts":[],"info":{"version":1},"user":{"nickname":"committed"}}', ID, "profile")
    home = old.keystore / "identities" / ID
    version1.put(home / "commit", version1.old_commit(master, ID, [("profile", nickname), ("state.json", None)]))
    old.keytool.ok("id", "list")
    assert is_converted(old.keystore)
    assert b"committed" in identityfiles.opened(identityfiles.path(old.keystore, ID, "profile"), master)
    assert not identityfiles.path(old.keystore, ID, "state.json").exists()
    assert not identityfiles.path(old.keystore, ID, "commit").exists()


def test_a_commit_that_is_not_genuine(old):
    """Its identity stays as it is, and can only be removed; the others are converted."""
    home = old.keystore / "identities" / ID
    version1.put(home / "commit", b"KTC1" + bytes(60))
    before = snapshot(home)
    for command in (["id", "show", ID], ["safe", "push", ID], ["safe", "status", ID]):
        assert "commit" in old.keytool.fails(65, *command).err
    assert {name: content for name, content in snapshot(home).items() if "lock" not in name} == {
        name: content for name, content in before.items() if "lock" not in name}
    old.keytool.ok("id", "show", OTHER_ID)
    old.keytool.ok("id", "remove", ID, "--yes")
    old.keytool.ok("id", "list")
    assert is_converted(old.keystore)


def test_put_back_after_the_conversion(old):
    """It is not read, and doctor tells of it."""
    kept = old.path / "kept"
    shutil.copytree(old.keystore / "identities", kept)
    old.keytool.ok("id", "list")
    old.keytool.ok("id", "remove", OTHER_ID, "--yes")
    for id in (ID, OTHER_ID):
        shutil.copytree(kept / id, old.keystore / "identities" / id)
    assert [one["id"] for one in old.keytool.json("id", "list")["identities"]] == [ID]
    refused = old.keytool.fails(65, "id", "show", OTHER_ID)
    assert f"{old.keystore}/identities/{OTHER_ID} has the format of version 1" in refused.err
    assert old.keytool.json("id", "show", ID) == old.said[2][0]
    found = old.keytool("doctor").out
    assert "version 1" in found and ID not in found and OTHER_ID not in found, found
    # As the hint says: the whole old keystore, elsewhere.
    elsewhere = old.path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    shutil.copytree(kept, elsewhere / "identities")
    for name in ("master.key", "keystore"):
        shutil.copy(old.keystore / name, elsewhere / name)
    version1.put(elsewhere / "keystore", version1.seal_old(
        masterkey.read(old.keytool), b"\x01" + os.urandom(16), "********", "keystore"))
    again = old.keytool.with_keystore(elsewhere)
    assert again.json("id", "show", OTHER_ID) == old.said[2][1]


def test_damaged_records_are_as_damaged_as_before(old):
    home = old.keystore / "identities" / ID
    for name in ("safe", "profile"):
        record = bytearray((home / name).read_bytes())
        record[40] ^= 1
        (home / name).write_bytes(record)
    old.keytool.ok("id", "show", ID)
    assert is_converted(old.keystore)
    assert '"safe"' in old.keytool.fails(65, "safe", "status", ID).err
    old.keytool.ok("safe", "delete", "--force", ID, "--yes")


# At every system call of the conversion.


@pytest.fixture(scope="module")
def places(built, tmp_path_factory):
    injection.require_tracing()

    def prepare(place, _):
        grown(place)
        place.said, place.seen = facts(place), place.view()
        version1.downgrade(place.keystore, masterkey.read(place.keytool))
        place.keep("old")

    root = tmp_path_factory.mktemp("conversion")
    both = [Place(root / name) for name in ("one", "two")]
    on_two_processors(prepare, both, [None, None])
    return both


def at_each_call(places, command, check):
    points = injection.points(places[0].keytool, *command)
    assert len(points) > 60, "the conversion makes more calls"

    def check_and_compare(place, point):
        check(place, point)
        assert facts(place) == place.said and place.view() == place.seen
        assert is_converted(place.keystore) and not place.temporary()

    each(places, points, check_and_compare)


def test_killed(places):
    places[0].bring_back("old")
    at_each_call(places, ["id", "list"], lambda place, point: injection.kill(place.keytool, point, "id", "list"))


@pytest.mark.parametrize("error", ["ENOSPC", "EIO"])
def test_failing_calls(places, error):
    """What only reads succeeds all the same."""
    places[0].bring_back("old")

    def check(place, point):
        result = injection.fail(place.keytool, point, error, "id", "list")
        assert result.code == 0, result

    at_each_call(places, ["id", "list"], check)


# A keystore that version 0.1.0 made before there was version 2 of the keystore.


def test_made_by_an_earlier_program(keytool):
    with tarfile.open(REPOSITORY / "Tests/Vectors/keystore-version1.tar.gz") as archive:
        archive.extractall(keytool.keystore.parent)
    listed = keytool.json("id", "list")["identities"]
    assert [(one["id"], one["public_key"], one["safe"]) for one in listed] == [
        (ID, "076c48bb474c4032e733056530862ca20de5ad6b3885aad97c1c18a0c361aa3d", True),
        (OTHER_ID, "8f18614f8c1e493207a9688a06d67dced60f1faf61758e4e4d699bb39a961312", False)]
    assert is_converted(keytool.keystore)
    status = keytool.json("safe", "status", ID)
    assert (status["server"]["address"], status["uploaded_at"], status["generation"], status["failed"]) == (
        "file:///tmp/v1/safe", "2026-11-22T07:25:17Z", 3, False)
    assert [len(backup) for backup in history.kept(keytool, ID)] == [319, 319]
    proven = keytool.ok("id", "remove", OTHER_ID, "--yes")
    assert "backup code" not in proven.err, "its code was proven"
