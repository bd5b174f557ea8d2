"""The protections of a MainKey change whole or not at all: killed at any of its system calls, or with a disk that
fails there, a command leaves the old set or the new one. The key is never lost, and never in the clear beside a
protection unless that was asked for."""

import functools

import pytest

from kit import mainkeys
from kit.processes import injection
from kit.sampling import sample
from kit.stages.mainkeyscenes import COSTLY, SCENES, MainKeyPlace
from kit.stages.staged import DISK_CODES, Staged


@pytest.fixture(scope="module")
def traced():
    injection.require_tracing()


class DrawnStaged(Staged):
    """`init` draws the key: each place is compared with itself by the number of its keys."""

    def view(self, place):
        found = place.view()
        return sorted(found.values()) if self.scene.drawn else found


@functools.lru_cache(maxsize=None)
def stage(name, root):
    return DrawnStaged(SCENES[name], root / f"mainkey-{name}", MainKeyPlace)


def points(staged, name):
    if name not in COSTLY:
        return staged.points
    few = [one for one in staged.points if one.call in ("renameat", "renameat2", "fsync", "write")]
    return sample(few, 6)


def is_old_or_new(staged, place):
    """Right after the interruption, before anything else has run."""
    assert staged.names(place), f"neither the old state nor the new one: {staged.view(place)}"


def goes_on(staged, place):
    """The next command finds nothing in its way, and clears away what was left."""
    for id in mainkeys.ids(place.keystore):
        result = place.keytool("mainkey", "status", id)
        assert result.code == 0, result
    is_old_or_new(staged, place)


def can_be_done_again(staged, place):
    result = place.keytool(*staged.scene.command(place))
    assert result.code in staged.scene.nexts, result
    if not staged.scene.drawn:
        assert "new" in staged.names(place), f"{result}{staged.view(place)}"
    assert not place.temporary() or result.code, f"left {place.temporary()}: {result}"


@pytest.mark.parametrize("name", SCENES)
def test_killed(built, traced, name, tmp_path_factory):
    staged = stage(name, tmp_path_factory.getbasetemp())

    def check(place, point):
        injection.kill(place.keytool, point, *staged.scene.command(place))
        is_old_or_new(staged, place)
        goes_on(staged, place)
        if name not in COSTLY:
            can_be_done_again(staged, place)

    staged.each(points(staged, name), check)


@pytest.mark.parametrize("error", DISK_CODES)
@pytest.mark.parametrize("name", SCENES)
def test_failing_calls(built, traced, name, error, tmp_path_factory):
    staged = stage(name, tmp_path_factory.getbasetemp())

    def check(place, point):
        result = injection.fail(place.keytool, point, error, *staged.scene.command(place))
        staged.judge_disk(place, point, result, error)
        assert result.code == 0 or result.out == "", result
        is_old_or_new(staged, place)
        goes_on(staged, place)

    # Unless there are few calls, the errors share them.
    found = points(staged, name)
    staged.each(found if name in COSTLY else staged.share(found, error), check)
