"""Truncations and flipped bits of the master key and of the sealed records: 65, and no new key, no new record, nothing
changed. A sample of them; every one under `make test-all`."""

import functools
import shutil

import pytest

from kit import oracle
from kit.damage import flipped
from kit.known import SAFE_PASSWORD
from kit.runner import on_two_processors, snapshot
from kit.sampling import sample

KEYS = oracle.safe_keys(SAFE_PASSWORD, "ABCD1234")
BLOB = oracle.seal_safe(oracle.safe_document(bytes(range(32))), KEYS)
RECORDS = "identities/threema/ABCD1234"
PLACE = f"{RECORDS}/places/main"

# which command has to read the file
READERS = {
    "master.key": ("id", "show"),
    "keystore": ("id", "show"),
    f"{RECORDS}/identity": ("id", "show"),
    f"{PLACE}/safe": ("safe", "push"),
    f"{RECORDS}/profile": ("safe", "push"),
}


@pytest.fixture
def machine(pulled):
    return pulled("one", BLOB)


@pytest.fixture
def machines(pulled):
    return [pulled(name, BLOB) for name in ("one", "two")]


def refuse_all(machines, name, command, damage):
    """`damage`: functions from the good content to a bad one."""
    def work(machine, share):
        file = machine.keytool.keystore / name
        good = file.read_bytes()
        for change in share:
            file.write_bytes(change(good))
            before = snapshot(machine.keytool.keystore, without=("lock", "state.json"))
            machine.keytool.fails(65, *command)
            after = snapshot(machine.keytool.keystore, without=("lock", "state.json"))
            assert after == before
            assert machine.blob == BLOB
        file.write_bytes(good)
        machine.keytool.ok(*command)  # it was the damage, and only the damage

    on_two_processors(work, machines, damage)


def flips(size):
    return [functools.partial(flipped, bit=n) for n in range(8 * size)]


def cuts(size):
    return [lambda good, n=n: good[:n] for n in range(size)] + [lambda good: good + b"\0"]


@pytest.mark.parametrize("name", READERS)
def test_flipped_bits(machines, name):
    size = (machines[0].keytool.keystore / name).stat().st_size
    refuse_all(machines, name, READERS[name], sample(flips(size), 4))


@pytest.mark.parametrize("name", READERS)
def test_truncations(machines, name):
    size = (machines[0].keytool.keystore / name).stat().st_size
    refuse_all(machines, name, READERS[name], sample(cuts(size), 2))


@pytest.mark.parametrize("name", ["master.key", "keystore"])
def test_a_damaged_key_never_seals(machines, name):
    """With a wrong master key nothing is written, not even a new identity."""
    size = (machines[0].keytool.keystore / name).stat().st_size
    command = ("id", "create", "--id", "ZZZZ9999")

    def work(machine, share):
        file = machine.keytool.keystore / name
        good = file.read_bytes()
        for change in share:
            file.write_bytes(change(good))
            before = snapshot(machine.keytool.keystore)
            machine.keytool.fails(65, *command)
            assert snapshot(machine.keytool.keystore) == before

    on_two_processors(work, machines, sample(flips(size) + cuts(size), 6))


def test_missing_master_key(machine):
    (machine.keytool.keystore / "master.key").unlink()
    before = snapshot(machine.keytool.keystore)
    for command in (("id", "show"), ("safe", "push"), ("id", "create"),
                    ("id", "create", "--id", "ABCD1234")):
        machine.keytool.fails(65, *command)
        assert snapshot(machine.keytool.keystore) == before


def test_missing_keystore_record(machine):
    (machine.keytool.keystore / "keystore").unlink()
    before = snapshot(machine.keytool.keystore)
    for command in (("id", "show"), ("id", "create")):
        machine.keytool.fails(65, *command)
        assert snapshot(machine.keytool.keystore) == before


def test_master_key_of_another_keystore(machine, keytool):
    keytool.ok("id", "create")
    shutil.copy(keytool.keystore / "master.key", machine.keytool.keystore / "master.key")
    machine.keytool.fails(65, "id", "show")
    machine.keytool.fails(65, "id", "create")


@pytest.mark.parametrize("source, target, command", [
    ("identities/threema/ZZZZ9999/identity", f"{RECORDS}/identity", ("id", "show", "ABCD1234")),
    (f"{PLACE}/safe", f"{RECORDS}/identity", ("id", "show", "ABCD1234")),
    (f"{RECORDS}/identity", f"{PLACE}/safe", ("safe", "push", "ABCD1234")),
    ("keystore", f"{RECORDS}/identity", ("id", "show", "ABCD1234")),
])
def test_records_cannot_change_places(machine, source, target, command):
    machine.keytool.ok("id", "create", "--id", "ZZZZ9999")
    shutil.copyfile(machine.keytool.keystore / source, machine.keytool.keystore / target)
    machine.keytool.fails(65, *command)


def test_identity_directory_renamed(machine):
    (machine.keytool.keystore / RECORDS).rename(machine.keytool.keystore / "identities/threema/ZZZZ9999")
    machine.keytool.fails(65, "id", "show", "ZZZZ9999")
