"""Results of commands stay out of the keystore: under --force one of them would replace a record."""

import errno
import os
import time

import pytest

from kit import agefile, mainkeys, telegram
from kit.mainkeys import KEY_ID, NONE
from kit.runner import snapshot

ID = "ABCD1234"
RECIPIENT = agefile.recipient_text(bytes(range(40, 72)))


@pytest.fixture
def held(keytool, given, write, tmp_path):
    """A keystore with an identity of each messenger, and what the commands read."""
    keytool.ok("id", "create", "--id", ID)
    mainkeys.put(keytool, KEY_ID, {NONE: mainkeys.KEY})
    telegram.tdata(tmp_path / "tdata", [telegram.Account({2: telegram.KEYS[0]}, user=7)])
    keytool.ok("telegram", "import", tmp_path / "tdata")
    return keytool


COMMANDS = {
    "backup export": ["backup", "export", ID, "--backup-password-file", "PASSWORD", "--force", "-o", "OUT"],
    "qr picture of a backup": ["backup", "export", ID, "--backup-password-file", "PASSWORD", "--force", "--qr-file",
                               "OUT.svg"],
    "sheet": ["backup", "export", ID, "--backup-password-file", "PASSWORD", "--force", "--sheet", "OUT.svg"],
    "backup kit": ["backup", "kit", ID, "--backup-password-file", "PASSWORD", "--force", "-o", "OUT.pdf"],
    "qr show": ["qr", "contact", ID, "--force", "--qr-file", "OUT.png"],
    "profile export": ["profile", "export", ID, "--force", "-o", "OUT"],
    "archive export": ["archive", "export", "--recipient", RECIPIENT, "--force", "-o", "OUT"],
    "telegram export": ["telegram", "export", "--recipient", RECIPIENT, "--force", "-o", "OUT"],
    "telegram protect": ["telegram", "protect", "KEY", "--recipient", RECIPIENT, "--force", "-o", "OUT"],
    "telegram unprotect": ["telegram", "unprotect", "KEY", "--yes", "--force", "-o", "OUT"],
    "mainkey export": ["mainkey", "export", "--recipient", RECIPIENT, "--force", "-o", "OUT"],
    "items": ["mainkey", "export", "--format", "v1", "--new-pin-file", "PASSWORD", "-o", "OUT"],
    "seal-value": ["mainkey", "seal-value", "KEY", "--name", "x", "--force", "-o", "OUT"],
}


@pytest.fixture
def command(write):
    """command(name, path) -> the words that write there."""
    files = {"PASSWORD": write("password", "seven grey cats"), "KEY": write("key", telegram.KEYS[0])}
    return lambda name, path: [
        files.get(word, str(path) + word[3:] if str(word).startswith("OUT") else word) for word in COMMANDS[name]]


@pytest.mark.parametrize("name", COMMANDS)
def test_result_in_the_keystore(held, command, tmp_path, name):
    """Named plainly, through a link, through "..", and in a directory of it."""
    (tmp_path / "link").symlink_to(held.keystore)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/link").symlink_to(held.keystore / "identities/threema" / ID)
    before = snapshot(held.keystore)
    for path in (held.keystore / "new", tmp_path / "link/new", tmp_path / "deep/link/new",
                 f"{tmp_path}/deep/../{held.keystore.name}/./new", held.keystore / "identities/new"):
        assert "inside the keystore" in held.fails(64, *command(name, path)).err
        assert snapshot(held.keystore) == before


@pytest.mark.parametrize("name", ["mainkey export", "profile export", "archive export"])
def test_records_are_not_replaced(held, command, name):
    before = snapshot(held.keystore)
    for path in ("master.key", "keystore", f"identities/threema/{ID}/identity"):
        held.fails(64, *command(name, held.keystore / path))
    assert snapshot(held.keystore) == before


@pytest.mark.parametrize("name", COMMANDS)
def test_result_beside_the_keystore(held, command, tmp_path, name):
    held.ok(*command(name, tmp_path / f"{held.keystore.name}-new"))


@pytest.mark.parametrize("force", [[], ["--force"]], ids=["new", "force"])
@pytest.mark.parametrize("name", ["master.key", "new"])
def test_link_turned_into_the_keystore_during_a_question(held, tmp_path, name, force):
    """The result is refused at its end, and nothing in the keystore is replaced or deleted."""
    (tmp_path / "out").mkdir()
    link, secret = tmp_path / "link", tmp_path / "secret"
    link.symlink_to(tmp_path / "out")
    os.mkfifo(secret, 0o600)
    before = snapshot(held.keystore)
    words = ["mainkey", "export", "--file-passphrase-file", secret, *force, "-o", link / name]
    run = held.start(*words)
    with answer(secret, run) as pipe:
        link.unlink()
        link.symlink_to(held.keystore)
        pipe.write(b"seven grey cats\n")
    result = held.finish(run, words)
    assert result.code == 64 and "inside the keystore" in result.err, result
    assert snapshot(held.keystore) == before
    assert list((tmp_path / "out").iterdir()) == []


def test_what_changes_no_content_is_no_other_file(held, tmp_path):
    """A new mode, or a hard link that a backup makes, during a question."""
    target, secret = tmp_path / "key.age", tmp_path / "secret"
    target.write_bytes(b"old")
    os.mkfifo(secret, 0o600)
    words = ["mainkey", "export", "--file-passphrase-file", secret, "--force", "-o", target]
    for change, code in ((lambda: target.chmod(0o640), 0), (lambda: os.link(target, tmp_path / "copy"), 0),
                         (lambda: target.write_bytes(b"new"), 17)):
        run = held.start(*words)
        with answer(secret, run) as pipe:
            change()
            pipe.write(b"seven grey cats\n")
        result = held.finish(run, words)
        assert result.code == code, result
    assert target.read_bytes() == b"new" and (tmp_path / "copy").read_bytes() != b"new"


def answer(pipe, run):
    """Opens a FIFO for writing as soon as `run` waits for what is in it."""
    while run.poll() is None:
        try:
            return open(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK), "wb")
        except OSError as error:
            assert error.errno == errno.ENXIO
            time.sleep(0.01)
    raise AssertionError(f"it has ended: {run.communicate()}")


def test_metrics_in_the_keystore(held, directory, safe_password):
    directory.prepare()
    held.ok("safe", "setup", ID, "--server", directory.url, *safe_password)
    before = snapshot(held.keystore)
    pushed = held.ok("safe", "push", "--metrics-file", held.keystore / "master.key")
    assert "inside the keystore" in pushed.err
    assert (held.keystore / "master.key").read_bytes() == before["master.key"][1]


@pytest.mark.parametrize("verb", ["setup", "move", "server"])
def test_safe_directory_in_the_keystore(held, directory, safe_password, tmp_path, verb):
    if verb != "setup":
        directory.prepare()
        held.ok("safe", "setup", ID, "--server", directory.url, *safe_password)
    words = {"setup": ["--create", *safe_password], "move": ["--create"], "server": []}[verb]
    (tmp_path / "link").symlink_to(held.keystore)
    before = snapshot(held.keystore)
    for path in (held.keystore / "safe", tmp_path / "link/safe/deep", held.keystore):
        error = held.fails(64, "safe", verb, ID, "--server", f"file://{path}", *words).err
        assert "inside the keystore" in error
    assert snapshot(held.keystore) == before
