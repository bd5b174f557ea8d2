"""Others change the keystore at the same time: the master key's file is replaced only by who has
opened it as it stands there, and nothing is sealed with a key that is no longer there."""

import shutil
import time

import pytest

from kit import masterkey
from kit.masterkey import NEW_PASSPHRASE, PASSPHRASE
from kit.processes.locks import Held
from kit.runner import snapshot

WAITING = 0.8  # seconds after which a command surely waits for the lock


@pytest.fixture
def passwd(write):
    """passwd(new): the command with this as the new passphrase."""
    old = write("old", PASSPHRASE)
    return lambda new: ["key", "passwd", "--scheme", "scrypt", "--passphrase-file", old,
                        "--new-passphrase-file", write(f"new-{new.decode()}", new)]


@pytest.fixture
def protected(keytool):
    keytool.ok("id", "create", "--id", "ABCD1234")
    masterkey.rewrap(keytool)
    return keytool


def test_several_change_the_passphrase_at_once(protected, passwd):
    key, before = masterkey.read(protected, PASSPHRASE), masterkey.others(protected)
    chosen = [f"passphrase-no-{n}".encode() for n in range(6)]
    running = [protected.start(*passwd(new)) for new in chosen]
    codes = [protected.finish(process, timeout=60).code for process in running]
    # 11: another one was faster; 12: it had finished before this one began.
    assert codes.count(0) == 1 and set(codes) <= {0, 11, 12}, codes
    assert masterkey.read(protected, chosen[codes.index(0)]) == key
    assert masterkey.others(protected) == before


def changed_meanwhile(keytool, change, *command):
    """Starts the command, changes the keystore while it waits for the lock, gives its result."""
    with Held(keytool.keystore / "lock"):
        process = keytool.start(*command)
        time.sleep(WAITING)
        assert process.poll() is None, "it did not wait"
        change()
        kept = snapshot(keytool.keystore)
    result = keytool.finish(process, command)
    assert snapshot(keytool.keystore) == kept
    assert result.out == "", result
    return result


def test_passphrase_that_somebody_else_has_changed(protected, passwd):
    result = changed_meanwhile(
        protected, lambda: masterkey.rewrap(protected, b"somebody-elses", PASSPHRASE),
        *passwd(NEW_PASSPHRASE))
    assert result.code == 11 and "this command changed nothing" in result.err, result


def test_protection_that_somebody_else_has_put_on(keytool, given):
    keytool.ok("id", "create", "--id", "ABCD1234")
    result = changed_meanwhile(
        keytool, lambda: masterkey.rewrap(keytool, b"somebody-elses"),
        "key", "protect", "--scheme", "scrypt", *given("passphrase", NEW_PASSPHRASE))
    assert result.code == 11, result


@pytest.fixture
def emptied(keytool):
    keytool.ok("id", "create", "--id", "ABCD1234")
    keytool.ok("id", "remove", "ABCD1234", "--yes")
    return keytool


def test_master_key_that_somebody_else_has_brought(emptied, other_keytool):
    """What is created meanwhile must not be sealed with the key that was."""
    other_keytool.ok("id", "create")

    def bring():
        for name in ("keystore", "master.key"):
            shutil.copy(other_keytool.keystore / name, emptied.keystore / name)

    result = changed_meanwhile(emptied, bring, "id", "create", "--id", "ZZZZ9999")
    assert result.code in (11, 65), result


def test_identity_that_somebody_else_has_made(emptied, other_keytool, write):
    """A keystore is empty until it is not: its key then stays."""
    other_keytool.ok("id", "create")
    file = write("master_key.dat", masterkey.file(other_keytool).read_bytes())
    made = emptied.keystore / "identities/threema/ZZZZ9999"
    result = changed_meanwhile(emptied, lambda: made.mkdir(mode=0o700, parents=True), "key", "import", file)
    assert result.code == 17, result
