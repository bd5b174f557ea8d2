"""Truncations and flipped bits of a Safe backup, pulled on a machine that has the setup: 65 each time, and nothing that
was there changes. A sample of them; every one under `make test-all`."""

import os
import socket

import pytest

from kit import oracle
from kit.damage import flipped
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
    pull_all(machines, sample([flipped(BLOB, n) for n in range(8 * len(BLOB))], 8), 65)


def test_lengthened(machines):
    pull_all(machines, [BLOB + b"\0", BLOB + BLOB, b"\0" + BLOB, bytes(65536)], 65)


def test_on_an_empty_machine_too(keytool, directory, safe_password):
    """The hint says damaged, not wrong password: that one would have found nothing."""
    directory.prepare().put(KEYS, flipped(BLOB))
    before = snapshot(keytool.keystore, without=())
    result = keytool.fails(65, "safe", "pull", "--id", "ABCD1234", "--server", directory.url,
                           *safe_password)
    assert "damaged" in result.err
    assert snapshot(keytool.keystore) == before


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(path.parent)  # the name of a socket is short
        try:
            server.bind(path.name)
        finally:
            os.chdir(here)


KINDS = {"FIFO": os.mkfifo, "directory": os.mkdir, "socket": make_socket, "link": lambda path: path.symlink_to("x"),
         "device": lambda path: path.symlink_to("/dev/null")}


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_special_file_in_place_of_a_backup(pulled, make):
    machine = pulled("one", BLOB)
    path = machine.directory.backup(machine.keys)
    path.unlink()
    make(path)
    before = snapshot(machine.keytool.keystore, BUT_THE_FINDING)
    for verb in (["push", "--force"], ["pull"], ["check"], ["mirror"], ["delete", "--yes"]):
        err = machine.keytool.fails(74, "safe", *verb).err
        assert f"the backup on {machine.directory.url} is not a regular file" in err, err
        assert "links are not followed" in err and "symbolic" not in err
        assert snapshot(machine.keytool.keystore, BUT_THE_FINDING) == before
    assert os.path.lexists(path) and not path.is_file()
    path.rmdir() if path.is_dir() else path.unlink()
    assert machine.keytool.json("safe", "push")["result"] == "restored"


@pytest.mark.parametrize("name, words", [("config", "config is not a regular file"),
                                         ("backups", "backups is not a directory")])
def test_special_file_in_place_of_a_part_of_the_safe(pulled, name, words):
    machine = pulled("one", BLOB)
    path = machine.directory.path / name
    path.rename(path.with_name("aside"))
    os.mkfifo(path)
    err = machine.keytool.fails(74, "safe", "push", "--force").err
    assert f"{machine.directory.url}/{words}" in err, err
