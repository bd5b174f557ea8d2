"""A damaged record of an identity: every state can be repaired, by each of the commands that a hint names."""

import base64

import pytest

from kit import oracle
from kit.damage import flipped
from kit.known import SAFE_PASSWORD
from kit.runner import snapshot

IDENTITY = oracle.Identity("ABCD1234", bytes(range(32)))
KEYS = oracle.safe_keys(SAFE_PASSWORD, IDENTITY.id)
CONTACTS = [{"identity": "ECHOECHO", "verification": 2}]
BLOB = oracle.seal_safe(oracle.safe_document(IDENTITY.client_key, contacts=CONTACTS), KEYS)
PULL = ["safe", "pull", "--id", IDENTITY.id]


def damage(machine, record):
    file = machine.record(record)
    content = file.read_bytes()
    file.write_bytes(flipped(content))


@pytest.fixture
def machine(pulled):
    """Pulled and pushed, so that the profile has a contact and the state a journal."""
    machine = pulled("one", BLOB)
    machine.push("--force")
    return machine


def refused(machine, record, *command):
    """The hint of the command, which changes nothing."""
    before = snapshot(machine.keytool.keystore, without=("lock", "state.json"))
    error = machine.keytool.fails(65, *command, "--json").error
    assert f'"{record}"' in error["message"], error
    assert snapshot(machine.keytool.keystore, without=("lock", "state.json")) == before
    return error["hint"]


def is_sound(machine):
    """The identity with its contact; the next push needs no consent."""
    assert machine.keytool.json("id", "show")["public_key"] == IDENTITY.public_key
    machine.keytool.ok("safe", "push", "--force")
    assert base64.b64decode(machine.document["user"]["privatekey"]) == IDENTITY.client_key
    return [one["identity"] for one in machine.document["contacts"]] == ["ECHOECHO"]


# The setup


@pytest.mark.parametrize("command", [
    ["safe", "push"], ["safe", "check"], ["safe", "status"], ["safe", "pull"], ["safe", "delete", "--yes"],
    ["safe", "delete", "--yes", "--force", "--keep-setup"]], ids=" ".join)
def test_setup_names_the_ways_out(machine, command):
    damage(machine, "safe")
    hint = refused(machine, "safe", *command)
    assert "keytool safe delete --force ABCD1234" in hint and "keytool safe setup ABCD1234" in hint
    assert "keytool safe pull --id ABCD1234 --server URL --replace" in hint


def test_setup_over_a_damaged_one_says_so(machine, safe_password):
    damage(machine, "safe")
    refused(machine, "safe", "safe", "setup", "--server", machine.directory.url, *safe_password)


def test_setup_is_forgotten(machine, safe_password):
    damage(machine, "safe")
    on_server = snapshot(machine.directory.path)
    result = machine.keytool.ok("safe", "delete", "--force", "--yes", "ABCD1234")
    assert result.out.startswith("forgot the damaged Safe setup of ABCD1234")
    assert "warning" in result.err and "may remain on a server" in result.err
    assert snapshot(machine.directory.path) == on_server and not machine.record("safe").exists()
    machine.keytool.fails(10, "safe", "delete", "--force", "--yes")
    # The way on that the hint names; what lies on the server is another writer's now.
    result = machine.keytool.ok("safe", "setup", "ABCD1234", "--server", machine.directory.url, *safe_password)
    assert "keytool safe pull ABCD1234" in result.err
    machine.keytool.ok("safe", "pull", "ABCD1234")
    assert is_sound(machine)


def test_setup_is_forgotten_in_json(machine):
    damage(machine, "safe")
    shown = machine.keytool.json("safe", "delete", "--force", "--yes")
    assert (shown["id"], shown["deleted"], shown["setup_kept"]) == ("ABCD1234", False, False)
    assert "server" not in shown and "was_there" not in shown, "nobody knows"


def test_a_sound_setup_is_deleted_as_ever(machine):
    shown = machine.keytool.json("safe", "delete", "--force", "--yes")
    assert (shown["deleted"], shown["was_there"]) == (True, True)


def test_setup_is_replaced_by_a_pull(machine, safe_password):
    damage(machine, "safe")
    pull = [*PULL, "--server", machine.directory.url, *safe_password]
    refused(machine, "safe", *pull)
    result = machine.keytool.ok(*pull, "--replace")
    assert 'the record "safe" of ABCD1234 was damaged; it was replaced' in result.err
    assert machine.push()["result"] in ("unchanged", "uploaded")
    assert is_sound(machine)


def test_setup_is_removed_by_a_pull_that_keeps_none(machine, safe_password):
    damage(machine, "safe")
    machine.keytool.ok(*PULL, "--server", machine.directory.url, *safe_password, "--replace", "--no-setup")
    assert not machine.record("safe").exists()
    machine.keytool.fails(10, "safe", "push")


