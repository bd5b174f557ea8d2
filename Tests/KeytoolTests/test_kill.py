"""A command that is killed at any of its system calls loses nothing, and needs no repair.

A kill on entering a call is one after the call before it, so that every moment between two
changes is there.
"""

import pytest

from kit import injection
from kit.place import ID
from kit.scenes import SCENES
from kit.staged import stage


@pytest.fixture(scope="module")
def traced():
    injection.require_tracing()


@pytest.mark.parametrize("name", SCENES)
def test_killed(built, traced, name, tmp_path_factory):
    staged = stage(name, tmp_path_factory.getbasetemp())
    scene = staged.scene

    def check(place, point):
        injection.kill(place.keytool, point, *scene.command(place))
        staged.nothing_is_lost(place)
        has_safe = "safe" in staged.view(place)["identities"].get(ID, {})
        status = place.keytool("safe", "status", ID)
        assert status.code == (0 if has_safe else 10), status
        place.keep("killed")
        for next in scene.nexts:
            place.bring_back("killed")
            staged.goes_on(place, next)

    staged.each(staged.points, check)
