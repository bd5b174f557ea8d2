"""state.json put where it does not belong, and older copies of the whole keystore: no upload that
is due is skipped in silence, and nothing newer is overwritten."""

import shutil
from datetime import datetime, timedelta, timezone

import pytest

from kit import oracle
from kit.known import SAFE_PASSWORD
from kit.processes.clock import Clocked
from kit.processes.injection import without_waiting
from kit.runner import snapshot
from kit.servers.safedirectory import SafeDirectory, SafeSetup
from kit.stages.edit import contacts_of, document, edit

PRIVATE_KEY = bytes(range(32))


# Put elsewhere


def put_elsewhere(safe, directory, safe_password):
    """Gives the state of the first server; the Safe is now set up on the second."""
    safe.push()
    state = safe.record("state.json").read_bytes()
    safe.keytool.ok("safe", "delete", "--yes")
    directory.path.mkdir()
    safe.keytool.ok("safe", "setup", "--create", "--server", directory.url, *safe_password)
    safe.record("state.json").write_bytes(state)
    return SafeSetup(safe.keytool, directory, safe.id, SAFE_PASSWORD)


def test_state_of_another_server(safe, tmp_path, safe_password):
    second = SafeDirectory(tmp_path / "second-server")
    machine = put_elsewhere(safe, second, safe_password)
    assert machine.keytool.json("safe", "status").get("uploaded_at") is None
    assert machine.push()["result"] == "uploaded"
    assert second.names() == [machine.keys.backup_id]


def test_state_of_another_server_and_a_backup_of_another_device(safe, tmp_path, safe_password):
    """It does not pass for having seen what is on this one."""
    second = SafeDirectory(tmp_path / "second-server")
    machine = put_elsewhere(safe, second, safe_password)
    second.put(machine.keys, oracle.seal_safe(document(PRIVATE_KEY, {"ECHOECHO"}), machine.keys))
    before = machine.blob
    machine.keytool.fails(20, "safe", "push")
    assert machine.blob == before


def test_state_of_another_identity(safe, safe_password):
    safe.push()
    safe.keytool.ok("id", "create", "--id", "ZZZZ9999")
    safe.keytool.ok("safe", "setup", "ZZZZ9999", "--server", safe.directory.url, *safe_password)
    other = SafeSetup(safe.keytool, safe.directory, "ZZZZ9999", SAFE_PASSWORD)
    shutil.copy(safe.record("state.json"), other.record("state.json"))
    assert other.push("ZZZZ9999")["result"] == "uploaded"
    assert len(safe.directory.names()) == 2


def test_state_of_another_keystore(safe, other_keytool, safe_password):
    safe.push()
    other_keytool.ok("safe", "pull", "--id", safe.id, "--server", safe.directory.url, *safe_password)
    other = SafeSetup(other_keytool, safe.directory, safe.id, SAFE_PASSWORD)
    shutil.copy(safe.record("state.json"), other.record("state.json"))
    assert other_keytool.json("safe", "status").get("uploaded_at") is None
    safe.directory.backup(safe.keys).unlink()
    assert other.push()["result"] == "uploaded"


@pytest.mark.parametrize("thing", ["directory", "link", "link to nothing", "second name", "large"])
def test_state_that_is_no_file_of_ours(safe, tmp_path, thing):
    """Refused aloud, or none: an upload that is due is not skipped in silence."""
    safe.push()
    state, elsewhere = safe.record("state.json"), tmp_path / "elsewhere"
    if thing == "directory":
        state.unlink()
        state.mkdir(mode=0o700)
    elif thing == "large":
        state.write_bytes(b" " * (20 << 20) + state.read_bytes())
    elif thing == "second name":
        elsewhere.hardlink_to(state)
    else:
        state.rename(elsewhere)
        state.symlink_to(elsewhere)
        if thing == "link to nothing":
            elsewhere.unlink()
    safe.directory.backup(safe.keys).unlink()
    result = safe.keytool("safe", "push", "--json")
    if result.code == 0:
        assert result.json["result"] == "uploaded"
        assert safe.directory.names() == [safe.keys.backup_id]
    else:
        assert result.error["code"] == 77, result


# An older copy of the whole keystore


@pytest.fixture
def old_copy(safe, tmp_path):
    """The keystore as it was before its last change and push, in its place again."""
    safe.push()
    edit(safe, "ECHOECHO")
    safe.push("--force")
    kept = tmp_path / "kept"
    shutil.copytree(safe.keytool.keystore, kept)
    edit(safe, "ECHOECHO", "NEWER111")
    safe.push("--force")
    shutil.rmtree(safe.keytool.keystore)
    kept.rename(safe.keytool.keystore)
    return safe


def test_older_keystore_does_not_overwrite_what_is_newer(old_copy):
    before = snapshot(old_copy.directory.path)
    old_copy.keytool.fails(20, "safe", "push", "--force")
    old_copy.keytool.fails(20, "safe", "push")
    assert snapshot(old_copy.directory.path) == before
    assert contacts_of(old_copy.document) == {"ECHOECHO", "NEWER111"}


def test_older_keystore_finds_out_within_a_week(old_copy):
    """As if nothing had changed, it looks after seven days, and then it says so."""
    later = Clocked(old_copy.keytool, datetime.now(timezone.utc) + timedelta(days=7, minutes=1))
    before = snapshot(old_copy.directory.path)
    later.fails(20, "safe", "push")
    assert snapshot(old_copy.directory.path) == before


def test_older_keystore_that_is_changed(old_copy):
    edit(old_copy, "ECHOECHO", "ALSO1111")
    before = snapshot(old_copy.directory.path)
    tomorrow = Clocked(old_copy.keytool, datetime.now(timezone.utc) + timedelta(days=1))
    tomorrow.fails(20, "safe", "push")
    old_copy.keytool.fails(17, "safe", "pull")
    assert snapshot(old_copy.directory.path) == before


def test_older_keystore_pulls_and_goes_on(old_copy):
    generation = old_copy.document["keytool"]["generation"]
    old_copy.keytool.ok("safe", "pull")
    backup = old_copy.push("--force")["backup"]
    assert backup["generation"] == generation + 1
    assert contacts_of(old_copy.document) == {"ECHOECHO", "NEWER111"}


def test_older_keystore_on_an_emptied_server(old_copy):
    """Its backup is the only one left: better an old one than none."""
    old_copy.directory.backup(old_copy.keys).unlink()
    assert without_waiting(old_copy.keytool).json("safe", "push", "--force")["result"] == "restored"
    assert contacts_of(old_copy.document) == {"ECHOECHO"}