# The profile


def test_profile_names_the_ways_out(machine):
    damage(machine, "profile")
    for command in (["safe", "push", "--force"], ["safe", "pull"], ["safe", "check"]):
        hint = refused(machine, "profile", *command)
        assert "keytool safe pull --replace ABCD1234" in hint and "keytool backup export ABCD1234" in hint


def test_profile_is_replaced_by_a_pull(machine):
    damage(machine, "profile")
    result = machine.keytool.ok("safe", "pull", "--replace", "ABCD1234")
    assert 'the record "profile" of ABCD1234 was damaged; it was replaced' in result.err
    assert is_sound(machine)


def test_profile_is_replaced_by_a_pull_with_the_password(machine, safe_password):
    damage(machine, "profile")
    pull = [*PULL, "--server", machine.directory.url, *safe_password]
    refused(machine, "profile", *pull)
    machine.keytool.ok(*pull, "--replace")
    assert is_sound(machine)


def test_profile_without_a_backup(machine, backup_password):
    damage(machine, "profile")
    machine.directory.backup(KEYS).unlink()
    assert machine.keytool("safe", "pull", "--replace").code == 10
    code = machine.keytool.ok("backup", "export", "ABCD1234", *backup_password).out
    machine.keytool.ok("id", "remove", "--yes", "ABCD1234")
    machine.keytool.ok("backup", "import", "-", *backup_password, stdin=code)
    assert machine.keytool.json("id", "show")["public_key"] == IDENTITY.public_key


# The identity


def test_identity_names_the_ways_out(machine):
    damage(machine, "identity")
    for command in (["safe", "push"], ["id", "show"], ["safe", "pull", "--replace"]):
        hint = refused(machine, "identity", *command)
        assert "keytool backup import --replace" in hint
        assert "keytool safe pull --replace --replace-key ABCD1234 ABCD1234" in hint


def test_identity_is_replaced_by_its_code(machine, backup_password):
    code = machine.keytool.ok("backup", "export", *backup_password).out
    damage(machine, "identity")
    machine.keytool.ok("backup", "import", "--replace", "-", *backup_password, stdin=code)
    assert is_sound(machine)


def test_identity_is_replaced_by_a_pull(machine):
    damage(machine, "identity")
    result = machine.keytool.ok("safe", "pull", "--replace", "--replace-key", "ABCD1234", "ABCD1234")
    assert 'the record "identity" of ABCD1234 was damaged; it was replaced' in result.err
    assert is_sound(machine)


def test_everything_is_replaced_by_a_pull(machine, safe_password):
    for record in ("safe", "profile", "identity"):
        damage(machine, record)
    machine.keytool.ok(
        *PULL, "--server", machine.directory.url, *safe_password, "--replace", "--replace-key", "ABCD1234")
    assert is_sound(machine)


def test_another_key_is_still_refused(machine, safe_password):
    """Damage elsewhere is no consent to another private key."""
    other = oracle.seal_safe(oracle.safe_document(bytes(32), contacts=CONTACTS), KEYS)
    machine.directory.put(KEYS, other)
    for record in ("profile", "safe"):
        damage(machine, record)
        before = snapshot(machine.keytool.keystore, without=("lock", "state.json"))
        for command in ([*PULL, "--server", machine.directory.url, *safe_password], ["safe", "pull"]):
            assert machine.keytool(*command, "--replace").code in (17, 65)
        assert snapshot(machine.keytool.keystore, without=("lock", "state.json")) == before


# Removing


@pytest.mark.parametrize("record", ["safe", "profile", "identity"])
def test_a_damaged_identity_is_removed(machine, record):
    damage(machine, record)
    on_server = snapshot(machine.directory.path)
    result = machine.keytool.ok("id", "remove", "--yes", "ABCD1234")
    assert ("damaged setup" in result.err) == (record == "safe")
    assert (str(machine.directory.path) in result.err) == (record != "safe")
    assert snapshot(machine.directory.path) == on_server
    assert machine.keytool.json("id", "list")["identities"] == []


def test_an_identity_with_a_damaged_commit_is_removed(machine):
    machine.record("commit").write_bytes(b"no commit")
    machine.record("commit").chmod(0o600)
    hint = refused(machine, "commit", "safe", "push")
    # The private key beside it may be the only one: nobody is told to remove it.
    assert "id remove" not in hint and "move the file identities/threema/ABCD1234/commit" in hint
    kept = machine.record("commit").rename(machine.keytool.home / "commit")
    machine.keytool.ok("id", "show", "ABCD1234")
    kept.rename(machine.record("commit"))
    machine.keytool.ok("id", "remove", "--yes", "ABCD1234")
    assert machine.keytool.json("id", "list")["identities"] == []
