"""What is said of a server or a proxy that fails, and what --verbose shows."""

import contextlib
import re
import socket
import ssl
import threading
import time

import pytest

from kit.servers import faults as f
from kit.servers.httpsmachine import KEYS, SERVER_PASSWORD, bare, pushed  # fixtures
from kit.servers.listener import Listener
from kit.servers.webservers import Apache


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


@pytest.mark.parametrize("config", [b"", b"{}"], ids=["empty", "no members"])
def test_server_with_a_bad_config_is_not_prepared(bare, config):
    """It may be something else's: nothing is made there."""
    def answer(call):
        call.read()
        call.answer(200, config)
    bare.server.fault("config", answer)
    bare.fails(15, "safe", "setup", "--create", *bare.world.by_password)
    assert {request.method for request in bare.server.requests} == {"GET"}


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


UNREACHABLE = "cannot be reached through the proxy: "
VARIABLES = "https_proxy, HTTPS_PROXY or ALL_PROXY"
INVALID = "its answer is invalid, or too long"
NOT_TLS = "its answer is not TLS"
CLOSED = "it closed the connection without an answer"
CUT = "the connection was closed during the TLS handshake"


@pytest.fixture
def through(pushed):
    """through(serve, scheme): the machine behind a proxy that serves each connection so."""
    listeners = []

    def start(serve, scheme="http"):
        listeners.append(Listener(serve))
        return behind(pushed, f"{scheme}://127.0.0.1:{listeners[-1].port}")

    yield start
    for listener in listeners:
        listener.close()


def behind(pushed, url):
    pushed.keytool = pushed.keytool.with_environment(https_proxy=url)
    return pushed


def answering(*answers):
    """Answers the first bytes with the first answer, the next with the next, and closes."""
    def serve(connection):
        for answer in answers:
            connection.recv(4096)
            connection.sendall(answer)
    return serve


def refused_by_the_proxy(machine, why, seconds=1):
    result = machine.fails(75, "safe", "push", "--force", patience=["--timeout", "5s", "--retry-max-time", "0s"],
                           seconds=seconds)
    assert f"/safe/ {UNREACHABLE}{why}\n" in result.err and VARIABLES in result.err, result
    assert machine.server.connections == 0
    return result


