"""SophaxChat's identities change whole or not at all: killed at any system call, or with a disk that fails there, each
identity is the old one or the new one, with all of its records."""

import functools

import pytest

from kit.processes import injection
from kit.stages.sophaxscenes import ID, SCENES, SophaxPlace
from kit.stages.staged import DISK_CODES, Staged


@pytest.fixture(scope="module")
def traced():
    injection.require_tracing()


@functools.lru_cache(maxsize=None)
def stage(name, root):
    return Staged(SCENES[name], root / f"sophaxchat-{name}", SophaxPlace)


def has_commit(place):
    return any((place.keystore / "identities/sophaxchat").rglob("commit"))


def nothing_is_lost(staged, place):
    """Right after the interruption, before anything else has run: the program reads it, too."""
    listed = place.keytool("sophaxchat", "list", "--json")
    assert listed.code == 0, listed
    now, known = staged.view(place), staged.views[place]
    if now is None:
        assert known["old"] is None
        return
    old, new = known["old"] or ([], {}), known["new"]
    assert now[0] == old[0], "an identity is gone"
    assert set(old[1]) <= set(now[1]) <= set(new[1])
    assert sorted(one["id"] for one in listed.json["identities"]) == sorted(now[1])
    if not staged.scene.has_steps and not has_commit(place):
        assert staged.names(place), f"neither the old state nor the new one: {now}"
    for id, records in now[1].items():
        for name, content in records.items():
            known = [old[1].get(id, {}).get(name), new[1][id].get(name)]
            if name == "attempts" and is_change(staged):
                known.append((3, 0))  # one more than before, while the PIN is compared
            assert content in known, f"half of {id}/{name}: {content}"
        if is_change(staged) and records["pin"] == new[1][id]["pin"]:
            assert records.get("changes") == 1, "a PIN was changed, and that is not counted"


def is_change(staged):
    """Whether a PIN is changed: first the attempt is stored, then the counts after it, and then the PIN."""
    return staged.scene is SCENES["change-pin"]


def has_pin(staged, place):
    now = staged.view(place)
    return now is not None and "pin" in now[1].get(ID, {})


def goes_on(staged, place):
    """The same command finishes the work, or says that it is done, and nothing is left of the interrupted one."""
    had_pin = has_pin(staged, place)
    result = place.keytool(*staged.scene.command(place))
    if is_change(staged):
        # What is counted twice, or as a failure, is no matter: the PIN was changed before.
        (_, now), (_, new) = staged.view(place), staged.views[place]["new"]
        assert result.code in (0, 12) and now[ID]["pin"] == new[ID]["pin"], f"{result}{now}"
    else:
        # A PIN that is set already is changed by those who know it only.
        assert result.code == (16 if "set-pin" in result.arguments and had_pin else 0), result
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
        if result.code == 0 and is_change(staged):
            # Three counts change by a commit file. What fails of writing them out is tried again before the PIN changes.
            assert staged.names(place) == {"new"} and not has_commit(place), f"it was not done: {result}"
        else:
            staged.judge_disk(place, point, result, error, errors=(1, 2))
        nothing_is_lost(staged, place)
        goes_on(staged, place)

    staged.each(staged.share(staged.points, error), check)
