"""Runs a program under the restrictions of a systemd unit, on a machine where systemd does not run.

    confined.py UNIT PROGRAM [ARGUMENT …]        as root; the account is nobody

The filters are those that systemd makes of SystemCallFilter=, RestrictAddressFamilies= and MemoryDenyWriteExecute=, by
the same library; the lists of calls are asked of systemd. Capabilities, account, limits and mask are set here.
"""

import ctypes
import os
import resource
import socket
import subprocess
import sys

NOBODY = 65534
ALLOW, DENY, NO_FAMILY = 0x7FFF0000, 0x00050001, 0x00050061  # errors: EPERM, EAFNOSUPPORT
EQUAL, MASKED_EQUAL = 4, 7  # enum scmp_compare
WRITE_AND_EXECUTE, EXECUTE = 6, 4

seccomp = ctypes.CDLL("libseccomp.so.2")
seccomp.seccomp_init.restype = ctypes.c_void_p
libc = ctypes.CDLL(None, use_errno=True)


class Argument(ctypes.Structure):
    _fields_ = [("number", ctypes.c_uint), ("operation", ctypes.c_int), ("first", ctypes.c_uint64),
                ("second", ctypes.c_uint64)]


def settings(path, key):
    with open(path) as unit:
        return [line.strip().partition("=")[2] for line in unit if line.startswith(f"{key}=")]


def group(name):
    """The calls of a group of systemd's, and of the groups in it."""
    shown = subprocess.run(
        ["systemd-analyze", "syscall-filter", "--no-pager", name], capture_output=True, text=True, check=True).stdout
    lines = [line.strip() for line in shown.splitlines()[1:]]
    for line in lines:
        if line.startswith("@"):
            yield from group(line)
        elif line and not line.startswith("#"):
            yield line


def allowed_calls(unit):
    """As systemd.exec(5) says: the first line allows, those with ~ take away."""
    calls = set()
    for line in settings(unit, "SystemCallFilter"):
        names = {call for word in line.lstrip("~").split() for call in (group(word) if word[0] == "@" else [word])}
        calls = calls - names if line.startswith("~") else calls | names
    return calls | set(group("@default"))


class Filter:
    def __init__(self, otherwise):
        self.filter = ctypes.c_void_p(seccomp.seccomp_init(ctypes.c_uint32(otherwise)))

    def rule(self, action, call, *arguments):
        number = seccomp.seccomp_syscall_resolve_name(call.encode())
        if number < 0:  # not of this machine
            return
        array = (Argument * len(arguments))(*arguments)
        result = seccomp.seccomp_rule_add_array(self.filter, ctypes.c_uint32(action), number, len(arguments), array)
        assert result == 0, (call, result)

    def load(self):
        assert seccomp.seccomp_load(self.filter) == 0


def filters(unit):
    """In the order in which they are loaded: the last one may forbid to load more."""
    calls = Filter(DENY)
    for call in sorted(allowed_calls(unit)):
        calls.rule(ALLOW, call)
    rest = Filter(ALLOW)
    [families] = settings(unit, "RestrictAddressFamilies")
    kept = {getattr(socket, name).value for name in families.split()}
    for family in set(range(46)) - kept:
        rest.rule(NO_FAMILY, "socket", Argument(0, EQUAL, family, 0))
    assert settings(unit, "MemoryDenyWriteExecute") == ["yes"]
    rest.rule(DENY, "mmap", Argument(2, MASKED_EQUAL, WRITE_AND_EXECUTE, WRITE_AND_EXECUTE))
    for call in ("mprotect", "pkey_mprotect"):
        rest.rule(DENY, call, Argument(2, MASKED_EQUAL, EXECUTE, EXECUTE))
    return rest, calls


def main(unit, *command):
    assert settings(unit, "CapabilityBoundingSet") == [""] and settings(unit, "NoNewPrivileges") == ["yes"]
    made = filters(unit)
    for number in range(64):
        libc.prctl(24, number, 0, 0, 0)  # PR_CAPBSET_DROP; beyond the last one it fails
    resource.setrlimit(resource.RLIMIT_NOFILE, (int(settings(unit, "LimitNOFILE")[0]),) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (int(settings(unit, "LimitCORE")[0]),) * 2)
    os.umask(int(settings(unit, "UMask")[0], 8))
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
    for each in made:
        each.load()
    os.execv(command[0], command)


main(*sys.argv[1:])
