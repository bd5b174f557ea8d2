"""A command about several Safe places that is killed leaves the other places as they were, and goes on afterwards."""

import pytest

from kit import identityfiles, oracle
from kit.known import SAFE_PASSWORD
from kit.processes import injection
from kit.runner import snapshot
from kit.stages.place import ID, Place
from kit.stages.staged import each

KEYS = oracle.safe_keys(SAFE_PASSWORD, ID)
SETUP = ("safe", "setup", "--name", "nas", "--same-password", "--server")


def prepared(root, has_second):
    """`main` is pushed; `nas` is set up and pushed, or its directory is prepared; the profile has changed since."""
    place = Place(root / "place")
    place.directory.path.mkdir(mode=0o700)
    place.second.path.mkdir(mode=0o700)
    place.second.prepare()
    keytool = place.keytool
    keytool.ok("id", "create", "--id", ID, "--no-passphrase")
    keytool.ok("safe", "setup", "--create", "--server", place.directory.url,
               "--safe-password-file", place.home / "safe-password")
    if has_second:
        keytool.ok(*SETUP, place.second.url)
    keytool.ok("safe", "push")
    keytool.ok("profile", "set", "--nickname", "news")
    place.keep("old")
    return place


def nicknames(place, *directories):
    """Of the backups, which all open."""
    return [oracle.open_safe(directory.backup(KEYS).read_bytes(), KEYS)["user"].get("nickname")
            for directory in directories]


def everything_of_main(place):
    return snapshot(identityfiles.directory(place.keystore, ID) / "places/main"), snapshot(place.directory.path)


def make(tmp_path_factory, name, has_second):
    injection.require_tracing()
    return [prepared(tmp_path_factory.mktemp(name), has_second) for _ in range(2)]


@pytest.fixture(scope="module")
def one(built, tmp_path_factory):
    return make(tmp_path_factory, "one-place", False)


@pytest.fixture(scope="module")
def two(built, tmp_path_factory):
    return make(tmp_path_factory, "two-places", True)


def test_setup_is_killed(one):
    command = [*SETUP, one[0].second.url]
    points = injection.points(one[0].keytool, *command)

    def at_point(place, point):
        before = everything_of_main(place)
        injection.kill(place.keytool, point, *SETUP, place.second.url)
        assert everything_of_main(place) == before, "main has changed"
        assert place.keytool.json("safe", "status", "--name", "main")["changing"] is False
        result = place.keytool(*SETUP, place.second.url)
        assert result.code in (0, 17), result
        assert everything_of_main(place) == before, "main has changed"
        place.keytool.ok("safe", "push", "--force")
        assert nicknames(place, place.directory, place.second) == ["news", "news"]
        assert not place.temporary(), place.temporary()

    each(one, points, at_point)


def test_push_is_killed(two):
    command = ("safe", "push", "--force")
    two[0].bring_back("old")
    points = injection.points(two[0].keytool, *command)

    def at_point(place, point):
        injection.kill(place.keytool, point, *command)
        assert set(nicknames(place, place.directory, place.second)) <= {None, "news"}
        result = injection.without_waiting(place.keytool)(*command)
        assert result.code == 0, result
        assert nicknames(place, place.directory, place.second) == ["news", "news"]
        assert not place.temporary(), place.temporary()
        assert [one["result"] for one in place.keytool.json("safe", "push")["results"]] == ["unchanged"] * 2

    each(two, points, at_point)


def test_delete_is_killed(two):
    """The other place keeps its backup, and the next push reads it again."""
    command = ("safe", "delete", "--name", "nas", "--yes")
    two[0].bring_back("old")
    points = injection.points(two[0].keytool, *command)

    def at_point(place, point):
        main = place.directory.backup(KEYS).read_bytes()
        injection.kill(place.keytool, point, *command)
        assert place.directory.backup(KEYS).read_bytes() == main
        result = injection.without_waiting(place.keytool)(*command)
        assert result.code in (0, 10), result
        assert place.directory.backup(KEYS).read_bytes() == main and place.second.names() == []
        result = injection.without_waiting(place.keytool)("safe", "push", "--force")
        assert result.code == 0, result
        assert nicknames(place, place.directory) == ["news"] and place.second.names() == []
        assert not place.temporary(), place.temporary()

    each(two, points, at_point)
