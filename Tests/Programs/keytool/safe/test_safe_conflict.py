"""A push that finds another backup than its own does not overwrite it."""

import base64
import re
import threading
import time

import pytest

from kit import history, oracle
from kit.processes.injection import without_waiting
from kit.runner import snapshot


@pytest.fixture
def other(safe, other_keytool, safe_password):
    """A second machine that pulled the same Safe."""
    safe.push()
    other_keytool.ok("safe", "pull", "--id", safe.id, "--server", safe.directory.url, *safe_password)
    return other_keytool


def test_newer_backup_of_another_keystore_is_not_overwritten(safe, other):
    other.ok("safe", "push", "--force")
    before = snapshot(safe.directory.path)
    result = safe.keytool.fails(20, "safe", "push", "--force")
    assert "pull" in result.err and "--overwrite" in result.err
    assert snapshot(safe.directory.path) == before
    error = safe.keytool.fails(20, "safe", "push", "--force", "--json").error
    assert error["name"] == "conflict"
    assert snapshot(safe.directory.path) == before


def test_conflict_ends_with_a_pull_or_with_overwrite(safe, other):
    other.ok("safe", "push", "--force")
    safe.keytool.ok("safe", "pull")
    assert safe.push("--force")["result"] == "uploaded"
    other.fails(20, "safe", "push", "--force")
    before = safe.blob
    result = other.ok("safe", "push", "--overwrite", "--json")
    assert (result.json["result"], result.json["reason"]) == ("uploaded", "replaced_foreign")
    assert safe.blob != before and before in history.kept(other, safe.id)


def test_overwrite_is_for_one_identity(safe, other):
    other.ok("safe", "push", "--force")
    before = safe.blob
    safe.keytool.fails(64, "safe", "push", "--all", "--overwrite")
    assert safe.blob == before


def test_backup_of_an_app_is_not_overwritten(safe):
    safe.push()
    key = base64.b64decode(safe.document["user"]["privatekey"])
    safe.directory.put(safe.keys, oracle.seal_safe(oracle.safe_document(key), safe.keys))
    before = safe.blob
    safe.keytool.fails(20, "safe", "push", "--force")
    assert safe.blob == before


def test_first_push_does_not_overwrite_a_backup_either(safe):
    safe.directory.put(safe.keys, oracle.seal_safe(oracle.safe_document(bytes(32)), safe.keys))
    before = safe.blob
    safe.keytool.fails(20, "safe", "push")
    assert safe.blob == before
    assert safe.push("--overwrite")["result"] == "uploaded"


def test_what_does_not_authenticate_is_overwritten_and_said(safe):
    """At once, as no backup is expected there yet."""
    noise = b"not a backup at all, and long enough to hold nonce and tag"
    safe.directory.put(safe.keys, noise)
    result = safe.keytool.ok("safe", "push")
    assert "uploaded" in result.out
    assert "damaged" in result.err and "replaced" in result.err
    assert safe.document["info"]["version"] == 1
    assert safe.kept == [noise]


def test_damaged_backup_is_replaced_after_a_second_look(safe):
    safe.push()
    damaged = safe.blob[:-1]
    safe.directory.put(safe.keys, damaged)
    result = without_waiting(safe.keytool).ok("safe", "push", "--force", "--json")
    assert (result.json["result"], result.json["reason"]) == ("restored", "replaced_damaged")
    assert "damaged" in result.err
    assert safe.document["info"]["version"] == 1 and safe.kept == [damaged]


def test_backup_that_went_missing_is_uploaded_by_force(safe):
    safe.push()
    safe.directory.backup(safe.keys).unlink()
    shown = without_waiting(safe.keytool).json("safe", "push", "--force")
    assert (shown["result"], shown["reason"]) == ("restored", "replaced_missing")
    assert safe.directory.names() == [safe.keys.backup_id]
    safe.directory.backup(safe.keys).unlink()
    told = without_waiting(safe.keytool).ok("safe", "push", "--force").out
    assert re.match(r"uploaded [\d.]+ \w+ again to file:", told), told


def test_backup_that_comes_back_between_two_looks_is_not_replaced(safe, other):
    """The one test that waits: something that another device writes within the 5 seconds counts."""
    safe.push("--force")
    own = safe.directory.backup(safe.keys)
    away = own.rename(own.with_name("away"))
    state, start = safe.record("state.json"), time.monotonic()
    running = safe.keytool.start("safe", "push", "--force")
    while b'"finding":"missing"' not in state.read_bytes():
        assert time.monotonic() < start + 60
        time.sleep(0.05)
    own.write_bytes(oracle.seal_safe(oracle.safe_document(bytes(32)), safe.keys))
    away.unlink()
    before = safe.blob
    result = safe.keytool.finish(running)
    assert result.code == 20 and safe.blob == before, result
    assert time.monotonic() - start > 4.5


def test_two_pushes_at_once(safe):
    results = []
    threads = [threading.Thread(target=lambda: results.append(safe.push("--force")))
               for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    generations = sorted(one["backup"]["generation"] for one in results)
    assert generations == [generations[0], generations[0] + 1]
    assert safe.document["keytool"]["generation"] == generations[1]


def test_pull_keeps_what_another_device_has_replaced(safe):
    """An app writes over an upload without reading it: nobody but this keystore has it then."""
    safe.push()
    app = oracle.seal_safe(oracle.safe_document(base64.b64decode(safe.document["user"]["privatekey"])), safe.keys)
    safe.keytool.ok("contact", "add", "CONTACTB", "22" * 32)
    safe.push("--force")
    safe.directory.put(safe.keys, app)
    safe.keytool.fails(20, "safe", "push", "--force")
    safe.keytool.ok("safe", "pull")
    (kept,) = safe.keytool.json("safe", "history")["backups"][:1]
    assert (kept["contacts"], kept["origin"], kept["opens"]) == (1, "replaced", True)
    # So is what was pulled and not changed: it is not there any more.
    count = len(history.kept(safe.keytool, safe.id))
    safe.directory.put(safe.keys, oracle.seal_safe({**oracle.open_safe(app, safe.keys), "contacts": []}, safe.keys))
    safe.keytool.ok("safe", "pull")
    assert len(history.kept(safe.keytool, safe.id)) == count + 1
    safe.keytool.ok("safe", "pull", "--from", str(kept["number"]))
    assert "CONTACTB" in safe.keytool.ok("contact", "list").out


@pytest.mark.parametrize("machine, command", [
    ("other", ["pull"]), ("own", ["pull"]), ("own", ["pull", "--id", "ABCD1234", "--replace"])], ids=str)
def test_a_pull_that_empties_the_profile_keeps_it(safe, other, safe_password, machine, command):
    """The hint of a 20 leads there; and the device that has written since may have lost everything, too."""
    for n in range(8):
        safe.keytool.ok("contact", "add", f"FRIEND0{n}", f"{n + 11:02}" * 32)
    safe.push("--force")
    other.ok("safe", "pull")
    emptied = oracle.safe_document(base64.b64decode(safe.document["user"]["privatekey"]))
    safe.directory.put(safe.keys, oracle.seal_safe(emptied, safe.keys))
    keytool = other if machine == "other" else safe.keytool
    if command == ["pull"]:
        assert "safe pull" in keytool.fails(20, "safe", "push", "--force").err
    else:
        command = [*command, "--server", safe.directory.url, *safe_password]
    keytool.ok("safe", *command)
    assert keytool.ok("contact", "list").out == ""
    (kept,) = keytool.json("safe", "history")["backups"][:1]
    assert (kept["contacts"], kept["origin"]) == (8, "replaced")


@pytest.mark.parametrize("reads_back", [False, True], ids=["", "read back"])
def test_a_backup_that_was_counted_beside_the_own_one(safe, other, reads_back):
    """The server was restored from an older copy, and another machine has counted on from that: same number, less in it."""
    before = safe.blob
    safe.keytool.ok("contact", "add", "CONTACTB", "22" * 32)
    safe.push("--force")
    if reads_back:
        safe.keytool.ok("safe", "pull")
    safe.directory.put(safe.keys, before)
    other.ok("safe", "push", "--force")
    result = safe.keytool.fails(20, "safe", "push", "--force")
    assert "safe pull" in result.err
    refused = safe.keytool.fails(19, "safe", "pull")
    assert "but another one with this number was seen before" in refused.err and "--overwrite" in refused.err
    assert "CONTACTB" in safe.keytool.ok("contact", "list").out
    safe.keytool.ok("safe", "push", "--overwrite")
    safe.keytool.ok("safe", "check")


def test_an_upload_that_is_missing_may_have_moved(safe, other, given):
    """Another machine has changed the password: this one does not see that, and goes on under the old one."""
    other.ok("safe", "passwd", *given("new-safe-password", "another-horse-5"))
    safe.push()
    result = without_waiting(safe.keytool).ok("safe", "push", "--force", "-q")
    assert "If another machine has changed the Safe password or the server" in result.err


def test_turns_of_two_machines_and_a_phone(safe, other):
    """What was pulled and not changed may be what another machine has counted on from: nothing is refused."""
    safe.push("--force")
    phone = oracle.seal_safe(oracle.safe_document(base64.b64decode(safe.document["user"]["privatekey"])), safe.keys)
    safe.directory.put(safe.keys, phone)
    safe.keytool.ok("safe", "pull")
    other.ok("safe", "pull")
    other.ok("contact", "add", "CONTACTB", "22" * 32)
    other.ok("safe", "push", "--force")
    safe.keytool.fails(20, "safe", "push", "--force")
    safe.keytool.ok("safe", "pull")
    assert "CONTACTB" in safe.keytool.ok("contact", "list").out


def test_the_way_after_the_password_was_changed_on_two_machines(safe, other, given):
    new = given("new-safe-password", "another-horse-5")
    safe.keytool.ok("contact", "add", "CONTACTB", "22" * 32)
    safe.keytool.ok("safe", "passwd", *new)
    other.ok("contact", "add", "CONTACTC", "33" * 32)
    hint = other.fails(20, "safe", "passwd", *new).err
    assert "keytool safe pull --id ABCD1234 --server URL restores it here first" in hint
    pull = ["safe", "pull", "--id", "ABCD1234", "--server", safe.directory.url, "--safe-password-file", new[1]]
    other.fails(17, *pull)
    said = other.ok(*pull, "--replace").err
    assert "another Safe password" in said and "setup --name" not in said
    other.ok("safe", "passwd", *new)
    assert "CONTACTB" in other.ok("contact", "list").out
