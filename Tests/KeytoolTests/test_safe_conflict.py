"""Never over somebody else's backup: what a push does when it finds another than its own."""

import base64
import threading

import pytest

import oracle
from runner import snapshot


@pytest.fixture
def other(safe, other_keytool, safe_password):
    """A second machine that pulled the same Safe."""
    safe.push()
    other_keytool.ok("safe", "pull", "--id", safe.id, "--server", safe.folder.url, *safe_password)
    return other_keytool


def test_newer_backup_of_another_keystore_is_not_overwritten(safe, other):
    other.ok("safe", "push", "--force")
    before = snapshot(safe.folder.path)
    result = safe.keytool.fails(20, "safe", "push", "--force")
    assert "pull" in result.err and "--overwrite" in result.err
    assert snapshot(safe.folder.path) == before
    error = safe.keytool.fails(20, "safe", "push", "--force", "--json").error
    assert error["name"] == "conflict"
    assert snapshot(safe.folder.path) == before


def test_conflict_ends_with_a_pull_or_with_overwrite(safe, other):
    other.ok("safe", "push", "--force")
    safe.keytool.ok("safe", "pull")
    assert safe.push("--force")["result"] == "uploaded"
    other.fails(20, "safe", "push", "--force")
    before = safe.blob
    other.ok("safe", "push", "--force", "--overwrite")
    assert safe.blob != before


def test_backup_of_an_app_is_not_overwritten(safe):
    safe.push()
    key = base64.b64decode(safe.document["user"]["privatekey"])
    safe.folder.put(safe.keys, oracle.seal_safe(oracle.safe_document(key), safe.keys))
    before = safe.blob
    safe.keytool.fails(20, "safe", "push", "--force")
    assert safe.blob == before


def test_first_push_does_not_overwrite_a_backup_either(safe):
    safe.folder.put(safe.keys, oracle.seal_safe(oracle.safe_document(bytes(32)), safe.keys))
    before = safe.blob
    safe.keytool.fails(20, "safe", "push")
    assert safe.blob == before
    assert safe.push("--overwrite")["result"] == "uploaded"


def test_what_does_not_authenticate_is_overwritten_and_said(safe):
    safe.folder.put(safe.keys, b"not a backup at all, and long enough to hold nonce and tag")
    result = safe.keytool.ok("safe", "push")
    assert "uploaded" in result.out
    assert "overw" in result.out + result.err
    assert safe.document["info"]["version"] == 1


def test_backup_that_went_missing_is_uploaded_by_force(safe):
    safe.push()
    safe.folder.backup(safe.keys).unlink()
    assert safe.push("--force")["result"] == "uploaded"
    assert safe.folder.names() == [safe.keys.backup_id]


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
