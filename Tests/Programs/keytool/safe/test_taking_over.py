"""safe pull beside a second place, from another server, and after a phone is lost: nothing newer is replaced unasked."""

from datetime import datetime, timedelta, timezone

import pytest

from kit.processes.clock import Clocked
from kit.servers.safedirectory import SafeDirectory

ID = "ABCD1234"


@pytest.fixture
def two(safe, tmp_path):
    """Two places: `main` has the nickname New, `nas` is older, though its generation is higher."""
    safe.nas = SafeDirectory(tmp_path / "nas")
    safe.keytool.ok("safe", "setup", "--name", "nas", "--same-password", "--create", "--server", safe.nas.url)
    safe.keytool.ok("profile", "set", "--nickname", "Old")
    safe.keytool.ok("safe", "push")
    for _ in range(3):
        safe.keytool.ok("safe", "push", "--force", "--name", "nas")
    safe.keytool.ok("profile", "set", "--nickname", "New")
    safe.keytool.ok("safe", "push", "--force", "--name", "main")
    return safe


def nickname(keytool):
    return keytool.json("profile", "show").get("nickname")


@pytest.mark.parametrize("name", [[], ["--name", "nas"]], ids=["unnamed", "named"])
def test_the_older_place_after_the_newer(two, other_keytool, safe_password, name):
    pull = ["safe", "pull", "--id", ID, *safe_password, "--server"]
    other_keytool.ok(*pull, two.directory.url)
    failed = other_keytool.fails(17, *pull, two.nas.url, *name, "--json").error
    assert failed["reason"] == "other_profile" and nickname(other_keytool) == "New"
    assert "the same command with --replace" in failed["hint"] and "safe push" not in failed["hint"]
    later = Clocked(other_keytool, datetime.now(timezone.utc) + timedelta(days=2))
    later.ok("safe", "push")
    assert two.document["user"]["nickname"] == "New"
    assert other_keytool.json(*pull, two.nas.url, *name, "--replace")["stored"] is True
    assert nickname(other_keytool) == "Old"


def test_the_newer_place_after_the_older(two, other_keytool, safe_password):
    """The generations of two places say nothing about each other."""
    pull = ["safe", "pull", "--id", ID, *safe_password, "--server"]
    other_keytool.ok(*pull, two.nas.url)
    assert other_keytool.fails(17, *pull, two.directory.url, "--json").error["reason"] == "other_profile"
    # The way to add the other place without its profile.
    other_keytool.ok("safe", "setup", "--name", "nas", "--same-password", "--server", two.directory.url)
    assert nickname(other_keytool) == "Old"


def test_the_same_profile_at_both(two, other_keytool, safe_password):
    two.keytool.ok("safe", "push", "--force", "--name", "nas")
    for name, directory in (("main", two.directory), ("nas", two.nas)):
        other_keytool.ok("safe", "pull", "--id", ID, "--name", name, "--server", directory.url, *safe_password)
    assert other_keytool.json("safe", "push", "--name", "nas")["result"] == "unchanged"


def test_the_hints_are_about_the_server_of_the_command(two, other_keytool, safe_password):
    other_keytool.ok("safe", "pull", "--id", ID, "--server", two.directory.url, *safe_password)
    other_keytool.ok("profile", "set", "--nickname", "edited")
    failed = other_keytool.fails(17, "safe", "pull", "--id", ID, "--server", two.nas.url, *safe_password, "--json")
    assert failed.error["reason"] == "unpushed_changes"
    assert failed.error["hint"] == "the same command with --replace restores the backup and overwrites the profile"
