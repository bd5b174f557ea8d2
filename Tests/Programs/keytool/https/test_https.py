"""A Safe over HTTPS on real nginx and Apache, with and without a login: every verb when all goes well."""

import json
from datetime import datetime, timedelta

import pytest

from kit import oracle
from kit.processes.clock import Clocked
from kit.processes.systemcalls import SystemCalls
from kit.runner import snapshot
from kit.servers.safedirectory import MAX_BACKUP_BYTES, RETENTION_DAYS, SafeDirectory
from kit.servers.webservers import ANNA, SERVERS, Apache, Nginx

NEW_PASSWORD = b"another-stable-5"
DAY = timedelta(days=1)


@pytest.fixture
def safe(web_safe):
    return web_safe


def asked(server):
    """What the server was asked, in short: [("GET", "config"), ("PUT", "backup"), ...]."""
    return [(one.method, one.path.rsplit("/", 1)[1] if "/backups/" not in one.path else "backup")
            for one in server.requests()]


def has_gone_out(keytool):
    """Whether the last run opened a connection, or only the library for it."""
    return "connect(" in keytool.calls or "libcurl" in keytool.calls


# Setup


@pytest.mark.parametrize("has_parent", [True, False])
def test_create_on_a_bare_server(owner, server, way, safe_password, has_parent):
    if has_parent:
        server.path.mkdir()
    server.restart()  # takes over what was made
    done = owner.json("safe", "setup", "--create", *way(server), *safe_password)
    assert json.loads(server.config.read_bytes()) == {
        "maxBackupBytes": MAX_BACKUP_BYTES, "retentionDays": RETENTION_DAYS}
    assert done["server"]["host"] == "localhost"
    assert done["server"]["max_backup_bytes"] == MAX_BACKUP_BYTES
    assert server.names() == [], "the probe is taken away again"
    assert owner.json("safe", "push")["result"] == "uploaded"


def test_create_leaves_a_prepared_server_alone(owner, server, way, safe_password):
    server.prepare(max_backup_bytes=2097152, retention_days=30)
    before = snapshot(server.path)
    owner.ok("safe", "setup", "--create", *way(server), *safe_password)
    assert snapshot(server.path) == before


def test_without_create_nothing_is_created(owner, server, way, safe_password):
    before = snapshot(owner.keystore)
    owner.fails(15, "safe", "setup", *way(server), *safe_password)
    assert snapshot(owner.keystore) == before
    assert not server.path.exists()


# Push


def test_first_push(safe, server):
    pushed = safe.push()
    assert pushed["result"] == "uploaded"
    assert (pushed["server"]["host"], pushed["server"]["retention_days"]) == ("localhost", 180)
    assert pushed["backup"]["verified"] is True
    assert pushed["backup"]["bytes"] == len(safe.blob)
    assert safe.document["user"]["privatekey"], "the oracle opens what is there"
    assert server.names() == [safe.keys.backup_id]


def test_requests_are_as_safe_servers_want_them(safe, server):
    safe.push()
    requests = server.requests()
    assert [(one.method, one.path) for one in requests] == [
        ("GET", "/safe/config"), *(
            (method, f"/safe/backups/{safe.keys.backup_id}") for method in ("GET", "PUT", "GET"))]
    config, _, put, get = requests
    assert {one.agent for one in requests} == {"Threema"}
    assert (config.accept, get.accept) == ("application/json", "application/octet-stream")
    assert (put.type, put.length, put.encoding) == (
        "application/octet-stream", str(len(safe.blob)), "-")
    # Never first without: it would cost a request, and some servers answer 404 to strangers.
    assert {one.user for one in requests} == {server.login.user if server.login else "-"}
    assert "401" not in {one.status for one in requests}


def test_unchanged_push_opens_no_connection(safe, server, tmp_path):
    safe.keytool = SystemCalls(safe.keytool, tmp_path / "trace")
    assert (safe.push()["result"], has_gone_out(safe.keytool)) == ("uploaded", True)
    assert (safe.push()["result"], has_gone_out(safe.keytool)) == ("unchanged", False)
    server.stop()
    assert safe.push()["result"] == "unchanged"


def test_confirmed_and_restored(safe, server):
    now = datetime.utcnow()
    safe.push()
    first = safe.blob
    server.requests()
    safe.keytool = Clocked(safe.keytool, now + 8 * DAY)
    assert safe.push()["result"] == "confirmed"
    assert asked(server) == [("GET", "backup")]
    assert safe.blob == first
    server.backup(safe.keys).unlink()
    safe.keytool = Clocked(safe.keytool, now + 16 * DAY)
    assert safe.push()["result"] == "restored"
    assert safe.document["user"]


