"""What a passphrase costs a command: the derivation that opens the keystore, and no other one.

Argon2id takes its memory, as much as the file asks for, by one mmap(2).
"""

import re

import pytest

from kit import keyfiles, masterkey
from kit.masterkey import NEW_PASSPHRASE, PASSPHRASE
from kit.processes import injection
from kit.processes.injection import Prefixed

KIB = 131_072
ONE_MMAP = re.compile(r"mmap\(NULL, (\d+), [^)]*MAP_ANONYMOUS[^)]*\) += 0x")


@pytest.fixture(scope="module", autouse=True)
def traced():
    injection.require_tracing()


def derivations(keytool, *arguments):
    """How often this command, which has to succeed, takes so much memory."""
    log = keytool.home / "trace"
    Prefixed(keytool, "strace", "-f", "-qq", "-o", log, "-e", "trace=mmap").ok(*arguments)
    sizes = [int(found[1]) for found in ONE_MMAP.finditer(log.read_text())]
    return sum(KIB * 1024 <= size < 2 * KIB * 1024 for size in sizes)


@pytest.fixture
def pushed(safe):
    safe.push()
    return safe.keytool


@pytest.fixture
def passphrase(given):
    return given("passphrase", PASSPHRASE)


def protect(keytool):
    key = masterkey.read(keytool)
    masterkey.file(keytool).write_bytes(keyfiles.wrap_v2(key, PASSPHRASE))


def test_unchanged_push(pushed, passphrase):
    """What cron runs every day."""
    assert derivations(pushed, "safe", "push") == 0
    protect(pushed)
    assert derivations(pushed, "safe", "push", *passphrase) == 1
    assert pushed.json("safe", "push", *passphrase)["result"] == "unchanged"


def test_push_that_uploads(pushed, passphrase):
    protect(pushed)
    assert derivations(pushed, "safe", "push", "--force", *passphrase) == 1


def test_push_with_a_wrong_passphrase(pushed, given):
    protect(pushed)
    log = pushed.home / "trace"
    Prefixed(pushed, "strace", "-f", "-qq", "-o", log, "-e", "trace=mmap,connect").fails(
        12, "safe", "push", *given("passphrase", b"nopedinope"))
    assert len([one for one in ONE_MMAP.finditer(log.read_text())
                if int(one[1]) >= KIB * 1024]) == 1, "a source is tried once"


def test_what_needs_no_key_derives_none(pushed):
    protect(pushed)
    for command in (["key", "status"], ["key", "lock"]):
        assert derivations(pushed, *command) == 0


def test_a_new_passphrase_is_derived_and_proven(keytool, passphrase, given):
    """Once to write the file, once to open it as it was read back; once for the old one."""
    assert derivations(keytool, "id", "create", *passphrase) == 2
    new = given("new-passphrase", NEW_PASSPHRASE)
    assert derivations(keytool, "key", "passwd", *passphrase, *new) == 3
    assert derivations(keytool, "key", "unprotect", "--yes", "--passphrase-file", new[1]) == 1
    assert derivations(keytool, "key", "protect", *passphrase) == 2
