"""The scan of memory itself: a secret that is known to be there is found, wherever and however."""

import subprocess
import sys

import pytest

from kit.processes import needles
from kit.processes.corefile import core, require_gcore
from kit.processes.tracing import run_to_exit

SECRET = bytes.fromhex("72c15de98340ba1f6e07d4932bf85ca6019e47e3d87a35bc20f1964d8ae25b73")

# Takes what it is to hold from a file, into memory of this kind alone, and then waits or ends.
HOLDER = """
import ctypes, os, sys
libc, sodium = ctypes.CDLL(None), ctypes.CDLL("libsodium.so.23")
libc.mmap.restype = sodium.sodium_malloc.restype = ctypes.c_void_p
path, kind, end = sys.argv[1:]
PAGE, READ_WRITE, PRIVATE_ANONYMOUS, DONTDUMP, SET_DUMPABLE = 4096, 3, 0x22, 16, 4

def mapped():
    return libc.mmap(None, ctypes.c_size_t(3 * PAGE), READ_WRITE, PRIVATE_ANONYMOUS, -1, 0) + PAGE

def plain():
    return mapped()

def fenced():
    place = mapped()
    for guard in (place - PAGE, place + PAGE):
        libc.mprotect(ctypes.c_void_p(guard), ctypes.c_size_t(PAGE), 0)
    return place

def undumped():
    place = mapped()
    libc.madvise(ctypes.c_void_p(place), ctypes.c_size_t(PAGE), DONTDUMP)
    return place

def guarded():
    sodium.sodium_init()
    return sodium.sodium_malloc(ctypes.c_size_t(128))

file = os.open(path, os.O_RDONLY)
libc.read(file, ctypes.c_void_p(globals()[kind]()), ctypes.c_size_t(128))
libc.prctl(SET_DUMPABLE, 0, 0, 0, 0)
print("held", flush=True)
if end == "waits":
    sys.stdin.read()
os._exit(0)
"""


@pytest.fixture
def hold(tmp_path):
    """hold(content, kind, end) -> the command line of a process that holds it."""

    def hold(content, kind, end="ends"):
        (tmp_path / "held").write_bytes(content)
        return [sys.executable, "-c", HOLDER, str(tmp_path / "held"), kind, end]

    return hold


def at_exit(command_line, directory):
    result, memory = run_to_exit(command_line, {}, directory)
    assert result.code == 0, result
    return memory.find({"secret": SECRET})


@pytest.mark.parametrize("spelling", needles.spellings(SECRET))
def test_every_spelling(hold, tmp_path, spelling):
    text = needles.spellings(SECRET)[spelling]
    found = at_exit(hold(b"before" + text + b"after", "plain"), tmp_path)
    assert {(one.spelling, one.length) for one in found} == {(spelling, len(text))}


def test_half_of_it(hold, tmp_path):
    (found,) = at_exit(hold(SECRET[16:], "plain"), tmp_path)
    assert (found.spelling, found.offset, found.length) == ("plain", 16, 16)


def test_nothing_where_nothing_is(hold, tmp_path):
    assert at_exit(hold(SECRET[::-2], "plain"), tmp_path) == []


@pytest.mark.parametrize("kind, is_guarded", [
    ("plain", False), ("fenced", False), ("undumped", False), ("guarded", True)])
def test_which_pages_are_guarded(hold, tmp_path, kind, is_guarded):
    (found,) = at_exit(hold(SECRET, kind), tmp_path)
    assert found.mapping.is_guarded == is_guarded, found.mapping


@pytest.mark.parametrize("kind, count", [("plain", 1), ("guarded", 0)])
def test_core(hold, tmp_path, kind, count):
    require_gcore()
    command_line = hold(SECRET, kind, "waits")
    with subprocess.Popen(command_line, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"held\n"
        found = core(holder.pid, tmp_path).find({"secret": SECRET})
        holder.stdin.close()
    assert len(found) == count, found
