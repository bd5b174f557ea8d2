"""Runs a command again and again, each time with another of its system calls killed or failing.

strace(1) lists the calls by which a command changes files, and then runs it once for each of
them: with SIGKILL on entering the call, which then has no effect, or with an error in its place.
"""

import functools
import re
import shutil
import signal
import subprocess
from typing import NamedTuple

import pytest

from kit.runner import Keytool

CHANGING = ("mkdir", "mkdirat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "link",
            "linkat", "write", "pwrite64", "fsync", "fdatasync", "ftruncate", "openat", "flock",
            "fchmod")
SYNCING = ("fsync", "fdatasync")
KILL = "signal=SIGKILL"
SLEEP = "clock_nanosleep"
NO_SLEEP = f"inject={SLEEP}:retval=0"


class Point(NamedTuple):
    """The n-th call of this name since the process began, the loader's calls included."""

    call: str
    nth: int
    text: str

    def __str__(self):
        return f"{self.call} no. {self.nth}, {self.text}"


class Prefixed(Keytool):
    """keytool as the child of another program, which hands on its exit code."""

    def __init__(self, keytool, *prefix):
        super().__init__(keytool.home, keytool.keystore, keytool.environment)
        self.keytool, self.prefix = keytool, [str(part) for part in prefix]

    def command_line(self, *arguments):
        return self.prefix + self.keytool.command_line(*arguments)


def require_tracing():
    problem = _problem_with_tracing()
    if problem:
        pytest.skip(f"no process may be traced here: {problem}")


def without_waiting(keytool):
    """The same keytool, whose sleeps end at once: the 5 seconds before it looks a second time.

    Where no process may be traced it does wait.
    """
    if _problem_with_tracing():
        return keytool
    return Prefixed(keytool, "strace", "-qq", "-o", "/dev/null", "--seccomp-bpf", "-f",
                    "-e", f"trace={SLEEP}", "-e", NO_SLEEP)


@functools.cache
def _problem_with_tracing():
    assert shutil.which("strace"), "strace is missing: Scripts/set-up test"
    tried = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True)
    return tried.returncode and tried.stderr.decode().strip()[:200]


def points(keytool, *arguments):
    """Runs the command, which has to succeed, and lists the calls by which it changed files."""
    log = keytool.home / "trace"
    Prefixed(keytool, "strace", "-qq", "-o", log, "-e", f"trace={','.join(CHANGING)},{SLEEP}",
             "-e", NO_SLEEP).ok(*arguments)
    seen, found = {}, []
    for line in log.read_text(errors="replace").splitlines():
        call = line.split("(", 1)[0]
        if call not in CHANGING:
            continue
        seen[call] = seen.get(call, 0) + 1
        if _changes_files(call, line):
            found.append(Point(call, seen[call], line[:250]))
    log.unlink()
    assert found, f"nothing was changed by {arguments}"
    return found


def syncing_a_directory_of_sqlite(points):
    """SQLite ignores a failure there. The directory is synced once more when the database is complete. A descriptor that
    was not written since it was last synced is a directory's."""
    written, syncs = set(), set()
    for point in points:
        if point.call not in ("pwrite64", "fdatasync"):
            continue
        descriptor = re.search(r"\((\d+)", point.text)[1]
        if point.call == "pwrite64":
            written.add(descriptor)
        elif descriptor in written:
            written.remove(descriptor)
        else:
            syncs.add(point)
    return syncs


def kill(keytool, point, *arguments):
    """Runs the command up to this call."""
    process = _traced(keytool, point, KILL).start(*arguments)
    process.communicate(timeout=60)
    # A run in which the call did not come would prove nothing.
    assert process.returncode == -signal.SIGKILL, f"not killed, but exit {process.returncode}"
    _log(keytool).unlink()


def fail(keytool, point, error, *arguments):
    """Runs the command with this call failing, and gives its result."""
    result = _traced(keytool, point, f"error={error}")(*arguments)
    log = _log(keytool)
    injected = [line for line in log.read_text(errors="replace").splitlines()
                if "(INJECTED)" in line and not line.startswith(SLEEP)]
    assert len(injected) == 1, f"not reached: {result}"
    log.unlink()
    return result


def send(keytool, point, name, *arguments):
    """Runs the command, which gets this signal at this call, and gives its exit code."""
    process = _traced(keytool, point, f"signal={name}").start(*arguments)
    process.communicate(timeout=60)
    _log(keytool).unlink()
    return process.returncode


def _traced(keytool, point, fault):
    # Not with --seccomp-bpf, which is faster: strace 6.1 then loses the signal.
    return Prefixed(keytool, "strace", "-qq", "-o", _log(keytool), "-e", f"trace={point.call},{SLEEP}",
                    "-e", f"inject={point.call}:{fault}:when={point.nth}", "-e", NO_SLEEP)


def _log(keytool):
    return keytool.home / "trace"


def _changes_files(call, line):
    if call == "openat":
        return "O_CREAT" in line or "O_TMPFILE" in line
    return not re.match(r"write\([12],", line)  # stdout and stderr