def test_refreshed_after_half_of_the_retention(safe, server):
    safe.push()
    first = safe.blob
    server.requests()
    safe.keytool = Clocked(safe.keytool, datetime.utcnow() + 91 * DAY)
    assert safe.push()["result"] == "refreshed"
    assert asked(server) == [
        ("GET", "config"), ("GET", "backup"), ("PUT", "backup"), ("GET", "backup")]
    assert safe.blob != first


# Pull, check, status


def test_pull_on_an_empty_keystore(safe, other_keytool, way, safe_password):
    safe.push()
    other_keytool.ok("safe", "pull", "--id", safe.id, *way(safe.directory), *safe_password)
    for runner in (safe.keytool, other_keytool):
        shown = runner.json("id", "show")
        assert shown["public_key"] == safe.keytool.json("id", "show")["public_key"]
    # Everything that leads to the server came along.
    assert other_keytool.json("safe", "push", "--force")["result"] == "uploaded"
    safe.keytool.fails(20, "safe", "push", "--force")
    safe.keytool.ok("safe", "pull")


def test_pull_with_another_password_finds_nothing(safe, other_keytool, way, given):
    safe.push()
    other_keytool.fails(10, "safe", "pull", "--id", safe.id, *way(safe.directory),
                        *given("safe-password", b"not-the-password-7"))


def test_check_and_status(safe, safe_password):
    safe.push()
    safe.keytool.ok("safe", "check")
    safe.keytool.ok("safe", "check", "--with-password", *safe_password)
    assert "localhost" in safe.keytool.ok("safe", "status").out
    status = safe.keytool.json("safe", "status")
    assert status["server"]["host"] == "localhost"
    safe.directory.put(safe.keys, safe.blob[:-20])
    safe.keytool.fails(65, "safe", "check")
    safe.directory.backup(safe.keys).unlink()
    safe.keytool.fails(10, "safe", "check")


# Changes


def test_new_password(safe, server, given):
    safe.push()
    old = safe.keys
    safe.keytool.ok("safe", "passwd", *given("new-safe-password", NEW_PASSWORD))
    safe.password = NEW_PASSWORD
    assert old.backup_id != safe.keys.backup_id
    assert server.names() == [safe.keys.backup_id], "the old one is deleted"
    assert safe.document["user"]


def test_delete(safe, server):
    safe.push()
    safe.keytool.ok("safe", "delete", "--yes")
    assert server.names() == []
    assert ("DELETE", "backup") in asked(server)
    safe.keytool.fails(10, "safe", "push")


def test_delete_of_what_is_gone(safe, server):
    safe.push()
    server.backup(safe.keys).unlink()
    safe.keytool.ok("safe", "delete", "--yes")


def test_move_to_another_server(safe, server, web_server, way):
    """Between the two kinds, to one with a login from one without and the other way round."""
    safe.push()
    kind = Apache if isinstance(server, Nginx) else Nginx
    other = web_server(kind, None if server.login else ANNA).prepare()
    safe.keytool.ok("safe", "move", *way(other))
    assert (server.names(), other.names()) == ([], [safe.keys.backup_id])
    server.stop()
    safe.push("--force")
    assert {one.user for one in other.requests()} == {other.login.user if other.login else "-"}


@pytest.mark.parametrize("server", [SERVERS["apache-login"]], indirect=True)
def test_move_while_the_old_server_is_away(safe, server, web_server, way):
    safe.push()
    other = web_server(Nginx).prepare()
    server.stop()
    moved = safe.keytool.ok("safe", "move", *way(other))
    assert "was not deleted" in moved.err
    safe.push("--force")
    server.start()
    safe.push()
    assert (server.names(), other.names()) == ([], [safe.keys.backup_id])


def test_move_to_a_directory_and_back(safe, server, tmp_path, way):
    safe.push()
    (tmp_path / "directory").mkdir()
    directory = SafeDirectory(tmp_path / "directory").prepare()
    safe.keytool.ok("safe", "move", "--server", directory.url)
    assert (server.names(), directory.names()) == ([], [safe.keys.backup_id])
    safe.keytool.ok("safe", "move", *way(server))
    assert (server.names(), directory.names()) == ([safe.keys.backup_id], [])
    assert oracle.open_safe(safe.blob, safe.keys)["user"]
