"""A keystore that was copied to a second machine is another device, though it has the same keys."""

import base64
import shutil

import pytest

from kit import oracle
from kit.known import SAFE_PASSWORD
from kit.runner import snapshot
from kit.servers.safedirectory import SafeSetup
from kit.stages.edit import contacts_of, document, edit


@pytest.fixture
def pair(safe, other_keytool):
    """The same keystore twice; the first has pushed more often."""
    safe.push()
    shutil.copytree(safe.keytool.keystore, other_keytool.keystore, dirs_exist_ok=True)
    for _ in range(3):
        safe.push("--force")
    return safe, SafeSetup(other_keytool, safe.directory, safe.id, SAFE_PASSWORD)


def newer_with_lower_number(first, second):
    """The second goes on from an app's backup, which has no number."""
    key = base64.b64decode(first.document["user"]["privatekey"])
    first.directory.put(first.keys, oracle.seal_safe(document(key, {"PPPP0001"}), first.keys))
    second.keytool.ok("safe", "pull")
    edit(second, "PPPP0001", "SECOND02")
    second.push("--force")
    assert contacts_of(first.document) == {"PPPP0001", "SECOND02"}


def test_newer_backup_with_a_lower_number_is_not_overwritten(pair):
    first, second = pair
    newer_with_lower_number(first, second)
    edit(first, "FIRST001")
    before = snapshot(first.directory.path)
    first.keytool.fails(20, "safe", "push", "--force")
    assert snapshot(first.directory.path) == before


def test_backup_written_to_an_emptied_server_is_not_overwritten(pair):
    first, second = pair
    first.directory.backup(first.keys).unlink()
    second.push("--force")
    edit(second, "SECOND02")
    second.push("--force")
    before = snapshot(first.directory.path)
    first.keytool.fails(20, "safe", "push", "--force")
    assert snapshot(first.directory.path) == before
