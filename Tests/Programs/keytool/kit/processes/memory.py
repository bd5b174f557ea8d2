"""Reads the memory of a process, and searches it.

libsodium's guarded allocations are told by their layout: pages that are excluded from dumps
(`dd` among the VmFlags) between two pages that nobody may read. What lies in them may be secret;
what lies anywhere else may not.
"""

import os
import re
import sys
from typing import NamedTuple

from kit.processes import needles

HEADER = re.compile(rb"([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ \S+ \S+ *(.*)")
WORD = needles.PIECE
OWN = re.compile(rb"(?:Anonymous|Swap): +(\d+) kB")


class Mapping(NamedTuple):
    start: int
    end: int
    permissions: str
    name: str
    flags: tuple = ()
    own_kib: int = 0  # written since it was mapped
    is_guarded: bool = False

    @property
    def is_readable(self):
        return self.permissions[0] == "r"

    @property
    def is_as_its_file(self):
        """Then what is in it is in the file, too, and need not be read."""
        return self.name.startswith("/") and self.permissions[3] == "p" and not self.own_kib

    def __str__(self):
        return f"{self.name or 'anonymous memory'} {self.permissions}"


class Region(NamedTuple):
    mapping: Mapping
    start: int
    content: bytes


class Found(NamedTuple):
    secret: str
    spelling: str
    address: int
    length: int
    offset: int  # of its first byte in the spelling
    mapping: Mapping

    def __str__(self):
        return (f"{self.secret}, {self.spelling}, {self.length} bytes from {self.offset}, "
                f"at {self.address:#x} in {self.mapping}")


class Memory:
    """Open while the process may still be looked at; read when it stands still."""

    def __init__(self, pid):
        self._memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
        self._smaps = os.open(f"/proc/{pid}/smaps", os.O_RDONLY | os.O_CLOEXEC)

    def close(self):
        os.close(self._memory)
        os.close(self._smaps)

    def snapshot(self):
        found = mappings(self._text())
        return Snapshot([Region(one, one.start, self._content(one)) for one in found
                         if one.is_readable and not one.is_as_its_file])

    def _text(self):
        os.lseek(self._smaps, 0, os.SEEK_SET)
        text = b""
        while chunk := os.read(self._smaps, 1 << 20):
            text += chunk
        return text

    def _content(self, mapping):
        if mapping.name in ("[vvar]", "[vvar_vclock]"):  # the kernel's clock, which it lends nobody
            return b""
        content = b""
        while len(content) < mapping.end - mapping.start:
            at = mapping.start + len(content)
            content += os.pread(self._memory, mapping.end - at, at)
        return content


class Snapshot:
    def __init__(self, regions):
        self.regions = regions

    def find(self, secrets):
        """Everything that is found of these secrets, by name, guarded or not."""
        wanted = {}
        for name, value in secrets.items():
            for needle in needles.needles(name, value):
                wanted.setdefault(_first_word(needle.bytes), []).append(needle)
        return joined(found for region in self.regions for found in _occurrences(region, wanted))


def mappings(smaps):
    """What /proc/PID/smaps tells."""
    found = []
    for line in smaps.splitlines():
        if header := HEADER.fullmatch(line):
            start, end, permissions, name = header.groups()
            found.append(Mapping(int(start, 16), int(end, 16), permissions.decode(), name.decode()))
        elif own := OWN.match(line):
            found[-1] = found[-1]._replace(own_kib=found[-1].own_kib + int(own[1]))
        elif line.startswith(b"VmFlags:"):
            found[-1] = found[-1]._replace(flags=tuple(line.decode().split()[1:]))
    return [one._replace(is_guarded=_is_guarded(one, found[:at][-1:], found[at + 1 :][:1]))
            for at, one in enumerate(found)]


def _is_guarded(one, before, after):
    return "dd" in one.flags and not one.name and all(
        guard and guard[0].permissions.startswith("---") and not guard[0].name and meets
        for guard, meets in ((before, before and before[0].end == one.start),
                             (after, after and after[0].start == one.end)))


def _first_word(text):
    return int.from_bytes(text[:WORD], sys.byteorder)


def _occurrences(region, wanted):
    """Thousands of needles in one go: at each offset the words are looked up, all at once."""
    seen, known = set(), set(wanted)
    for offset in range(min(WORD, len(region.content))):
        words = memoryview(region.content)[offset:]
        seen |= known.intersection(words[: len(words) // WORD * WORD].cast("Q"))
    for needle in (needle for word in seen for needle in wanted[word]):
        at = region.content.find(needle.bytes)
        while at >= 0:
            yield Found(needle.secret, needle.spelling, region.start + at, len(needle.bytes),
                        needle.offset, region.mapping)
            at = region.content.find(needle.bytes, at + 1)


def joined(found):
    """Pieces that stand beside each other as they do in the secret are one find."""
    result = []
    for one in sorted(found, key=lambda one: (one.secret, one.spelling, one.address)):
        last = result[-1] if result else None
        if (last and last[:2] == one[:2] and last.address - last.offset == one.address - one.offset
                and one.address <= last.address + last.length):
            end = max(last.address + last.length, one.address + one.length)
            result[-1] = last._replace(length=end - last.address)
        else:
            result.append(one)
    return result
