"""A store that does not answer: all threads that write wait for it, and reads go on."""

import contextlib
import fcntl
import os
import time

import pytest

from server import ID, begin_upload, curl, exchange, statuses, wait_for

PUT = f"PUT /backups/{ID} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx".encode()


@pytest.fixture
def stuck(serve):
    """stuck(number) -> a server with two threads, the connections of so many PUTs that wait for a lock, and two of PUTs
    whose last byte has yet to come."""
    with contextlib.ExitStack() as stack:

        def stuck(number):
            server = serve("--workers", "2")
            begun = [stack.enter_context(server.connect()) for _ in range(2)]
            for each in begun:
                begin_upload(each, PUT[:-3], b"")
            lock = os.open(server.directory / "backups", os.O_RDONLY)
            stack.callback(os.close, lock)
            fcntl.flock(lock, fcntl.LOCK_EX)
            connections = [stack.enter_context(server.connect()) for _ in range(number)]
            for each in connections:
                each.sendall(PUT)
            time.sleep(0.5)
            return server, connections, begun, lock

        yield stuck


def test_health_needs_no_thread(stuck):
    server, connections, _, _ = stuck(4)
    start = time.monotonic()
    assert curl(f"{server.url}/health").body == b"ok\n" and time.monotonic() - start < 5
    assert [exchange(each, b"", seconds=0.1) for each in connections] == [(b"", False)] * 4, "they wait"


def test_health_leaves_the_connection_open(serve):
    server = serve()
    with server.connect() as connection:
        for method, status in [(b"GET", 200), (b"HEAD", 200), (b"POST", 405), (b"GET", 200)]:
            received, is_closed = exchange(connection, method + b" /health HTTP/1.1\r\nHost: x\r\n\r\n", seconds=0.3, answers=1)
            assert (statuses(received), is_closed) == ([status], False)
        assert statuses(exchange(connection, b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n" * 3, seconds=0.3, answers=3)[0]) == [200] * 3


@pytest.mark.parametrize("method, expected", [("GET", 200), ("HEAD", 200)])
def test_reads_do_not_wait_behind_writes(stuck, serve, method, expected):
    """All threads that write wait for a lock, and more writes wait for them."""
    server, connections, _, _ = stuck(8)
    (server.directory / "backups" / ID).write_bytes(b"hello")
    start = time.monotonic()
    for _ in range(20):
        with server.connect() as reader:
            reader.sendall(f"{method} /backups/{ID} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            assert statuses(reader.recv(4096)) == [expected]
    assert time.monotonic() - start < 5
    assert [exchange(each, b"", seconds=0.1) for each in connections] == [(b"", False)] * 8, "they still wait"


def test_who_waits_for_long_is_answered(stuck):
    """What begins to wait for the store is stored; the others get 503 and are not stored."""
    server, _, begun, lock = stuck(2)
    with server.connect() as put:
        # A store waits for its lock for five seconds. Then these two follow.
        time.sleep(2)
        for each in begun:
            each.sendall(PUT[-1:])
        time.sleep(0.5)
        start = time.monotonic()
        put.sendall(PUT.replace(ID.encode(), ID[::-1].encode()))
        answer = put.recv(4096)
        assert 4 < time.monotonic() - start
        assert statuses(answer) == [503] and b"retry-after: 5" in answer.lower()
        fcntl.flock(lock, fcntl.LOCK_UN)
        wait_for(lambda: curl(f"{server.url}/backups/{ID}").status == 200, seconds=20)
        assert curl(f"{server.url}/backups/{ID[::-1]}").status == 404
        # The connections are as good as before.
        assert statuses(exchange(put, PUT.replace(ID.encode(), ID[::-1].encode()), seconds=0.3, answers=1)[0]) == [201]
