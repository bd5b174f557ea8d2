"""keytool starts with standard descriptors that are closed."""

import os

import pytest

from kit import masterkey
from kit.processes import injection


def without(*descriptors):
    def close():
        for one in descriptors:
            os.close(one)
    return close


def opened(log):
    """The descriptor that each file got which strace saw being opened."""
    found = []
    for line in log.read_text(errors="replace").splitlines():
        if "openat(" in line and "/dev/null" not in line and (result := line.rpartition(" = ")[2].split()[0]).isdigit():
            found.append((int(result), line))
    return found


@pytest.mark.parametrize("closed", [(2,), (1, 2), (0,), (0, 2), (0, 1, 2)], ids=str)
def test_no_file_gets_a_standard_descriptor(keytool, closed):
    """A note on stderr would be written into master.key."""
    injection.require_tracing()
    log = keytool.home / "trace"
    traced = injection.Prefixed(keytool, "strace", "-f", "-qq", "-o", log, "-e", "trace=openat", "--",
                                "sh", "-c", f'exec "$0" "$@" {" ".join(f"{one}>&-" for one in closed)}')
    result = traced("id", "create", "--id", "ABCD1234")
    assert result.code == (74 if 1 in closed else 0), result
    files = [one for one in opened(log) if str(keytool.keystore) in one[1] or "master.key" in one[1]]
    assert files and all(descriptor > 2 for descriptor, _ in files), files
    assert masterkey.read(keytool)
    keytool.ok("id", "show", "ABCD1234")


@pytest.mark.parametrize("command", [["backup", "check", "-"], ["qr", "show"]])
def test_closed_stdin_is_a_failure(keytool, code_password, command):
    options = code_password if command[0] == "backup" else []
    keytool.fails((66, 74), *command, *options, preexec_fn=without(0))
