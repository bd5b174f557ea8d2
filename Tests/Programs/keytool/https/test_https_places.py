"""One server under two names, servers that lie about deletions or lose backups for a moment, and
old places that somebody else writes to: no backup is lost, and none is wrongly called healthy."""

import os
import signal
import time

import pytest

from kit import oracle
from kit.damage import flipped
from kit.known import SAFE_PASSWORD
from kit.servers import faults as f
from kit.servers.httpsmachine import ID, KEYS, PLACE, pushed  # fixtures
from kit.servers.webservers import Apache, Nginx
from kit.stages.place import NEW_PASSWORD

NEW_PLACE = PLACE.replace(KEYS.backup_id, oracle.safe_keys(NEW_PASSWORD, ID).backup_id)


def killed_at(server, kind, number, keytool, *command):
    """Ends the process once it has sent a request; from then on the server is healthy."""
    server.forget()
    running = keytool.start(*command)
    deadline = time.monotonic() + 60
    while kind not in server.kinds():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(running.pid, number)
    running.communicate(timeout=60)
    server.heal()
    server.forget()


def holds(blob, password=SAFE_PASSWORD):
    return oracle.open_safe(blob, oracle.safe_keys(password, ID))


# One place under two names: real servers


@pytest.fixture(params=[Nginx, Apache], ids=["nginx", "apache"])
def safe(request, owner, web_server, way, safe_password):
    server = web_server(request.param).prepare()
    owner.ok("safe", "setup", *way(server), *safe_password)
    owner.ok("safe", "push")
    server.requests()
    owner.server = server
    return owner


def under_another_name(server):
    return ["--server", server.url.replace("localhost", "127.0.0.1")]


@pytest.mark.parametrize("verb", ["move", "server"])
def test_another_name(safe, certificates, verb):
    before = safe.server.backup(KEYS).read_bytes()
    done = safe.json("safe", verb, *under_another_name(safe.server), "--ca-file", certificates.authority.path)
    assert done["server"]["host"] == "127.0.0.1" and done.get("same_place", True) is True
    assert safe.server.backup(KEYS).read_bytes() == before
    assert safe.server.names() == [KEYS.backup_id], "the probe is gone, too"
    written = [one.path for one in safe.server.requests() if one.method in ("PUT", "DELETE")]
    assert written and not [path for path in written if KEYS.backup_id in path]
    assert safe.json("safe", "push")["result"] == "unchanged"
    assert safe.json("safe", "push", "--force")["server"]["host"] == "127.0.0.1"
    assert safe.server.names() == [KEYS.backup_id]


@pytest.mark.parametrize("spelling", ["/%73afe", "/s%61fe/", "//safe"])
def test_another_spelling_is_the_same_address(safe, spelling):
    """Nothing to move, and nothing is asked."""
    url = safe.server.url.replace("/safe", spelling)
    assert "the Safe of ABCD1234 is already at this address" in safe.fails(64, "safe", "move", "--server", url).err
    assert safe.server.requests() == [] and safe.server.names() == [KEYS.backup_id]
    assert safe.json("safe", "push")["result"] == "unchanged"


def test_another_name_of_another_place(safe, certificates, web_server):
    """safe server moves nothing: that takes safe move."""
    other = web_server(Nginx).prepare()
    result = safe.fails(64, "safe", "server", "--server", other.url, "--ca-file", certificates.authority.path)
    assert "safe move" in result.err
    assert (safe.server.names(), other.names()) == ([KEYS.backup_id], [])
    assert safe.json("safe", "push", "--force")["server"]["host"] == "localhost"
    assert other.names() == []


def test_young_files(safe, given, web_server):
    """Apache's entity tags of files younger than a second are weak, and no condition can hold for them."""
    for _ in range(3):
        assert safe.json("safe", "push", "--force")["result"] == "uploaded"
    safe.ok("safe", "passwd", *given("new-safe-password", NEW_PASSWORD))
    assert safe.json("safe", "push", "--force")["result"] == "uploaded"
    safe.ok("safe", "delete", "--yes")
    assert safe.server.names() == []


# One place under two names: at each wrong moment a 404


def alias(machine):
    return machine.server.url.replace("localhost", "127.0.0.1")


