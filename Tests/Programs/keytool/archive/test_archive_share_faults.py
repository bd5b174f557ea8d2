"""archive export --shares is killed at its system calls, or has a disk that fails there. An archive is never there
without all pages of its shares: pages without an archive open nothing."""

import signal

import pytest

from kit import agefile, archives, shamir
from kit.processes import injection
from kit.sampling import sample

ID = "ABCD1234"


@pytest.fixture(scope="module", autouse=True)
def traced():
    injection.require_tracing()


@pytest.fixture
def held(keytool):
    keytool.ok("id", "create", "--id", ID)
    return keytool


@pytest.fixture
def places(tmp_path):
    """Empty directories, one after the other; the archive goes to another one than the pages."""
    def place():
        place.number += 1
        path = tmp_path / f"place{place.number}"
        path.mkdir()
        (path / "pages").mkdir()
        return path

    place.number = 0
    return place


def command(place):
    return ["archive", "export", "-o", place / "keys.age", "--shares", "2/3", "--sheet", place / "pages"]


def named(place):
    return [path for path in sorted(place.rglob("*")) if path.is_file() and not path.name.startswith(".")]


def judge(keytool, place, result):
    pages = [path for path in named(place) if path.suffix == ".pdf"]
    words = [shamir.words_on(page) for page in pages]
    if (place / "keys.age").exists():
        assert len(words) == 3, result
        for chosen in (words[:2], words[1:]):
            content = agefile.open_file((place / "keys.age").read_bytes(), shamir.join(chosen), None)
            assert archives.records(keytool)[f"threema/{ID}/identity"] in content, result


def test_killed(held, places):
    for point in sample(injection.points(held, *command(places())), 12):
        place = places()
        result = injection.kill(held, point, *command(place))
        judge(held, place, result)
        after = places()
        judge(held, after, held.ok(*command(after)))
        assert len(named(after)) == 4


@pytest.mark.parametrize("error, codes", [("ENOSPC", {74}), ("EIO", {74}), ("EROFS", {73, 74})])
def test_failing_calls(held, places, error, codes):
    """Neither a page nor an archive is left; a call that does not matter may fail."""
    for point in sample(injection.points(held, *command(places())), 8):
        place = places()
        result = injection.fail(held, point, error, *command(place))
        assert result.code in codes | {0, 1, 2}, f"{point} {result}"
        judge(held, place, result)
        assert len(named(place)) == (4 if result.code == 0 else 0), f"{point} {result}"


def test_ended_by_a_signal(held, places):
    """All or nothing: no page is left without its archive."""
    for point in sample(injection.points(held, *command(places())), 12):
        place = places()
        code = injection.send(held, point, "SIGTERM", *command(place))
        assert code == -signal.SIGTERM, point
        judge(held, place, point)
        assert len(named(place)) in (0, 4), f"{point} {named(place)}"


def test_an_archive_that_cannot_be_removed_again_keeps_its_pages(held, places):
    """The result cannot be printed, and the file stays."""
    place = places()
    assert all(point.call != "unlinkat" for point in injection.points(held, *command(places())))
    with open("/dev/full", "w") as full:
        point = injection.Point("unlinkat", 1, "of the archive")
        result = injection._traced(held, point, "error=EIO")(*command(place), stdout=full)
    assert result.code == 74 and (place / "keys.age").exists(), result
    judge(held, place, result)


def test_words_come_before_the_name(held, places):
    """Killed at any call, there is no archive whose words were not printed."""
    for point in sample(injection.points(held, "archive", "export", "-o", places() / "keys.age", "--shares", "2/3",
                                         "--reveal-shares"), 8):
        place = places()
        process = injection._traced(held, point, injection.KILL).start(
            "archive", "export", "-o", place / "keys.age", "--shares", "2/3", "--reveal-shares")
        out, _ = process.communicate(timeout=60)
        if (place / "keys.age").exists():
            lines = out.decode().splitlines()
            assert len(lines) == 3, point
            agefile.open_file((place / "keys.age").read_bytes(), shamir.join(lines[1:]), None)
