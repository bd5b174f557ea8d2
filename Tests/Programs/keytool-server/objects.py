"""The S3 server of the tests, as a process."""

import subprocess
import sys
from pathlib import Path


class Objects:
    """The S3 server, and the options that lead to it."""

    def __init__(self, directory, certificate, conditions="honours"):
        pem = directory / "s3.pem"
        pem.write_bytes(certificate.path.read_bytes() + certificate.key.read_bytes())
        key = directory / "s3-secret-key"
        key.write_text("a secret key\n")
        key.chmod(0o600)
        script = Path(__file__).with_name("s3server.py")
        self.process = subprocess.Popen(
            [sys.executable, script, conditions, pem], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        port = int(self.process.stdout.readline())
        self.store = f"s3://localhost:{port}/safe"
        self.key = key
        self.options = ["--s3-access-key", "test:key", "--s3-secret-key-file", key,
                        "--s3-ca-file", certificate.authority.path]

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
