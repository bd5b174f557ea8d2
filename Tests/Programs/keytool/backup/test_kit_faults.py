"""backup kit is killed at its system calls, or has a disk that fails there. The page is whole or not there, what is
remembered is the kit from before or the new one, and the next run does the work."""

import pytest

from kit import identityfiles, masterkey, oracle
from kit.known import BACKUP_PASSWORD
from kit.processes import injection
from kit.sampling import sample
from kit.screens.follower import Paper


@pytest.fixture(scope="module", autouse=True)
def traced():
    injection.require_tracing()


@pytest.fixture
def pages(tmp_path):
    """Names of new files, one after the other, each in a directory of its own."""
    def page():
        page.number += 1
        place = tmp_path / f"place{page.number}"
        place.mkdir()
        return place / "kit.pdf"

    page.number = 0
    return page


@pytest.fixture
def command(backup_password):
    return lambda page: ["backup", "kit", *backup_password, "-o", page]


def judge(keytool, page, result):
    """The page is whole or not there, and the identity is sound."""
    if page.exists():
        opened = oracle.open_code("-".join(Paper(page).rows), BACKUP_PASSWORD)
        assert opened.public_key == keytool.json("id", "show")["public_key"], result
    assert keytool("doctor").code == 0, result


def test_killed(safe, keytool, command, pages):
    for point in sample(injection.points(keytool, *command(pages())), 12):
        page = pages()
        judge(keytool, page, injection.kill(keytool, point, *command(page)))
        after = pages()
        judge(keytool, after, keytool.ok(*command(after)))
        assert after.exists(), point


@pytest.mark.parametrize("fault", ["killed", "ENOSPC", "EIO"])
def test_a_kit_that_is_replaced(safe, keytool, command, pages, fault):
    """The old page is there until the new one is."""
    page = pages()
    keytool.ok(*command(page))
    again = [*command(page), "--force"]
    for point in sample(injection.points(keytool, *again), 6):
        former = page.read_bytes()
        result = injection.kill(keytool, point, *again) if fault == "killed" else injection.fail(keytool, point, fault, *again)
        judge(keytool, page, result)
        if fault != "killed":
            # Only syncing the directory comes after the name.
            assert (page.read_bytes() == former) == (result.code != 0) or point.call == "fsync", f"{point} {result}"
            assert list(page.parent.iterdir()) == [page], point


def test_ended_by_a_signal(safe, keytool, command, pages):
    """What is remembered is the kit that is there."""
    page = pages()
    again = [*command(page), "--force"]
    keytool.ok(*again)

    def remembered():
        return identityfiles.opened(identityfiles.path(keytool.keystore, "ABCD1234", "kit"), masterkey.read(keytool))

    for point in sample(injection.points(keytool, *again), 8):
        before = page.read_bytes(), remembered()
        injection.send(keytool, point, "SIGINT", *again)
        assert (page.read_bytes() == before[0]) == (remembered() == before[1]), point
        assert list(page.parent.iterdir()) == [page], point


@pytest.mark.parametrize("error, codes", [("ENOSPC", {74}), ("EIO", {74}), ("EROFS", {73, 74})])
def test_failing_calls(safe, keytool, command, pages, error, codes):
    """No page is left; a call that does not matter may fail."""
    for point in sample(injection.points(keytool, *command(pages())), 6):
        page = pages()
        result = injection.fail(keytool, point, error, *command(page))
        assert result.code in codes | {0, 1, 2}, f"{point} {result}"
        judge(keytool, page, result)
        assert page.exists() == (result.code == 0), f"{point} {result}"
        if result.code != 0:
            assert not list(page.parent.iterdir()), f"{point} {result}"
