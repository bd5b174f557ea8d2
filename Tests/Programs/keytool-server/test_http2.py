"""HTTP/2, frame by frame."""

import random
import re
import socket
import ssl
import struct

import pytest

from kit.sampling import SEED
from server import ID, trusting, wait_for

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, END_HEADERS = 1, 4
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(index, value):
    """A field whose name is in HPACK's static table, with this value."""
    return bytes([index, len(value)]) + value.encode()


class Connection:
    """A client that sends what it is told, and reads frames."""

    def __init__(self, server, source=None):
        context = trusting(server)
        context.set_alpn_protocols(["h2"])
        connection = socket.create_connection(("127.0.0.1", server.port), 60, (source, 0) if source else None)
        self.socket = context.wrap_socket(connection, server_hostname="localhost")
        assert self.socket.selected_alpn_protocol() == "h2"
        self.stream = -1
        self.socket.sendall(PREFACE + frame(SETTINGS, 0, 0))

    def request(self, method, path, ends=True):
        """`:method`, `:scheme` https, `:path` and `:authority`; 2, 7, 4 and 1 in the static table."""
        return self.send(literal(2, method) + b"\x87" + literal(4, path) + literal(1, "localhost"), ends)

    def send(self, fields, ends=True):
        """A request with these fields."""
        self.stream += 2
        self.socket.sendall(frame(HEADERS, END_HEADERS | (END_STREAM if ends else 0), self.stream, fields))
        return self.stream

    def _read(self, count):
        content = b""
        while len(content) < count:
            piece = self.socket.recv(count - len(content))
            if not piece:
                raise EOFError
            content += piece
        return content

    def frames(self):
        """Kind, flags, stream and payload of each frame that comes."""
        while True:
            try:
                head = self._read(9)
                payload = self._read(int.from_bytes(head[:3]))
            except (EOFError, ConnectionResetError, ssl.SSLError):
                return
            yield head[3], head[4], int.from_bytes(head[5:]), payload

    def status(self, stream):
        """The status of a stream's answer by the static table, or as a literal; None if it is reset."""
        for kind, _, of, payload in self.frames():
            if of == stream and kind == RST_STREAM:
                return None
            if of == stream and kind == HEADERS:
                fixed = {0x88: 200, 0x89: 204, 0x8b: 304, 0x8c: 400, 0x8d: 404, 0x8e: 500}
                return fixed.get(payload[0]) or int(re.search(rb"\d{3}", payload)[0])

    def answer(self, stream):
        """The kinds of the frames of a stream until its end."""
        found = []
        for kind, flags, of, _ in self.frames():
            if of == stream:
                found.append(kind)
                if flags & END_STREAM:
                    return found


@pytest.fixture
def connection(serve):
    """connection(*options) -> one to a server with TLS."""
    opened = []

    def connection(*options):
        opened.append(Connection(serve("--tls-self-signed", "localhost", *options)))
        return opened[-1]

    yield connection
    for each in opened:
        each.socket.close()


def test_a_client_that_resets_its_streams_is_cut_off(connection):
    """As many as the throttle lets a client make requests are enough for those that reset each stream."""
    client = connection()
    for _ in range(300):
        client.socket.sendall(frame(RST_STREAM, 0, client.request("PUT", f"/backups/{ID}", ends=False), b"\0\0\0\x08"))
    assert client.answer(client.request("GET", "/nothing"))[0] == HEADERS
    try:
        for _ in range(1000):
            stream = client.request("PUT", f"/backups/{ID}", ends=False)
            client.socket.sendall(frame(RST_STREAM, 0, stream, b"\0\0\0\x08"))
    except OSError:
        pass
    client.socket.settimeout(60)
    kinds = [kind for kind, _, _, _ in client.frames()]
    assert GOAWAY in kinds


GET, HTTPS, CONFIG, LOCALHOST = b"\x82", b"\x87", literal(4, "/config"), literal(1, "localhost")
HOST = literal(0, "host") + b"\x09localhost"
METRICS = ["--metrics-listen", "127.0.0.1:0"]


