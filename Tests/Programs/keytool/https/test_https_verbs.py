"""safe setup, delete and passwd on servers that fail: the next run finishes what is half done."""

import pytest

from kit import oracle
from kit.known import SAFE_PASSWORD
from kit.runner import snapshot
from kit.servers import faults as f
from kit.servers.httpsmachine import ID, KEYS, PLACE, bare, pushed  # fixtures
from kit.stages.place import NEW_PASSWORD

SETUPS = {
    "config 401": ("config", f.status(401), 13), "config 404": ("config", f.status(404), 15),
    "config 500": ("config", f.status(500, Retry_After=60), 75),
    "config 4 GiB": ("config", f.endless(), 15),
    "PUT 403": ("PUT", f.status(403), 13), "PUT 405": ("PUT", f.status(405), 15),
    "PUT 507": ("PUT", f.status(507), 14), "PUT reset after": ("PUT", f.reset_after, 75),
    "PUT lies": ("PUT", f.lie(), 19), "GET truncated": ("GET", f.content(f.truncated), 19),
    "GET reset": ("GET", f.reset_in_the_answer, 75), "GET 4 GiB": ("GET", f.endless(), {14, 19}),
    "DELETE 403": ("DELETE", f.status(403), 13), "DELETE 405": ("DELETE", f.status(405), 15),
    "DELETE lies": ("DELETE", f.lie(204), 19), "DELETE resets": ("DELETE", f.reset_before, 75),
}


@pytest.mark.parametrize("name", SETUPS)
def test_setup(bare, name):
    kind, act, code = SETUPS[name]
    bare.server.fault(kind, act)
    before = snapshot(bare.keytool.keystore)
    # Enough for the DELETE of the probe on a slow machine, too: it is sent in what is left of this time.
    bare.fails(code, "safe", "setup", *bare.world.by_password, patience=["--timeout", "3s", "--retry-max-time", "3s"])
    assert snapshot(bare.keytool.keystore) == before
    assert PLACE not in bare.server.stored
    assert kind == "DELETE" or not bare.server.stored, "the probe is left on the server"


def test_setup_after_one_that_failed(bare):
    """Its probe could not be deleted: 64 random bytes under a random id, which is nobody's backup."""
    bare.server.fault("DELETE", f.status(403))
    bare.fails(13, "safe", "setup", *bare.world.by_password)
    (place, probe), = bare.server.stored.items()
    assert place != PLACE and len(probe) == 64
    bare.server.heal()
    bare.keytool.ok("safe", "setup", *bare.world.by_password)
    assert bare.server.stored == {place: probe}
    bare.keytool.ok("safe", "push")
    assert set(bare.server.stored) == {place, PLACE}


@pytest.mark.parametrize("kind", ["config", "PUT", "GET", "DELETE"])
def test_setup_on_a_server_that_fails_once(bare, kind):
    bare.server.fault(kind, f.status(503, Retry_After=0), times=1)
    bare.keytool.ok("safe", "setup", *bare.world.by_password)
    assert bare.server.stored == {}


def test_setup_with_a_wrong_server_password(bare):
    bare.server.login = b"somebody:else"
    try:
        bare.fails(13, "safe", "setup", *bare.world.by_password)
        assert len(bare.server.requests) == 1 and not bare.record("safe").exists()
    finally:
        bare.server.login = b"somebody:let me in: 5"


DELETES = {
    "401": (f.status(401), 13), "403": (f.status(403), 13), "405": (f.status(405), 15),
    "400": (f.status(400), 15), "301": (f.redirect("https://localhost/safe/", 301), 15),
    "500": (f.status(500, Retry_After=60), 75), "429": (f.status(429, Retry_After=60), 75),
    "reset before": (f.reset_before, 75), "reset after": (f.reset_after, 75),
}


@pytest.mark.parametrize("name", DELETES)
def test_delete(pushed, name):
    act, code = DELETES[name]
    pushed.server.fault("DELETE", act)
    # After a lost answer nothing is there where a backup is expected: 5 seconds later there is a second look.
    result = pushed.run("safe", "delete", "--yes", seconds=6)
    assert result.code == code and result.out == "", result
    assert ("refuses to delete the backup (status 403)" in result.err) == (name == "403")
    assert pushed.record("identity").exists() and pushed.record("safe").exists()
    pushed.server.heal()
    pushed.keytool.ok("safe", "delete", "--yes")
    assert pushed.server.stored == {} and not pushed.record("safe").exists()
    pushed.keytool.fails(10, "safe", "push")


