"""Plants mistakes in a copy of the sources, for test-mutants and test-faults."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# It keeps what it has built.
COPY = ROOT / ".build/mutants"
SOURCES = ["Package.swift", "Package.resolved", "Sources", "Tests"]
# Only a hang reaches it.
SECONDS = 3000


def mutated(text, mistake):
    """The text of the file with the mistake."""
    if text.count(mistake["old"]) != 1:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {mistake['file']} has not once: {mistake['old']}")
    return text.replace(mistake["old"], mistake["new"])


def update_copy(parts=SOURCES):
    """Brings the copy up to date. A file that is the same keeps its time, so that it is not compiled again."""
    COPY.mkdir(parents=True, exist_ok=True)
    for part in parts:
        source = ROOT / part
        files = [each for each in source.rglob("*") if is_source(each)] if source.is_dir() else [source]
        there = {each for each in (COPY / part).rglob("*") if is_source(each.relative_to(COPY))}
        for file in files:
            target = COPY / file.relative_to(ROOT)
            there.discard(target)
            if file.is_file() and not (target.is_file() and target.read_bytes() == file.read_bytes()):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, target)
        for file in there:
            if file.is_file():
                file.unlink()


def is_source(path):
    """Whether it is nothing that a build or Python has left."""
    relative = path.relative_to(ROOT) if path.is_absolute() else path
    return not any(part.startswith(".build") or part == "__pycache__" for part in relative.parts) \
        and (not path.is_absolute() or path.is_file())


class Planted:
    """While it is entered, the copy has the mistake."""

    def __init__(self, mistake):
        self.mistake, self.file = mistake, COPY / mistake["file"]

    def __enter__(self):
        self.right = self.file.read_text()
        self.file.write_text(mutated(self.right, self.mistake))

    def __exit__(self, *_):
        self.file.write_text(self.right)


def run(*command, **variables):
    """The exit code of a command in the copy, and what it has printed."""
    # A file, because a process that stays behind would keep a pipe open. What crashes prints no trace: the program that makes
    # it may wait for ever.
    with tempfile.TemporaryFile("w+", errors="replace") as printed:
        code = subprocess.run(command, cwd=COPY, env=os.environ | {"SWIFT_BACKTRACE": "enable=no"} | variables,
                              stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT, timeout=SECONDS).returncode
        printed.seek(0)
        return code, printed.read()


def passes(swift, room, suites):
    """Whether the suites pass. Ends this program if they cannot be built, or if none has this name."""
    name = pathlib.Path(sys.argv[0]).name
    code, printed = run(swift, "build", "--product", "keytoolPackageTests", "--disable-index-store", ROOM=room)
    if code:
        sys.exit(f"{name}: the tests of {room} were not built\n" + "\n".join(printed.splitlines()[-20:]))
    code, printed = run(COPY / ".build/debug/keytoolPackageTests.xctest", "--testing-library", "swift-testing",
                        "--filter", suites, ROOM=room)
    if "Test run with 0 tests" in printed or "Test run with" not in printed and not code:
        sys.exit(f"{name}: {room} has no suite {suites}")
    return code == 0
