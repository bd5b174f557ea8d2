"""A keystore that is moved away while a command asks: nothing is written to it, nor to what stands in its place."""

import shutil

import pytest

from kit import mainkeys
from kit.mainkeys import AGE_PIN, KEY_ID, PIN
from kit.runner import snapshot

ID = "ABCD1234"
PASSPHRASE = "four green boats sail"

# The command, and its questions with what is typed. The keystore is moved while the first one stands.
COMMANDS = {
    "wipe": (["mainkey", "wipe"], [(f"type {KEY_ID}: ", KEY_ID)]),
    "remove": (["id", "remove", ID], [(f"type {ID}: ", ID)]),
    "key protect": (["key", "protect"], [("passphrase: ", PASSPHRASE), ("again: ", PASSPHRASE)]),
    "protect none": (["mainkey", "protect", "none"], [(r"\[y/N\]", "y"), ("PIN for the MainKey .*: ", PIN.decode())]),
    "init": (["mainkey", "init", "--another"], [(r"Enter for none\): ", PIN.decode()), ("again: ", PIN.decode())]),
}


@pytest.fixture
def held(keytool):
    """A keystore with a Threema identity and a MainKey."""
    keytool.ok("id", "create", "--id", ID)
    mainkeys.put(keytool, KEY_ID, {AGE_PIN: mainkeys.under_pin(mainkeys.KEY)})
    return keytool


@pytest.mark.parametrize("is_replaced", [False, True], ids=["moved", "replaced"])
@pytest.mark.parametrize("name", COMMANDS)
def test_keystore_moved_during_a_question(held, terminal, tmp_path, name, is_replaced):
    keytool, (words, ((first, answer), *others)) = held, COMMANDS[name]
    moved = tmp_path / "moved"
    run = terminal(*words, runner=keytool)
    run.expect(first)
    keytool.keystore.rename(moved)
    if is_replaced:
        shutil.copytree(moved, keytool.keystore)
    before = snapshot(moved), snapshot(keytool.keystore)
    run.send(answer)
    for question, answer in others:
        run.expect(question)
        run.send(answer)
    assert run.finish() == 74, run.text
    assert "moved or replaced the keystore" in run.words
    assert (snapshot(moved), snapshot(keytool.keystore)) == before


def test_keystore_behind_a_link_that_is_turned(held, terminal, tmp_path):
    """The path may be a link; what counts is where it leads."""
    keytool, link, other = held, tmp_path / "link", tmp_path / "other"
    shutil.copytree(keytool.keystore, other)
    link.symlink_to(keytool.keystore)
    run = terminal("mainkey", "wipe", runner=keytool.with_keystore(link))
    run.expect(f"type {KEY_ID}: ")
    link.unlink()
    link.symlink_to(other)
    before = snapshot(keytool.keystore), snapshot(other)
    run.send(KEY_ID)
    assert run.finish() == 74, run.text
    assert (snapshot(keytool.keystore), snapshot(other)) == before
    # Moved, but the link leads to it again.
    link.unlink()
    link.symlink_to(keytool.keystore)
    run = terminal("mainkey", "wipe", runner=keytool.with_keystore(link))
    run.expect(f"type {KEY_ID}: ")
    keytool.keystore.rename(tmp_path / "moved")
    link.unlink()
    link.symlink_to(tmp_path / "moved")
    run.send(KEY_ID)
    assert run.finish() == 0, run.text
    assert mainkeys.ids(tmp_path / "moved") == []
