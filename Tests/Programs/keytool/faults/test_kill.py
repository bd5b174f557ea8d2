"""A command that is killed at any of its system calls loses nothing, and needs no repair.

A kill on entering a call is one after the call before it, so that every moment between two
changes is there.

The commands that change files in several steps are in test_kill_steps.py.
"""

import pytest

from kit.processes.injection import require_tracing
from kit.stages.scenes import SCENES
from kit.stages.staged import kill_at_each_call, stage


@pytest.fixture(scope="module")
def traced():
    require_tracing()


@pytest.mark.parametrize("name", [name for name, scene in SCENES.items() if not scene.has_steps])
def test_killed(built, traced, name, tmp_path_factory):
    kill_at_each_call(stage(name, tmp_path_factory.getbasetemp()))