@pytest.mark.parametrize("number", range(1, 7))
def test_lost_for_a_moment_while_the_name_changes(pushed, number):
    """Whatever is believed of the one place that seems to be two: its backup stays."""
    seen = []

    def sometimes(call):
        seen.append(call)
        (f.missing if len(seen) == number else type(call).healthy)(call)
    pushed.server.fault("GET", sometimes)
    result = pushed.keytool("safe", "move", "--server", alias(pushed), *pushed.world.approach)
    assert result.code in (0, 19, 64, 75), result
    assert holds(pushed.blob)
    pushed.server.heal()
    pushed.keytool.ok("safe", "push")
    assert holds(pushed.blob) and pushed.keytool.json("safe", "check")["same"] is True


@pytest.mark.parametrize("name, code", [("localhost", 64), ("127.", 19)])
def test_name_under_which_nothing_is_found(pushed, name, code):
    """Each GET under one of both names is a 404, the proof's, too; PUT and DELETE work. No change is begun."""
    def blind(call):
        (f.missing if call.request.header("host")[0].startswith(name) else type(call).healthy)(call)
    pushed.server.fault("GET", blind)
    result = pushed.keytool("safe", "move", "--server", alias(pushed), *pushed.world.approach)
    assert result.code == code and "DELETE" not in [
        request.method for request in pushed.server.requests if request.path == PLACE], result
    assert holds(pushed.blob)
    pushed.server.heal()
    assert pushed.keytool.json("safe", "status")["changing"] is False
    pushed.keytool.ok("safe", "push", "--force")
    assert holds(pushed.blob) and list(pushed.server.stored) == [PLACE]


# Deletions that the server only claims


LIES = {"204": f.lie(204), "200": f.lie(200), "404": f.status(404), "410": f.status(410)}


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("verb", ["passwd", "move"])
def test_change_notices_a_deletion_that_was_not_done(pushed, other, new_password, verb, lie):
    pushed.server.fault("DELETE", LIES[lie])
    result = pushed.keytool.ok("safe", verb, *(new_password if verb == "passwd" else other.options))
    assert "warning" in result.err and "still returns it" in result.err
    assert PLACE in pushed.server.stored
    assert "left over" in pushed.keytool.ok("safe", "status").out
    assert "warning" in pushed.keytool.ok("safe", "push", "--quiet").err, "each push tries"
    pushed.server.heal()
    assert pushed.keytool.ok("safe", "push", "--quiet").err == ""
    assert PLACE not in pushed.server.stored
    assert "left over" not in pushed.keytool.ok("safe", "status").out


@pytest.mark.parametrize("lie", LIES)
def test_delete_notices_that_it_was_not_done(pushed, lie):
    pushed.server.fault("DELETE", LIES[lie])
    pushed.keytool.fails(19, "safe", "delete", "--yes")
    assert pushed.record("safe").exists()
    assert pushed.keytool.json("safe", "push")["result"] == "confirmed", "it looks"
    pushed.server.heal()
    pushed.keytool.ok("safe", "delete", "--yes")
    assert pushed.server.stored == {}


# A 404 at the wrong moment


@pytest.mark.parametrize("number", [1, 2, 3])
def test_lost_for_a_moment_before_a_change(pushed, new_password, number):
    """A phone has written the old backup: it is not deleted unseen."""
    theirs = pushed.server.stored[PLACE] = pushed.written_by_an_app()
    seen = []

    def sometimes(call):
        if call.request.path != PLACE:
            return call.healthy()
        seen.append(call)
        (f.missing if len(seen) <= number else type(call).healthy)(call)
    pushed.server.fault("GET", sometimes)
    result = pushed.keytool("safe", "passwd", *new_password)
    assert result.code in (0, 20) and pushed.blob == theirs, result
    assert "another device has written" in result.err or number > 2, result


@pytest.mark.parametrize("verb", ["passwd", "delete"])
def test_lost_for_good(pushed, new_password, verb):
    """What is not there is not deleted: it may be there and not be seen."""
    pushed.server.fault("GET", lambda call: (
        f.missing if call.request.path == PLACE else type(call).healthy)(call))
    pushed.keytool("safe", *(["passwd", *new_password] if verb == "passwd" else ["delete", "--yes"]))
    assert "DELETE" not in pushed.server.kinds() and holds(pushed.blob)


