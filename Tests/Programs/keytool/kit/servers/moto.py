"""moto's server: an S3 server in memory, on a loopback port, with TLS. It verifies signatures by botocore, the library of
Amazon's own clients.

The packages are those of PyPI, installed by `Scripts/set-up test-all`.
"""

import http.client
import os
import ssl
import subprocess
import time
from pathlib import Path

from kit.servers.openstackswift import free_port

INSTALLED = Path(os.environ.get("MOTO", Path(__file__).parents[5] / ".build/moto"))
ACCESS_KEY, SECRET_KEY = "AKIASAFE", "testkey"
START_SECONDS = 60

# One user who may do everything; whoever has another key, or none, is refused from the first request on.
LAUNCH = """
import json, sys
from moto import settings
from moto.iam.models import iam_backends
from moto.server import main
iam = iam_backends["123456789012"]["aws"]
iam.create_user("us-east-1", "safe")
key = iam.create_access_key("safe")
key.access_key_id, key.secret_access_key = sys.argv[1:3]
statement = {"Effect": "Allow", "Action": "*", "Resource": "*"}
iam.put_user_policy("safe", "all", json.dumps({"Version": "2012-10-17", "Statement": [statement]}))
settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
main(sys.argv[3:])
"""


class Moto:
    """Its log is in `directory`, which exists."""

    # What of Tests/Safe/SafeObjectStoreTests it is tested with.
    suites, variables = "S3ServerTests", {}

    def __init__(self, directory, certificate):
        self.log, self.certificate = Path(directory) / "moto.log", certificate
        self.process = None

    @property
    def authority(self):
        return f"localhost:{self.port}"

    def start(self):
        self.port = free_port()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [INSTALLED / "bin/python", "-c", LAUNCH, ACCESS_KEY, SECRET_KEY, "-H", "127.0.0.1", "-p",
                 str(self.port), "-s", "-c", self.certificate.path, "-k", self.certificate.key],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if time.monotonic() > deadline or self.process.poll() is not None:
                self.stop()
                raise RuntimeError(f"moto's server does not run:\n{self.logs()}")
            time.sleep(0.1)
        return self

    def _answers(self):
        context = ssl.create_default_context(cafile=self.certificate.authority.path)
        try:
            connection = http.client.HTTPSConnection("localhost", self.port, timeout=60, context=context)
            connection.request("GET", "/moto-api/data.json")
            return connection.getresponse().status == 200
        except OSError:
            return False

    def logs(self):
        return f"--- {self.log.name}\n{self.log.read_text()[-4000:]}"

    def stop(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()
