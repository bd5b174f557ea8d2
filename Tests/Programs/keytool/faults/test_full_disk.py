"""A disk that is full, broken or read-only, at any system call of a command: either nothing was
done and the command says so, or it was done. The next run finds nothing in its way.

Each call fails with one of the errors, of the slow commands every other call; with each of them under `make test-all`.
"""

import re

import pytest

from kit import oracle
from kit.known import SAFE_PASSWORD
from kit.processes import injection
from kit.sampling import sample, share
from kit.stages.place import ID, NEW_PASSWORD
from kit.stages.scenes import SCENES
from kit.stages.staged import finishing_a_commit, stage

TOO_LARGE, CANT_CREATE, IO, TEMPFAIL = 14, 73, 74, 75
CODES = {
    "ENOSPC": {IO, TOO_LARGE},  # the second for the Safe directory: it has no room left
    "EIO": {IO, TEMPFAIL},  # the second for the Safe directory: it is away
    "EROFS": {IO, CANT_CREATE},  # the second for a new file that the user named
    "EFBIG": {IO, TOO_LARGE, CANT_CREATE},
}
BACKUPS = {oracle.safe_keys(password, ID).backup_id for password in (SAFE_PASSWORD, NEW_PASSWORD)}
DERIVING = {"setup", "pull-to-empty", "passwd", "move"}  # scrypt in every run: the slow ones
ERRORS = ("ENOSPC", "EIO", "EROFS")
GOING_ON = {"archive-import-two"}  # with the next identity, after a failure
MATRIX = [(name, error) for name in SCENES for error in ERRORS
          if name not in GOING_ON and not (name in DERIVING and error == "EROFS")]


@pytest.fixture(scope="module")
def traced():
    injection.require_tracing()


@pytest.mark.parametrize("name, error", MATRIX)
def test_failing_calls(built, traced, name, error, tmp_path_factory):
    staged = stage(name, tmp_path_factory.getbasetemp())
    command = staged.scene.command

    finishing, unproven = finishing_a_commit(staged.points), removing_a_probe(staged.points)
    unproven |= injection.syncing_a_directory_of_sqlite(staged.points)

    def check(place, point):
        result = injection.fail(place.keytool, point, error, *command(place))
        judge(staged, place, result, CODES[error], point.call in injection.SYNCING and point not in finishing | unproven,
              may_leave_probe="unlink" in point.call and probes_of(point))
        if point in finishing:
            assert result.code == 0, f"the change is complete: {result}"
        # It always ends the change, and names what it could not delete at the new place.
        if name == "abort" and "unlink" in point.call and BACKUPS & names_of(point):
            assert result.code == 0 and "may still hold" in result.err, result

    # The errors differ little but in the exit code, so they share the calls.
    errors = [one for one in ERRORS if (name, one) in MATRIX]
    points = share(staged.points, errors.index(error), len(errors))
    staged.each(sample(points, 2) if name in DERIVING else points, check)


@pytest.mark.parametrize("name", [name for name in SCENES if name != "remove" and name not in GOING_ON])
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


def names_of(point):
    """Of files in a Safe directory."""
    return set(re.findall(r'"([0-9a-f]{64})"', point.text))


def probes_of(point):
    return names_of(point) - BACKUPS


def removing_a_probe(points):
    """The syncs behind the removal of what the command itself has stored: 64 random bytes may stay."""
    syncs, stored, is_removed = set(), set(), False
    for point in points:
        if "unlink" in point.call:
            is_removed = bool(stored & probes_of(point))
        elif probes_of(point):
            stored |= probes_of(point)
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
    if "may still hold" in result.err:
        # The change is over here, and what was not deleted there was named.
        assert place.keytool.json("safe", "status")["changing"] is False
        return place.keytool.ok("safe", "push")
    staged.goes_on(place, staged.scene.nexts[0])
