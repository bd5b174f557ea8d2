"""The wrapping of the master key changes whole or not at all: killed at any of its system calls, or
with a disk that fails there, a keystore opens by its old passphrase or by its new one.

Each call fails with one of the errors; with each of them under `make test-all`.
"""

import functools

import pytest

from kit.masterkey import NEW_PASSPHRASE
from kit.processes import injection
from kit.sampling import sample
from kit.stages.keyscenes import SCENES, KeyPlace, create
from kit.stages.staged import DISK_CODES, IO, Staged


@pytest.fixture(scope="module")
def traced():
    injection.require_tracing()


@functools.lru_cache(maxsize=None)
def stage(name, root):
    return Staged(SCENES[name], root / f"key-{name}", KeyPlace)


def is_one_of_both(staged, place):
    """Right after the interruption, before anything else has run."""
    now = staged.view(place)
    if staged.names(place):
        return
    # The key of an empty keystore opens nothing: between two of them there may be none.
    assert staged.scene.has_steps, f"neither the old state nor the new one: {now}"
    assert now is None or now == (NEW_PASSPHRASE, []), f"not what was asked for: {now}"


def goes_on(staged, place):
    """The next command, whichever opens the keystore, finds nothing in its way."""
    result = place.keytool("id", "list", *place.source)
    assert result.code == 0, result
    if staged.view(place) is not None:
        assert not place.temporary(), f"left {place.temporary()}: {result}"
    is_one_of_both(staged, place)


def can_be_done_again(staged, place):
    result = place.keytool(*staged.scene.command(place))
    assert result.code in staged.scene.nexts, result
    assert "new" in staged.names(place), f"{result}{staged.view(place)}"
    assert not place.temporary(), f"left {place.temporary()}: {result}"


@pytest.mark.parametrize("name", SCENES)
def test_killed(built, traced, name, tmp_path_factory):
    staged = stage(name, tmp_path_factory.getbasetemp())

    def check(place, point):
        injection.kill(place.keytool, point, *staged.scene.command(place))
        is_one_of_both(staged, place)
        goes_on(staged, place)
        if not is_costly:
            can_be_done_again(staged, place)

    # A new keystore costs seconds each time; what can be seen of it changes with these calls.
    is_costly, points = staged.scene.command is create, staged.points
    if is_costly:
        points = sample([one for one in points if one.call in ("renameat", "renameat2", "mkdirat")], 2)
    staged.each(points, check)


@pytest.mark.parametrize("error", DISK_CODES)
@pytest.mark.parametrize("name", [name for name in SCENES if name != "create"])
def test_failing_calls(built, traced, name, error, tmp_path_factory):
    staged = stage(name, tmp_path_factory.getbasetemp())

    def check(place, point):
        result = injection.fail(place.keytool, point, error, *staged.scene.command(place))
        staged.judge_disk(place, point, result, error)
        assert result.code == 0 or result.out == "", result
        assert not place.temporary(), f"left {place.temporary()}: {result}"
        is_one_of_both(staged, place)
        goes_on(staged, place)

    staged.each(staged.share(staged.points, error), check)


@pytest.mark.parametrize("name", ["protect", "unprotect", "import"])
def test_short_writes(built, name, tmp_path_factory):
    """No file may be longer than so many bytes: the write that crosses the limit is a short one."""
    staged = stage(name, tmp_path_factory.getbasetemp())

    def check(place, limit):
        limited = injection.Prefixed(place.keytool, "prlimit", f"--fsize={limit}")
        result = limited(*staged.scene.command(place))
        assert (result.code == 0) == ("new" in staged.names(place)), result
        assert result.code in (0, IO), result
        assert not place.temporary(), f"left {place.temporary()}: {result}"
        is_one_of_both(staged, place)

    staged.each([1, 43, 44, 45, 60, 61, 100], check)
