"""A Safe server that sends without end: keytool closes the connection early, and uses little memory."""

import pytest

from kit.processes.measured import Measured
from kit.servers import faults as f
from kit.servers.httpsmachine import ID, bare, pushed  # fixtures

# Beside the 64 MiB of scrypt, where a password is given.
MEBIBYTES, SCRYPT = 96, 64
NESTED = b'{"x":' + b"[" * 200_000 + b"]" * 200_000 + b"}"
FLOODS = {
    "4 GiB": f.endless(), "4 GiB in chunks": f.endless_chunks,
    "64 MB": f.constant(b" " * 64_000_000), "nested 200,000 deep": f.constant(NESTED),
    "headers": f.header_bomb, "one header": f.long_header,
    "interim answers": f.interim_bomb, "gzip": f.gzip_bomb(),
    "404 and 4 GiB": f.endless(404), "500 and 4 GiB": f.endless(500),
    "401 and 4 GiB": f.endless(401),
}
# What is in the sockets of both ends is sent, but never read.
MOST_SENT = 24 << 20
CLEAN = {10, 13, 14, 15, 19, 65, 75}


def floods(machine, kind, name, *command):
    machine.keytool = Measured(machine.keytool, machine.keytool.keystore.parent / "usage")
    machine.server.fault(kind, FLOODS[name])
    machine.fails(CLEAN, *command)
    assert machine.server.sent < MOST_SENT, f"{machine.server.sent >> 20} MiB were read"
    print(f"{machine.keytool.mebibytes:.0f} MiB, {machine.server.sent >> 10} KiB sent")
    return machine.keytool.mebibytes


@pytest.mark.parametrize("name", FLOODS)
def test_config(pushed, name):
    assert floods(pushed, "config", name, "safe", "push", "--force") < MEBIBYTES
    pushed.recovers()


@pytest.mark.parametrize("name", FLOODS)
def test_backup(pushed, name):
    assert floods(pushed, "GET", name, "safe", "check") < MEBIBYTES
    pushed.server.heal()
    pushed.keytool.ok("safe", "check")


@pytest.mark.parametrize("name", ["4 GiB", "headers", "500 and 4 GiB"])
def test_answer_to_a_put(pushed, name):
    assert floods(pushed, "PUT", name, "safe", "push", "--force") < MEBIBYTES
    pushed.recovers()


@pytest.mark.parametrize("name", ["4 GiB", "gzip", "interim answers"])
def test_with_a_password(bare, name):
    setup = ["safe", "setup", *bare.world.by_password]
    assert floods(bare, "config", name, *setup) < MEBIBYTES + SCRYPT
    assert not bare.record("safe").exists()
    bare.server.reset()
    pull = ["safe", "pull", "--id", ID, *bare.world.by_password]
    assert floods(bare, "GET", name, *pull) < MEBIBYTES + SCRYPT
