"""id create --directory: a key whose registration is interrupted is not lost, and one that fails leaves nothing."""

import json

import pytest

from kit import identityfiles, masterkey
from kit.archives import RECIPIENT
from kit.damage import flipped
from kit.processes import injection
from kit.runner import snapshot
from kit.servers.registering import identities, pending_content, pending_files, public_key

CREATE = "identity/create"


def test_registered(keytool, id_directory, at, certificates):
    made = keytool.json("id", "create", *at)
    [(id, known)] = id_directory.identities.items()
    assert made["id"] == id and made["registered"] is True and made["directory"] == id_directory.url
    assert bytes.fromhex(made["public_key"]) == known.public_key == public_key(keytool, id)
    assert id_directory.asked == [(CREATE, 1), (CREATE, 2)]
    assert not pending_files(keytool)
    record = identityfiles.opened(identityfiles.path(keytool.keystore, id, "directory"), masterkey.read(keytool))
    remembered = json.loads(record)
    assert remembered["url"] == id_directory.url and set(remembered) == {"url", "authority"}
    # The directory is remembered.
    assert keytool.ok("id", "fetch", id).out == f"{id}  {made['public_key']}  active  regular\n"


def test_words_on_the_terminal(keytool, at):
    err = keytool.ok("id", "create", *at).err
    assert "no directory knows" not in err and "backup export" in err
    assert "no directory knows" in keytool.ok("id", "create").err


def test_nothing_but_the_public_key_is_sent(keytool, id_directory, at):
    keytool.ok("id", "create", *at)
    bodies = [json.loads(request.body) for request in id_directory.requests]
    assert [set(body) for body in bodies] == [{"publicKey"}, {"publicKey", "token", "response"}]


def test_in_a_protected_keystore(keytool, id_directory, at, given):
    passphrase = given("passphrase", b"correct-horse-7")
    made = keytool.json("id", "create", *at, *passphrase)
    assert made["protection"] == "passphrase" and made["id"] in id_directory.identities


def test_usage(keytool, at):
    before = snapshot(keytool.keystore)
    for options in (["--id", "ABCD1234", *at], ["--resume", "--id", "ABCD1234"], ["--pending", "00"],
                    ["--resume", "--entropy", "keyboard"], at[2:]):
        keytool.fails(64, "id", "create", *options)
    keytool.with_environment(KEYTOOL_DIRECTORY=at[1]).fails(64, "id", "create", "--id", "ABCD1234")
    assert snapshot(keytool.keystore) == before


def test_environment_registers_too(keytool, id_directory, at):
    runner = keytool.with_environment(KEYTOOL_DIRECTORY=at[1], KEYTOOL_DIRECTORY_CA_FILE=at[3])
    assert runner.json("id", "create")["registered"] is True and len(id_directory.identities) == 1


# What was certainly not registered leaves nothing


@pytest.mark.parametrize("phase", [1, 2])
@pytest.mark.parametrize("status, code", [(401, 13), (429, 75), (0, 1)])
def test_refused(keytool, id_directory, at, phase, status, code):
    act = id_directory.status(status) if status else id_directory.refuse("Out of IDs")
    id_directory.script(CREATE, act, phase=phase)
    result = keytool.fails(code, "id", "create", *at)
    assert not pending_files(keytool) and not identities(keytool) and not id_directory.identities
    assert status or "Out of IDs" in result.err
    assert "--resume" not in result.err
    keytool.ok("id", "create", *at)


@pytest.mark.parametrize("act", ["status", "lose"])
def test_failure_before_the_proof(keytool, id_directory, at, act):
    id_directory.script(CREATE, {"status": id_directory.status(503), "lose": id_directory.lose}[act], phase=1, times=9)
    keytool.fails(75, "id", "create", *at, "--retry-max-time", "3s")
    assert not pending_files(keytool) and not id_directory.identities


def test_nobody_answers(keytool, id_directory, at):
    id_directory.close()
    keytool.fails(75, "id", "create", *at)
    assert not pending_files(keytool)


# What may have been registered is not lost


@pytest.fixture
def lost(keytool, id_directory, at):
    """A registration whose answer was lost."""
    id_directory.script(CREATE, id_directory.lose, phase=2)
    err = keytool.fails(75, "id", "create", *at).err
    assert "--resume" in err
    return keytool


