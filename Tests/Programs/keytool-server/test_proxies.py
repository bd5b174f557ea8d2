"""The configurations of keytool-server(8) for nginx and Caddy, as they stand there, in front of a server on a Unix
socket; only places, names and ports are the test's. A Safe is set up, pushed, restored and deleted through them, with
the conditions of its writes, and a client cannot say that it is another one."""

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

from page import PAGE, example
from server import ID, curl, run, wait_for

SOCKET, NAME = "/run/keytool-server/socket", "safe.example.net"


def free_port():
    """Free at all addresses: some proxies listen at all of them, and other tests have clients at 127.0.2.1."""
    with socket.socket() as free:
        free.bind(("", 0))
        return free.getsockname()[1]


class Proxy:
    """A process on a port of this machine, with the certificate of the tests."""

    def __init__(self, certificate, unix):
        self.directory = Path(tempfile.mkdtemp(prefix="ks-proxy-", dir="/tmp"))
        self.certificate, self.unix = certificate, unix
        # Another process may take the port meanwhile.
        for is_last in [False] * 20 + [True]:
            self.start()
            wait_for(lambda: self.process.poll() is not None or self.answers())
            if self.process.poll() is None:
                return
            words = (self.directory / "said").read_text() + self.errors()
            assert not is_last and "in use" in words.lower(), words

    def start(self):
        self.port = free_port()
        self.url = f"https://localhost:{self.port}"
        (self.directory / "configuration").write_text(self.configuration())
        self.check()
        with (self.directory / "said").open("wb") as said:
            self.process = subprocess.Popen(
                self.command(), cwd=self.directory, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                env=self.environment())

    def errors(self):
        log = self.directory / "error.log"
        return log.read_text() if log.exists() else ""

    def environment(self):
        return {"PATH": "/usr/sbin:/usr/bin", "HOME": str(self.directory)}

    def check(self):
        result = subprocess.run(
            self.checking(), cwd=self.directory, capture_output=True, text=True, env=self.environment())
        assert result.returncode == 0, result.stdout + result.stderr

    def answers(self):
        return curl(f"{self.url}/health", "--cacert", self.certificate.path, ok=False).status == 200

    def close(self):
        self.process.terminate()
        self.process.wait(60)
        shutil.rmtree(self.directory)

    def of_page(self, section, **places):
        text = example(section)
        for ours, written in [(str(self.unix), SOCKET), *((ours, written) for written, ours in places.items())]:
            assert written in text, written
            text = text.replace(written, str(ours))
        return text


class Nginx(Proxy):
    def command(self):
        return ["nginx", "-p", str(self.directory), "-c", "configuration", "-e", "error.log"]

    def checking(self):
        return [*self.command(), "-t"]

    def configuration(self):
        server = self.of_page("NGINX", **{
            "listen 443": f"listen 127.0.0.1:{self.port}", NAME: "localhost",
            "/etc/ssl/localhost.pem": self.certificate.path, "/etc/ssl/private/localhost.key": self.certificate.key})
        root = "user root;" if os.geteuid() == 0 else ""
        return f"""{root} daemon off; pid pid; worker_processes 1; error_log error.log;
            events {{ worker_connections 64; }}
            http {{ access_log off; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
            uwsgi_temp_path uwsgi; scgi_temp_path scgi; {server} }}"""


class Caddy(Proxy):
    def command(self):
        return ["caddy", "run", "--config", "configuration", "--adapter", "caddyfile"]

    def checking(self):
        return ["caddy", "validate", "--config", "configuration", "--adapter", "caddyfile"]

    def configuration(self):
        site = self.of_page("CADDY", **{
            f"{NAME} {{": f"https://localhost:{self.port} {{\n    tls {self.certificate.path} {self.certificate.key}"})
        return "{\n    admin off\n    auto_https disable_redirects\n}\n" + site


@pytest.fixture(params=[Nginx, Caddy], ids=lambda kind: kind.__name__)
def behind(request, certificates, serve, tmp_path):
    """behind(*options) -> (server, proxy), where the unit's settings of the page have the server listen."""
    assert shutil.which("nginx") and shutil.which("caddy"), "nginx or caddy is missing: Scripts/set-up test"
    with tempfile.TemporaryDirectory(prefix="ks-", dir="/tmp") as place:
        running = []

        def behind(*options):
            settings = dict(line.split("=", 2)[1:] for line in PAGE.examples["SYSTEMD/A proxy on this machine"]
                            if line.startswith("Environment="))
            assert settings.pop("KEYTOOL_SERVER_LISTEN") == f"unix:{SOCKET}"
            server = serve(*options, listen=f"unix:{place}/socket", **settings)
            running.append(request.param(certificates.good, f"{place}/socket"))
            return server, running[-1]

        yield behind
        for each in running:
            each.close()


def test_a_safe_through_the_proxy(behind, client, certificates, tmp_path):
    server, proxy = behind("--client-rate", "100000")
    password = tmp_path / "server-password"
    password.write_text("three tin roofs\n")
    password.chmod(0o600)
    added = run("account", "add", "alice", "--account-password-file", password,
                KEYTOOL_SERVER_STORE=f"file://{server.directory}")
    assert added.returncode == 0, added.stderr
    way = ["--server", f"{proxy.url}/alice", "--server-user", "alice", "--server-password-file", password,
           "--ca-file", certificates.good.authority.path]
    client.ok("safe", "setup", *way, "--safe-password-file", tmp_path / "safe-password")
    assert client.json("safe", "status")["honours_conditions"] is True
    assert client.json("safe", "push", "--force")["backup"]["verified"] is True
    client.ok("safe", "check", "--with-password", "--safe-password-file", tmp_path / "safe-password")
    stored = server.directory / "accounts/alice/backups"
    assert len(list(stored.iterdir())) == 1
    ask = ["--cacert", certificates.good.authority.path]
    assert curl(f"{proxy.url}/alice/config", *ask).status == 401
    assert curl(f"{proxy.url}/alice/config", *ask, "-u", "alice:wrong").status == 401
    client.ok("safe", "delete", "--yes")
    assert list(stored.iterdir()) == []


def test_a_client_cannot_be_another_one(behind, certificates):
    """The server counts by the address that the proxy sees."""
    server, proxy = behind("--client-rate", "2", "--log-clients")
    found = [curl(f"{proxy.url}/config", "--cacert", certificates.good.authority.path, "-H", f"X-Forwarded-For: 192.0.2.{number}",
                  "-H", f"Forwarded: for=192.0.2.{number}").status for number in range(3)]
    assert found == [200, 200, 429]
    wait_for(lambda: server.words.count('"method":"GET","subject":"config"') == 3)
    assert "192.0.2" not in server.words and server.words.count('"client":"127.0.0.1"') >= 3


def test_the_largest_backup(behind, certificates):
    _, proxy = behind()
    ask = ["--cacert", certificates.good.authority.path]
    body = os.urandom(524_288)
    assert curl(f"{proxy.url}/backups/{ID}", *ask, body=body).status in (201, 204)
    answer = curl(f"{proxy.url}/backups/{ID}", *ask)
    assert answer.body == body and answer.headers["etag"].startswith('"')
    assert curl(f"{proxy.url}/backups/{ID}", *ask, body=body + b"x").status == 413
