"""The kernel's keyring of this account (keyrings(7)), without a library: to look at what keytool
keeps there, to put something else there, and to leave nothing behind."""

import ctypes
import errno
import hashlib
import os
import platform
import struct
from pathlib import Path
from typing import NamedTuple

ADD_KEY, KEYCTL = {"aarch64": (217, 219)}.get(platform.machine(), (248, 250))
PROCESS, USER = -2, -4  # the special keyrings @p and @u
JOIN_SESSION, DESCRIBE, LINK, UNLINK, READ = 1, 6, 8, 9, 11
_libc = ctypes.CDLL(None, use_errno=True)


class Key(NamedTuple):
    serial: int
    permissions: int
    expiry: str  # as /proc/keys has it: "perm", or how long it still has, rounded down
    owner: int
    payload: bytes


def _syscall(*arguments):
    result = _libc.syscall(*(ctypes.c_long(one) if isinstance(one, int) else one
                             for one in arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def refusal():
    """Why the kernel does not let us use it; None where it does."""
    try:
        serial = put(f"keytool-test:probe-{os.getpid()}", b"probe", PROCESS)
        _syscall(KEYCTL, LINK, serial, USER)
        for where in (USER, PROCESS):
            _syscall(KEYCTL, UNLINK, serial, where)
        # What is in the account's keyring is read only by who possesses it.
        _syscall(KEYCTL, LINK, USER, PROCESS)
    except OSError as error:
        assert error.errno in (errno.ENOSYS, errno.EPERM, errno.EACCES, errno.EDQUOT), error
        return str(error)
    return None


def put(name, payload, where=USER):
    return _syscall(ADD_KEY, b"user", name.encode(), payload, len(payload), where)


def name(keystore):
    """The name under which a keystore's key is kept: it tells nobody which keystore it is."""
    record = (Path(keystore) / "keystore").read_bytes()
    return "keytool:" + hashlib.sha256(record).digest()[:16].hex()


def find(name):
    """The key of this name that has not expired."""
    for serial in _serials():
        try:
            kind, owner, _, permissions, description = _read(DESCRIBE, serial)[:-1].decode().split(
                ";", 4)
            if (kind, description) == ("user", name):
                return Key(serial, int(permissions, 16), _expiry(serial), int(owner),
                           _read(READ, serial))
        except OSError as error:
            assert error.errno in (errno.EKEYEXPIRED, errno.ENOKEY, errno.EACCES), error
    return None


def _serials():
    """What the account's keyring holds; /proc/keys also has what it held a moment ago."""
    return [serial for serial, in struct.iter_unpack("=i", _read(READ, USER))]


def _read(operation, serial):
    buffer = ctypes.create_string_buffer(32 * 1024)
    length = _syscall(KEYCTL, operation, serial, buffer, len(buffer))
    return buffer.raw[:length]


def _expiry(serial):
    return next(line[3] for line in _lines() if int(line[0], 16) == serial)


def _lines():
    return [line.split() for line in Path("/proc/keys").read_text().splitlines()]


def remove(name):
    """Also one that has expired, which can still be unlinked and nothing else."""
    for line in _lines():
        if line[7:9] == ["user", name + ":"] and int(line[0], 16) in _serials():
            _syscall(KEYCTL, UNLINK, int(line[0], 16), USER)


def join_new_session():
    """For a child before it runs: a session keyring of its own, which possesses nothing."""
    _syscall(KEYCTL, JOIN_SESSION, ctypes.c_char_p(None))
