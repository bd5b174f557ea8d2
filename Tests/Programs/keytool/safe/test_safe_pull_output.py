"""safe pull to a file, to a pipe, as a summary: nothing of it is stored."""

import json
import os
import stat

import pytest

from kit import identityfiles, oracle
from kit.known import EMPTY_KEYSTORE, SAFE_PASSWORD
from kit.runner import snapshot

IDENTITY = oracle.Identity("ABCD1234", bytes(range(32)))
KEYS = oracle.safe_keys(SAFE_PASSWORD, IDENTITY.id)
DOCUMENT = oracle.safe_document(
    IDENTITY.client_key,
    contacts=[{"identity": "ECHOECHO", "verification": 2},
              {"identity": "*SUPPORT", "verification": 1}])


@pytest.fixture
def filled(directory):
    """The Safe directory with a backup that an app has written."""
    directory.prepare().put(KEYS, oracle.seal_safe(DOCUMENT, KEYS))
    return directory


@pytest.fixture
def pull(filled, safe_password):
    """The arguments of a pull on a machine that knows nothing."""
    return ["safe", "pull", "--id", IDENTITY.id, "--server", filled.url, *safe_password]


def test_document_without_the_private_key(keytool, pull, tmp_path):
    target = tmp_path / "document.json"
    keytool.ok(*pull, "-o", target, umask=0)
    assert stat.S_IMODE(target.lstat().st_mode) == 0o600
    document = json.loads(target.read_bytes())
    assert "privatekey" not in document["user"]
    assert [one["identity"] for one in document["contacts"]] == ["ECHOECHO", "*SUPPORT"]
    assert document["settings"]["syncContacts"] is False
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_document_with_the_private_key_takes_one_more_word(keytool, pull, tmp_path):
    target = tmp_path / "document.json"
    keytool.ok(*pull, "-o", target, "--reveal-private-key")
    assert json.loads(target.read_bytes())["user"]["privatekey"] == (
        DOCUMENT["user"]["privatekey"])
    assert stat.S_IMODE(target.lstat().st_mode) == 0o600


LINKING = {**DOCUMENT, "user": {**DOCUMENT["user"], "temporaryDeviceGroupKeyTodoRemove": "3d" * 21 + "0="}}


@pytest.mark.parametrize("where", ["file", "pipe"])
def test_device_group_key_is_as_secret_as_the_private_key(keytool, directory, pull, tmp_path, where):
    directory.put(KEYS, oracle.seal_safe(LINKING, KEYS))
    target = tmp_path / "document.json" if where == "file" else "-"
    for more in [], ["--reveal-private-key"]:
        result = keytool.ok(*pull, "-o", target, "--force", *more)
        document = json.loads(target.read_bytes() if where == "file" else result.out)
        found = {name: value for name, value in document["user"].items() if name in LINKING["user"]}
        assert found == (LINKING["user"] if more else {})


def test_device_group_key_goes_through_the_keystore(keytool, directory, pull):
    directory.put(KEYS, oracle.seal_safe(LINKING, KEYS))
    keytool.ok(*pull)
    record = identityfiles.path(keytool.keystore, IDENTITY.id, "devicegroupkey")
    assert len(record.read_bytes()) == 28 + 32 + 16 and stat.S_IMODE(record.lstat().st_mode) == 0o600
    keytool.ok("safe", "push", "--force")
    pushed = oracle.open_safe(directory.backup(KEYS).read_bytes(), KEYS)
    assert pushed["user"] == LINKING["user"] and "keytool" in pushed
    directory.put(KEYS, oracle.seal_safe(DOCUMENT, KEYS))
    keytool.ok("safe", "pull")
    assert not record.exists()


@pytest.mark.parametrize("value", ["", "3d3d", "3d" * 21 + "0", "no key"])
def test_device_group_key_that_is_none(keytool, directory, pull, value):
    user = {**DOCUMENT["user"], "temporaryDeviceGroupKeyTodoRemove": value}
    directory.put(KEYS, oracle.seal_safe({**DOCUMENT, "user": user}, KEYS))
    refused = keytool.fails(65, *pull)
    assert "device group key" in refused.err and "--raw" in refused.err
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_document_on_a_pipe(keytool, pull):
    result = keytool.ok(*pull, "-o", "-")
    assert "privatekey" not in json.loads(result.out)["user"]
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_document_is_not_put_on_a_terminal(keytool, pull, terminal):
    run = terminal(*pull, "-o", "-")
    assert run.finish() == 64, run.text
    assert "ECHOECHO" not in run.text


def test_raw_bytes(keytool, directory, pull, tmp_path):
    target = tmp_path / "blob"
    keytool.ok(*pull, "--raw", "-o", target)
    assert target.read_bytes() == directory.backup(KEYS).read_bytes()
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_summary_alone(keytool, pull):
    done = keytool.json(*pull, "--show")
    assert (done["contacts"], done["stored"]) == (2, False)
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


@pytest.mark.parametrize("more", [[], ["--raw"], ["--json"], ["--reveal-private-key"]], ids=str)
def test_summary_that_cannot_be_written(keytool, pull, tmp_path, more):
    """The command has failed, so it leaves no file."""
    target = tmp_path / "document.json"
    with open("/dev/full", "wb") as full:
        result = keytool(*pull, "-o", target, *more, stdout=full)
        assert result.code == 74 and not target.exists(), result
        target.write_text("old")
        result = keytool(*pull, "-o", target, "--force", *more, stdout=full)
        assert result.code == 74 and target.exists(), result
    keytool.ok(*pull, "-o", target, "--force", "--quiet")


def test_output_file_that_exists(keytool, pull, write):
    target = write("document.json", "precious")
    keytool.fails(17, *pull, "-o", target)
    assert target.read_text() == "precious"
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_output_is_no_fifo(keytool, pull, tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    keytool.fails((17, 73), *pull, "-o", fifo)
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE
