"""A core of a running process, made by gcore(1), and what is in it: memory and registers."""

import os
import shutil
import struct
import subprocess

import pytest

from kit.processes.memory import Mapping, Region, Snapshot

LOAD, NOTE = 1, 4


def require_gcore():
    if os.geteuid() != 0:
        pytest.skip("keytool is undumpable, so that only root can make a core of it")
    assert shutil.which("gcore"), "gcore is missing: Scripts/set-up test"


def core(pid, directory):
    """Its file is gone when this returns."""
    command = ["gcore", "-o", directory / "core", str(pid)]
    made = subprocess.run(command, capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr
    path = directory / f"core.{pid}"
    content = path.read_bytes()
    path.unlink()
    return Snapshot(list(_regions(content)))


def _regions(content):
    """The segments of a 64-bit ELF file (System V ABI, program header)."""
    assert content[:5] == b"\x7fELF\x02", "not a 64-bit ELF file"
    (offset,) = struct.unpack_from("=Q", content, 32)
    size, count = struct.unpack_from("=HH", content, 54)
    for at in range(offset, offset + size * count, size):
        kind, _, start, address, _, length = struct.unpack_from("=IIQQQQ", content, at)
        if kind in (LOAD, NOTE) and length:
            name = "core" if kind == LOAD else "core, registers"
            mapping = Mapping(address, address + length, "r---", name)
            yield Region(mapping, address, content[start : start + length])
