"""A crash leaves no core file, and another process of the account cannot attach."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from kit.known import CODE, CODE_PASSWORD
from kit.runner import BINARY

NOBODY = 65534
# The command for a secret is a child of keytool. It sees what the kernel says of its parent, and of itself.
LOOK = "for each in $PPID self; do grep core /proc/$each/limits; stat -c 'owner %u' /proc/$each/environ; done >&2"


@pytest.fixture
def program():
    """The program at a place that every account can reach."""
    with tempfile.TemporaryDirectory(prefix="kt.") as directory:
        os.chmod(directory, 0o755)
        copy = Path(directory) / "keytool"
        shutil.copy(BINARY, copy)
        copy.chmod(0o755)
        yield copy


def test_no_core_and_no_debugger(program):
    """The files of a process that is not dumpable belong to root, and only root may attach to it."""
    other = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    result = subprocess.run(
        [program, "backup", "check", "-", "--backup-password-command", f"{LOOK}; echo {CODE_PASSWORD.decode()}"],
        input=CODE.encode(), capture_output=True, cwd="/", timeout=60,
        env={"PATH": "/usr/bin:/bin", "HOME": str(program.parent), "LC_ALL": "C.UTF-8"}, **other)
    assert result.returncode == 0, result
    limit, owner, _, of_child = [line.split() for line in result.stderr.decode().splitlines()[:4]]
    assert limit[:6] == ["Max", "core", "file", "size", "0", "0"]
    assert owner == ["owner", "0"] and of_child == ["owner", str(NOBODY if other else os.geteuid())]
