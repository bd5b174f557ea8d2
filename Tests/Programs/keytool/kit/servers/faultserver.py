"""A Safe server on a loopback port that keeps everything in memory and fails as it is told to.

HTTP/1.1, with TLS where it is given a certificate. It wants Basic authentication, records every
request, and answers each as a healthy server would unless a fault is set for it.
"""

import base64
import contextlib
import hashlib
import json
import socket
import ssl
import struct
import threading
import time
from dataclasses import dataclass, field

from kit.servers.listener import PATIENCE, Listener

HEALTHY_CONFIG = json.dumps({"maxBackupBytes": 524288, "retentionDays": 180}).encode()
BASE = "/safe/"
ABORT = struct.pack("ii", 1, 0)  # SO_LINGER of no seconds: closing sends RST


@dataclass
class Request:
    method: str
    path: str
    headers: list  # (name in lower case, value), in the order they came
    body: bytes = b""
    body_length: int = 0
    connection: int = 0
    time: float = 0  # when its head had come

    def header(self, name):
        """Every value of the header: a test sees one that was sent twice."""
        return [value for key, value in self.headers if key == name]

    @property
    def kind(self):
        """config, GET, PUT, DELETE, or another method."""
        return "config" if self.path.endswith("/config") else self.method

    @property
    def condition(self):
        """What must hold for it to be carried out, as it was sent; None for nothing."""
        return next(((name, value) for name, value in self.headers if name in ("if-match", "if-none-match")), None)

    @property
    def login(self):
        for value in self.header("authorization"):
            return base64.b64decode(value.removeprefix("Basic "))
        return None


@dataclass
class Fault:
    kind: str
    act: object  # act(call): does all that is done instead of the healthy answer
    times: float = float("inf")
    after: object = None  # counts only once a request of this kind was answered
    seen: int = field(default=0)


class FaultServer:
    def __init__(self, certificate=None, login=None):
        self.login = login
        self.context = None
        if certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(certificate.chain.path, certificate.key)
        self.lock = threading.Lock()
        self.released = threading.Event()
        self.reset()
        self.listener = Listener(self._serve)
        self.port = self.listener.port
        scheme = "https" if certificate else "http"
        self.origin = f"{scheme}://localhost:{self.port}"
        self.url = self.origin + BASE

    def reset(self):
        """Healthy and empty, as if nobody had ever asked."""
        self.released.set()
        with self.lock:
            self.released = threading.Event()
            self.config, self.stored = HEALTHY_CONFIG, {}
            self.requests, self.faults, self.connections = [], [], 0
            self.on_connect = None  # greet(socket) instead of the TLS handshake
            self.sent = 0  # bytes of the answers that were begun
            self.date = None  # what every answer says the time is
            self.tag = None  # "strong" or "weak": what entity tag a GET shows
            self.space = " "  # before and after it
            self.conditions = "ignored"  # or "honoured", or "refused": 412 whatever they say

    def heal(self):
        """No more faults; what was stored and recorded stays."""
        self.released.set()
        with self.lock:
            self.released = threading.Event()
            self.faults, self.on_connect, self.config = [], None, HEALTHY_CONFIG
            self.date = None

    def forget(self):
        """What was recorded, no more."""
        with self.lock:
            self.requests, self.connections, self.sent = [], 0, 0

    def fault(self, kind, act, times=float("inf"), after=None):
        """From the next request of this kind on, `times` times; `after`: once one of that came."""
        self.faults.append(Fault(kind, act, times, after))

    def kinds(self):
        return [request.kind for request in self.requests]

    def close(self):
        self.released.set()
        self.listener.close()

    # Connections

    def _serve(self, connection):
        with self.lock:
            self.connections += 1
            number = self.connections
        if self.on_connect:
            return self.on_connect(self, connection)
        if self.context:
            connection = self.context.wrap_socket(connection, server_side=True)
        with contextlib.closing(connection):
            while self._answer_one(connection, number):
                pass

    def _answer_one(self, connection, number):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            byte = connection.recv(1)
            if not byte:
                return False
            head += byte
        first, *lines = head.decode("latin-1").split("\r\n")[:-2]
        method, path, _ = first.split(" ")
        headers = [(line.split(":", 1)[0].lower(), line.split(":", 1)[1].strip())
                   for line in lines]
        request = Request(method, path, headers, connection=number,
                          time=time.monotonic())
        with self.lock:
            self.requests.append(request)
            fault = self._due(request.kind)
        call = Call(self, connection, request)
        (fault.act if fault else Call.healthy)(call)
        return not call.is_last

    def _due(self, kind):
        earlier = [request.kind for request in self.requests[:-1]]
        for fault in self.faults:
            if fault.kind != kind or fault.seen >= fault.times:
                continue
            if fault.after and fault.after not in earlier:
                continue
            fault.seen += 1
            return fault
        return None


class Call:
    """One request that waits for its answer: what faults are made of."""

    def __init__(self, server, connection, request):
        self.server, self.connection, self.request = server, connection, request
        self.is_last = False

    def healthy(self):
        self.answer(*self.outcome())

    def outcome(self):
        """(status, body) of a healthy server, and what it does to its store."""
        self.read()
        request, stored = self.request, self.server.stored
        if self.server.login and request.login != self.server.login:
            return 401, b"who are you?"
        if request.kind == "config":
            return 200, self.server.config
        if not self.is_condition_met():
            return 412, b"changed meanwhile"
        if request.method == "PUT":
            is_new = request.path not in stored
            stored[request.path] = request.body
            return (201 if is_new else 204), b""
        if request.method == "GET":
            body = stored.get(request.path)
            return (404, b"nothing here") if body is None else (200, body)
        if request.method == "DELETE":
            return (404 if stored.pop(request.path, None) is None else 204), b""
        return 405, b""

    def is_condition_met(self):
        if self.request.condition is None or self.server.conditions == "ignored":
            return True
        if self.server.conditions == "refused":
            return False
        name, value = self.request.condition
        present = self.server.stored.get(self.request.path)
        return present is None if name == "if-none-match" else present is not None and value == tag(present)

    def read(self, share=1.0):
        """Reads this share of the request's body."""
        request = self.request
        promised = int((request.header("content-length") or ["0"])[0])
        while len(request.body) < int(promised * share):
            piece = self.connection.recv(promised - len(request.body))
            if not piece:
                raise OSError("the request ended early")
            request.body += piece
        request.body_length = len(request.body)

    def answer(self, status, body=b"", length=None, **headers):
        """`length`: what Content-Length says, where it is to lie."""
        lines = [f"HTTP/1.1 {status} Anything"]
        if status != 204:
            lines.append(f"Content-Length: {len(body) if length is None else length}")
        if self.server.date is not None:
            lines.append(f"Date: {self.server.date}")
        if self.server.tag and self.request.kind == "GET" and status == 200:
            lines.append("ETag:" + self.server.space + ("W/" if self.server.tag == "weak" else "") + tag(body)
                         + self.server.space)
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.raw("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)
        if length not in (None, len(body)):
            self.is_last = True

    def raw(self, content):
        self.connection.sendall(content)
        self.server.sent += len(content)

    def stall(self, seconds=PATIENCE):
        self.is_last = True
        self.server.released.wait(seconds)

    def abort(self):
        self.is_last = True
        abort(self.server, self.connection)


def tag(content):
    """The entity tag of these bytes, as a server writes it."""
    return f'"{hashlib.sha256(content).hexdigest()[:16]}"'


def abort(server, connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)
    connection.close()
