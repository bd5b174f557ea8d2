"""Verbs that write a file for the user, or remove an identity, are killed at their system calls, or have a disk that
fails there: each file is the old one, the new one or not there, each identity whole or not there, and the next run of
the verb finishes the work.

A part of the calls; each of them under `make test-all`.
"""

import functools

import pytest

from kit.processes import injection
from kit.sampling import sample
from kit.stages.staged import DISK_CODES
from kit.stages.verbscenes import SCENES, VerbPlace, VerbStaged


@pytest.fixture(scope="module")
def traced():
    injection.require_tracing()


@functools.lru_cache(maxsize=None)
def stage(name, root):
    return VerbStaged(SCENES[name], root / f"verb-{name}", VerbPlace)


def closing_sqlite(points):
    """The syncs after the result has its name: the journal of the store, which is erased by then, is removed if that
    succeeds, and stays otherwise."""
    named = max((number for number, point in enumerate(points) if point.call == "fsync"), default=0)
    return {point for point in points[named:] if point.call == "fdatasync"}


@pytest.mark.parametrize("name", SCENES)
def test_killed(built, traced, name, tmp_path_factory):
    staged = stage(name, tmp_path_factory.getbasetemp())
    staged.kill_each(sample(staged.points, 2))


@pytest.mark.parametrize("error", DISK_CODES)
@pytest.mark.parametrize("name", SCENES)
def test_failing_calls(built, traced, name, error, tmp_path_factory):
    staged = stage(name, tmp_path_factory.getbasetemp())
    unproven = injection.syncing_a_directory_of_sqlite(staged.points) | closing_sqlite(staged.points)

    def check(place, point):
        result = injection.fail(place.keytool, point, error, *staged.scene.command(place))
        if result.code == 0 and point in unproven:
            assert "new" in staged.names(place), f"it was not done: {result}"
        else:
            staged.judge_disk(place, point, result, error, errors=(1, 2))
        if not staged.scene.is_swept_later:
            assert not place.temporary(), f"left {place.temporary()}: {result}"
        staged.nothing_is_lost(place)
        staged.goes_on(place)

    staged.each(sample(staged.share(staged.points, error), 2), check)
