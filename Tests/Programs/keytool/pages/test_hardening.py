"""How the release is linked, and its C code compiled: what makes a mistake in memory harder to use."""

import os
import subprocess
from pathlib import Path

import pytest

from kit.hardening import builders_paths, missing
from kit.runner import BINARY, LABORATORY, REPOSITORY

PROGRAMS = pytest.mark.parametrize("program", [BINARY, LABORATORY], ids=lambda program: program.name)
# Those that call the C library.
SOURCES = sorted(path for path in (REPOSITORY / "Sources/C").glob("*/*.c") if "\n#include <" in path.read_text())


@pytest.mark.release
@PROGRAMS
def test_nothing_is_missing(built, program):
    assert missing(program) == []


@pytest.mark.release
@PROGRAMS
def test_no_path_of_the_builder_is_inside(built, program):
    assert builders_paths(program, REPOSITORY, program.resolve().parent) == []


@pytest.fixture(scope="module")
def compiles(tmp_path_factory):
    """compiles(source, *options): whether the toolchain's compiler takes the file."""
    swift = subprocess.run([REPOSITORY / "Scripts/find-swift"], stdout=subprocess.PIPE, text=True, check=True,
                           timeout=60).stdout.strip()
    clang = Path(os.path.realpath(swift)).with_name("clang")

    def compiles(source, *options):
        include = [f"-I{path}" for path in (REPOSITORY / "Sources/C").glob("*/include")]
        return subprocess.run([clang, "-fsyntax-only", *include, *options, source], stderr=subprocess.DEVNULL,
                              timeout=60).returncode == 0

    return compiles


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_c_code_is_compiled_with_checks_of_lengths(compiles, source):
    """Which of its calls are checked cannot be read from the program, where libraries have such calls, too.
    Package.swift asks for the checks in a release, and the file itself refuses to be optimised without them."""
    assert compiles(source) and compiles(source, "-O2", "-D_FORTIFY_SOURCE=3")
    assert not compiles(source, "-O2") and not compiles(source, "-O2", "-D_FORTIFY_SOURCE=2")


def test_release_asks_for_the_checks():
    assert {path.name for path in SOURCES} >= {"erasing.c", "files.c", "journal.c"}
    assert '.define("_FORTIFY_SOURCE", to: "3", .when(configuration: .release))' in (
        REPOSITORY / "Package.swift").read_text()
