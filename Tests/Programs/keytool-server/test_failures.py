"""Why requests were answered with 500, 503 or 507: the log says it once a minute for each cause."""

import contextlib
import fcntl
import os
import resource
import select
import socket

import pytest

from server import ID, curl, exchange, run, statuses, wait_for

PUT = f"PUT /backups/{ID} HTTP/1.1\r\nHost: x\r\n".encode()


def lines(server):
    return [line for line in server.words.splitlines() if "answered with" in line]


def only(server, words):
    """One line says so, and none names an id, a login or an address."""
    wait_for(lambda: lines(server))
    assert [words in line for line in lines(server)] == [True], server.words
    assert not any(secret in server.words for secret in (ID[:16], "alice", "127.0.0.1"))


def test_a_full_disk_is_named_once(serve):
    server = serve()
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
    for number in range(20):
        assert curl(f"{server.url}/backups/{ID[:-2]}{number:02}", body=b"x" * 1000).status == 507
    only(server, "warning: answered with 507: no space is left in the store")


def test_a_missing_directory(serve):
    server = serve()
    (server.directory / "backups").rename(server.directory / "away")
    for _ in range(3):
        assert curl(f"{server.url}/backups/{ID}").status == 500
    only(server, "warning: answered with 500: a directory of the store is missing")


def test_the_accounts_that_cannot_be_read(serve, tmp_path):
    server = serve()
    (server.directory / "logins").mkdir()
    assert curl(f"{server.url}/alice/config", "-u", "alice:password").status == 503
    only(server, "warning: answered with 503: the accounts cannot be read: ")


def test_a_quota_is_no_full_disk(serve, tmp_path):
    password = tmp_path / "password"
    password.write_text("correct horse battery\n")
    password.chmod(0o600)
    server = serve()
    added = run("account", "add", "alice", "--quota", "10", "--store", f"file://{server.directory}",
                "--account-password-file", password)
    assert added.returncode == 0
    url, login = f"{server.url}/alice/backups/{ID}", ["-u", "alice:correct horse battery"]
    assert [curl(url, *login, body=b"x" * length).status for length in (10, 11, 12)] == [201, 507, 507]
    only(server, "warning: answered with 507: the quota of an account is used up")


@pytest.fixture
def locked():
    """locked(server): no write of it goes on."""
    opened = []

    def locked(server):
        opened.append(os.open(server.directory / "backups", os.O_RDONLY))
        fcntl.flock(opened[-1], fcntl.LOCK_EX)

    yield locked
    for each in opened:
        os.close(each)


def test_threads_that_wait_for_a_lock(serve, locked):
    server = serve("--workers", "1")
    locked(server)
    assert curl(f"{server.url}/backups/{ID}", body=b"x").status == 503
    only(server, "warning: answered with 503: another program has locked the backups")


def test_no_thread_is_free(serve, locked):
    server = serve("--workers", "1")
    locked(server)
    with server.connect() as first, server.connect() as second:
        for each in (first, second):
            each.sendall(PUT + b"Content-Length: 1\r\n\r\nx")
        assert [statuses(exchange(each, b"", seconds=0.3, answers=1)[0]) for each in (first, second)] == [[503], [503]]
    wait_for(lambda: len(lines(server)) == 2)
    assert any("answered with 503: all --workers threads are busy" in line for line in lines(server)), server.words


def test_no_memory_is_left(serve):
    """For a client that has its share; and for the slowest upload of the others."""
    server = serve("--max-body-memory", "1")
    body = b"x" * 500_000
    assert curl(f"{server.url}/backups/{ID}", body=body).status == 201
    with contextlib.ExitStack() as uploads:
        def has_its_share():
            """Of two uploads the one whose bytes come first has it: the server may have refused the slow one."""
            slow = uploads.enter_context(server.connect())
            slow.sendall(PUT + b"Content-Length: 500000\r\n\r\n" + body[:-1])
            return curl(f"{server.url}/backups/{ID}", body=body).status == 503

        wait_for(has_its_share, pause=1)
        only(server, "warning: answered with 503: --max-body-memory is used up")
        # Downloads have memory of their own.
        assert curl(f"{server.url}/backups/{ID}").status == 200
    wait_for(lambda: curl(f"{server.url}/backups/{ID}", body=body).status == 204, pause=1)
    with contextlib.ExitStack() as uploads:
        # Of one network: whatever has come of them, it has more bytes than the upload for which one of them ends.
        slow = [uploads.enter_context(socket.create_connection(("127.0.0.1", server.port), 60, (client, 0)))
                for client in ("127.0.2.1", "127.0.2.2")]
        for each in slow:
            each.sendall(PUT + b"Content-Length: 500000\r\n\r\n" + body[:-1])
        ended = []

        def ends_a_slow_one():
            """Once enough bytes of both have come, and not before."""
            stored = curl(f"{server.url}/backups/{ID}", "--interface", "127.0.3.1", body=body).status == 204
            ended.extend(select.select(slow, [], [], 0)[0])
            return stored and ended

        wait_for(ends_a_slow_one, pause=1)
        assert statuses(exchange(ended[0], b"", seconds=0.3, answers=1)[0]) == [408]
    wait_for(lambda: len(lines(server)) == 2)
    assert "answered with 408: --max-body-memory is used up; the slowest uploads" in lines(server)[1]