@pytest.mark.parametrize("options", [[], ["--keep-setup"]], ids=["all", "keep-setup"])
def test_delete_that_the_server_only_claims(pushed, options):
    """Who is told that the backup is gone does not look again."""
    pushed.server.fault("DELETE", f.lie(204))
    assert pushed.run("safe", "delete", "--yes", *options).code == 19
    assert PLACE in pushed.server.stored


@pytest.mark.parametrize("status", [200, 204, 404, 410])
def test_every_answer_that_means_deleted(pushed, status):
    def gone(call):
        call.outcome()
        call.answer(status, b"" if status == 204 else bytes(100 << 10))
    pushed.server.fault("DELETE", gone)
    pushed.keytool.ok("safe", "delete", "--yes")
    assert not pushed.record("safe").exists()


def test_delete_whose_acknowledgement_is_lost_once(pushed):
    pushed.server.fault("DELETE", f.reset_after, times=1)
    pushed.keytool.ok("safe", "delete", "--yes")
    assert pushed.server.stored == {} and not pushed.record("safe").exists()
    # It is not sent again: the place is read again, twice, and is empty.
    assert pushed.server.kinds() == ["GET", "DELETE", "GET", "GET"]


def test_delete_beside_an_old_backup_that_cannot_be_deleted(pushed, directory):
    """Moved away from a server that lets nobody in any more."""
    pushed.server.fault("DELETE", f.status(401))
    directory.prepare()
    pushed.keytool.ok("safe", "move", "--server", directory.url)
    assert len(directory.names()) == 1
    result = pushed.run("safe", "delete", "--yes")
    assert result.code == 13 and "--force" in result.err and pushed.record("safe").exists()
    pushed.keytool.ok("safe", "delete", "--yes", "--force")
    assert directory.names() == [] and not pushed.record("safe").exists()


def test_old_server_that_does_not_answer_is_not_in_the_way(pushed, directory):
    pushed.server.fault("DELETE", f.stall)
    directory.prepare()
    moved = pushed.run("safe", "move", "--server", directory.url)
    assert moved.code == 0 and "warning" in moved.err
    assert pushed.run("safe", "push", "--force").code == 0
    assert pushed.run("safe", "delete", "--yes", "--force").code == 0
    assert directory.names() == [] and not pushed.record("safe").exists()


PASSWDS = {
    "config 401": ("config", f.status(401), 13),
    "config is none": ("config", f.constant(f.HTML), 15),
    "PUT 413": ("PUT", f.status(413), 14), "PUT lies": ("PUT", f.lie(), 19),
    "PUT half": ("PUT", f.half_stored, 75), "PUT stalls": ("PUT", f.stall_after, 75),
    "DELETE 405": ("DELETE", f.status(405), 0), "DELETE stalls": ("DELETE", f.stall, 0),
}


@pytest.mark.parametrize("name", PASSWDS)
def test_passwd(pushed, write, name):
    """A good backup is on the server at every moment, and the next run leaves one alone."""
    kind, act, code = PASSWDS[name]
    new_keys = oracle.safe_keys(NEW_PASSWORD, ID)
    change = ["safe", "passwd", "--new-safe-password-file", write("new", NEW_PASSWORD)]
    pushed.server.fault(kind, act)
    # Once for the new backup, and once for the old one's removal.
    result = pushed.run(*change, seconds=2)
    assert result.code == code, f"{result} after {pushed.server.kinds()}"
    assert any(is_good(blob) for blob in pushed.server.stored.values())
    pushed.server.heal()
    pushed.keytool.ok("safe", "push")
    pushed.keytool.ok("safe", "check")
    (place, blob), = pushed.server.stored.items()
    keys = new_keys if place.endswith(new_keys.backup_id) else KEYS
    assert place.endswith(keys.backup_id) and oracle.open_safe(blob, keys)
    assert kind in ("config", "GET") or keys is new_keys, "what was begun is finished"


def is_good(blob):
    for password in (SAFE_PASSWORD, NEW_PASSWORD):
        try:
            return bool(oracle.open_safe(blob, oracle.safe_keys(password, ID)))
        except ValueError:
            continue
    return False
