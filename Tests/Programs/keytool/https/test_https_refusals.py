"""What a web server refuses: strangers, backups that are too large, and too many requests."""

import base64
import time

import pytest

from kit.known import SAFE_PASSWORD
from kit.processes.systemcalls import SystemCalls
from kit.runner import snapshot
from kit.servers.safedirectory import MAX_BACKUP_BYTES, SafeSetup
from kit.servers.webservers import ANNA, SERVERS, Login, Nginx

WRONG = Login("anna", b"not-hers-9")
WITH_LOGIN = {name: server for name, server in SERVERS.items() if server[1]}
KINDS = {name: server for name, server in SERVERS.items() if not server[1]}

only_with_login = pytest.mark.parametrize(
    "server", WITH_LOGIN.values(), ids=WITH_LOGIN, indirect=True)
of_each_kind = pytest.mark.parametrize("server", KINDS.values(), ids=KINDS, indirect=True)


def methods(server):
    return [request.method for request in server.requests()]


# Logins


@only_with_login
@pytest.mark.parametrize("login", [None, WRONG, Login("berta", ANNA.password)],
                         ids=["none", "wrong password", "wrong user"])
@pytest.mark.parametrize("create", [[], ["--create"]], ids=["", "create"])
def test_setup_with_a_wrong_login(owner, server, way, safe_password, given, login, create):
    server.prepare().login = login  # what `way` is to give; the server knows anna
    before = snapshot(owner.keystore), snapshot(server.path)
    result = owner.fails(13, "safe", "setup", *create, *way(server), *safe_password)
    assert "--server-user" in result.err or login, result
    assert (snapshot(owner.keystore), snapshot(server.path)) == before
    server.login = ANNA
    owner.ok("safe", "setup", *create, *way(server), *safe_password)


@only_with_login
def test_pull_with_a_wrong_login(web_safe, other_keytool, server, way, safe_password):
    web_safe.push()
    pull = ["safe", "pull", "--id", web_safe.id]
    for login in (None, WRONG):
        server.login = login
        other_keytool.fails(13, *pull, *way(server), *safe_password)
        assert other_keytool.json("id", "list")["identities"] == []


@only_with_login
def test_password_changed_on_the_server(web_safe, server, given):
    web_safe.push()
    first = web_safe.blob
    new = Login("anna", b"changed-there-8")
    server.restart(login=new)
    for command in (["safe", "push", "--force"], ["safe", "check"], ["safe", "pull"]):
        web_safe.keytool.fails(13, *command)
    assert [one.status for one in server.requests()] == ["401"] * 3, "once each"
    assert web_safe.blob == first
    # Wrong again changes nothing; right is all it takes.
    change = ["safe", "server", "--server-user", "anna"]
    web_safe.keytool.fails(13, *change, *given("server-password", WRONG.password))
    refused = web_safe.keytool.fails(13, "safe", "push", "--force").err
    assert "and the password was changed there: keytool safe server --server-user NAME\n" in refused
    # The stored user is meant, if none is named.
    web_safe.keytool.ok("safe", "server", *given("server-password", new.password))
    assert server.names() == [web_safe.keys.backup_id], "the backup stays where it is"
    assert web_safe.push("--force")["result"] == "uploaded"


@only_with_login
def test_delete_with_a_wrong_login_is_no_dead_end(web_safe, server, given):
    web_safe.push()
    new = Login("anna", b"changed-there-8")
    server.restart(login=new)
    web_safe.keytool.fails(13, "safe", "delete", "--yes")
    web_safe.keytool.ok("safe", "server", "--server-user", "anna",
                        *given("server-password", new.password))
    web_safe.keytool.ok("safe", "delete", "--yes")
    assert server.names() == []


@of_each_kind
def test_login_that_comes_later(web_safe, server, given):
    web_safe.push()
    server.restart(login=ANNA)
    web_safe.keytool.fails(13, "safe", "push", "--force")
    web_safe.keytool.ok("safe", "server", "--server-user", "anna",
                        *given("server-password", ANNA.password))
    assert web_safe.push("--force")["result"] == "uploaded"


