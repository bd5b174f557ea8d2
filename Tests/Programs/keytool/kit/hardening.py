"""What the linker has left in a program, read with readelf: the protections that it lacks, and the builder's paths."""

import re
import subprocess
from pathlib import Path

# Of the toolchain's archives: where swift.org builds.
OTHERS = rb"/home/build-user/"
PATH = re.compile(rb"(?<!/var)/(?:root|home|tmp|work)/[\w.@+~-][\w.@+~/-]*")
SEGMENT = re.compile(r"^  ([A-Z_]+) +0x\w+ 0x(\w+) 0x\w+ 0x\w+ 0x(\w+) ([R ][W ][E ]) ", re.M)
SECTION = re.compile(r"^  \[ *\d+\] (\S+) +([A-Z_]+) +(\w+) \w+ (\w+) ", re.M)
DYNAMIC = re.compile(r"^ 0x\w+ \((\w+)\) +(.*)$", re.M)
# The loader writes these, and nobody after it.
RESOLVED = {".dynamic", ".got", ".got.plt", ".init_array", ".fini_array", ".data.rel.ro"}


def missing(program):
    """The protections that the program lacks, each in a few words."""
    said = subprocess.run(["readelf", "--wide", "--file-header", "--segments", "--sections", "--dynamic", program],
                          env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"}, stdout=subprocess.PIPE, text=True, check=True,
                          timeout=60).stdout
    segments = [(kind, int(start, 16), int(length, 16), flags) for kind, start, length, flags in SEGMENT.findall(said)]
    sections = [(name, kind, int(start, 16), int(length, 16)) for name, kind, start, length in SECTION.findall(said)]
    dynamic = dict(DYNAMIC.findall(said))
    kinds = {kind for kind, *_ in segments}
    assert {"LOAD", "DYNAMIC"} <= kinds and ".dynamic" in {name for name, *_ in sections}, said
    return [words for words, is_missing in {
        "position-independent": not re.search(r"^  Type: +DYN ", said, re.M)
        or "PIE" not in dynamic.get("FLAGS_1", ""),
        "read-only after relocation": not all(
            any(kind == "GNU_RELRO" and first <= start and start + length <= first + size
                for kind, first, size, _ in segments)
            for name, _, start, length in sections if name in RESOLVED),
        "symbols bound at the start": "BIND_NOW" not in dynamic.get("FLAGS", "")
        and "NOW" not in dynamic.get("FLAGS_1", "").split(),
        "stack not executable": [flags for kind, _, _, flags in segments if kind == "GNU_STACK"] != ["RW "],
        "writable or executable": any("W" in flags and "E" in flags for _, _, _, flags in segments),
        "code without relocations": "TEXTREL" in dynamic or "TEXTREL" in dynamic.get("FLAGS", ""),
        "libraries from the system's directories": not dynamic.keys().isdisjoint({"RPATH", "RUNPATH"}),
        "stripped": any(kind == "SYMTAB" or name.startswith((".debug", ".zdebug")) for name, kind, *_ in sections),
    }.items() if is_missing]


def builders_paths(program, *places):
    """Paths of a home directory, of a temporary one, and below these places."""
    content = Path(program).read_bytes()
    found = {path for path in PATH.findall(content) if not path.startswith(OTHERS)}
    return sorted(found | {f"{place}/".encode() for place in places if f"{place}/".encode() in content})
