"""backup split is killed at its system calls, or has a disk that fails there; so is backup join. Each page is whole or
not there, the identity is as it was, and the next run does the work."""

import signal

import pytest

from kit import oracle, shamir
from kit.processes import injection
from kit.sampling import sample

KEY = bytes(range(7, 39))
ID = "ABCD1234"
PUBLIC = oracle.Identity(ID, KEY).public_key


@pytest.fixture(scope="module", autouse=True)
def traced():
    injection.require_tracing()


@pytest.fixture
def held(keytool, write):
    files = [write(f"known{number}", share) for number, share in enumerate(shamir.split(KEY, 2, 3)[0])]
    keytool.ok("backup", "join", *files[:2], "--id", ID, "--no-passphrase", "--expect-public-key", PUBLIC)
    return keytool


@pytest.fixture
def places(tmp_path):
    """Empty directories, one after the other."""
    def place():
        place.number += 1
        path = tmp_path / f"pages{place.number}"
        path.mkdir()
        return path

    place.number = 0
    return place


def command(place):
    return ["backup", "split", "--shares", "2/3", "--sheet", place]


def judge(keytool, place, result, written):
    """`written`: how many pages there may be."""
    pages = sorted(place.iterdir())
    assert all(page.name.startswith("share-") for page in pages if not page.name.startswith(".")), result
    words = [shamir.words_on(page) for page in pages if not page.name.startswith(".")]
    # A page that is there is known, whatever has happened since it was written.
    for share in words:
        assert keytool("backup", "check", "--share", "-", "--json", stdin=share).json["held"], result
    assert len(words) in written, f"{pages} {result}"
    assert len(words) < 2 or shamir.join(words[:2]) == KEY
    assert keytool.json("id", "show")["public_key"] == PUBLIC


def test_killed(held, places):
    for point in sample(injection.points(held, *command(places())), 12):
        place = places()
        result = injection.kill(held, point, *command(place))
        judge(held, place, result, range(4))
        after = places()
        judge(held, after, held.ok(*command(after)), [3])


def test_ended_by_a_signal(held, places):
    for point in sample(injection.points(held, *command(places())), 8):
        place = places()
        assert injection.send(held, point, "SIGTERM", *command(place)) == -signal.SIGTERM, point
        judge(held, place, point, (0, 3))


def test_a_split_that_is_killed_costs_no_older_set(held, places):
    """Sixteen are remembered. One more takes the place of none before it is known who has it."""
    point = [each for each in injection.points(held, *command(places())) if "share-" in each.text][-1]
    split = ["backup", "split", "--shares", "2/2", "--reveal-shares", "--json"]
    oldest = [held.json(*split)["shares"][0]["words"] for _ in range(16)][0]
    for _ in range(2):
        injection.kill(held, point, *command(places()))
    with open("/dev/full", "w") as full:
        assert held(*split, stdout=full).code == 74
    assert held("backup", "check", "--share", "-", stdin=oldest).code == 0


@pytest.mark.parametrize("error, codes", [("ENOSPC", {74}), ("EIO", {74}), ("EROFS", {73, 74})])
def test_failing_calls(held, places, error, codes):
    """No page is left; a call that does not matter may fail."""
    for point in sample(injection.points(held, *command(places())), 6):
        place = places()
        result = injection.fail(held, point, error, *command(place))
        assert result.code in codes | {0, 1, 2}, f"{point} {result}"
        judge(held, place, result, [3] if result.code == 0 else [0])
        if result.code != 0:
            assert not list(place.iterdir()), f"{point} {result}"


def test_join_killed(keytool, tmp_path, write):
    files = [write(f"known{number}", share) for number, share in enumerate(shamir.split(KEY, 2, 3)[0])]
    join = ["backup", "join", *files[:2], "--id", ID, "--no-passphrase", "--expect-public-key", PUBLIC]
    numbers = iter(range(1000))

    def empty():
        return keytool.with_keystore(tmp_path / f"keystore{next(numbers)}")

    for point in sample(injection.points(empty(), *join), 12):
        place = empty()
        injection.kill(place, point, *join)
        place.ok(*join)
        assert place.json("id", "show")["public_key"] == PUBLIC, point
