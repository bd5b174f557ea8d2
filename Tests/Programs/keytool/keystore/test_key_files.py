"""master.key as others may write it: every layout and every cost within bounds is opened."""

import pytest

from kit import keyfiles
from kit.masterkey import PASSPHRASE, Replaced
from kit.processes.injection import Prefixed
from kit.processes.measured import Measured
from kit.runner import snapshot

ONE_GIB = 1 << 20  # KiB


@pytest.fixture
def replaced(keytool, given):
    return Replaced(keytool, given("passphrase", PASSPHRASE))


def test_first_layout(replaced):
    replaced.by(keyfiles.wrap_v1(replaced.key)).opens(protection="none")
    replaced.by(keyfiles.wrap_v1(replaced.key, PASSPHRASE)).opens(
        protection="passphrase", scheme="scrypt")


@pytest.mark.parametrize("memory_kib, passes, salt", [
    (8, 1, 16), (9, 1, 16), (11, 3, 16), (8, 64, 16), (8, 1, 17), (8, 1, 32), (4096, 2, 64),
    (131_072, 8, 16), (262_144, 1, 16), (131_072, 1, 33)])
def test_second_layout(replaced, memory_kib, passes, salt):
    replaced.by(keyfiles.wrap_v2(
        replaced.key, PASSPHRASE, memory_kib, passes, bytes(range(salt)))).opens(
        protection="passphrase", scheme="argon2id", memory_kib=memory_kib, iterations=passes)


def test_fields_in_another_order_and_unknown_ones(replaced):
    """As a Protocol Buffers library may write them, which knows newer fields too."""
    argon = keyfiles.argon(keyfiles.wrap_v2(replaced.key, PASSPHRASE, 8, 1))
    numbered = [(number, argon[number]) for number in (6, 5, 4, 3, 2)]
    replaced.by(keyfiles.versioned((2, keyfiles.message(
        (1, 0), *numbered, (9, 7), (15, b"new"))))).opens(
        protection="passphrase", scheme="argon2id", memory_kib=8, iterations=1)


COSTS = {
    "memory 0": ({"memory_kib": 0}, "0 KiB of memory"),
    "memory 7": ({"memory_kib": 7}, "7 KiB of memory"),
    "memory 1 GiB + 1 KiB": ({"memory_kib": ONE_GIB + 1}, "1048577 KiB of memory"),
    "memory in bytes": ({"memory_kib": 134_217_728}, "134217728 KiB of memory"),
    "memory 2^32 + 8": ({"memory_kib": (1 << 32) + 8}, "4294967304 KiB of memory"),
    "memory 2^64 - 1": ({"memory_kib": (1 << 64) - 1}, "18446744073709551615 KiB of memory"),
    "passes 0": ({"passes": 0}, "0 passes"),
    "passes 65": ({"passes": 65}, "65 passes"),
    "passes 2^32 + 1": ({"passes": (1 << 32) + 1}, "4294967297 passes"),
    "lanes 0": ({"lanes": 0}, "0 parallel lanes"),
    "lanes 2": ({"lanes": 2}, "2 parallel lanes"),
    "salt 15": ({"salt": bytes(15)}, "15 bytes of salt"),
    "salt 65": ({"salt": bytes(65)}, "65 bytes of salt"),
    "no salt": ({"salt": b""}, "0 bytes of salt"),
    "work": ({"memory_kib": ONE_GIB, "passes": 33}, "34603008 KiB of memory times passes"),
}


@pytest.mark.parametrize("name", COSTS)
def test_costs_out_of_bounds(keytool, replaced, tmp_path, name):
    """Refused before anything is spent, and before anybody is asked."""
    asked, words = COSTS[name]
    cost = {"salt": bytes(16), **keyfiles.LEAST_COST, **asked}
    encrypted = keyfiles.message((1, bytes(24)), (2, bytes(56)))
    replaced.by(keyfiles.outer(encrypted=encrypted, **cost))
    measured = Measured(keytool, tmp_path / "report")
    replaced.is_refused(65, words, measured)
    for command in (["id", "show"], ["key", "status"], ["key", "protect", *replaced.passphrase]):
        assert words in measured.fails(65, *command).err
    assert measured.mebibytes < 32 and measured.seconds < 0.5


@pytest.fixture
def short_of_memory(keytool):
    """Enough address space for the program, not for 128 MiB on top of it."""
    return Prefixed(keytool, "prlimit", f"--as={120 << 20}")


def test_memory_for_opening(replaced, short_of_memory, given):
    replaced.by(keyfiles.wrap_v2(replaced.key, PASSPHRASE))
    replaced.is_refused(71, "128 MiB of memory", short_of_memory)
    new = given("new-passphrase", b"battery-staple-8")
    before = snapshot(replaced.keytool.keystore)
    for command in (["key", "passwd", *new], ["key", "unprotect", "--yes"]):
        short_of_memory.fails(71, *command, *replaced.passphrase)
    assert snapshot(replaced.keytool.keystore) == before


def test_memory_for_a_new_passphrase(keytool, other_keytool, replaced, short_of_memory):
    before = snapshot(keytool.keystore)
    short_of_memory.fails(71, "key", "protect", *replaced.passphrase)
    assert snapshot(keytool.keystore) == before
    elsewhere = Prefixed(other_keytool, *short_of_memory.prefix)
    elsewhere.fails(71, "id", "create", *replaced.passphrase)
    assert {path.name for path in other_keytool.keystore.iterdir()} <= {"lock"}
