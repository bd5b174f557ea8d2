"""Signals in the middle of a command that writes: a call that one interrupts is made again, and a
command that one ends leaves nothing half made."""

import re
import signal

import pytest

from kit.processes import injection
from kit.stages.scenes import SCENES
from kit.stages.staged import stage

NAMES = [name for name in ("create-first", "create-second", "import", "export", "push-first", "push-changed", "pull",
                           "remove") if name in SCENES]
# They change nothing, and may be interrupted as well.
READING = ("openat", "getdents64")


@pytest.fixture(scope="module")
def traced():
    injection.require_tracing()


def reading_points(place, command):
    """Calls that open or list something, from the keystore on: what is before is the loader's."""
    log = place.home / "trace"
    injection.Prefixed(place.keytool, "strace", "-qq", "-o", log, "-e", f"trace={','.join(READING)}").ok(*command)
    seen, found, is_ours = {}, [], False
    for line in log.read_text(errors="replace").splitlines():
        call = line.split("(", 1)[0]
        seen[call] = seen.get(call, 0) + 1
        is_ours = is_ours or str(place.keystore) in line
        if is_ours and call in READING and "ENOENT" not in line and not re.search(r'"/(dev|proc|etc|usr|lib)', line):
            found.append(injection.Point(call, seen[call], line[:100]))
    log.unlink()
    assert {point.call for point in found} == set(READING)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_interrupted_calls(built, traced, name, tmp_path_factory):
    """EINTR from any call: the command does its work."""
    staged = stage(name, tmp_path_factory.getbasetemp())
    command = staged.scene.command

    def check(place, point):
        result = injection.fail(place.keytool, point, "EINTR", *command(place))
        assert result.code == 0 and "new" in staged.names(place), result

    points, place = staged.points, staged.places[0]
    place.bring_back("old")
    staged.each([*points, *reading_points(place, command(place))], check)


@pytest.mark.parametrize("name", NAMES)
def test_ended(built, traced, name, tmp_path_factory):
    """SIGTERM at any call that changes a file: nothing half made is left, not even until the next run."""
    staged = stage(name, tmp_path_factory.getbasetemp())

    def check(place, point):
        code = injection.send(place.keytool, point, "SIGTERM", *staged.scene.command(place))
        # 0: it had done everything before the signal could end it.
        assert code in (0, -signal.SIGTERM), code
        assert not place.temporary(), f"left {place.temporary()}"
        if not staged.scene.has_steps:
            assert staged.names(place), "neither the old state nor the new one"
        assert code != 0 or "new" in staged.names(place)

    staged.each(staged.points, check)
