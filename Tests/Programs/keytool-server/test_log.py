"""The log on stderr, and a stderr that nobody reads."""

import fcntl
import json
import os
import signal
import socket
import subprocess

import pytest

from server import BINARY, curl, environment, run, wait_for

HEALTH = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
REQUESTS = 1500


@pytest.fixture
def unread():
    """A server that logs each request to a pipe of one page, and the pipe's end."""
    end, start = os.pipe()
    fcntl.fcntl(start, fcntl.F_SETPIPE_SZ, 4096)
    process = subprocess.Popen(
        [BINARY, "serve", "--json", "--store", "memory:", "--listen", "127.0.0.1:0", "--log-requests"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=start, env=environment())
    os.close(start)
    yield process, json.loads(process.stdout.readline())["listening"], end
    if process.poll() is None:
        process.kill()
    process.wait()
    process.stdout.close()
    os.close(end)


def ask(url, times):
    with socket.create_connection(("127.0.0.1", int(url.rsplit(":", 1)[1])), timeout=60) as connection:
        for _ in range(times):
            connection.sendall(HEALTH)
            assert b" 200 " in connection.recv(4096)


def test_a_log_that_nobody_reads_stops_nothing(unread):
    process, url, _ = unread
    ask(url, REQUESTS)
    assert curl(f"{url}/health").status == 200
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0


def warnings_of_a_quiet_server(directory):
    """What it says of the store in the directory, from its start to its stop."""
    process = subprocess.Popen(
        [BINARY, "serve", "--quiet", "--store", f"file://{directory}/store", "--listen", f"unix:{directory}/socket"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
    try:
        wait_for((directory / "socket").exists)
    finally:
        process.terminate()
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, ""), err
    return [line.removeprefix("keytool-server: warning: ") for line in err.splitlines() if "warning" in line]


def test_a_quiet_server_says_that_its_store_is_new_and_open(tmp_path):
    """It may be the mount point of a disk that is missing."""
    store = tmp_path / "store"
    store.mkdir(mode=0o700)
    new = f"{store} was missing or empty: it is a new store now"
    opened = "without accounts, everybody who reaches this server can store backups on it"
    assert warnings_of_a_quiet_server(tmp_path) == [new, opened]
    assert warnings_of_a_quiet_server(tmp_path) == [opened]
    password = tmp_path / "password"
    password.write_text("correct horse battery\n")
    password.chmod(0o600)
    added = run("account", "add", "alice", "--store", f"file://{store}", "--account-password-file", password)
    assert added.returncode == 0, added.stderr
    assert warnings_of_a_quiet_server(tmp_path) == []


def test_dropped_lines_are_counted(unread):
    """Each request is a line that was written or that was counted."""
    process, url, end = unread
    ask(url, REQUESTS)
    os.set_blocking(end, False)
    words = b""

    def read():
        nonlocal words
        try:
            while more := os.read(end, 65536):
                words += more
        except BlockingIOError:
            pass
        return words

    def dropped():
        return [int(line.split()[2]) for line in words.decode().splitlines() if line.endswith("had to be dropped")]

    # The line of the last request may be added after its answer, and be the one behind the report.
    wait_for(lambda: read().count(b'"method":"GET","subject":"health","status":200') + sum(dropped()) == REQUESTS)
    assert dropped() and all(each > 0 for each in dropped())
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0 and read().endswith(b"stopped\n")