@only_with_login
def test_server_password_is_not_shown(web_safe, server, tmp_path, given):
    """Not in any output, argument, environment, log or file, as such or in Base64."""
    keytool = SystemCalls(web_safe.keytool, tmp_path / "trace")
    (_, source), said = given("server-password", ANNA.password), ""
    changing = ["server", "--pin", server.certificate.pin,
                "--server-user", "anna", "--server-password-command", f"cat {source}"]
    for command in (["push", "-v"], ["push", "--force", "--json"], ["status", "--json"],
                    ["check", "-v"], ["pull", "-v"], changing):
        result = keytool.ok("safe", *command)
        said += result.out + result.err + keytool.calls
    server.restart(login=WRONG)
    said += keytool.fails(13, "safe", "push", "--force", "-v").err + keytool.calls
    kept = b"".join(path.read_bytes() for path in (
        *keytool.keystore.rglob("*"), server.log, server.directory / "error.log") if path.is_file())
    assert ANNA.user.encode() in kept, "the server's log is looked at"
    kept += said.encode()
    for secret in (ANNA.password, ANNA.password[:9], base64.b64encode(ANNA.password),
                   base64.b64encode(b"anna:" + ANNA.password)):
        assert secret not in kept


# Too large


@of_each_kind
def test_config_that_takes_less_than_the_backup(web_safe, server):
    """What is known to be refused is not sent."""
    server.prepare(max_backup_bytes=100)
    web_safe.keytool.fails(14, "safe", "push")
    assert set(methods(server)) == {"GET"}
    server.prepare()
    assert web_safe.push()["result"] == "uploaded"
    first = web_safe.blob
    server.prepare(max_backup_bytes=len(first) // 2)
    assert web_safe.keytool.fails(14, "safe", "push", "--force", "--json").error[
        "name"] == "too_large"
    assert web_safe.blob == first


@pytest.mark.parametrize("server", SERVERS.values(), ids=SERVERS, indirect=True)
def test_server_that_takes_less_than_its_config_says(web_safe, server):
    server.restart(max_body_bytes=100)
    web_safe.keytool.fails(14, "safe", "push")
    requests = server.requests()
    assert [one.status for one in requests if one.method == "PUT"] == ["413"], "it is not repeated"
    assert server.names() == []
    server.restart(max_body_bytes=MAX_BACKUP_BYTES)
    assert web_safe.push()["result"] == "uploaded"


@of_each_kind
def test_change_that_the_server_refuses_is_taken_back(web_safe, server, given):
    """And what was known of the backup is known again: it is not taken for another device's."""
    web_safe.push()
    known = web_safe.keytool.json("safe", "status")
    server.restart(max_body_bytes=100)
    web_safe.keytool.fails(
        14, "safe", "passwd", *given("new-safe-password", b"another-stable-5"))
    web_safe.keytool.ok("safe", "passwd", "--abort")
    after = web_safe.keytool.json("safe", "status")
    assert after.pop("seen_at") >= known.pop("seen_at")
    assert after == known
    web_safe.keytool.fails(14, "safe", "push", "--force")
    server.restart(max_body_bytes=MAX_BACKUP_BYTES)
    assert web_safe.push()["result"] == "uploaded"
    assert server.names() == [web_safe.keys.backup_id]


# Too many requests


@pytest.fixture
def slow(owner, web_server, way, safe_password):
    """A server that answers one request a minute, and 429 to the others."""
    server = web_server(Nginx).prepare()
    owner.ok("safe", "setup", *way(server), *safe_password)
    server.restart(requests_a_minute=1)
    return SafeSetup(owner, server, "ABCD1234", SAFE_PASSWORD)


@pytest.mark.alone
def test_too_many_requests(slow):
    """429 without Retry-After: tried again after a while of our own choice."""
    start = time.monotonic()
    result = slow.keytool.fails(75, "safe", "push", "--retry-max-time", "5s", "-v")
    assert time.monotonic() - start < 8
    statuses = [one.status for one in slow.directory.requests()]
    assert statuses[0] == "200" and set(statuses[1:]) == {"429"}
    assert slow.directory.names() == []
    slow.directory.restart(requests_a_minute=None)
    assert slow.push()["result"] == "uploaded", result


def test_too_many_requests_are_tolerated_later(slow):
    slow.directory.restart(requests_a_minute=None)
    slow.push()
    slow.directory.restart(requests_a_minute=1)
    options = ["--force", "--retry-max-time", "1s"]
    silent = slow.keytool.ok("safe", "push", *options, "--tolerate", "3d")
    assert silent.out == silent.err == ""
    slow.keytool.fails(75, "safe", "push", *options)
