"""The exact requests that keytool sends to a Safe server, and the redirects that it does not follow."""

import base64
import subprocess

import pytest

from kit.servers import faults as f
from kit.servers.faultserver import BASE
from kit.servers.httpsmachine import LOGIN, PLACE, SERVER_PASSWORD, USER, bare, pushed  # fixtures

AUTHORIZATION = "Basic " + base64.b64encode(LOGIN).decode()


def every_request(machine):
    """Of a setup, a push, a check and a deletion."""
    machine.keytool.ok("safe", "setup", *machine.world.by_password)
    machine.keytool.ok("safe", "push")
    machine.keytool.ok("safe", "check")
    machine.keytool.ok("safe", "delete", "--yes")
    return machine.server.requests


def test_headers(bare):
    requests = every_request(bare)
    assert {request.kind for request in requests} == {"config", "GET", "PUT", "DELETE"}
    for request in requests:
        assert request.header("user-agent") == ["Threema"], request
        assert request.header("authorization") == [AUTHORIZATION], "sent at once, on every request"
        assert request.header("host") == [f"localhost:{bare.server.port}"]
        for name in ("transfer-encoding", "expect", "accept-encoding", "cookie", "referer",
                     "content-range", "range"):
            assert request.header(name) == [], request
        if request.kind == "config":
            assert request.header("accept") == ["application/json"]
        if request.kind == "GET":
            assert request.header("accept") == ["application/octet-stream"]
        if request.kind == "PUT":
            assert request.header("content-type") == ["application/octet-stream"]
            assert request.header("content-length") == [str(request.body_length)]
            assert request.body_length > 0
            assert request.condition in (None, ("if-none-match", "*")), "the server shows no tags"
        else:
            assert request.condition is None
            assert request.body_length == 0 and request.header("content-length") in ([], ["0"])


def test_requests_of_a_push(pushed):
    pushed.keytool.ok("safe", "push", "--force")
    assert pushed.server.kinds() == ["config", "GET", "PUT", "GET"]
    assert [request.path for request in pushed.server.requests[1:]] == [PLACE] * 3
    assert pushed.server.requests[2].body == pushed.blob


def test_what_was_uploaded_is_read_past_caches(pushed):
    pushed.keytool.ok("safe", "push", "--force")
    assert pushed.server.requests[-1].header("cache-control") == ["no-cache"]


def test_nothing_is_asked_where_nothing_is_due(pushed):
    pushed.keytool.ok("safe", "push")
    pushed.keytool.ok("safe", "status")
    assert pushed.server.connections == 0


def test_netrc_is_not_read(bare):
    """It has the right login, and curl finds it; keytool is refused for lack of one."""
    (bare.keytool.home / ".netrc").write_text(f'machine localhost login {USER} password "{SERVER_PASSWORD.decode()}"\n')
    authority = bare.world.approach[-1]
    subprocess.run(["curl", "-q", "-sS", "-o", "/dev/null", "--netrc", "--cacert", authority, bare.server.url],
                   env=bare.keytool.environment, check=True, timeout=60)
    assert [request.header("authorization") for request in bare.server.requests] == [[AUTHORIZATION]]
    bare.server.forget()
    without = ["--server", bare.server.url, "--ca-file", authority, "--safe-password-file", bare.world.passwords["safe"]]
    bare.keytool.fails(13, "safe", "setup", *without)
    assert bare.server.requests and all(request.header("authorization") == [] for request in bare.server.requests)


# Redirects. That nobody else was asked is judged after each test.

CODES = [301, 302, 303, 307, 308]


def elsewhere(machine, name):
    world, port = machine.world, machine.server.port
    return {
        "another port": world.elsewhere.url + "config",
        "another host": f"https://127.0.0.1:{port}/safe/config",
        "http": world.plain.url + "config",
        "http on the same port": f"http://localhost:{port}/safe/config",
        "a user before the host": f"https://localhost:{port}@localhost:{world.elsewhere.port}/",
        "no scheme": f"//localhost:{world.elsewhere.port}/safe/config",
        "a longer port": f"https://localhost:{port}0/safe/config",
        "a longer name": f"https://localhost.:{port}/safe/config",
        "a backslash": f"https://localhost:{port}\\@localhost:{world.elsewhere.port}/",
        "a file": "file:///etc/passwd", "gopher": f"gopher://localhost:{world.plain.port}/x",
        "nothing": "", "a control character": "https://\x1b[31mlocalhost/",
        "ftp": f"ftp://localhost:{world.plain.port}/",
    }[name]


ELSEWHERE = ["another port", "another host", "http", "http on the same port",
             "a user before the host", "no scheme", "a longer port", "a longer name", "a backslash",
             "a file", "gopher", "nothing", "a control character", "ftp"]


