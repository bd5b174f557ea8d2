"""The recipe of keytool-server(8) for certbot, as it stands there, with an authority on loopback: Caddy's ACME server.

The authority asks port 80 of the name for its proof, so everything runs in a network of its own, where that port is free
and a file of hosts knows the name. systemctl is the test's: it does what the unit says."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from page import example
from server import REPOSITORY, Server, environment, wait_for

NAME, PLACE, HOOK = "safe.example.net", "/etc/keytool-server", "/etc/keytool-server/new-certificate"
UNPACKED = Path(os.environ.get("CERTBOT", REPOSITORY / ".build/certbot"))
PORT = 9443
CADDYFILE = """{{
    admin off
    skip_install_trust
    auto_https disable_redirects
    storage file_system {storage}
}}
https://localhost:{port} {{
    tls internal
    acme_server
}}
"""
# Holds the network until its standard input ends. 0x8914 is SIOCSIFFLAGS, 1 is IFF_UP.
HOLDER = """
import fcntl, socket, struct, subprocess, sys
subprocess.run(["mount", "--bind", sys.argv[1], "/etc/hosts"], check=True)
with socket.socket() as any:
    fcntl.ioctl(any, 0x8914, struct.pack("16sh", b"lo", 1))
print("ready", flush=True)
sys.stdin.read()
"""


class Network:
    """A network with a loopback device only, and the commands that run in it."""

    def __init__(self, directory):
        hosts = directory / "hosts"
        hosts.write_text(f"127.0.0.1 localhost {NAME}\n")
        is_root = os.geteuid() == 0
        self.holder = subprocess.Popen(
            ["unshare", "--net", "--mount", *([] if is_root else ["--map-root-user"]), sys.executable, "-c", HOLDER,
             hosts], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.holder.stdout.readline() == b"ready\n", "no network of its own can be made"
        self.enter = ["nsenter", "--target", str(self.holder.pid), "--net", "--mount",
                      *([] if is_root else ["--user", "--preserve-credentials"]), f"--wd={directory}"]

    def run(self, *command, **variables):
        result = subprocess.run(
            [*self.enter, *map(str, command)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
            env=environment(**variables))
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    def close(self):
        self.holder.stdin.close()
        self.holder.wait(60)
        self.holder.stdout.close()


@pytest.fixture
def network(tmp_path):
    network = Network(tmp_path)
    yield network
    network.close()


@pytest.fixture
def authority(network, tmp_path):
    """The certificate of the ACME server's authority."""
    path = tmp_path / "caddy"
    (tmp_path / "Caddyfile").write_text(CADDYFILE.format(storage=path, port=PORT))
    said = tmp_path / "caddy.log"
    with said.open("wb") as log:
        caddy = subprocess.Popen(
            [*network.enter, "caddy", "run", "--config", "Caddyfile"], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env=environment(HOME=str(tmp_path)))
    root = path / "pki/authorities/local/root.crt"
    directory = f"https://localhost:{PORT}/acme/local/directory"

    def answers():
        assert caddy.poll() is None, said.read_text()
        return root.exists() and subprocess.run(
            [*network.enter, "curl", "-q", "-s", "--cacert", root, directory], capture_output=True,
            env=environment()).returncode == 0

    wait_for(answers, pause=0.1)
    yield root
    caddy.kill()
    caddy.wait()


@pytest.fixture
def place(network, tmp_path):
    """What stands for /etc/keytool-server, with the file of the manual, and for systemctl."""
    place = tmp_path / "etc-keytool-server"
    place.mkdir()
    text = example("CERTBOT", "#!/bin/sh").partition("# certbot")[0]
    assert f" {PLACE}\n" in text and "-g keytool-server" in text
    # The group 0 exists in the network also without root.
    (place / "new-certificate").write_text(text.replace(PLACE, str(place)).replace("-g keytool-server", "-g 0"))
    systemctl = tmp_path / "bin/systemctl"
    systemctl.parent.mkdir()
    systemctl.write_text(f"""#!/bin/sh
        [ "$*" = "try-reload-or-restart keytool-server.service" ] || exit 64
        [ ! -e {tmp_path}/pid ] || kill -HUP $(cat {tmp_path}/pid)\n""")
    for path in (place / "new-certificate", systemctl):
        path.chmod(0o755)
    return place


def certbot(network, authority, *arguments):
    directory = authority.parents[4]
    places = [word for name in ("config", "work", "logs") for word in (f"--{name}-dir", directory / f"certbot-{name}")]
    return network.run(
        "/usr/bin/python3", UNPACKED / "usr/bin/certbot", *arguments, "--non-interactive", *places,
        "--server", f"https://localhost:{PORT}/acme/local/directory", REQUESTS_CA_BUNDLE=str(authority),
        PYTHONPATH=str(UNPACKED / "usr/lib/python3/dist-packages"), PATH=f"{directory}/bin:/usr/sbin:/usr/bin:/sbin:/bin")


def test_a_certificate_is_issued_renewed_and_read_again(network, authority, place, tmp_path):
    assert UNPACKED.joinpath("complete").exists(), f"{UNPACKED} has no certbot: Scripts/set-up test"
    command = example("CERTBOT", "# certbot certonly --standalone -d safe.example.net \\").replace("\\\n", "")
    words = command.splitlines()[0].split()[2:]
    assert words[-2:] == ["--deploy-hook", HOOK]
    certbot(network, authority, *words[:-1], str(place / "new-certificate"), "--agree-tos",
            "--register-unsafely-without-email")
    certificate, key = place / "fullchain.pem", place / "privkey.pem"
    assert [stat.S_IMODE(path.stat().st_mode) for path in (certificate, key)] == [0o640, 0o640]

    # systemd's %E is /etc.
    settings = example("CERTBOT", "[Service]").replace("%E", "/etc")
    assert f"KEYTOOL_SERVER_TLS_CERTIFICATE={PLACE}/fullchain.pem\n" in settings
    assert f"KEYTOOL_SERVER_TLS_KEY={PLACE}/privkey.pem\n" in settings
    server = Server(tmp_path / "store", "--tls-certificate", certificate, "--tls-key", key, before=network.enter)
    try:
        (tmp_path / "pid").write_text(str(server.process.pid))
        first = certificate.read_bytes()

        def shown():
            """The certificate that a client gets and trusts."""
            url = f"https://{NAME}:{server.port}/config"
            assert "maxBackupBytes" in network.run("curl", "-q", "-sS", "-m", "20", "--cacert", authority, url)
            said = network.run("openssl", "s_client", "-connect", f"{NAME}:{server.port}", "-showcerts")
            return said[said.index("-----BEGIN"):said.index("-----END")]

        assert shown() in first.decode()
        certbot(network, authority, "renew", "--force-renewal", "--no-random-sleep-on-renew")
        wait_for(lambda: "was read again" in server.words)
        assert certificate.read_bytes() != first and shown() in certificate.read_text()
        assert server.stop() == 0
    finally:
        server.process.kill()
        server.process.wait()
