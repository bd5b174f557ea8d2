"""Addresses behind which there is no HTTPS server, and addresses and logins that are refused."""

import socket
import ssl
import time

import pytest

from kit.runner import snapshot
from kit.servers.listener import Listener
from kit.servers.webservers import ANNA, Nginx


@pytest.fixture
def on_port():
    """on_port(serve): a listener with its `url`; what `serve` returns for each connection is added to `received`."""
    listeners = []

    def start(serve):
        def note(connection):
            listener.received += serve(connection)

        listener = Listener(note)
        listener.url, listener.received = f"https://localhost:{listener.port}/safe/", b""
        listeners.append(listener)
        return listener

    yield start
    for listener in listeners:
        listener.close()


def plain_http(connection):
    received = connection.recv(65536)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    return received


def outdated_tls(certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.load_cert_chain(certificate.path, certificate.key)

    def serve(connection):
        with context.wrap_socket(connection, server_side=True) as secured:
            return secured.recv(65536)

    return serve


@pytest.fixture
def login(given):
    return ["--server-user", "anna", *given("server-password", ANNA.password)]


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")
def test_outdated_tls(owner, certificates, on_port, safe_password, login):
    server = on_port(outdated_tls(certificates.good))
    with socket.create_connection(server.socket.getsockname()) as connection:
        client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        client.minimum_version = ssl.TLSVersion.TLSv1_1
        client.set_ciphers("ALL:@SECLEVEL=0")
        client.load_verify_locations(certificates.authority.path)
        with client.wrap_socket(connection, server_hostname="localhost") as secured:
            assert secured.version() == "TLSv1.1", "those who want it are served"
    result = owner.fails(21, "safe", "setup", "--server", server.url, "--ca-file",
                         certificates.authority.path, *login, *safe_password)
    assert "no common version of TLS" in result.err and "forward secrecy" not in result.err
    assert server.received == b""


def test_plain_http_on_the_port(owner, certificates, on_port, safe_password, login):
    server = on_port(plain_http)
    result = owner.fails({21, 75}, "safe", "setup", "--server", server.url, "--ca-file",
                         certificates.authority.path, "--retry-max-time", "2s",
                         *login, *safe_password)
    assert "localhost" in result.err
    end = time.monotonic() + 5
    while not server.received and time.monotonic() < end:
        time.sleep(0.01)  # its thread may be slower than the command
    assert server.received[:1] == b"\x16", "a TLS handshake is all it saw"
    assert b"anna" not in server.received and b"Basic" not in server.received


def test_nobody_on_the_port(owner, on_port, safe_password):
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"https://localhost:{free.getsockname()[1]}/"
    owner.fails(75, "safe", "setup", "--server", url, "--retry-max-time", "1s", *safe_password)


# Addresses and logins that are refused


@pytest.mark.parametrize("scheme", ["http", "HTTP", "ftp", "dav", "ws"])
def test_other_schemes(owner, web_server, safe_password, scheme):
    server = web_server(Nginx).prepare()
    result = owner.fails(64, "safe", "setup", "--server",
                         server.url.replace("https", scheme), *safe_password)
    assert "https://" in result.err
    assert server.requests() == []


@pytest.mark.parametrize("userinfo", ["anna:hunter2", "anna", ":hunter2", "an%3Ana:hunter2"])
def test_login_within_the_address(owner, web_server, safe_password, userinfo):
    server = web_server(Nginx).prepare()
    result = owner.fails(64, "safe", "setup", "--server",
                         server.url.replace("://", f"://{userinfo}@"), *safe_password)
    assert "--server-user" in result.err and "--server-password-file" in result.err
    assert "hunter2" not in result.err
    assert server.requests() == []


@pytest.mark.parametrize("command", [["setup"], ["setup", "--read-only"], ["server"], ["move"], ["pull", "--id", "ABCD1234"]],
                         ids=" ".join)
def test_login_within_the_address_comes_before_every_secret(keytool, given, command):
    """Neither the Safe password nor the keystore's passphrase is there."""
    keytool.ok("id", "create", "--id", "ABCD1234", *given("passphrase", b"correct horse battery"))
    result = keytool.fails(64, "safe", *command, "--server", "https://anna:hunter2@localhost/safe")
    assert "--server-user" in result.err and "hunter2" not in result.err
    if command[0] == "setup":
        keytool.with_environment(KEYTOOL_SERVER="https://anna:hunter2@localhost/safe").fails(64, "safe", *command)


def test_user_without_a_password(owner, web_server, certificates, safe_password):
    server = web_server(Nginx, ANNA).prepare()
    before = snapshot(owner.keystore)
    result = owner.fails(16, "safe", "setup", "--server", server.url, "--ca-file",
                         certificates.authority.path, "--server-user", "anna", *safe_password)
    assert "--server-password-file" in result.err
    assert (server.requests(), snapshot(owner.keystore)) == ([], before)


@pytest.mark.parametrize("user", ["", "an:na"])
def test_users_that_are_none(owner, web_server, safe_password, given, user):
    server = web_server(Nginx).prepare()
    owner.fails(64, "safe", "setup", "--server", server.url, f"--server-user={user}",
                *given("server-password", b"hunter2"), *safe_password)
    assert server.requests() == []


@pytest.mark.parametrize("url", ["https://localhost/" + "a" * 5000, "file:///" + "ä" * 2000],
                         ids=["https", "directory that grows"])
def test_address_that_is_too_long(owner, safe_password, url):
    owner.fails(64, "safe", "setup", "--no-test", "--server", url, *safe_password)


def test_all_that_a_server_has_at_its_longest(owner, write, certificates, safe_password):
    """Sealed, and read again."""
    authority = certificates.authority.path.read_text()
    owner.ok("safe", "setup", "--no-test", "--server", "https://localhost/" + "a" * 4000,
             "--server-user", "u" * 256, "--server-password-file", write("long", b"p" * 4096),
             "--ca-file", write("many", authority * (48 * 1024 // len(authority))), *safe_password)
    assert owner.json("safe", "status")["server"]["host"] == "localhost"
    owner.fails(64, "safe", "server", "--server-user", "u" * 257,
                "--server-password-file", write("short", b"p"))
    owner.fails(65, "safe", "server", "--server-user", "u",
                "--server-password-file", write("longer", b"p" * 4097))
