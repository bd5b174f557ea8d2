"""The recipes of docs/passphrase.md for systemd-creds, with the key of a host and with a TPM.

systemd-creds makes a key of the host, and stores it. So this runs with mounts of its own: another place for that key, an
account alice with a home, and the network of the TPM, which is a program."""

import os
import subprocess
from pathlib import Path

import pytest

from kit.pages.recipes import PATIENCE, Person, Recipe
from kit.runner import BINARY, REPOSITORY
from kit.servers.safedirectory import SafeDirectory

PASSPHRASE = "nine geese over the mill"
ALICE = 64123
PLACE = "/etc/credstore.encrypted"
UNPACKED = Path(os.environ.get("TPM", REPOSITORY / ".build/tpm"))
# swtpm's port for commands; that for control is the next one.
PORT = 2321
# Holds the mounts until its standard input ends. 0x8914 is SIOCSIFFLAGS, 1 is IFF_UP.
HOLDER = """
import fcntl, os, socket, struct, subprocess, sys
directory, binary, alice = sys.argv[1], sys.argv[2], int(sys.argv[3])
mounts = [("--bind", f"{directory}/host", "/var/lib/systemd"), ("--bind", f"{directory}/passwd", "/etc/passwd"),
          ("-t", "tmpfs", "tmpfs", "/home"), ("-t", "tmpfs", "tmpfs", "/usr/local/bin")]
for mount in mounts:
    subprocess.run(["mount", *mount], check=True)
open("/usr/local/bin/keytool", "w").close()
subprocess.run(["mount", "--bind", binary, "/usr/local/bin/keytool"], check=True)
for path in ("/home/alice", "/home/alice/safe"):
    os.mkdir(path, 0o700)
    os.chown(path, alice, alice)
with socket.socket() as any:
    fcntl.ioctl(any, 0x8914, struct.pack("16sh", b"lo", 1))
print("ready", flush=True)
sys.stdin.read()
"""

# What firmware does at the start of a machine: it extends register 7, which stands for Secure Boot (TPM2_PCR_Extend).
MEASURE = """
import socket, struct, sys, time
digest = bytes([int(sys.argv[2])]) * 32
body = struct.pack(">II", 0x182, 7) + struct.pack(">IIHBH", 9, 0x40000009, 0, 0, 0) + struct.pack(">IH", 1, 0xb) + digest
deadline = time.monotonic() + 30
while True:
    try:
        connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=60)
        break
    except ConnectionRefusedError:
        assert time.monotonic() < deadline
        time.sleep(0.05)
with connection:
    connection.sendall(struct.pack(">HI", 0x8002, 6 + len(body)) + body)
    answer = connection.recv(1000)
assert answer[6:10] == bytes(4), answer.hex()
"""

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount, and change to another account")


