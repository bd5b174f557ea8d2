"""Two sides that pair through a real server: web-peer has the room's clients, pairingcarrier their WebSockets."""

import os
import queue
import subprocess
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PYTHON = ROOT / ".build/saltyrtc/bin/python"
BUILT = ROOT / os.environ.get("KEYTOOL_BUILD", ".build-all") / "tests/release"
PEER = Path(os.environ.get("WEB_PEER", BUILT / "web-peer"))
SECONDS = 30


class Server:
    """A server with a permanent key."""

    def __init__(self, certificate, permanent):
        self.authority = certificate.authority.path
        self._process = subprocess.Popen(
            [PYTHON, HERE / "pairingserver.py", certificate.path, certificate.key, permanent.hex()],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self._process.stdout.readline())

    def close(self):
        self._process.stdin.close()
        self._process.wait(SECONDS)


class Side:
    """A side on the server. `who` is the first line for web-peer, or for another implementation."""

    def __init__(self, server, who, is_other=False):
        place = [str(server.port), server.authority]
        self._process = subprocess.Popen(
            [PYTHON, HERE / "otherpeer.py", *place] if is_other else [PYTHON, HERE / "pairingcarrier.py", *place, PEER],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self._lines = queue.Queue()
        # What it has said so far.
        self.said = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.order(who)

    def _read(self):
        for line in self._process.stdout:
            self._lines.put(line.strip())
        self._lines.put(None)

    def order(self, line):
        self._process.stdin.write(line + "\n")

    def await_line(self, beginning):
        """The next line that begins so; those before it are left out."""
        while True:
            line = self._lines.get(timeout=SECONDS)
            assert line is not None, f"ended without {beginning!r}: {self.said}"
            self.said.append(line)
            if line.startswith(beginning):
                return line

    def vanish(self):
        """Its connection breaks."""
        self._process.stdin.close()
        self._process.wait(SECONDS)

    def close(self):
        if self._process.poll() is None:
            self.vanish()