OPENED = b"HTTP/1.1 200 OK\r\n\r\n"
PROXIES = {
    "junk": (bytes(range(256)) * 4, INVALID),
    "no status": (b"HTTP/1.1 hello\r\n\r\n", INVALID),
    "a page": (b"<html>Welcome\r\n\r\n", INVALID),
    "many headers": (b"HTTP/1.1 200 OK\r\n" + b"X: a\r\n" * 40_000 + b"\r\n", INVALID),
    "a long header": (b"HTTP/1.1 200 OK\r\nX: " + b"a" * 200_000 + b"\r\n\r\n", INVALID),
    "200 without TLS": (OPENED + b"HTTP/1.1 400 Bad Request\r\n\r\n", NOT_TLS),
    "200 and plain text": (OPENED + b"Welcome to our hotel! " + b"Please log in. " * 2000, NOT_TLS),
    "200 and zeros": (OPENED + bytes(1000), NOT_TLS),
    "no": (b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n", "it refuses the connection (status 403)"),
    "a page with a status": (b"HTTP/1.1 502 Bad\r\nContent-Length: 4\r\n\r\nhtml",
                             "it refuses the connection (status 502)"),
    "a login": (b"HTTP/1.1 407 Who?\r\nContent-Length: 0\r\n\r\n",
                "it requires a user name and password (status 407)"),
    "a login by name": (b"HTTP/1.1 407 Who?\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n",
                        "it requires a user name and password (status 407)"),
    "nothing": (b"", CLOSED),
}


@pytest.mark.parametrize("name", PROXIES)
def test_proxy_that_does_not_lead_there(through, name):
    answer, why = PROXIES[name]
    result = refused_by_the_proxy(through(answering(answer)), why)
    assert ("http://USER:PASSWORD@HOST:PORT" in result.err) == name.startswith("a login"), result


def test_proxy_that_closes_at_once(through):
    refused_by_the_proxy(through(lambda connection: None), CLOSED)


@pytest.mark.parametrize("answers", [[OPENED], [OPENED, b""]], ids=["at once", "after the first bytes"])
def test_proxy_that_says_yes_and_closes(through, answers):
    refused_by_the_proxy(through(answering(*answers)), CUT)


def test_proxy_that_speaks_no_tls(through):
    """An address that begins with https:// means TLS with the proxy itself."""
    refused_by_the_proxy(through(answering(b"HTTP/1.1 400 No\r\n\r\n"), "https"), NOT_TLS)


def test_proxy_with_a_certificate_that_nobody_vouches_for(through, certificates):
    """It is the proxy's failure: the server's certificate is fine, and was never seen."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates.good.path, certificates.good.key)

    def serve(connection):
        with contextlib.suppress(OSError), context.wrap_socket(connection, server_side=True) as tunnel:
            tunnel.recv(4096)
    why = "its certificate is not trusted"
    result = through(serve, "https").fails(
        75, "safe", "push", "--force", patience=["--timeout", "5s", "--retry-max-time", "0s"])
    assert f"/safe/ {UNREACHABLE}{why}\n" in result.err and "certificate of the proxy" in result.err, result


@pytest.mark.parametrize("scheme", ["gopher", "ftp"])
def test_proxy_of_another_kind(pushed, scheme):
    refused_by_the_proxy(behind(pushed, f"{scheme}://127.0.0.1:70"), "its address is of a kind that is not supported")


def test_proxy_that_is_not_there(pushed):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    refused_by_the_proxy(behind(pushed, address), "it cannot be reached")


def test_proxy_whose_name_is_unknown(pushed):
    """A label of 64 characters, which the C library refuses without asking a name server."""
    refused_by_the_proxy(behind(pushed, f"http://{'a' * 64}.invalid:3128"), "its name cannot be resolved")


@pytest.mark.parametrize("answers", [[], [OPENED]], ids=["nothing", "200"])
def test_proxy_that_does_not_answer(through, answers):
    """Within one request's time, and with no second attempt."""
    connections, ended = [], threading.Event()

    def serve(connection):
        connections.append(connection)
        for answer in answers:
            connection.recv(4096)
            connection.sendall(answer)
        ended.wait(60)

    machine = through(serve)
    start = time.monotonic()
    result = machine.fails(75, "safe", "push", "--force", patience=["--timeout", "2s", "--retry-max-time", "0s"],
                           seconds=2)
    took = time.monotonic() - start
    ended.set()
    assert took >= 2 and len(connections) == 1, (took, connections)
    assert f"/safe/ {UNREACHABLE}no answer in time\n" in result.err and VARIABLES in result.err, result
    assert machine.server.connections == 0


SOCKS = {
    "a login": (b"\x05\xff", "it requires a user name and password"),
    "no": (b"\x05\x00", b"\x05\x02\x00\x01" + bytes(6), "it refuses the connection"),
    "host unreachable": (b"\x05\x00", b"\x05\x04\x00\x01" + bytes(6), "it refuses the connection"),
    "another version": (b"\x04\x00", INVALID),
    "nothing": (b"", CLOSED),
}


@pytest.mark.parametrize("name", SOCKS)
def test_socks_proxy(through, name):
    *answers, why = SOCKS[name]
    refused_by_the_proxy(through(answering(*answers), "socks5h"), why)


def test_login_of_a_proxy(through):
    """As the hint says: in the proxy's URL."""
    asked = []

    def serve(connection):
        head = b""
        while b"\r\n\r\n" not in head:
            head += connection.recv(4096)
        asked.append(head)
        if b"Proxy-Authorization: Basic dXNlcjpzZXNhbWU=\r\n" not in head:
            return connection.sendall(PROXIES["a login by name"][0])
        connection.sendall(OPENED)
        with socket.create_connection(("127.0.0.1", int(head.split(b" ")[1].rsplit(b":")[-1]))) as server:
            threading.Thread(target=pass_on, args=(server, connection), daemon=True).start()
            pass_on(connection, server)

    machine = through(serve)
    url = machine.keytool.environment["https_proxy"]
    behind(machine, url.replace("//", "//user:sesame@")).keytool.ok("safe", "push", "--force")
    assert asked and all(head.startswith(b"CONNECT ") for head in asked)
    machine.server.forget()
    refused_by_the_proxy(behind(machine, url.replace("//", "//user:wrong@")), PROXIES["a login"][1])


def pass_on(source, target):
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


# No time for retries


def test_no_time_for_retries_leaves_one_attempt(pushed):
    pushed.keytool.ok("safe", "push", "--force", "--retry-max-time", "0s")
    pushed.server.fault("config", f.status(503, Retry_After=0))
    pushed.server.forget()
    pushed.fails(75, "safe", "push", "--force", patience=["--retry-max-time", "0s"])
    assert pushed.server.kinds() == ["config"]


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
