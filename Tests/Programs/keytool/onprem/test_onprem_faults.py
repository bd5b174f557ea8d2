"""Provisioning files change whole or not at all: killed at any system call, or with a disk that fails there, the file is
the old one or the new one, with its key and its login."""

import functools
import shutil

import pytest

from kit.processes import injection
from kit.runner import snapshot
from kit.sampling import sample
from kit.servers.onpremserver import key
from kit.stages.accountstaged import AccountStaged
from kit.stages.onpremscenes import SCENES, OnPremPlace
from kit.stages.staged import DISK_CODES, finishing_a_commit


@pytest.fixture(scope="module")
def traced():
    injection.require_tracing()


@functools.lru_cache(maxsize=None)
def stage(name, root):
    return AccountStaged(SCENES[name], root / f"onprem-{name}", OnPremPlace)


@pytest.mark.parametrize("name", SCENES)
def test_killed(built, traced, name, tmp_path_factory):
    staged = stage(name, tmp_path_factory.getbasetemp())
    staged.kill_each(staged.points)


@pytest.mark.parametrize("error", DISK_CODES)
@pytest.mark.parametrize("name", SCENES)
def test_failing_calls(built, traced, name, error, tmp_path_factory):
    staged = stage(name, tmp_path_factory.getbasetemp())
    # What a commit holds is made, and the next command that changes the file writes it out.
    finishing = finishing_a_commit(staged.points)
    points = staged.share(staged.points, error)
    staged.fail_each([point for point in points if point not in finishing], error, errors=(1, 2))

    def check(place, point):
        result = injection.fail(place.keytool, point, error, *staged.scene.command(place))
        assert result.code == 0 and "new" in staged.names(place), result
        staged.goes_on(place)

    if left := [point for point in points if point in finishing]:
        staged.each(left, check)


@pytest.mark.parametrize("interrupt", ["killed", "ENOSPC"])
def test_fetched_again(traced, member, company, due, held, interrupt, tmp_path):
    """While a newer file is fetched before a request: the present one or the newer one counts, and the next command
    has the newer one. A disk that is full keeps nobody from asking."""
    old = held(member)
    new = company.publish(refresh=3600)
    due(member)
    command = ["id", "fetch", member.id]
    kept = tmp_path / "kept"
    copy(member.keystore, kept)
    points = injection.points(member, *command)
    assert held(member) == new
    for point in points if interrupt == "killed" else sample(points, 3):
        copy(kept, member.keystore)
        if interrupt == "killed":
            injection.kill(member, point, *command)
        else:
            result = injection.fail(member, point, interrupt, *command)
            assert result.code in (0, 74), f"{point}: {result}"
        assert member.json("onprem", "show")["key"] == key()
        member.ok(*command)
        assert held(member) == new, point
        # What an interrupted one left goes with the next change of the file.
        member.ok("onprem", "import", "-", "--key", key(), stdin=new)
        left = [path for path in member.keystore.rglob(".*")]
        assert not left, f"left {left}: {point}"
    assert old != new and snapshot(kept) != snapshot(member.keystore)


def copy(source, target):
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
