"""HTTP/2, frame by frame."""

import ssl
import struct

import pytest

from server import ID, trusting

HEADERS, RST_STREAM, SETTINGS, GOAWAY = 1, 3, 4, 7
END_STREAM, END_HEADERS = 1, 4
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(index, value):
    """A field whose name is in HPACK's static table, with this value."""
    return bytes([index, len(value)]) + value.encode()


class Connection:
    """A client that sends what it is told, and reads frames."""

    def __init__(self, server):
        context = trusting(server)
        context.set_alpn_protocols(["h2"])
        self.socket = context.wrap_socket(server.connect(), server_hostname="localhost")
        assert self.socket.selected_alpn_protocol() == "h2"
        self.stream = -1
        self.socket.sendall(PREFACE + frame(SETTINGS, 0, 0))

    def request(self, method, path, ends=True):
        """`:method`, `:scheme` https, `:path` and `:authority`; 2, 7, 4 and 1 in the static table."""
        self.stream += 2
        fields = literal(2, method) + b"\x87" + literal(4, path) + literal(1, "localhost")
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
    client.socket.settimeout(5)
    kinds = [kind for kind, _, _, _ in client.frames()]
    assert GOAWAY in kinds
