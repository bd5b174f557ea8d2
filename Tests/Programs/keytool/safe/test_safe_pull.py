"""safe pull on an empty machine after a loss, and on a machine whose Safe is set up."""

import base64
import re
import shutil

import pytest

from kit import oracle
from kit.known import BACKUP_PASSWORD, EMPTY_KEYSTORE, SAFE_PASSWORD
from kit.runner import BUT_THE_FINDING, snapshot
from kit.servers.safedirectory import SafeDirectory
from kit.stages.edit import contacts_of, document

IDENTITY = oracle.Identity("ABCD1234", bytes(range(32)))
KEYS = oracle.safe_keys(SAFE_PASSWORD, IDENTITY.id)
DOCUMENT = oracle.safe_document(
    IDENTITY.client_key,
    contacts=[{"identity": "ECHOECHO", "verification": 2},
              {"identity": "*SUPPORT", "verification": 1}],
    groups=[{"id": "0100000000000000", "creator": "ECHOECHO", "groupname": "walkers",
             "members": ["ECHOECHO", "ABCD1234"], "deleted": False}],
    distributionlists=[{"name": "all", "members": ["ECHOECHO"]}])


@pytest.fixture
def filled(directory):
    """The Safe directory with a backup that an app has written."""
    directory.prepare().put(KEYS, oracle.seal_safe(DOCUMENT, KEYS))
    return directory


@pytest.fixture
def pull(filled, safe_password):
    """The arguments of a pull on a machine that knows nothing."""
    return ["safe", "pull", "--id", IDENTITY.id, "--server", filled.url, *safe_password]


def test_pull_on_an_empty_keystore(keytool, pull):
    done = keytool.json(*pull)
    assert done["command"] == "safe pull"
    assert (done["id"], done["public_key"]) == (IDENTITY.id, IDENTITY.public_key)
    assert (done["contacts"], done["groups"], done["distribution_lists"]) == (2, 1, 1)
    assert done["stored"] is True
    assert done["written_by"] != "keytool"
    assert keytool.json("id", "show")["public_key"] == IDENTITY.public_key
    assert keytool.json("id", "list")["identities"][0]["safe"] is True


def test_pull_in_words(keytool, pull):
    result = keytool.ok(*pull)
    assert "ABCD1234" in result.out
    assert "app" in result.out + result.err, "not written by keytool"
    assert base64.b64encode(IDENTITY.client_key).decode() not in result.out + result.err


def test_identity_is_whole(keytool, pull, backup_password):
    keytool.ok(*pull)
    code = keytool.json("backup", "export", *backup_password)["code"]
    assert oracle.open_code(code, BACKUP_PASSWORD) == IDENTITY


def test_pull_of_our_own_backup(safe, other_keytool, safe_password):
    generation = safe.push()["backup"]["generation"]
    done = other_keytool.json("safe", "pull", "--id", safe.id, "--server", safe.directory.url,
                              *safe_password)
    assert (done["written_by"], done["generation"]) == ("keytool", generation)
    assert done["public_key"] == safe.keytool.json("id", "show")["public_key"]


def test_pull_with_setup_needs_no_password(keytool, pull):
    keytool.ok(*pull)
    assert keytool.json("safe", "pull", "--no-input")["stored"] is True
    assert keytool.json("safe", "pull", "ABCD1234")["public_key"] == IDENTITY.public_key


def test_no_setup_leaves_the_setup_out(keytool, pull):
    keytool.ok(*pull, "--no-setup")
    assert keytool.json("id", "list")["identities"][0]["safe"] is False
    keytool.fails(10, "safe", "push")


def test_wrong_password_finds_nothing(keytool, filled, given):
    options = ["--id", IDENTITY.id, "--server", filled.url]
    result = keytool.fails(10, "safe", "pull", *options, *given("safe-password", b"nope-nope-nope"))
    assert "password" in result.err
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_wrong_id_finds_nothing(keytool, filled, safe_password):
    keytool.fails(10, "safe", "pull", "--id", "ABCD1235", "--server", filled.url, *safe_password)
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_pull_without_a_password(keytool, filled):
    result = keytool.fails(16, "safe", "pull", "--id", IDENTITY.id, "--server", filled.url)
    assert "afe password" in result.err


def test_directory_away(keytool, directory, pull):
    directory.go_away()
    keytool.fails(75, *pull)
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_directory_is_there_but_empty(keytool, filled, pull):
    """What a mount point looks like when nothing is mounted."""
    shutil.rmtree(filled.backups)
    filled.config.unlink()
    keytool.fails(15, *pull)
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_backup_went_missing(keytool, directory, pull):
    keytool.ok(*pull)
    directory.backup(KEYS).unlink()
    before = snapshot(keytool.keystore, BUT_THE_FINDING)
    keytool.fails(10, "safe", "pull")
    assert snapshot(keytool.keystore, BUT_THE_FINDING) == before


