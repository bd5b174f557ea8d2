"""`GET /ready` looks at the store; `GET /health` says only that the server runs."""

import os
import shutil
import signal
import subprocess
import time

import pytest

from server import ID, curl, wait_for
from test_faults import disk  # noqa: F401
from test_objects import objects  # noqa: F401


def ready(server, *options):
    answer = curl(f"{server.url}/ready", *options)
    return answer.status, answer.body.decode()


def is_ready(server):
    return lambda: ready(server)[0] == 200


def test_a_store_that_can_be_used(serve):
    server = serve("--metrics-listen", "127.0.0.1:0")
    assert ready(server) == (200, "ready\n")
    head = curl(f"{server.url}/ready", "-I")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", "6")
    refused = curl(f"{server.url}/ready", "-X", "POST")
    assert refused.status == 405 and refused.headers["allow"] == "GET, HEAD"
    assert curl(f"http://{server.said['metrics']}/ready").status == 404
    assert server.metrics()['keytool_server_requests_total{method="GET",subject="ready",status="200"}'] == 1
    assert "ready.check" not in os.listdir(server.directory)


def test_a_store_that_was_deleted(serve):
    server = serve()
    # The server writes its clock soon after its start, perhaps just now.
    while server.directory.exists():
        shutil.rmtree(server.directory, ignore_errors=True)
    assert ready(server) == (503, "a directory of the store is missing\n")
    assert curl(f"{server.url}/health").status == 200
    assert "warning: not ready: a directory of the store is missing" in server.words


def test_a_directory_that_was_replaced(serve):
    """As by an operator who puts a restored copy in its place: nothing is confirmed that would be lost in the old one."""
    server = serve()
    upload = f"{server.url}/backups/{ID}"
    assert curl(upload, body=b"before").status == 201
    copy, old = server.directory.with_name("copy"), server.directory.with_name("old")
    shutil.copytree(server.directory, copy, ignore=shutil.ignore_patterns("*.new"))
    server.directory.rename(old)
    copy.rename(server.directory)
    assert ready(server) == (503, "the directory of the store was moved or replaced: restart the server\n")
    assert curl(upload, body=b"after").status == 500 and curl(upload, "-X", "DELETE").status == 500
    assert curl(upload).body == b"before"
    assert [(path / "backups" / ID).read_bytes() for path in (old, server.directory)] == [b"before"] * 2
    assert server.stop() == 0
    assert curl(f"{serve().url}/backups/{ID}", body=b"after").status == 204


def test_a_directory_of_backups_that_was_deleted(serve):
    server = serve()
    os.rmdir(server.directory / "backups")
    assert ready(server)[0] == 503


def test_accounts_that_cannot_be_read(serve):
    server = serve()
    (server.directory / "logins").mkdir()
    assert ready(server) == (503, "the accounts cannot be read\n")


def test_accounts_without_their_file(serve):
    """Nobody can log in."""
    server = serve()
    (server.directory / "accounts").mkdir(mode=0o700)
    assert ready(server) == (503, "the file of accounts is missing\n")


def test_a_clock_that_cannot_be_read(serve):
    """No upload could be dated."""
    server = serve()
    clock = server.directory / "clock"
    # The server writes it soon after its start, perhaps just now.
    while not clock.is_dir():
        clock.unlink(missing_ok=True)
        try:
            clock.mkdir()
        except FileExistsError:
            pass
    assert ready(server)[0] == 503


def test_a_full_disk(disk, serve):  # noqa: F811
    """Room for a few small uploads is not enough: the next one may be large."""
    disk(size="4m")
    server = serve()
    assert ready(server) == (503, "no space is left in the store\n")
    assert curl(f"{server.url}/backups/{ID}", body=b"x").status == 201
    disk(size="64m")
    wait_for(is_ready(server), pause=1)


def test_the_store_is_asked_once_in_five_seconds(serve, tmp_path):
    trace = tmp_path / "trace"
    server = serve(before=("strace", "-D", "-f", "-qq", "-e", "trace=openat", "-o", trace))
    begin = time.monotonic()
    assert [ready(server)[0] for _ in range(40)] == [200] * 40
    most = 1 + int((time.monotonic() - begin) / 5)
    asked = [line for line in trace.read_text().splitlines() if "ready.check" in line and "O_CREAT" in line]
    assert 1 <= len(asked) <= most


def test_a_store_that_hangs(serve, tmp_path):
    """The clients of a hung store are not kept, and other requests are answered."""
    (tmp_path / "store").mkdir(mode=0o700)
    server = serve(before=("strace", "-D", "-f", "-qq", "-o", "/dev/null", "-P", tmp_path / "store",
                           "-e", "inject=unlinkat:delay_enter=60000000"))
    assert ready(server) == (503, "the store does not answer\n")
    begin = time.monotonic()
    assert ready(server) == (503, "the store does not answer\n") and time.monotonic() - begin < 30
    assert curl(f"{server.url}/health").status == 200
    assert curl(f"{server.url}/backups/{ID}", body=b"x").status == 201
    server.stop(signal.SIGKILL)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may trace a process that it has not started")
def test_metrics_of_a_store_that_hangs(serve):
    """The last figure is answered, as often as it is asked for."""
    server = serve("--metrics-listen", "127.0.0.1:0")
    free = server.metrics()["keytool_server_free_bytes"]
    with subprocess.Popen(["strace", "-f", "-p", str(server.process.pid), "-o", "/dev/null",
                           "-e", "inject=fstatfs:delay_enter=60000000"], stderr=subprocess.PIPE) as trace:
        assert b"attached" in trace.stderr.readline()
        for _ in range(3):
            begin = time.monotonic()
            assert server.metrics()["keytool_server_free_bytes"] == free and time.monotonic() - begin < 30
        server.stop(signal.SIGKILL)
        trace.wait(60)


def test_an_object_store(serve, objects):  # noqa: F811
    server = serve(*objects.options, store=objects.store)
    assert ready(server) == (200, "ready\n")
    objects.stop()
    wait_for(lambda: ready(server)[0] == 503, pause=1)
    assert "reached" in ready(server)[1]


def test_accounts_of_an_object_store(serve, objects, tmp_path):  # noqa: F811
    """A file of accounts that is gone is named, as in a directory."""
    logins = tmp_path / "logins"
    logins.write_text("")
    logins.chmod(0o600)
    server = serve(*objects.options, "--accounts", logins, store=objects.store)
    assert ready(server) == (200, "ready\n")
    logins.unlink()
    wait_for(lambda: ready(server) == (503, "the file of accounts is missing\n"), pause=1)
    logins.mkdir()
    wait_for(lambda: ready(server) == (503, "the accounts cannot be read\n"), pause=1)


def test_memory(serve):
    assert ready(serve(store="memory:")) == (200, "ready\n")