# Another device writes at the old place


@pytest.mark.parametrize("is_other_key", [False, True], ids=["contacts", "other key"])
@pytest.mark.parametrize("verb", ["passwd", "move", "delete"])
def test_foreign_backup_at_the_old_place(pushed, other, new_password, verb, is_other_key):
    theirs = pushed.server.stored[PLACE] = (
        oracle.seal_safe(oracle.safe_document(bytes(32)), KEYS) if is_other_key else pushed.written_by_an_app())
    command = {"passwd": ["passwd", *new_password], "move": ["move", *other.options],
               "delete": ["delete", "--yes"]}[verb]
    pushed.fails(20, "safe", *command)
    assert pushed.server.stored == {PLACE: theirs} and other.stored == {}


def test_foreign_backup_that_comes_while_the_old_server_is_away(pushed, other):
    pushed.server.on_connect = f.reset_on_connect
    moved = pushed.run("safe", "move", *other.options)
    assert moved.code == 0 and "was not deleted" in moved.err, moved
    theirs = pushed.server.stored[PLACE] = pushed.written_by_an_app()
    pushed.server.heal()
    for options in ([], ["--quiet"]):
        told = pushed.keytool.ok("safe", "push", *options)
        assert "another device has written it" in told.err and (options or "--forget-old" in told.err), told
    assert pushed.blob == theirs
    assert "forget-old ABCD1234 stops the attempts" in pushed.keytool.ok("safe", "push").err
    assert "safe server --forget-old ABCD1234 stops that" in pushed.keytool.ok("safe", "status").out
    forgotten = pushed.keytool.ok("safe", "server", "--forget-old").out
    assert f"no longer tries to delete the old backup of ABCD1234 on {pushed.server.url}; it stays there" in forgotten
    assert pushed.keytool.ok("safe", "push", "--quiet").err == "" and pushed.blob == theirs


def test_old_place_that_refuses_to_delete(pushed, other):
    """The login has just read and written there: it is not to blame."""
    pushed.server.fault("DELETE", f.status(403))
    moved = pushed.run("safe", "move", *other.options)
    assert moved.code == 0 and "/safe/ refuses to delete the backup (status 403)\n" in moved.err, moved
    assert "does not accept this user" not in moved.err
    again = pushed.keytool.ok("safe", "push")
    assert "refuses to delete the backup" in again.err


def test_aborting_spares_what_another_device_has_written(pushed, other):
    other.fault("PUT", f.lie(507), after="DELETE")
    assert pushed.keytool("safe", "move", *other.options).code == 14
    theirs = other.stored[PLACE] = pushed.written_by_an_app()
    other.heal()
    assert "from another device" in pushed.keytool.ok("safe", "push", "--quiet").err
    result = pushed.keytool.ok("safe", "move", "--abort")
    assert other.stored == {PLACE: theirs} and "may still hold a backup" in result.err
    assert pushed.keytool.ok("safe", "push", "--quiet").err == ""


@pytest.mark.parametrize("kind, act", [("GET", f.stall), ("DELETE", f.stall), ("DELETE", f.stall_after)])
def test_a_cancelled_change_stays_cancelled(pushed, other, new_password, kind, act):
    """Whenever the process dies: the next push does not finish the change, but deletes what was uploaded for it."""
    other.fault("PUT", f.reset_after, after="DELETE")
    assert pushed.run("safe", "move", *other.options).code == 75 and PLACE in other.stored
    other.heal()
    other.fault(kind, act)
    before = pushed.blob
    killed_at(other, kind, signal.SIGKILL, pushed.keytool, "safe", "move", "--abort")
    told = f"the change to {other.url} was cancelled; the next push deletes what was uploaded for it"
    assert told in pushed.keytool.ok("safe", "status").out
    # Another change that is refused does not bring it back.
    pushed.keytool.fails(17, "safe", "passwd", *new_password)
    assert told in pushed.keytool.ok("safe", "status").out
    assert pushed.keytool.json("safe", "push")["server"]["host"] == "localhost"
    assert other.stored == {} and pushed.blob == before and "PUT" not in other.kinds()
    assert "cancelled" not in pushed.keytool.ok("safe", "status").out
    # And it can be begun again.
    pushed.keytool.ok("safe", "move", *other.options)
    assert list(other.stored) == [PLACE] and pushed.server.stored == {}


