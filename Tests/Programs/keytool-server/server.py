"""Runs keytool-server and asks it, with curl and with bytes of our own."""

import json
import os
import re
import signal
import socket
import ssl
import subprocess
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
BUILT = REPOSITORY / os.environ.get("KEYTOOL_BUILD", ".build-all") / "tests/release"
BINARY = Path(os.environ.get("KEYTOOL_SERVER_BINARY", BUILT / "keytool-server"))
TRAP = re.compile(r"Fatal error|Illegal instruction|Segmentation|stack dump|Program crashed")
ID = "0123456789abcdef" * 4
MAX_BYTES = 524_288


def environment(**variables):
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", **variables}


def run(*arguments, timeout=60, **variables):
    """Runs the binary to its end."""
    return subprocess.run(
        [BINARY, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout,
        env=environment(**variables))


class Server:
    """A running `serve`. What it prints on stdout is one JSON document."""

    def __init__(self, directory, *options, listen="127.0.0.1:0", store=None, before=(), **variables):
        self.directory, self.log = Path(directory), Path(directory).parent / "server.log"
        store = store or f"file://{directory}"
        command = [*before, BINARY, "serve", "--json", "--store", store, "--listen", listen, *map(str, options)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, env=environment(**variables))
        line = self.process.stdout.readline()
        assert line, f"exit {self.process.wait()}: {self.words}"
        self.said = json.loads(line)
        self.url = self.said["listening"]
        self.port = int(self.url.rsplit(":", 1)[1]) if listen[:5] != "unix:" else None

    @property
    def words(self):
        return self.log.read_text(errors="replace")

    def stop(self, number=signal.SIGTERM, timeout=60):
        self.process.send_signal(number)
        return self.ended(timeout)

    def ended(self, timeout=60):
        code = self.process.wait(timeout)
        self.process.stdout.close()
        assert not TRAP.search(self.words), self.words
        return code

    def metrics(self):
        """Names with labels, and their values."""
        text = curl(f"http://{self.said['metrics']}/metrics").body.decode()
        return {name: float(value) for name, value in
                (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))}

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)


class Answer:
    def __init__(self, status, version, headers, body):
        self.status, self.version, self.headers, self.body = status, version, headers, body

    def __repr__(self):
        return f"{self.status} {self.version} {self.headers} {self.body[:200]}"


def curl(url, *options, body=None, ok=True):
    """Asks once. `Expect` is not sent unless it is among the options."""
    command = ["curl", "-q", "-sS", "-m", "20", "-i", "-H", "Expect:", "-w", "\n%{http_version} %{http_code}"]
    if body is not None:
        command += ["-T", "-", "-H", f"Content-Length: {len(body)}", "-H", "Transfer-Encoding:"]
    run = subprocess.run([*command, *map(str, options), url], input=body, capture_output=True)
    assert not ok or run.returncode == 0, run.stderr.decode()
    text, _, last = run.stdout.rpartition(b"\n")
    version, status = last.decode().split()
    blocks = text.split(b"\r\n\r\n")
    while len(blocks) > 1 and re.match(rb"HTTP/\S+ 1\d\d", blocks[0]):
        blocks.pop(0)
    head, _, content = b"\r\n\r\n".join(blocks).partition(b"\r\n\r\n")
    headers = {}
    for line in head.decode("latin-1").split("\r\n")[1:]:
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    return Answer(int(status), version, headers, content)


def exchange(connection, raw, seconds=60, answers=0):
    """Sends bytes and reads until the server closes, or nothing comes for so long; before so many answers have begun,
    it waits for up to a minute. Returns all bytes and whether it has closed."""
    connection.sendall(raw)
    received = b""
    try:
        while True:
            connection.settimeout(seconds if len(statuses(received)) >= answers else 60)
            chunk = connection.recv(65536)
            if not chunk:
                return received, True
            received += chunk
    except TimeoutError:
        return received, False
    except ConnectionResetError:
        return received, True


def begin_upload(connection, head, body):
    """Sends a head without the empty line behind it and, once the server has examined it, the beginning of a body."""
    connection.sendall(head + b"Expect: 100-continue\r\n\r\n")
    received = b""
    while b"\r\n\r\n" not in received:
        piece = connection.recv(4096)
        assert piece, received
        received += piece
    assert statuses(received) == [100], received
    connection.sendall(body)


def statuses(received):
    return [int(each) for each in re.findall(rb"HTTP/1\.1 (\d{3}) ", received)]


def wait_for(condition, seconds=60, pause=0.02):
    """A request as condition needs a longer pause: a server counts them."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(pause)


def trusting(server):
    context = ssl.create_default_context(cafile=server.said["ca_file"])
    context.set_alpn_protocols(["http/1.1"])
    return context
