"""Killed at any call by which a push over HTTPS changes files or writes to the network: the server
holds the old backup or the new one, and the next push goes on by itself."""

import pytest

from kit import oracle
from kit.processes import injection
from kit.servers.httpsmachine import ID, KEYS, PLACE, pushed  # fixtures

PUSH = ["safe", "push", "--force"]


@pytest.fixture
def traced():
    injection.require_tracing()


def test_killed(traced, pushed):
    old = pushed.blob
    points = injection.points(pushed.keytool, *PUSH)
    names = {point.call for point in points}
    assert {"openat", "write", "fsync"} <= names and names & {"rename", "renameat", "renameat2"}
    before = pushed.records()
    for point in points:
        pushed.server.forget()
        kept = pushed.blob
        injection.kill(pushed.keytool, point, *PUSH)
        words = f"killed at {point} after {pushed.server.kinds()}"
        assert oracle.open_safe(pushed.blob, KEYS), words
        assert pushed.blob == kept or "PUT" in pushed.server.kinds(), words
        assert pushed.keytool.json("id", "list")["identities"][0]["id"] == ID, words
        pushed.keytool.ok("safe", "status")
        result = pushed.keytool("safe", "push", "--json")
        assert result.code == 0, f"{words}: {result}"
        assert result.json["result"] in ("uploaded", "unchanged"), f"{words}: {result}"
        assert pushed.records() == before, words
        assert list(pushed.server.stored) == [PLACE], words
    assert pushed.blob != old
    assert pushed.keytool.json("safe", "check")["same"] is True