@pytest.mark.parametrize("fault, code, hint", [
    (f.status(401), 13, "--server-user NAME"), (f.status(404), 15, "--create prepares a new directory"),
    (f.constant(f.HTML), 15, "check the address; on a Nextcloud it is ")], ids=["login", "not prepared", "a web page"])
def test_new_place_that_is_refused_before_a_change_was_begun(pushed, other, fault, code, hint):
    other.fault("config", fault)
    result = pushed.keytool.fails(code, "safe", "move", *other.options)
    assert hint in result.err and "--abort" not in result.err
    untrusted = pushed.keytool.fails(21, "safe", "move", "--server", other.url)
    assert "use --ca-file" in untrusted.err and "nothing was sent" in untrusted.err
    assert pushed.keytool.ok("safe", "push").err == "", "nothing was begun"


def test_new_place_that_takes_too_little(pushed, other):
    """It keeps no push from the place that works."""
    enough, other.config = other.config, b'{"maxBackupBytes":200,"retentionDays":180}'
    pushed.keytool.fails(14, "safe", "move", *other.options)
    assert pushed.keytool.ok("safe", "push").err == "", "nothing was begun"
    other.config = enough
    other.fault("PUT", f.lie(507), after="DELETE")
    pushed.keytool.fails(14, "safe", "move", *other.options)
    other.heal()
    other.config = b'{"maxBackupBytes":200,"retentionDays":180}'
    for options in ([], ["--force"], ["--quiet"]):
        result = pushed.keytool.ok("safe", "push", *options)
        assert "warning" in result.err and "--abort ABCD1234 cancels the change" in result.err, result
    shown = pushed.keytool.ok("safe", "status").out
    assert "unfinished" in shown and "safe move --abort ABCD1234 cancels it" in shown
    assert pushed.keytool.ok("safe", "move", "--abort").out == "cancelled the change of ABCD1234\n"
    assert pushed.keytool.ok("safe", "push", "--quiet").err == ""


# A loss that was seen


@pytest.mark.parametrize("verb", ["check", "status --remote", "status --remote --max-age 1d"])
@pytest.mark.parametrize("damage", [None, "flipped"])
def test_loss_that_a_command_has_seen_is_repaired(pushed, verb, damage):
    if damage:
        pushed.server.stored[PLACE] = flipped(pushed.blob)
    else:
        del pushed.server.stored[PLACE]
    assert pushed.keytool("safe", *verb.split()).code == (65 if damage else 10)
    assert pushed.keytool("safe", "status", "--max-age", "1d").code == 18
    assert pushed.keytool.json("safe", "push")["result"] == "restored"
    assert holds(pushed.blob) and pushed.keytool.ok("safe", "status", "--max-age", "1d")


# A deletion that is interrupted


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=["INT", "TERM", "KILL"])
@pytest.mark.parametrize("way_on", ["delete", "resume"])
def test_interrupted_deletion_is_not_carried_out_later(pushed, number, way_on):
    pushed.server.fault("DELETE", f.stall)
    killed_at(pushed.server, "DELETE", number, pushed.keytool, "safe", "delete", "--yes")
    for _ in range(2):
        error = pushed.keytool.fails(17, "safe", "push", "--quiet", "--json").error
        assert error["reason"] == "deletion_interrupted"
        assert "--resume-deleted" in error["hint"] and "safe delete" in error["hint"]
    assert "the last check ended before the backup was read" in pushed.keytool.ok("safe", "status").out
    for verb in ("passwd", "move"):
        aborted = pushed.keytool.ok("safe", verb, "--abort")
        assert "ABCD1234 has no unfinished change\na deletion of the Safe of ABCD1234 was interrupted\n" in aborted.out
        assert "keytool safe delete ABCD1234" in aborted.err and "--resume-deleted" in aborted.err
    assert pushed.server.connections == 0 and holds(pushed.blob)
    if way_on == "delete":
        pushed.keytool.ok("safe", "delete", "--yes")
        assert pushed.server.stored == {}
    else:
        assert pushed.keytool.json("safe", "push", "--resume-deleted")["result"] == "uploaded"
        assert pushed.keytool.json("safe", "push")["result"] == "unchanged"
