"""With --all: an identity whose places cannot be read is reported, and all others are worked on."""

import pytest

from kit import identityfiles
from kit.servers.safedirectory import SafeDirectory

DAMAGED, HEALTHY = "ABCD1234", "EFGH5678"


def mode(*names):
    return lambda directory: directory.joinpath(*names).chmod(0o755)


DAMAGES = {
    "identity": (DAMAGED, mode()),
    "places": (DAMAGED, mode("places")),
    "place": (DAMAGED, mode("places", "main")),
    "file among the places": (DAMAGED, lambda directory: (directory / "places" / "notes").write_bytes(b"")),
    "file among the identities": ("XXXX1234", lambda directory: directory.with_name("XXXX1234").write_bytes(b"")),
}


@pytest.fixture(params=DAMAGES.values(), ids=DAMAGES)
def damaged(request, safe, tmp_path, safe_password):
    """Two identities with a Safe each, pushed; then one is damaged."""
    safe.keytool.ok("id", "create", "--id", HEALTHY)
    (tmp_path / "second").mkdir()
    safe.second = SafeDirectory(tmp_path / "second")
    safe.keytool.ok("safe", "setup", HEALTHY, "--create", "--server", safe.second.url, *safe_password)
    safe.keytool.ok("safe", "push", "--all")
    safe.damaged, damage = request.param
    damage(identityfiles.directory(safe.keytool.keystore, DAMAGED))
    return safe


def test_the_others_are_worked_on(damaged):
    before = damaged.second.path.joinpath("backups", damaged.second.names()[0]).read_bytes()
    result = damaged.keytool("safe", "push", "--all", "--force")
    assert result.code == 77, result
    assert f"error: {damaged.damaged}: " in result.err and f"{HEALTHY}: uploaded" in result.out
    assert damaged.second.path.joinpath("backups", damaged.second.names()[0]).read_bytes() != before
    for verb in ("status", "check", "mirror"):
        result = damaged.keytool("safe", verb, "--all")
        assert result.code == 77, result
        assert f"error: {damaged.damaged}: " in result.err and f"{HEALTHY}: " in result.out


def test_in_json(damaged):
    results = damaged.keytool("safe", "status", "--all", "--json").json["results"]
    broken, healthy = (next(one for one in results if one["id"] == id) for id in (damaged.damaged, HEALTHY))
    assert broken["error"]["code"] == 77 and "place" not in broken
    assert healthy["place"] == "main" and "error" not in healthy
