"""The systemd unit as `make install-server` leaves it: accepted, hardened, and enough for the server. Here systemd does
not run; the account, the capabilities, the limits and the filter of system calls are put up by other means. What only
systemd puts up is not tried: the file systems (ProtectSystem= and those like it) and LoadCredential=."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from kit_store import REPOSITORY
from page import PAGE
from server import BINARY, ID, curl, environment

ANALYZE = shutil.which("systemd-analyze")
# In tenths; up to here systemd calls the exposure of a service OK or better.
MOST_EXPOSURE = 20
CONFINED = Path(__file__).with_name("confined.py")

needs_analyze = pytest.mark.skipif(not ANALYZE, reason="systemd-analyze is missing: package systemd")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another account")


def make(target, prefix, destination=""):
    subprocess.run(
        ["make", "--silent", target, f"server-binary={BINARY}", f"PREFIX={prefix}", f"DESTDIR={destination}"],
        cwd=REPOSITORY, env={"PATH": "/usr/bin:/bin"}, check=True)


def analyze(*arguments):
    return subprocess.run(
        [ANALYZE, *map(str, arguments)], env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@pytest.fixture(scope="module")
def prefix(built, tmp_path_factory):
    path = tmp_path_factory.mktemp("prefix")
    make("install-server", path)
    return path


@pytest.fixture
def unit(prefix, tmp_path):
    """A copy."""
    path = tmp_path / "keytool-server.service"
    shutil.copy(prefix / "lib/systemd/system/keytool-server.service", path)
    return path


def values(unit, key):
    return [line.partition("=")[2] for line in unit.read_text().splitlines() if line.startswith(f"{key}=")]


def modes(directory):
    return {str(path.relative_to(directory)): path.stat().st_mode & 0o7777
            for path in directory.rglob("*") if path.is_file()}


def test_install_copies_everything(built, tmp_path):
    """The unit names the program by PREFIX, and not by DESTDIR; uninstalling leaves nothing."""
    make("install-server", "/opt/my tools", tmp_path)
    installed = tmp_path / "opt/my tools"
    assert modes(installed) == {"bin/keytool-server": 0o755} | dict.fromkeys((
        "lib/systemd/system/keytool-server.service", "lib/sysusers.d/keytool-server.conf",
        "share/man/man8/keytool-server.8", "share/bash-completion/completions/keytool-server",
        "share/zsh/site-functions/_keytool-server", "share/fish/vendor_completions.d/keytool-server.fish"), 0o644)
    (start,) = values(installed / "lib/systemd/system/keytool-server.service", "ExecStart")
    assert start.startswith('"/opt/my tools/bin/keytool-server" serve ')
    make("uninstall-server", "/opt/my tools", tmp_path)
    assert modes(tmp_path) == {}


# The page's ways to reach the server, and its object store.
DROP_INS = [lines for title, section in PAGE.examples.items() if title.startswith("SYSTEMD/")
            for lines in ["\n".join(section[section.index("[Service]"):])] if "[Service]" in section]


def test_the_page_has_six_drop_ins():
    assert len(DROP_INS) == 6


@needs_analyze
@pytest.mark.parametrize("drop_in", ["", *DROP_INS])
def test_systemd_accepts_the_unit(unit, drop_in):
    """Without a warning: a misspelt line is one, and would leave something open in silence."""
    directory = unit.with_name(unit.name + ".d")
    directory.mkdir()
    (directory / "override.conf").write_text(drop_in + "\n")
    result = analyze("verify", "--man=no", "--recursive-errors=no", unit)
    assert (result.returncode, result.stdout) == (0, "")


@needs_analyze
def test_systemd_would_see_a_misspelt_line(unit):
    unit.write_text(unit.read_text().replace("ProtectSystem=", "ProtectSytem="))
    assert "ProtectSytem" in analyze("verify", "--man=no", "--recursive-errors=no", unit).stdout


@needs_analyze
def test_unit_is_hardened(unit):
    options = "security", "--offline=true", "--no-pager"
    result = analyze(*options, f"--threshold={MOST_EXPOSURE}", unit)
    assert result.returncode == 0, result.stdout
    assert analyze(*options, "--threshold=1", unit).returncode == 1


def test_the_server_starts_with_the_right_time(unit):
    assert "time-sync.target" in values(unit, "After")[0].split()


@pytest.mark.skipif(not shutil.which("systemd-sysusers"), reason="systemd-sysusers is missing: package systemd")
@needs_root
def test_the_account_is_made_by_systemd(prefix, unit, tmp_path):
    root = tmp_path / "root"
    (root / "usr/lib/sysusers.d").mkdir(parents=True)
    (root / "etc").mkdir()
    shutil.copy(prefix / "lib/sysusers.d/keytool-server.conf", root / "usr/lib/sysusers.d")
    subprocess.run(["systemd-sysusers", f"--root={root}"], check=True, capture_output=True)
    (line,) = (root / "etc/passwd").read_text().splitlines()
    assert re.fullmatch(r"keytool-server:x:\d+:\d+:Safe server:/var/lib/keytool-server:/usr/sbin/nologin", line)
    assert values(unit, "User") == ["keytool-server"] and values(unit, "StateDirectory") == ["keytool-server"]


def test_without_a_drop_in_it_says_what_to_choose(unit, tmp_path):
    (start,) = values(unit, "ExecStart")
    store = dict(line.split("=", 1) for line in values(unit, "Environment"))
    assert store == {"KEYTOOL_SERVER_STORE": "file:///var/lib/keytool-server"}
    result = subprocess.run(
        [BINARY, *start.split()[1:]], env=environment(KEYTOOL_SERVER_STORE=f"file://{tmp_path}/store"),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert result.returncode == 64 and "--tls-self-signed" in result.stderr
    assert {"64", "74"} <= set(values(unit, "RestartPreventExitStatus")[0].split())


class Confined:
    """The unit's program under the unit's restrictions, by confined.py."""

    def __init__(self, unit, base, **variables):
        self.base = base
        base.chmod(0o755)
        self.store = base / "state"
        self.store.mkdir(mode=0o700)
        os.chown(self.store, 65534, 65534)
        # The tests' directories let nobody else through.
        program = base / "keytool-server"
        shutil.copy(BINARY, program)
        self.notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notices.settimeout(20)
        self.notices.bind(str(base / "notify"))
        (base / "notify").chmod(0o666)
        (start,) = values(unit, "ExecStart")
        self.process = subprocess.Popen(
            [sys.executable, CONFINED, unit, program, *start.split()[1:]], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment(
                KEYTOOL_SERVER_STORE=f"file://{self.store}", NOTIFY_SOCKET=str(base / "notify"), **variables))

    def notice(self):
        """What systemd is told next."""
        return self.notices.recv(4096).decode().splitlines()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        said = self.process.communicate()
        self.notices.close()
        return said


@pytest.fixture
def public_path(tmp_path_factory):
    """Below /tmp, where nobody can reach it."""
    with tempfile.TemporaryDirectory(prefix="ks-unit-", dir="/tmp") as path:
        yield Path(path)


@needs_analyze
@needs_root
def test_the_server_runs_under_the_unit(unit, public_path):
    """With TLS and a certificate of its own: it starts, stores, reads again, and stops as systemd asks."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    service = Confined(unit, public_path, KEYTOOL_SERVER_TLS_SELF_SIGNED="localhost",
                       KEYTOOL_SERVER_LISTEN=f"127.0.0.1:{port}", KEYTOOL_SERVER_LOG_REQUESTS="1")
    try:
        assert service.notice() == ["READY=1"]
        status = Path(f"/proc/{service.process.pid}/status").read_text()
        fields = dict(re.findall(r"^(\w+):\s*(.*)$", status, re.M))
        assert fields["CapBnd"] == fields["CapEff"] == "0" * 16
        assert (fields["NoNewPrivs"], fields["Seccomp"], fields["Umask"]) == ("1", "2", "0077")
        assert fields["Uid"].split() == ["65534"] * 4
        url = f"https://localhost:{port}"
        trust = ["--cacert", str(service.store / "tls/authority.pem")]
        assert curl(f"{url}/backups/{ID}", *trust, body=b"x" * 50_000).status in (201, 204)
        assert curl(f"{url}/backups/{ID}", *trust).body == b"x" * 50_000
        (reload,) = values(unit, "ExecReload")
        assert reload == "kill -HUP $MAINPID"
        service.process.send_signal(signal.SIGHUP)
        assert [service.notice()[0], service.notice()[0]] == ["RELOADING=1", "READY=1"]
        service.process.terminate()
        assert service.notice() == ["STOPPING=1"]
        assert service.process.wait(60) == 0
    finally:
        out, err = service.close()
    assert out == "" and err.count('"method":"PUT","subject":"backup"') == 1, err
    # The unit is quiet, but not about a disk that may be missing.
    new, opened = re.findall("^keytool-server: warning: (.*)$", err, re.M)
    assert new.startswith(f"{service.store} was missing or empty") and opened.startswith("without accounts, "), err


@needs_analyze
@needs_root
def test_the_restrictions_restrict(unit, public_path):
    """The same means refuse a call, a socket and memory that the unit does not allow."""
    probe = """
import ctypes, json, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def code(work):
    try:
        work()
        return 0
    except OSError as error:
        return error.errno
def mapping(protection):
    libc.mmap.restype = ctypes.c_void_p
    ctypes.set_errno(0)
    libc.mmap(None, 4096, protection, 0x22, -1, 0)
    return ctypes.get_errno()
print(json.dumps([code(lambda: os.chroot("/")), code(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)),
                  mapping(3), mapping(7), code(lambda: socket.socket(socket.AF_INET6).close())]))
"""
    found = subprocess.run(
        [sys.executable, CONFINED, unit, sys.executable, "-c", probe], env=environment(), capture_output=True,
        text=True, cwd="/")
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout) == [1, 97, 0, 1, 0]