def test_lost_answer(lost, id_directory):
    [path] = pending_files(lost)
    assert not identities(lost)
    [(first, known)] = id_directory.identities.items()
    key, directory = pending_content(lost, path)
    assert path.name == f".pending-{known.public_key.hex()}" and json.loads(directory)["url"] == id_directory.url
    made = lost.json("id", "create", "--resume")
    # The directory has given the same key another ID, as the manual says.
    assert made["id"] != first and made["registered"] is True
    assert id_directory.identities[made["id"]].public_key == known.public_key == public_key(lost, made["id"])
    assert identities(lost) == [made["id"]] and not pending_files(lost)
    assert lost.fails(10, "id", "create", "--resume", "--json").error["reason"] == "no_pending"


def test_pending_is_listed(lost):
    [path] = pending_files(lost)
    key = path.name.removeprefix(".pending-")
    result = lost.ok("id", "list")
    assert result.out == f"pending   {key}  perhaps registered\n" and "--resume" in result.err
    assert lost.json("id", "list")["pending"] == [{"public_key": key}]
    lost.fails(10, "id", "show")


def test_doctor_warns_of_it(lost):
    out = lost("doctor").out
    [line] = [line for line in out.splitlines() if "1 key waits for its registration" in line]
    assert "id create --resume" in line and pending_files(lost)[0].name[9:17] not in out


def test_doctor_opens_it(lost):
    [path] = pending_files(lost)
    content = path.read_bytes()
    for damaged in (b"", flipped(content)):
        path.write_bytes(damaged)
        result = lost("doctor")
        assert result.code == 65 and "1 of 1 keys that wait for their registration are damaged" in result.out, result


def test_an_archive_says_that_it_is_not_in_it(lost, tmp_path):
    lost.ok("id", "create", "--id", "ABCD1234")
    result = lost.ok("archive", "export", "-o", tmp_path / "all.age", "--recipient", RECIPIENT)
    assert "not in the archive (1): keytool id list" in result.err
    lost.ok("id", "create", "--resume")
    result = lost.ok("archive", "export", "-o", tmp_path / "all.age", "--recipient", RECIPIENT, "--force")
    assert "not in the archive" not in result.err


def test_resuming_fails_and_loses_nothing(lost, id_directory):
    before = snapshot(lost.keystore)
    for act, code in ((id_directory.refuse("No"), 1), (id_directory.status(401), 13), (id_directory.lose, 75)):
        for phase in (1, 2):
            id_directory.script(CREATE, act, phase=phase, times=9)
            assert "--resume" in lost.fails(code, "id", "create", "--resume", "--retry-max-time", "3s").err
            assert snapshot(lost.keystore) == before
            id_directory.scripts.clear()
    lost.ok("id", "create", "--resume")


@pytest.mark.parametrize("command", [["--resume"], []], ids=["resumed", "first"])
def test_an_id_that_the_keystore_holds_replaces_nothing(lost, id_directory, at, command):
    """A directory that gives the ID of another identity of the keystore."""
    held = lost.json("id", "create", "--id", "ABCD1234")["public_key"]
    before = {path.name for path in pending_files(lost)}
    reply = json.dumps({"success": True, "identity": "ABCD1234", "serverGroup": "0a"}).encode()
    id_directory.script(CREATE, id_directory.status(200, reply), phase=2)
    error = lost.fails(17, "id", "create", *(command or at), "--json").error
    assert public_key(lost, "ABCD1234").hex() == held
    left = {path.name for path in pending_files(lost)}
    [key] = [name.removeprefix(".pending-")[:8] for name in (left if command else left - before)]
    assert "ABCD1234, which the keystore already holds" in error["message"] and error["reason"] == "other_key"
    assert f"id create --resume --pending {key}" in error["hint"] and f"id remove --pending {key}" in error["hint"]
    assert before <= left
    assert lost.json("id", "create", "--resume", "--pending", key)["public_key"].startswith(key)


def test_registered_but_not_stored(keytool, id_directory, at):
    """The keystore's lock cannot be taken when the answer is there."""
    lock = keytool.keystore / "lock"

    def unstorable(call, outcome):
        lock.unlink()
        lock.mkdir()
        call.answer(*outcome())

    keytool.ok("id", "create")
    id_directory.script(CREATE, unstorable, phase=2)
    error = keytool.fails(77, "id", "create", *at, "--json").error
    [(id, known)] = id_directory.identities.items()
    assert f"{id_directory.url} has registered {id}" in error["message"] and "id create --resume" in error["hint"]
    lock.rmdir()
    [path] = pending_files(keytool)
    assert path.name == f".pending-{known.public_key.hex()}"
    assert f"id create --resume --pending {path.name[9:17]} goes on" in error["hint"]
    assert keytool.json("id", "create", "--resume")["public_key"] == known.public_key.hex()


