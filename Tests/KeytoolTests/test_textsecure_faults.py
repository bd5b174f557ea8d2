"""TextSecure's accounts change whole or not at all: killed at any system call, or with a disk that fails there, an
account is the old one or the new one, and no prekey that was held is gone."""

import functools

import pytest

from kit import injection
from kit.staged import DISK_CODES, Staged
from kit.textsecurescenes import SCENES, TextSecurePlace


@pytest.fixture(scope="module")
def traced():
    injection.require_tracing()


@functools.lru_cache(maxsize=None)
def stage(name, root):
    return Staged(SCENES[name], root / f"textsecure-{name}", TextSecurePlace)


def nothing_is_lost(staged, place):
    """Right after the interruption, before anything else has run."""
    now, known = staged.view(place), staged.views[place]
    if not staged.scene.has_steps:
        assert staged.names(place), f"neither the old state nor the new one: {now}"
    if now is None:
        assert known["old"] is None
        return
    old, new = known["old"] or ([], {}), known["new"]
    assert now[0] == old[0], "an identity is gone"
    for number, account in now[1].items():
        assert account in (old[1].get(number), new[1][number]), f"half of {number}"


def goes_on(staged, place):
    """The same command finishes the work, and nothing is left of the interrupted one."""
    result = place.keytool(*staged.scene.command(place))
    assert result.code in staged.scene.nexts, result
    assert "new" in staged.names(place), f"{result}{staged.view(place)}"
    assert not place.temporary(), f"left {place.temporary()}: {result}"


@pytest.mark.parametrize("name", SCENES)
def test_killed(built, traced, name, tmp_path_factory):
    staged = stage(name, tmp_path_factory.getbasetemp())

    def check(place, point):
        injection.kill(place.keytool, point, *staged.scene.command(place))
        nothing_is_lost(staged, place)
        goes_on(staged, place)

    staged.each(staged.points, check)


@pytest.mark.parametrize("error", DISK_CODES)
@pytest.mark.parametrize("name", SCENES)
def test_failing_calls(built, traced, name, error, tmp_path_factory):
    staged = stage(name, tmp_path_factory.getbasetemp())

    def check(place, point):
        result = injection.fail(place.keytool, point, error, *staged.scene.command(place))
        staged.judge_disk(place, point, result, error, errors=(1, 2))
        assert not place.temporary(), f"left {place.temporary()}: {result}"
        nothing_is_lost(staged, place)
        goes_on(staged, place)

    staged.each(staged.share(staged.points, error), check)
