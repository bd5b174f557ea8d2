"""A keystore that cannot be written: on a read-only medium, or without the permission."""

import os
import subprocess

import pytest

from kit.processes.injection import Prefixed

MOUNT = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'


def on_a_medium(keytool):
    """The same keytool, for which the keystore is on a medium that is mounted read-only."""
    inside = ["unshare", "--mount", "sh", "-c", MOUNT, keytool.keystore]
    if subprocess.run([*inside, "true"], capture_output=True, timeout=60).returncode:
        pytest.skip("needs root and the right to mount")
    return Prefixed(keytool, *inside)


def without_permission(keytool):
    """The same keytool, whose account may not write in the keystore. A root account gives up its privileges."""
    for path in [keytool.keystore, *keytool.keystore.rglob("*")]:
        path.chmod(0o500 if path.is_dir() else 0o400)
    return Prefixed(keytool, *(["setpriv", "--bounding-set=-all"] if os.geteuid() == 0 else []))


WAYS = {"medium": on_a_medium, "permission": without_permission}