class Machine:
    """A machine as far as systemd-creds can tell."""

    def __init__(self, directory):
        (directory / "host").mkdir(parents=True)
        accounts = Path("/etc/passwd").read_text()
        (directory / "passwd").write_text(f"{accounts}alice:x:{ALICE}:{ALICE}::/home/alice:/bin/sh\n")
        self.holder = subprocess.Popen(
            ["unshare", "--net", "--mount", "/usr/bin/python3", "-c", HOLDER, directory, BINARY, str(ALICE)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.holder.stdout.readline() == b"ready\n", "nothing can be mounted here"
        self.enter = ("nsenter", "--target", str(self.holder.pid), "--net", "--mount")
        self.safe = SafeDirectory(f"/proc/{self.holder.pid}/root/home/alice/safe")

    def alice(self, *arguments, typed=None):
        """Runs keytool as alice."""
        done = subprocess.run(
            [*self.enter, "setpriv", f"--reuid={ALICE}", f"--regid={ALICE}", "--clear-groups",
             "/usr/local/bin/keytool", *map(str, arguments)], input=typed, capture_output=True, text=True,
            env={"HOME": "/home/alice", "PATH": "/usr/bin:/bin"}, timeout=PATIENCE)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def close(self):
        self.holder.stdin.close()
        self.holder.wait(60)
        self.holder.stdout.close()


@pytest.fixture
def machine(built, tmp_path, safe_password):
    """alice has a Safe there, and a keystore under a passphrase."""
    machine = Machine(tmp_path / "machine")
    yield machine
    machine.close()


@pytest.fixture
def root(machine, tmp_path, home):
    """Types what the page says, in a terminal on the machine."""
    machine.alice("id", "create", "--id", "ABCD1234", "--passphrase-file", "-", typed=PASSPHRASE)
    machine.alice("safe", "setup", "--create", "--server", "file:///home/alice/safe", "--passphrase-command",
                  f"echo {PASSPHRASE}", "--safe-password-file", "-", typed="a Safe password of hers")
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(home), "LC_ALL": "C.UTF-8"}
    shared = {"SYSTEMD_TPM2_DEVICE": f"swtpm:host=127.0.0.1,port={PORT}",
              "LD_LIBRARY_PATH": str(next(UNPACKED.glob("usr/lib/*/libtss2-esys.so.0")).parent)}
    places = {"/usr/local/bin/keytool": "/usr/local/bin/keytool", PLACE: str(tmp_path / "credentials")}
    return Person(home, environment, places, shared, machine.enter)


def test_the_key_of_a_host(machine, root, tmp_path):
    before = Path("/var/lib/systemd/credential.secret").exists()
    recipe = Recipe("systemd-creds")
    (crontab,), (mail,) = recipe.crontabs, recipe.mails
    block = next(block for block in recipe.typed if "--with-key=host " in block)
    root.types(block, [("Keystore passphrase:", PASSPHRASE)])
    credential = tmp_path / "credentials/keytool.passphrase.alice"
    assert PASSPHRASE.encode() not in credential.read_bytes() and credential.parent.stat().st_mode & 0o777 == 0o700
    root.is_served(crontab)
    assert len(machine.safe.names()) == 1

    # Another machine has another key, or none.
    key = tmp_path / "machine/host/credential.secret"
    key.rename(tmp_path / "key")
    root.is_refused(crontab, mail, 65)
    (tmp_path / "key").rename(key)
    root.is_served(crontab)
    root.told_nobody(PASSPHRASE)
    assert Path("/var/lib/systemd/credential.secret").exists() == before


@pytest.fixture
def tpm(machine, tmp_path):
    """Starts a machine's TPM; one that is started again has the same keys. `boot`: what its firmware measures."""
    assert UNPACKED.joinpath("complete").exists(), f"{UNPACKED} has no swtpm: Scripts/set-up test"
    libraries = next(UNPACKED.glob("usr/lib/*/libtss2-esys.so.0")).parent
    running = []

    def start(state, boot=1):
        (tmp_path / state).mkdir(exist_ok=True)
        running.append(subprocess.Popen(
            [*machine.enter, UNPACKED / "usr/bin/swtpm", "socket", "--tpm2", "--tpmstate", f"dir={tmp_path / state}",
             "--server", f"type=tcp,port={PORT}", "--ctrl", f"type=tcp,port={PORT + 1}",
             "--flags", "not-need-init,startup-clear"],
            env={"LD_LIBRARY_PATH": f"{libraries}:{libraries}/swtpm"}, stdin=subprocess.DEVNULL))
        subprocess.run([*machine.enter, "/usr/bin/python3", "-c", MEASURE, str(PORT), str(boot)], check=True,
                       timeout=PATIENCE)

    def stop():
        process = running.pop()
        process.kill()
        process.wait()

    start.stop = stop
    yield start
    while running:
        stop()


def test_a_tpm(machine, root, tpm, tmp_path):
    recipe = Recipe("systemd-creds")
    (crontab,), (mail,) = recipe.crontabs, recipe.mails
    block = next(block for block in recipe.typed if "--with-key=tpm2 " in block)
    tpm("tpm")
    root.types(block, [("Keystore passphrase:", PASSPHRASE)])
    root.is_served(crontab)
    assert len(machine.safe.names()) == 1

    tpm.stop()
    root.is_refused(crontab, mail, 65)
    for state, boot in (("another tpm", 1), ("tpm", 2)):
        tpm(state, boot)
        root.is_refused(crontab, mail, 65)
        tpm.stop()
    tpm("tpm")
    root.is_served(crontab)
    root.told_nobody(PASSPHRASE)
    assert not (tmp_path / "machine/host/credential.secret").exists()
