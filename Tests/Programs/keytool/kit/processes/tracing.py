"""Stops a process at its exit, when everything it leaves behind is still there (ptrace(2))."""

import ctypes
import os
import signal
import subprocess
import time

import pytest

from kit.processes.memory import Memory
from kit.runner import Result

TRACEME, CONT, SETOPTIONS, SEIZE = 0, 7, 0x4200, 0x4206
TRACEEXIT, EXITKILL = 0x40, 0x100000
EXIT_STOP = signal.SIGTRAP | 6 << 8  # PTRACE_EVENT_EXIT
PATIENCE = 60  # seconds

_ptrace = ctypes.CDLL(None, use_errno=True).ptrace
_ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_ptrace.restype = ctypes.c_long


def ptrace(request, pid, data=0):
    if _ptrace(request, pid, None, data) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"ptrace: {os.strerror(number)}")


def run_to_exit(command_line, environment, directory, **options):
    """Gives the result, and the memory as it was on the way out.

    `directory`: where the output goes, as nobody reads a pipe while the process is traced.
    """
    out, err = directory / "traced-out", directory / "traced-err"
    with out.open("wb") as stdout, err.open("wb") as stderr:
        try:
            process = subprocess.Popen(
                command_line, env=environment, cwd=directory, start_new_session=True, stdout=stdout,
                stderr=stderr, preexec_fn=lambda: ptrace(TRACEME, 0),
                **{"stdin": subprocess.DEVNULL, **options})
        except subprocess.SubprocessError as error:
            pytest.skip(f"no process may be traced here: {error}")
    try:
        _next_stop(process.pid)  # at exec
        ptrace(SETOPTIONS, process.pid, TRACEEXIT | EXITKILL)
        # Opened now: once the process is undumpable, only root could.
        memory = Memory(process.pid)
        ptrace(CONT, process.pid)
        snapshot = exit_snapshot(process.pid, memory)
        ptrace(CONT, process.pid)
        process.returncode = os.waitstatus_to_exitcode(_next_stop(process.pid))
    finally:
        if process.returncode is None:
            process.kill()
            process.wait()
    return Result(command_line, process.returncode, out.read_bytes(), err.read_bytes()), snapshot


def seize(pid):
    """Begins to trace a process that is running: root's privilege, as it is undumpable."""
    ptrace(SEIZE, pid, TRACEEXIT | EXITKILL)
    return Memory(pid)


def exit_snapshot(pid, memory):
    """Lets the process run until it exits; it is then to be continued."""
    while True:
        status = _next_stop(pid)
        assert os.WIFSTOPPED(status), f"gone without a stop: {status:#x}"
        if status >> 8 == EXIT_STOP:
            break
        ptrace(CONT, pid, os.WSTOPSIG(status))
    try:
        return memory.snapshot()
    finally:
        memory.close()


def _next_stop(pid):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        stopped, status = os.waitpid(pid, os.WNOHANG | 0x40000000)  # __WALL
        if stopped:
            return status
        time.sleep(0.002)
    raise AssertionError(f"still running after {PATIENCE} s")
