"""Requests that two readers could understand differently, and what is not HTTP: refused, and the connection closed."""

import pytest

from server import ID, exchange, statuses

GET = b"GET /config HTTP/1.1\r\nHost: x\r\n"
PUT = f"PUT /backups/{ID} HTTP/1.1\r\nHost: x\r\n".encode()
CHUNKED = b"5\r\nhello\r\n0\r\n\r\n"
# Would be answered if it were seen as a request of its own.
SMUGGLED = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"

REFUSED = {
    "two lengths": PUT + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    "one length twice": PUT + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
    "a list of lengths": PUT + b"Content-Length: 5, 5\r\n\r\nhello",
    "a signed length": PUT + b"Content-Length: +5\r\n\r\nhello",
    "a negative length": PUT + b"Content-Length: -5\r\n\r\nhello",
    "a length of 70 bits": PUT + b"Content-Length: 1180591620717411303424\r\n\r\nhello",
    "length and chunks": PUT + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNKED,
    "chunks and length": PUT + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + CHUNKED,
    "chunked twice": PUT + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNKED,
    "gzip and chunked": PUT + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + CHUNKED,
    "chunked and identity": PUT + b"Transfer-Encoding: chunked, identity\r\n\r\n" + CHUNKED,
    "identity": PUT + b"Transfer-Encoding: identity\r\n\r\nhello",
    "xchunked": PUT + b"Transfer-Encoding: xchunked\r\n\r\n" + CHUNKED,
    "a vertical tab": PUT + b"Transfer-Encoding: \x0bchunked\r\n\r\n" + CHUNKED,
    "a blank before the colon": PUT + b"Transfer-Encoding : chunked\r\n\r\n" + CHUNKED,
    "chunks in HTTP/1.0": PUT.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKED,
    "LF after the request line": b"GET /config HTTP/1.1\nHost: x\r\n\r\n",
    "LF after a field": b"GET /config HTTP/1.1\r\nHost: x\nX: y\r\n\r\n",
    "LF at the end": b"GET /config HTTP/1.1\r\nHost: x\r\n\n",
    "CR in a field": GET + b"X: a\rY: b\r\n\r\n",
    "folding": GET + b"X: a\r\n b\r\n\r\n",
    "a blank before the first field": b"GET /config HTTP/1.1\r\n Host: x\r\n\r\n",
    "NUL": GET + b"X: a\0b\r\n\r\n",
    "no Host": b"GET /config HTTP/1.1\r\n\r\n",
    "two Hosts": GET + b"Host: y\r\n\r\n",
    "a field without a colon": GET + b"field\r\n\r\n",
    "a field without a name": GET + b": x\r\n\r\n",
    "a bracket in a name": GET + b"a(b: x\r\n\r\n",
    "HTTP/0.9": b"GET /config\r\n\r\n",
    "HTTP/1.2": b"GET /config HTTP/1.2\r\nHost: x\r\n\r\n",
    "HTTP/2 without TLS": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a TLS handshake": b"\x16\x03\x01\x02\x00\x01\x00",
    "an unknown method": b"BREW /config HTTP/1.1\r\nHost: x\r\n\r\n",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    from server import Server

    server = Server(tmp_path_factory.mktemp("boundaries") / "store", "--metrics-listen", "127.0.0.1:0",
                    "--client-rate", "10000", "--backup-rate", "10000")
    yield server
    assert server.stop() == 0


@pytest.mark.parametrize("case", REFUSED)
def test_refused(server, case):
    before = server.metrics()['keytool_server_connections_ended_total{reason="malformed"}']
    with server.connect() as connection:
        received, is_closed = exchange(connection, REFUSED[case] + SMUGGLED)
    assert (statuses(received), is_closed) == ([400], True)
    assert b"connection: close" in received and b"ok" not in received
    assert server.metrics()['keytool_server_connections_ended_total{reason="malformed"}'] == before + 1
    assert list((server.directory / "backups").iterdir()) == []


BROKEN_CHUNKS = {
    "LF after a size": b"5\nhello\r\n0\r\n\r\n",
    "LF after a chunk": b"5\r\nhello\n0\r\n\r\n",
    "LF in an extension": b"5;\nhello\r\n0\r\n\r\n",
    "0x": b"0x5\r\nhello\r\n0\r\n\r\n",
    "a blank after a size": b"5 \r\nhello\r\n0\r\n\r\n",
    "a size of 68 bits": b"fffffffffffffffff\r\nhello\r\n0\r\n\r\n",
    "a chunk that is longer": b"5\r\nhello world\r\n0\r\n\r\n",
    "a length behind the chunks": b"5\r\nhello\r\n0\r\nContent-Length: 3\r\n\r\n",
}


@pytest.mark.parametrize("case", BROKEN_CHUNKS)
def test_broken_chunks_store_nothing(server, case):
    with server.connect() as connection:
        received, is_closed = exchange(
            connection, PUT + b"Transfer-Encoding: chunked\r\n\r\n" + BROKEN_CHUNKS[case] + SMUGGLED)
    assert is_closed and b"ok" not in received and statuses(received) == [400]
    assert list((server.directory / "backups").iterdir()) == []


@pytest.mark.parametrize("raw, expected, closes", [
    (GET + b"\r\n", [200], False),
    (GET + b"Connection: close\r\n\r\n", [200], True),
    (GET + b"Connection: close\r\n\r\n" + SMUGGLED, [200], True),
    (b"GET /config HTTP/1.0\r\n\r\n", [200], True),
    (b"GET /config HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", [200], False),
    (GET + b"Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n" + SMUGGLED, [200], True),
    (GET + b"Content-Length: 5\r\n\r\nhello" + SMUGGLED, [200, 200], False),
    (GET + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKED + SMUGGLED, [200, 200], False),
    (GET.replace(b"GET", b"HEAD") + b"\r\n" + SMUGGLED, [200, 200], False),
    ((GET + b"\r\n") * 5, [200] * 5, False),
    (PUT + b"Content-Length: 600000\r\n\r\n" + b"x" * 600_000 + SMUGGLED, [413, 200], False),
    (PUT + b"Content-Length: 600000\r\nExpect: 100-continue\r\n\r\n", [413], True),
    (b"CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n" + SMUGGLED, [404], True),
    (b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", [404], False),
    (b"GET http://x/config HTTP/1.1\r\nHost: x\r\n\r\n", [200], False),
    (b"GET HTTPS://[::1]:8443/config HTTP/1.1\r\nHost: y\r\n\r\n" + SMUGGLED, [200, 200], False),
    (b"GET http://x HTTP/1.1\r\nHost: x\r\n\r\n", [404], False),
    (b"GET http://x?/config HTTP/1.1\r\nHost: x\r\n\r\n", [404], False),
    (b"GET ftp://x/config HTTP/1.1\r\nHost: x\r\n\r\n", [404], False),
])
def test_answered(server, raw, expected, closes):
    with server.connect() as connection:
        received, is_closed = exchange(connection, raw, seconds=30 if closes else 0.5, answers=len(expected))
    assert (statuses(received), is_closed) == (expected, closes)


def test_a_body_is_announced_by_http_1_1_only(serve):
    """A client of HTTP/1.0 would take `100 Continue` for the answer (RFC 9110, 10.1.1)."""
    server = serve("--body-timeout", "1s")
    for version, expected in ((b"1.0", [408]), (b"1.1", [100, 408])):
        head = PUT.replace(b"1.1", version) + b"Content-Length: 5\r\nExpect: 100-continue\r\n\r\n"
        with server.connect() as connection:
            received, is_closed = exchange(connection, head)
        assert (statuses(received), is_closed) == (expected, True)


def test_many_requests_at_once(server):
    """Those before the limit are answered; the connection is closed then."""
    with server.connect() as connection:
        received, is_closed = exchange(connection, (GET + b"\r\n") * 20)
    assert is_closed and set(statuses(received)) == {200} and 8 <= len(statuses(received)) < 20


def test_requests_one_after_the_other(server):
    with server.connect() as connection:
        for _ in range(50):
            received, is_closed = exchange(connection, GET + b"\r\n", seconds=0.05, answers=1)
            assert (statuses(received), is_closed) == ([200], False)


def test_a_chunked_body_in_small_pieces(server):
    body = b"".join(b"1\r\n%c\r\n" % byte for byte in b"hello" * 20) + b"0\r\n\r\n"
    try:
        with server.connect() as connection:
            received, _ = exchange(connection, PUT + b"Transfer-Encoding: chunked\r\n\r\n" + body, seconds=0.3, answers=1)
        assert statuses(received) == [201]
        assert (server.directory / "backups" / ID).read_bytes() == b"hello" * 20
    finally:
        (server.directory / "backups" / ID).unlink()


def chunks(extension, count, zeros=0):
    """A body whose chunks of one byte have these extensions."""
    line = b"0" * zeros + b"1" + extension + b"\r\nx\r\n"
    return PUT + b"Transfer-Encoding: chunked\r\n\r\n" + line * count + b"0\r\n\r\n"


@pytest.mark.parametrize("raw, expected", [
    (chunks(b"", 50_000), 201), (chunks(b";a=b", 20), 201), (chunks(b";" + b"a" * 10_000, 2), 201),
    (chunks(b";" + b"a" * 100_000, 1), 400), (chunks(b";" + b"a" * 1000, 100), 400), (chunks(b";a=b12345", 40_000), 400),
    (chunks(b"", 20_000, zeros=10), 400),
], ids=["none", "short ones", "long ones", "a very long one", "many long ones", "many short ones", "zeros"])
def test_chunk_extensions(server, raw, expected):
    try:
        with server.connect() as connection:
            connection.sendall(raw)
            assert statuses(connection.recv(4096)) == [expected]
        assert (server.directory / "backups" / ID).exists() == (expected == 201)
    finally:
        (server.directory / "backups" / ID).unlink(missing_ok=True)


@pytest.mark.parametrize("raw", [
    GET + b"X: " + b"a" * 20_000 + b"\r\n\r\n", GET + b"X: a\r\n" * 100 + b"\r\n",
    b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    GET + b"".join(b"X%d: %s\r\n" % (number, b"a" * 400) for number in range(60)) + b"\r\n",
])
def test_too_long_heads(server, raw):
    with server.connect() as connection:
        received, is_closed = exchange(connection, raw)
    assert (statuses(received), is_closed) == ([431], True)
