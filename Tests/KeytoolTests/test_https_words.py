"""What is said of a server or a proxy that fails, and what --verbose shows."""

import re
import socket

import pytest

from kit import faults as f
from kit.httpsmachine import KEYS, SERVER_PASSWORD, bare, pushed  # fixtures
from kit.listener import Listener
from kit.webservers import Apache


# Directories that are missing


class ApacheOfBackups(Apache):
    """WebDAV in `backups/` alone: where there is none, nothing is uploaded (405)."""

    def configuration(self):
        return super().configuration().replace('/root">', '/root/safe/backups">')


def test_backups_that_apache_does_not_find(owner, web_server, way, safe_password):
    server = web_server(ApacheOfBackups).prepare()
    (server.path / "backups").rmdir()
    result = owner.fails(15, "safe", "setup", *way(server), *safe_password)
    assert f"{server.url}/ has no directory backups/, or does not accept uploads there (status 405)\n" in result.err
    (server.path / "backups").mkdir()
    server._hand_over()
    owner.ok("safe", "setup", *way(server), *safe_password)


@pytest.mark.parametrize("code", [404, 409])
def test_backups_that_are_missing(pushed, code):
    pushed.server.fault("PUT", f.status(code))
    result = pushed.fails(15, "safe", "push", "--force")
    assert "/safe/ has no directory backups/\n" in result.err and "--create" in result.err


@pytest.mark.parametrize("kind, code, end", [
    ("MKCOL", 403, 13), ("MKCOL", 501, 15), ("MKCOL", 409, 15), ("PUT", 405, 15), ("PUT", 403, 13), ("PUT", 501, 15)])
def test_server_that_does_not_let_a_safe_be_made(bare, kind, code, end):
    def config(call):
        call.read()
        call.answer(code if call.request.method == "PUT" else 404)
    bare.server.fault("MKCOL", f.status(code if kind == "MKCOL" else 405))
    bare.server.fault("config", config)
    result = bare.fails(end, "safe", "setup", "--create", *bare.world.by_password)
    assert f"does not allow keytool to make backups/ and config: status {code}\n" in result.err


def test_directory_whose_parent_is_missing(owner, web_server, way, safe_password):
    """MKCOL makes one directory, not two."""
    server = web_server(Apache)
    url = f"{server.url}/sub/deep"
    options = [url if option == server.url else option for option in way(server)]
    assert url in options
    result = owner.fails(15, "safe", "setup", "--create", *options, *safe_password)
    assert f"error: {server.url}/sub does not exist on the server\n" in result.err and "create it first" in result.err


# Answers that are none


STRANGE = {"headers": f.header_bomb, "one header": f.long_header, "interim answers": f.interim_bomb,
           "garbage": f.garbage}


@pytest.mark.parametrize("name", STRANGE)
def test_answer_that_is_none(pushed, name):
    pushed.server.fault("config", STRANGE[name])
    result = pushed.fails(75, "safe", "push", "--force")
    assert "/safe/ sent an invalid HTTP answer, or headers that are too long\n" in result.err


# Proxies


@pytest.fixture
def proxy():
    """proxy(answer): its address."""
    listeners = []

    def start(answer):
        def serve(connection):
            connection.recv(4096)
            connection.sendall(answer)

        listeners.append(Listener(serve))
        return f"http://127.0.0.1:{listeners[-1].port}"

    yield start
    for listener in listeners:
        listener.close()


PROXIES = {
    "junk": bytes(range(256)) * 4, "no status": b"HTTP/1.1 hello\r\n\r\n", "a page": b"<html>Welcome\r\n\r\n",
    "200 without TLS": b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 400 Bad Request\r\n\r\n",
    "200 and plain text": b"HTTP/1.1 200 OK\r\n\r\nWelcome to our hotel! " + b"Please log in. " * 2000,
    "200 and zeros": b"HTTP/1.1 200 OK\r\n\r\n" + bytes(1000),
    "many headers": b"HTTP/1.1 200 OK\r\n" + b"X: a\r\n" * 40_000 + b"\r\n",
    "no": b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n",
    "a login": b"HTTP/1.1 407 Who?\r\nContent-Length: 0\r\n\r\n", "nothing": b"",
    "a long header": b"HTTP/1.1 200 OK\r\nX: " + b"a" * 200_000 + b"\r\n\r\n",
}


@pytest.mark.parametrize("name", PROXIES)
def test_proxy_that_does_not_lead_there(pushed, proxy, name):
    pushed.keytool = pushed.keytool.with_environment(https_proxy=proxy(PROXIES[name]))
    result = pushed.fails(75, "safe", "push", "--force")
    assert "cannot be reached through the proxy\n" in result.err and "https_proxy" in result.err
    assert pushed.server.connections == 0


def test_proxy_that_is_not_there(pushed):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    pushed.keytool = pushed.keytool.with_environment(https_proxy=address)
    result = pushed.fails(75, "safe", "push", "--force", "--retry-max-time", "0s")
    assert "cannot be reached through the proxy\n" in result.err and "https_proxy" in result.err


def test_proxy_that_does_not_answer(pushed):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        pushed.keytool = pushed.keytool.with_environment(https_proxy=address)
        result = pushed.fails(75, "safe", "push", "--force", "--timeout", "2s", "--retry-max-time", "0s")
    assert "cannot be reached through the proxy\n" in result.err and "https_proxy" in result.err


# What --verbose shows


def test_every_request_and_its_answer(pushed):
    url = re.escape(pushed.server.url)
    blob = len(pushed.blob)
    result = pushed.keytool.ok("safe", "push", "--force", "-v")
    shown = [rf"keytool: GET {url}config 200, \d+ bytes, \d+ ms", rf"keytool: GET {url}backups/… 200, {blob} bytes, \d+ ms",
             rf"keytool: PUT {url}backups/… 204, \d+ bytes, \d+ ms", rf"keytool: GET {url}backups/… 200, \d+ bytes, \d+ ms"]
    for line, expected in zip(result.err.splitlines(), shown, strict=True):
        assert re.fullmatch(expected, line), result


def test_request_that_is_not_answered(pushed):
    pushed.server.fault("PUT", f.stall)
    result = pushed.fails(75, "safe", "push", "--force", "-v")
    assert re.search(r"^keytool: PUT \S+/safe/backups/… did not answer in time, \d+ bytes, \d+ ms$",
                     result.err, re.M), result


def test_request_that_is_redirected(pushed):
    pushed.server.fault("GET", f.redirect("/moved/secret?token=geheim"), times=1)
    result = pushed.keytool.fails(10, "safe", "check", "-v")
    assert f"GET {pushed.server.origin}/… 404, " in result.err and "moved" not in result.err, result


@pytest.mark.parametrize("quieter", [["-q"], ["--json"]])
def test_not_shown_when_quiet_or_to_a_program(pushed, quieter):
    assert "GET" not in pushed.keytool.ok("safe", "push", "--force", "-v", *quieter).err


def test_nothing_secret_is_shown(pushed):
    said = ""
    for verb in (["push", "--force"], ["check"], ["status", "--remote"], ["delete", "--yes"]):
        said += pushed.keytool.ok("safe", *verb, "-v").err
    assert " DELETE " in said
    for secret in (KEYS.backup_id, KEYS.backup_id[:8], SERVER_PASSWORD.decode(), "Basic", "Authorization"):
        assert secret not in said
