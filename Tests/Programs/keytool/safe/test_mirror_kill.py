"""A mirror that is killed, or whose calls fail, loses no backup that its rules keep, and leaves nothing behind."""

from datetime import datetime, timedelta, timezone

import pytest

from kit.processes import injection
from kit.processes.clock import Clocked
from kit.servers.phone import Phone
from kit.stages.place import Place
from kit.stages.staged import each

KEEP = ("safe", "mirror", "--keep", "last=3")
DAYS = 8
STORED = [str(day) for day in range(DAYS)]
KEPT = {str(DAYS - 2), str(DAYS - 1), "new"}
CODES = {"ENOSPC": {73, 74}, "EIO": {73, 74, 75}}


@pytest.fixture(scope="module")
def places(built, tmp_path_factory):
    """Eight backups in the history, and a new one on the server."""
    injection.require_tracing()
    return [prepared(tmp_path_factory.mktemp(name)) for name in ("one", "two")]


def prepared(root):
    place = Place(root / "place")
    place.directory.path.mkdir(mode=0o700)
    phone = phone_of(place)
    phone.writes("-")
    phone.guarded_by("--safe-password-file", place.home / "safe-password")
    start = datetime.now(timezone.utc) - timedelta(days=DAYS)
    for day in range(DAYS):
        phone.writes(str(day))
        Clocked(place.keytool, start + timedelta(days=day)).ok("safe", "mirror", "--keep", "all")
    phone.writes("new")
    place.keep("old")
    return place


def phone_of(place):
    return Phone(place.keytool, place.directory)


@pytest.fixture(scope="module")
def points(places):
    place = places[0]
    place.bring_back("old")
    found = injection.points(place.keytool, *KEEP)
    assert set(phone_of(place).mirrored()) == KEPT
    return found


def check(place, server, is_over):
    held = phone_of(place).mirrored()
    assert set(held) >= KEPT - {"new"}, f"lost: {held}"
    assert not is_over or set(held) == KEPT, held
    assert set(held) <= set(STORED) | {"new"} and len(held) == len(set(held)), held
    assert place.directory.backup(phone_of(place).keys).read_bytes() == server


def ends_well(place, server):
    place.keytool.ok(*KEEP)
    check(place, server, True)
    assert not place.temporary(), place.temporary()


def test_killed(places, points):
    def at_point(place, point):
        server = place.directory.backup(phone_of(place).keys).read_bytes()
        injection.kill(place.keytool, point, *KEEP)
        check(place, server, False)
        ends_well(place, server)

    each(places, points, at_point)


@pytest.mark.parametrize("error", CODES)
def test_failing_calls(places, points, error):
    def at_point(place, point):
        server = place.directory.backup(phone_of(place).keys).read_bytes()
        result = injection.fail(place.keytool, point, error, *KEEP)
        assert result.code in {0} | CODES[error], result
        check(place, server, False)
        assert not place.temporary(), f"left {place.temporary()}: {result}"
        ends_well(place, server)

    each(places, points, at_point)