def test_several_are_told_apart(lost, id_directory, at):
    first = pending_files(lost)
    assert "id create --resume finishes" in lost.ok("id", "list").err
    id_directory.script(CREATE, id_directory.lose, phase=2)
    err = lost.fails(75, "id", "create", *at).err
    keys = [path.name.removeprefix(".pending-") for path in pending_files(lost)]
    assert len(keys) == 2
    # The hint names the new one.
    [path] = set(pending_files(lost)) - set(first)
    assert f"keytool id create --resume --pending {path.name[9:17]}\n" in err
    assert "id create --resume --pending DIGITS finishes" in lost.ok("id", "list").err
    err = lost.fails(64, "id", "create", "--resume").err
    assert all(key in err for key in keys)
    lost.fails(64, "id", "create", "--resume", "--pending", "zz")
    made = lost.json("id", "create", "--resume", "--pending", keys[1].upper()[:16])
    assert made["public_key"] == keys[1]
    assert [path.name for path in pending_files(lost)] == [f".pending-{keys[0]}"]


def test_dropped(lost, terminal):
    [path] = pending_files(lost)
    key = path.name.removeprefix(".pending-")
    lost.fails(64, "id", "remove", "--pending", key[:8], "--no-input")
    lost.fails(64, "id", "remove", "ABCD1234", "--pending", key[:8], "--yes")
    run = terminal("id", "remove", "--pending", key[:8])
    run.expect("type [0-9a-f]{8}: ")
    run.send(key[:8])
    assert run.finish() == 0, run.text
    assert not pending_files(lost)
    lost.fails(10, "id", "remove", "--pending", key[:8], "--yes")


def test_a_key_is_removed_by_the_digits_that_are_printed(lost):
    """Fewer ones fit the only key by chance, and no digits fit any."""
    before = pending_files(lost)
    key = before[0].name.removeprefix(".pending-")
    for digits in ("", key[:1], key[:7]):
        assert "at least 8 digits" in lost.fails(64, "id", "remove", "--pending", digits, "--yes").err or not digits
    lost.fails(64, "id", "create", "--resume", "--pending", "")
    assert pending_files(lost) == before
    lost.ok("id", "remove", "--pending", key[:8], "--yes")
    assert not pending_files(lost)


def test_damaged_one(lost):
    [path] = pending_files(lost)
    content = path.read_bytes()
    path.write_bytes(flipped(content))
    err = lost.fails(65, "id", "create", "--resume").err
    assert "id remove --pending" in err
    lost.ok("id", "remove", "--pending", path.name[9:17], "--yes")


def test_a_keystore_with_a_pending_key_keeps_its_master_key(lost, write):
    key_file = write("master_key.dat", bytes.fromhex("00000a2800000a2400000a20") + bytes(32))
    before = snapshot(lost.keystore)
    lost.fails(17, "key", "import", key_file)
    assert snapshot(lost.keystore) == before


# Killed at any call


@pytest.fixture
def traced():
    injection.require_tracing()


def test_killed(traced, keytool, id_directory, at, tmp_path):
    """Afterwards the keystore has the key that the directory has, once, or nothing was sent."""
    create = ["id", "create", *at]
    points = injection.points(keytool, *create)
    assert {"openat", "write", "fsync"} <= {point.call for point in points}
    states = set()
    for number, point in enumerate(points):
        id_directory.reset()
        machine = keytool.with_keystore(tmp_path / f"killed-{number}")
        injection.kill(machine, point, *create)
        words = f"killed at {point} after {id_directory.asked}"
        is_pending = bool(pending_files(machine))
        states.add((is_pending, bool(identities(machine)), len(id_directory.asked)))
        if is_pending:
            machine.ok("id", "create", "--resume")
        elif not identities(machine):
            assert not id_directory.asked, words
            machine.ok("id", "create", *at)
        assert not pending_files(machine), words
        [id] = identities(machine)
        assert id_directory.identities[id].public_key == public_key(machine, id), words
        assert {known.public_key for known in id_directory.identities.values()} == {public_key(machine, id)}, words
        assert machine.json("id", "list")["identities"][0]["id"] == id, words
        left = [path.name for path in machine.keystore.rglob(".*")]
        assert not left, f"{words}: {left}"
    # Before the request, during it, after it, and with both there.
    assert {(False, False, 0), (True, False, 0), (True, False, 2), (True, True, 2)} <= states, states
