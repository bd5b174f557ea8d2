"""A disk that is full, broken or read-only, at any system call of a command: either nothing was
done and the command says so, or it was done. The next run finds nothing in its way.
"""

import re

import pytest

import injection
from scenes import SCENES
from staged import stage

TOO_LARGE, CANT_CREATE, IO, TEMPFAIL = 14, 73, 74, 75
CODES = {
    "ENOSPC": {IO, TOO_LARGE},  # the second for the Safe folder: it has no room left
    "EIO": {IO, TEMPFAIL},  # the second for the Safe folder: it is away
    "EROFS": {IO, CANT_CREATE},  # the second for a new file that the user named
    "EFBIG": {IO, TOO_LARGE, CANT_CREATE},
}
DERIVING = {"setup", "pull-to-empty", "passwd", "move"}  # scrypt in every run: the slow ones


@pytest.fixture(scope="module")
def traced():
    injection.require_tracing()


@pytest.mark.parametrize("name, error", [
    (name, error) for name in SCENES for error in ("ENOSPC", "EIO", "EROFS")
    if not (name in DERIVING and error == "EROFS")])
def test_failing_calls(built, traced, name, error, tmp_path_factory):
    staged = stage(name, tmp_path_factory.getbasetemp())
    command = staged.scene.command

    finishing = finishing_a_commit(staged.points)

    def check(place, point):
        result = injection.fail(place.keytool, point, error, *command(place))
        judge(staged, place, result, CODES[error], point.call in injection.SYNCING and point not in finishing,
              may_leave_probe=point.call.startswith("unlink"))

    # The slow ones share their calls between two errors, which differ little but in the exit code.
    share = {"ENOSPC": slice(0, None, 2), "EIO": slice(1, None, 2)}
    points = staged.points[share[error]] if name in DERIVING else staged.points
    if name == "abort":
        # It always ends the change, and names what it could not delete at the new place.
        points = [point for point in points if not ("unlink" in point.call and re.search(r'"[0-9a-f]{64}"', point.text))]
    staged.each(points, check)


@pytest.mark.parametrize("name", [name for name in SCENES if name != "remove"])
def test_short_writes(built, name, tmp_path_factory):
    """No file may be longer than so many bytes: the write that crosses the limit is a short one,
    and the next one fails. (strace could only claim that: of the bytes, all or none are written.)
    """
    staged = stage(name, tmp_path_factory.getbasetemp())
    codes = set()

    def check(place, limit):
        limited = injection.Prefixed(place.keytool, "prlimit", f"--fsize={limit}")
        result = limited(*staged.scene.command(place))
        codes.add(result.code)
        judge(staged, place, result, CODES["EFBIG"], False)

    staged.each([1, 50, 70, 100, 130, 180, 250, 310, 400], check)
    assert codes != {0}, "no file of this command is that long"


def finishing_a_commit(points):
    """The calls that write out what the file `commit` holds: it stands and is synced, so the change is made, and what
    fails here is done by the next command. They end with the sync after it is removed."""
    finishing, state = removing_a_probe(points), "before"
    for point in points:
        if "rename" in point.call and '"commit"' in point.text:
            state = "named"
        elif state == "named" and point.call in injection.SYNCING:
            state = "made"
        elif state in ("made", "removed"):
            finishing.add(point)
            if state == "removed" and point.call in injection.SYNCING:
                state = "before"
            elif "unlink" in point.call and '"commit"' in point.text:
                state = "removed"
    return finishing


def removing_a_probe(points):
    """The syncs behind the removal of what the command itself has stored: 64 random bytes may stay."""
    syncs, stored, is_removed = set(), set(), False
    for point in points:
        names = re.findall(r'"([0-9a-f]{64})"', point.text)
        if "unlink" in point.call:
            is_removed = bool(stored & set(names))
        elif names:
            stored.add(names[-1])
        elif is_removed and point.call in injection.SYNCING:
            syncs.add(point)
            is_removed = False
    return syncs


def judge(staged, place, result, codes, must_fail, may_leave_probe=False):
    if result.code == 0:
        # The one thing that a command may leave to the next: every push tries again.
        is_owned_up_to = "was not deleted" in result.err or "may still hold" in result.err
        assert not must_fail or is_owned_up_to, f"a failed fsync went unnoticed: {result}"
        assert "new" in staged.names(place) or is_owned_up_to, f"it was not done: {result}"
    else:
        assert result.code in codes, f"expected {codes}: {result}"
        assert result.out == "", result
        assert len(re.findall(r"^keytool: error: \S", result.err, re.M)) == 1, result
        assert not place.probes() or may_leave_probe, f"left a probe: {result}"
    if not staged.scene.is_swept_later:
        assert not place.temporary(), f"left {place.temporary()}: {result}"
    staged.nothing_is_lost(place)
    staged.goes_on(place, staged.scene.nexts[0])
