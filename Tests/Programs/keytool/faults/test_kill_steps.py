"""A command that changes files in several steps is killed at any of its system calls: see test_kill.py."""

import pytest

from kit.processes.injection import require_tracing
from kit.stages.scenes import SCENES
from kit.stages.staged import kill_at_each_call, stage


@pytest.fixture(scope="module")
def traced():
    require_tracing()


@pytest.mark.parametrize("name", [name for name, scene in SCENES.items() if scene.has_steps])
def test_killed(built, traced, name, tmp_path_factory):
    kill_at_each_call(stage(name, tmp_path_factory.getbasetemp()))