@pytest.mark.parametrize("id", ["abc", "ABCD123?", "../../..", ""])
def test_invalid_id(keytool, filled, safe_password, id):
    keytool.fails(64, "safe", "pull", "--id", id, "--server", filled.url, *safe_password)


# What is already in the keystore


def test_held_with_another_key(keytool, pull):
    keytool.ok("id", "create", "--id", IDENTITY.id)
    before = snapshot(keytool.keystore)
    for options in ([], ["--replace"]):
        error = keytool.fails(17, *pull, *options, "--json").error
        assert error["reason"] == "other_key" and f"--replace-key {IDENTITY.id}" in error["hint"]
        assert snapshot(keytool.keystore) == before
    keytool.fails(64, *pull, "--replace-key", "ZZZZ9999")
    assert snapshot(keytool.keystore) == before
    keytool.ok(*pull, "--replace-key", IDENTITY.id)
    assert keytool.json("id", "show")["public_key"] == IDENTITY.public_key


def test_another_key_in_the_backup_of_the_setup(safe):
    """The everyday pull, which asks for nothing: another key is never taken in passing."""
    safe.push()
    key = base64.b64encode(IDENTITY.client_key).decode()
    own = safe.document["user"]["privatekey"]
    foreign = oracle.seal_safe({**safe.document, "user": {"privatekey": key}}, safe.keys)
    safe.directory.put(safe.keys, foreign)
    before = snapshot(safe.keytool.keystore, BUT_THE_FINDING)
    for options in ([], ["--replace"]):
        assert safe.keytool.fails(17, "safe", "pull", *options, "--json").error["reason"] == "other_key"
        assert snapshot(safe.keytool.keystore, BUT_THE_FINDING) == before
    safe.keytool.fails(20, "safe", "push")  # what was seen is not forgotten
    safe.keytool.ok("safe", "pull", "--replace-key", safe.id)
    assert safe.keytool.json("id", "show")["public_key"] == IDENTITY.public_key
    # The key that was here is kept, as the backup that a push replaces is.
    (kept,) = safe.kept
    assert oracle.open_safe(kept, safe.keys)["user"]["privatekey"] == own
    assert safe.push("--force")["result"] == "uploaded" and sorted(safe.kept) == sorted([kept, foreign])


def test_fewer_contacts_than_before_are_said(keytool, filled, pull):
    keytool.ok(*pull)
    filled.put(KEYS, oracle.seal_safe({**DOCUMENT, "contacts": DOCUMENT["contacts"][:1]}, KEYS))
    result = keytool.ok("safe", "pull")
    assert "warning" in result.err and re.search(r"\b2 contacts .*\b1 now", result.err), result
    filled.put(KEYS, oracle.seal_safe(DOCUMENT, KEYS))
    assert "warning" not in keytool.ok("safe", "pull").err


def test_older_generation_than_seen(safe):
    safe.push()
    old = safe.blob
    safe.push("--force")
    safe.directory.put(safe.keys, old)
    before = snapshot(safe.keytool.keystore, BUT_THE_FINDING)
    assert safe.keytool.fails(19, "safe", "pull", "--json").error["reason"] == "older"
    assert snapshot(safe.keytool.keystore, BUT_THE_FINDING) == before
    assert safe.keytool.json("safe", "pull", "--replace")["stored"] is True


def test_pull_from_another_server_leaves_the_setup(safe, tmp_path, safe_password):
    safe.push()
    key = base64.b64decode(safe.document["user"]["privatekey"])
    (tmp_path / "second").mkdir()
    second = SafeDirectory(tmp_path / "second").prepare()
    there = oracle.seal_safe(document(key, ["ECHOECHO"]), safe.keys)
    second.put(safe.keys, there)
    safe.keytool.ok("safe", "pull", "--id", safe.id, "--server", second.url, *safe_password)
    assert safe.push()["result"] == "deferred", "that of the first server, where other contacts are"
    safe.push("--force")
    assert contacts_of(safe.document) == {"ECHOECHO"}
    assert second.backup(safe.keys).read_bytes() == there


def test_pull_after_a_change_of_the_password(safe, write):
    """The new place counts from one: nobody has put an older copy back."""
    for _ in range(3):
        safe.push("--force")
    safe.keytool.ok("safe", "passwd", "--new-safe-password-file", write("new", "another long password\n"))
    safe.keytool.ok("safe", "pull")
    assert safe.push()["result"] == "unchanged"
    safe.keytool.ok("safe", "pull")
