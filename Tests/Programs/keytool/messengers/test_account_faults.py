"""The accounts of Telegram and TextSecure change whole or not at all: killed at any system call, or with a disk that
fails there, each account is the old one or the new one, with all of its keys."""

import functools

import pytest

from kit.processes import injection
from kit.stages import telegramscenes, textsecurescenes
from kit.stages.accountstaged import AccountStaged
from kit.stages.staged import DISK_CODES

SCENES = {(place.messenger, name): (scene, place)
          for scenes, place in ((telegramscenes.SCENES, telegramscenes.TelegramPlace),
                                (textsecurescenes.SCENES, textsecurescenes.TextSecurePlace))
          for name, scene in scenes.items()}


@pytest.fixture(scope="module")
def traced():
    injection.require_tracing()


@functools.lru_cache(maxsize=None)
def stage(messenger, name, root):
    scene, place = SCENES[messenger, name]
    return AccountStaged(scene, root / f"{messenger}-{name}", place)


@pytest.mark.parametrize("messenger, name", SCENES)
def test_killed(built, traced, messenger, name, tmp_path_factory):
    staged = stage(messenger, name, tmp_path_factory.getbasetemp())
    staged.kill_each(staged.points)


@pytest.mark.parametrize("error", DISK_CODES)
@pytest.mark.parametrize("messenger, name", SCENES)
def test_failing_calls(built, traced, messenger, name, error, tmp_path_factory):
    staged = stage(messenger, name, tmp_path_factory.getbasetemp())
    staged.fail_each(staged.share(staged.points, error), error, errors=(1, 2))
