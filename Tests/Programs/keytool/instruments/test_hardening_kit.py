"""The reader of a program's protections sees each of them go: in nginx, which Debian builds with all, byte by byte."""

import shutil
import struct
from pathlib import Path

import pytest

from kit.hardening import builders_paths, missing

HARDENED = shutil.which("nginx", path="/usr/sbin:/usr/bin")
pytestmark = pytest.mark.skipif(not HARDENED, reason="nginx is missing: package nginx-light")
EXECUTABLE, WRITABLE = 1, 2
LOAD, DYNAMIC, STACK, RELRO = 1, 2, 0x6474E551, 0x6474E552
FLAGS, FLAGS_1, RUNPATH, RELACOUNT = 30, 0x6FFFFFFB, 29, 0x6FFFFFF9
NOW, PIE = 1, 0x08000000


class Program:
    """The bytes of a program of 64 bits, and where its tables are."""

    def __init__(self):
        self.bytes = bytearray(Path(HARDENED).read_bytes())
        self.segments, self.sections = struct.unpack_from("<QQ", self.bytes, 32)
        self.segment_count, _, self.section_count = struct.unpack_from("<HHH", self.bytes, 56)

    def change(self, layout, offset, function):
        (value,) = struct.unpack_from(layout, self.bytes, offset)
        struct.pack_into(layout, self.bytes, offset, function(value))

    def segment(self, kind, flags=0):
        """The offset of the header of the first segment of this kind with these flags."""
        return next(place for place in range(self.segments, self.segments + 56 * self.segment_count, 56)
                    if struct.unpack_from("<II", self.bytes, place)[0] == kind
                    and struct.unpack_from("<II", self.bytes, place)[1] & flags == flags)

    def entry(self, tag):
        """The offset of the entry of the dynamic section."""
        start, length = (struct.unpack_from("<Q", self.bytes, self.segment(DYNAMIC) + place)[0] for place in (8, 32))
        return next(place for place in range(start, start + length, 16)
                    if struct.unpack_from("<Q", self.bytes, place)[0] == tag)


def executable_stack(program):
    program.change("<I", program.segment(STACK) + 4, lambda flags: flags | EXECUTABLE)


def no_word_on_the_stack(program):
    program.change("<I", program.segment(STACK), lambda kind: 0)


def executable_data(program):
    program.change("<I", program.segment(LOAD, WRITABLE) + 4, lambda flags: flags | EXECUTABLE)


def at_one_address(program):
    program.change("<H", 16, lambda kind: 2)
    program.change("<Q", program.entry(FLAGS_1) + 8, lambda flags: flags & ~PIE)


def a_library(program):
    program.change("<Q", program.entry(FLAGS_1) + 8, lambda flags: flags & ~PIE)


def bound_late(program):
    program.change("<Q", program.entry(FLAGS) + 8, lambda flags: flags & ~8)
    program.change("<Q", program.entry(FLAGS_1) + 8, lambda flags: flags & ~NOW)


def writable_table(program):
    program.change("<I", program.segment(RELRO), lambda kind: 0)


def half_writable_table(program):
    program.change("<Q", program.segment(RELRO) + 40, lambda length: length // 2)


def own_libraries(program):
    program.change("<Q", program.entry(RELACOUNT), lambda tag: RUNPATH)


def code_with_relocations(program):
    program.change("<Q", program.entry(FLAGS) + 8, lambda flags: flags | 4)


def symbols(program):
    """The last section is the names of sections, which is read before the types."""
    last = program.sections + 64 * (program.section_count - 2)
    program.change("<I", last + 4, lambda kind: 2)


@pytest.fixture
def judged(tmp_path):
    def judge(change):
        program = Program()
        change(program)
        (tmp_path / "program").write_bytes(program.bytes)
        return missing(tmp_path / "program")

    return judge


def test_nothing_is_missing(judged):
    assert judged(lambda program: None) == []


@pytest.mark.parametrize("change, words", [
    (executable_stack, ["stack not executable", "writable or executable"]),
    (no_word_on_the_stack, ["stack not executable"]),
    (executable_data, ["writable or executable"]),
    (at_one_address, ["position-independent"]),
    (a_library, ["position-independent"]),
    (bound_late, ["symbols bound at the start"]),
    (writable_table, ["read-only after relocation"]),
    (half_writable_table, ["read-only after relocation"]),
    (own_libraries, ["libraries from the system's directories"]),
    (code_with_relocations, ["code without relocations"]),
    (symbols, ["stripped"]),
], ids=lambda value: getattr(value, "__name__", ""))
def test_what_is_missing_is_named(judged, change, words):
    assert judged(change) == words


def test_paths_of_the_builder_are_found(tmp_path):
    program = tmp_path / "program"
    strange = b"/home/alice/keytool/Sources/a.swift", b"/srv/clone/.build/x", b"/tmp/r/a", b"/root/.cache/b"
    usual = (b"/home/", b"/tmp/", b"/var/tmp/libdispatch.%d.log", b"/home/build-user/swift/lib/Demangler.cpp",
             b"/srv/clone2/x", b"/usr/lib/x", b"https://example.org/tmp")
    program.write_bytes(b"\0".join((b"", *usual, b"")))
    assert builders_paths(program, "/srv/clone") == []
    program.write_bytes(b"\0".join((b"", *usual, *strange, b"")))
    assert builders_paths(program, "/srv/clone") == sorted((b"/srv/clone/", strange[0], *strange[2:]))
