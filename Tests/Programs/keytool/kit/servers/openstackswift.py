"""OpenStack Swift on loopback ports: the object store with which the S3 store of a Safe server is tested.

One machine has all of it: a proxy that speaks S3 over TLS, the servers of accounts, containers and objects, and
memcached. Three directories are the devices, each in a zone of its own, and each object has three replicas. No
replicator runs, so a device that was away stays behind until something else is written.

The programs are those of Debian's packages, unpacked by `Scripts/set-up test-all`.
"""

import http.client
import os
import secrets
import signal
import socket
import ssl
import subprocess
import time
from pathlib import Path

UNPACKED = Path(os.environ.get("OPENSTACK_SWIFT", Path(__file__).parents[5] / ".build/openstack-swift"))
DEVICES = 3
REPLICAS = 3
ACCESS_KEY, SECRET_KEY = "safe:admin", "testkey"
START_SECONDS = 60
# For how long the proxy avoids a device that has failed. The default is 60.
SUPPRESSION_SECONDS = 2

# The programs read /etc/swift/swift.conf once before they read their own configuration.
LAUNCH = """
import runpy, sys
from swift.common import utils
utils.SWIFT_CONF_FILE = sys.argv[1]
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""

SERVER = """
[DEFAULT]
swift_dir = {etc}
user = {user}
bind_ip = 127.0.0.1
bind_port = {port}
workers = 1
devices = {devices}
mount_check = false
log_address = {directory}/nolog
[pipeline:main]
pipeline = {kind}-server
[app:{kind}-server]
use = egg:swift#{kind}
[object-replicator]
[container-replicator]
[account-replicator]
"""

PROXY = """
[DEFAULT]
swift_dir = {etc}
user = {user}
bind_ip = 127.0.0.1
bind_port = {port}
workers = 1
cert_file = {certificate}
key_file = {key}
log_address = {directory}/nolog
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache s3api tempauth proxy-server
[app:proxy-server]
use = egg:swift#proxy
allow_account_management = true
account_autocreate = true
error_suppression_interval = {suppression}
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:{memcached}
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_safe_admin = {secret} .admin
"""


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class OpenStackSwift:
    """All its files are in `directory`, which exists. `devices` holds the directories sd1, sd2 and sd3: a device that
    is renamed is away."""

    # What of Tests/Safe/SafeObjectStoreTests it is tested with.
    suites = "S3ServerTests|OpenStackSwiftTests"

    def __init__(self, directory, certificate):
        self.directory, self.certificate = Path(directory), certificate
        self.etc, self.devices = self.directory / "etc", self.directory / "devices"
        self.port = free_port()
        self.processes = []

    @property
    def authority(self):
        return f"localhost:{self.port}"

    @property
    def variables(self):
        """What these tests need beside the address and the keys."""
        return {"KEYTOOL_TEST_S3_DEVICES": str(self.devices), "KEYTOOL_TEST_S3_SUPPRESSION": str(SUPPRESSION_SECONDS)}

    def _environment(self):
        return {"PATH": "/usr/sbin:/usr/bin", "PYTHONPATH": str(UNPACKED / "usr/lib/python3/dist-packages")}

    def _command(self, program, *arguments):
        program = UNPACKED / "usr/bin" / program
        return ["/usr/bin/python3", "-c", LAUNCH, self.etc / "swift.conf", program, *map(str, arguments)]

    def _start(self, name, *command):
        with (self.directory / f"{name}.log").open("wb") as log:
            self.processes.append(subprocess.Popen(
                command, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self._environment(), start_new_session=True))

    def _make_ring(self, kind, port):
        builder = self.etc / f"{kind}.builder"

        def run(*arguments):
            subprocess.run(self._command("swift-ring-builder", builder, *arguments), env=self._environment(),
                           check=True, stdout=subprocess.DEVNULL)

        run("create", 8, REPLICAS, 1)
        for number in range(1, DEVICES + 1):
            run("add", "--region", 1, "--zone", number, "--ip", "127.0.0.1", "--port", port,
                "--device", f"sd{number}", "--weight", 100)
        run("rebalance")

    def start(self):
        for number in range(1, DEVICES + 1):
            (self.devices / f"sd{number}").mkdir(parents=True)
        self.etc.mkdir()
        (self.etc / "swift.conf").write_text(
            f"[swift-hash]\nswift_hash_path_suffix = {secrets.token_hex(8)}\n"
            f"swift_hash_path_prefix = {secrets.token_hex(8)}\n")
        user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
        memcached = free_port()
        as_user = ["-u", "root"] if os.geteuid() == 0 else []
        self._start("memcached", UNPACKED / "usr/bin/memcached", "-l", "127.0.0.1", "-p", str(memcached), "-m", "16",
                    *as_user)
        for kind in ("account", "container", "object"):
            port = free_port()
            self._make_ring(kind, port)
            configuration = self.etc / f"{kind}-server.conf"
            configuration.write_text(SERVER.format(
                etc=self.etc, user=user, port=port, devices=self.devices, directory=self.directory, kind=kind))
            self._start(kind, *self._command(f"swift-{kind}-server", configuration, "-v"))
        configuration = self.etc / "proxy-server.conf"
        configuration.write_text(PROXY.format(
            etc=self.etc, user=user, port=self.port, certificate=self.certificate.path, key=self.certificate.key,
            directory=self.directory, suppression=SUPPRESSION_SECONDS, memcached=memcached, secret=SECRET_KEY))
        self._start("proxy", *self._command("swift-proxy-server", configuration, "-v"))
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if time.monotonic() > deadline or any(process.poll() is not None for process in self.processes):
                self.stop()
                raise RuntimeError(f"OpenStack Swift does not run:\n{self.logs()}")
            time.sleep(0.1)
        return self

    def _answers(self):
        context = ssl.create_default_context(cafile=self.certificate.authority.path)
        try:
            connection = http.client.HTTPSConnection("localhost", self.port, timeout=60, context=context)
            connection.request("GET", "/healthcheck")
            return connection.getresponse().status == 200
        except OSError:
            return False

    def logs(self):
        return "".join(f"--- {log.name}\n{log.read_text()[-2000:]}" for log in sorted(self.directory.glob("*.log")))

    def stop(self):
        # Each leads a group of its own, with its workers.
        for process in self.processes:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        self.processes = []

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()