@pytest.mark.parametrize("name", ELSEWHERE)
def test_redirect_to_elsewhere(pushed, name):
    kept = pushed.blob
    pushed.server.fault("config", f.redirect(elsewhere(pushed, name), 302))
    result = pushed.fails(15, "safe", "push", "--force")
    assert pushed.server.connections <= 6 and set(pushed.server.kinds()) == {"config"}
    assert "\x1b" not in result.err and pushed.blob == kept
    pushed.server.heal()
    pushed.server.fault("GET", f.redirect(elsewhere(pushed, name), 302))
    pushed.fails(15, "safe", "pull")
    pushed.recovers()


def test_redirect_with_a_login_is_not_shown(pushed):
    pushed.server.fault("config", f.redirect("https://joe:hunter2@example.net/x?token=geheim"))
    result = pushed.fails(15, "safe", "push", "--force")
    assert "hunter2" not in result.err and "geheim" not in result.err


@pytest.mark.parametrize("location, host", [
    ("https://example.net/x", "example.net"), ("//example.net/x/y", "example.net"),
    ("https://example.net:8443/x", "example.net:8443"), ("HTTPS://joe:hunter2@example.net?x/y", "example.net"),
    ("http://localhost/x", "http://localhost"), ("https://[::1]:5/x", "[::1]:5"),
    ("", "an empty address"), ("https:example.net", "a https: address"), ("mailto:joe@example.net", "a mailto: address")])
def test_host_that_a_redirect_leads_to_is_named(pushed, location, host):
    for kind in ("config", "PUT", "DELETE"):
        pushed.server.heal()
        pushed.server.fault(kind, f.redirect(location))
        verb = ["delete", "--yes"] if kind == "DELETE" else ["push", "--force"]
        result = pushed.keytool.fails(15, "safe", *verb)
        assert f" redirects to {host}; keytool does not follow this redirect\n" in result.err, result


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("kind", ["PUT", "DELETE"])
def test_only_a_get_follows(pushed, kind, code):
    """Not even on the same origin, and never as a GET."""
    moved = pushed.server.origin + "/moved"
    pushed.server.fault(kind, f.redirect(moved, code))
    verb = ["push", "--force"] if kind == "PUT" else ["delete", "--yes"]
    pushed.keytool.fails(15, "safe", *verb)
    assert pushed.server.requests[-1].kind == kind
    assert all(request.path != "/moved" for request in pushed.server.requests)


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("form", ["relative", "absolute"])
def test_get_follows_on_the_same_origin(pushed, form, code):
    pushed.server.stored["/moved"] = pushed.blob
    origin = pushed.server.origin if form == "absolute" else ""
    pushed.server.fault("GET", f.redirect(origin + "/moved", code), times=1)
    pushed.keytool.ok("safe", "check")
    assert [request.path for request in pushed.server.requests][1:] == [PLACE, "/moved"]
    assert pushed.server.requests[2].header("authorization") == [AUTHORIZATION]
    assert pushed.server.requests[2].header("accept") == ["application/octet-stream"]


@pytest.mark.parametrize("location, path", [
    ("moved", BASE + "backups/moved"), ("?a=b", PLACE + "?a=b"), ("./moved", BASE + "backups/moved"),
    ("../moved", BASE + "moved"), ("//{host}/moved", "/moved"), ("@example.net/x", BASE + "backups/@example.net/x")])
def test_get_follows_whatever_is_relative(pushed, location, path):
    pushed.server.stored[path] = pushed.blob
    host = pushed.server.origin.removeprefix("https://")
    pushed.server.fault("GET", f.redirect(location.format(host=host)), times=1)
    pushed.keytool.ok("safe", "check")
    assert [request.path for request in pushed.server.requests][1:] == [PLACE, path]


@pytest.mark.parametrize("location", ["/a b", "/a\x01b", "https:///x", "/" + "x" * 20_000])
def test_redirect_to_what_is_no_address(pushed, location):
    """Nothing that will pass: it is not tried again."""
    pushed.server.fault("config", f.redirect(location))
    result = pushed.keytool("safe", "push", "--force")
    assert result.code == 15 and pushed.server.connections <= 6, result


@pytest.mark.parametrize("kind", ["config", "GET"])
def test_redirect_in_a_loop(pushed, kind):
    pushed.server.fault(kind, f.redirect(lambda call: pushed.server.origin + call.request.path))
    result = pushed.fails(15, "safe", "push", "--force")
    assert "redirects in a loop" in result.err
    assert 2 <= pushed.server.kinds().count(kind) <= 6
    pushed.recovers()


# Before the first request


@pytest.mark.parametrize("greet", [f.reset_on_connect, f.reset_in_handshake,
                                   f.closed_in_handshake, f.silent])
def test_connection_that_breaks_before_tls(pushed, greet):
    """No certificate was seen, so none was refused: later makes sense."""
    pushed.server.on_connect = greet
    pushed.fails(75, "safe", "push", "--force")
    pushed.recovers()


def test_server_without_tls(pushed):
    pushed.server.on_connect = f.plain_http
    pushed.fails({15, 21, 75}, "safe", "push", "--force")
    assert pushed.server.requests == []
    pushed.recovers()
