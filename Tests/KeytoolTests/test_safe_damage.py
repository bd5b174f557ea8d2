"""Truncations and flipped bits of a Safe backup, pulled on a machine that has the setup: 65 each time, and nothing that
was there changes. A sample of them; every one under `make test-all`."""

import pytest

from kit import oracle
from kit.known import SAFE_PASSWORD
from kit.runner import BUT_THE_FINDING, on_two_processors, snapshot
from kit.sampling import sample

KEYS = oracle.safe_keys(SAFE_PASSWORD, "ABCD1234")
BLOB = oracle.seal_safe(oracle.safe_document(bytes(range(32))), KEYS, level=9)


@pytest.fixture
def machines(pulled):
    return [pulled(name, BLOB) for name in ("one", "two")]


def pull_all(machines, blobs, code):
    def work(machine, share):
        before = snapshot(machine.keytool.keystore, BUT_THE_FINDING)
        for blob in share:
            machine.directory.put(KEYS, blob)
            machine.keytool.fails(code, "safe", "pull")
            assert snapshot(machine.keytool.keystore, BUT_THE_FINDING) == before
            assert machine.blob == blob

    on_two_processors(work, machines, blobs)


def test_truncations(machines):
    pull_all(machines, sample((BLOB[:length] for length in range(len(BLOB))), 2), 65)


def test_flipped_bits(machines):
    blobs = [BLOB[:n // 8] + bytes([BLOB[n // 8] ^ 1 << n % 8]) + BLOB[n // 8 + 1 :]
             for n in range(8 * len(BLOB))]
    pull_all(machines, sample(blobs, 8), 65)


def test_lengthened(machines):
    pull_all(machines, [BLOB + b"\0", BLOB + BLOB, b"\0" + BLOB, bytes(65536)], 65)


def test_on_an_empty_machine_too(keytool, directory, safe_password):
    """The hint says damaged, not wrong password: that one would have found nothing."""
    directory.prepare().put(KEYS, BLOB[:-1] + bytes([BLOB[-1] ^ 1]))
    before = snapshot(keytool.keystore, without=())
    result = keytool.fails(65, "safe", "pull", "--id", "ABCD1234", "--server", directory.url,
                           *safe_password)
    assert "damaged" in result.err
    assert snapshot(keytool.keystore) == before