@pytest.mark.parametrize("fields, expected", [
    (GET + HTTPS + CONFIG + LOCALHOST, 200),
    (GET + HTTPS + CONFIG + HOST, 200),  # RFC 9113, 8.3.1
    (GET + HTTPS + CONFIG + LOCALHOST + HOST, 200),
    (GET + HTTPS + CONFIG, 400),
    (GET + HTTPS + CONFIG + literal(1, ""), 400),
    (GET + HTTPS + CONFIG + HOST + HOST, 400),
    (literal(2, "CONNECT") + literal(1, "localhost:1"), 404),
    (GET + HTTPS + literal(4, "*") + LOCALHOST, 404),
], ids=["authority", "host", "both", "neither", "an empty one", "two", "CONNECT", "an asterisk"])
def test_the_host_of_a_request(serve, fields, expected):
    """And afterwards, its connection is as idle as any."""
    server = serve("--tls-self-signed", "localhost", "--idle-timeout", "1s", *METRICS)
    client = Connection(server)
    assert client.status(client.send(fields)) == expected
    assert client.status(client.send(GET + HTTPS + CONFIG + LOCALHOST)) == 200
    with client.socket:
        wait_for(lambda: server.metrics()["keytool_server_connections"] == 0)
    assert server.metrics()['keytool_server_connections_ended_total{reason="idle"}'] == 1


def test_requests_without_a_host_keep_nobody_out(serve):
    """As many connections as there may be, with one such request each."""
    server = serve("--tls-self-signed", "localhost", "--max-connections", "40", "--head-timeout", "10m")
    clients = [Connection(server, f"127.0.1.{1 + number % 9}") for number in range(50)]
    for each in clients:
        try:
            each.send(GET + HTTPS + CONFIG)
        except OSError:
            pass  # Another one has taken its place.
    other = Connection(server, "127.0.2.1")
    assert other.status(other.send(GET + HTTPS + CONFIG + LOCALHOST)) == 200
    for each in [*clients, other]:
        each.socket.close()
    assert server.stop() == 0


def noise(source):
    """A frame that is well-formed now and then."""
    block = b"".join(source.sample(
        [GET, HTTPS, CONFIG, LOCALHOST, HOST, literal(2, "PUT"), literal(2, "CONNECT"), literal(4, f"/backups/{ID}"),
         literal(0, "X-Upper") + b"\x01y", literal(0, "te") + b"\x08trailers", literal(0, ":x") + b"\x01y",
         literal(0, "content-length") + b"\x015"], source.randrange(1, 7)))
    whole = GET + HTTPS + CONFIG + LOCALHOST
    upload = literal(2, "PUT") + HTTPS + literal(4, f"/backups/{ID}") + source.choice([LOCALHOST, HOST, b""])
    kind, payload = source.choice([
        (HEADERS, whole), (HEADERS, upload), (HEADERS, block), (HEADERS, block), (DATA, b"hello"), (DATA, b""),
        (PRIORITY, source.randbytes(5)), (RST_STREAM, source.randbytes(4)), (SETTINGS, b""),
        (SETTINGS, source.randbytes(6)), (PUSH, source.randbytes(8)), (PING, source.randbytes(8)),
        (GOAWAY, bytes(8)), (WINDOW_UPDATE, struct.pack(">I", source.choice([0, 1, 65_535, 2**31 - 1]))),
        (CONTINUATION, block), (source.randrange(10, 256), source.randbytes(9)), (source.randrange(10), source.randbytes(3))])
    flags = source.choice([0, END_STREAM, END_HEADERS, END_HEADERS | END_STREAM, END_HEADERS | END_STREAM, 1 << source.randrange(8)])
    return frame(kind, flags, source.choice([0, 1, 1, 3, 3, 5, 7, 2, 2**31 - 1]), payload)


def test_whatever_frames_come_the_connection_ends(serve):
    server = serve("--tls-self-signed", "localhost", "--head-timeout", "3s", "--idle-timeout", "1s", "--body-timeout", "1s",
                   "--max-connections-per-client", "500", *METRICS)
    source = random.Random(SEED)
    clients = [Connection(server) for _ in range(60)]
    for each in clients:
        raw = b"".join(noise(source) for _ in range(source.randrange(1, 8)))
        if source.random() < 0.2:
            raw = raw[: source.randrange(len(raw))]
        try:
            each.socket.sendall(raw)
        except OSError:
            pass
    # Their clients close none of them.
    wait_for(lambda: server.metrics()["keytool_server_connections"] == 0)
    for each in clients:
        each.socket.close()
    last = Connection(server)
    assert last.status(last.send(GET + HTTPS + CONFIG + LOCALHOST)) == 200
    last.socket.close()
    assert server.stop() == 0


@pytest.mark.parametrize("stream", [0, 1])
def test_a_flood_of_window_updates_ends_its_connection(serve, stream):
    server = serve("--tls-self-signed", "localhost", *METRICS)
    client = Connection(server)
    client.request("PUT", f"/backups/{ID}", ends=False)
    update = frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", 1))
    with client.socket:
        try:
            for _ in range(100):
                client.socket.sendall(update * 1000)
        except OSError:
            pass  # The server has closed it.
        list(client.frames())
    assert server.metrics()['keytool_server_connections_ended_total{reason="malformed"}'] == 1
