"""Uploads that break off, and a disk without room: the old backup stays, whole, and nothing else is left."""

import os
import resource
import socket
import struct
import subprocess
import threading

import pytest

from server import ID, curl, trusting, wait_for

OLD, NEW = b"old" * 20_000, b"new" * 100_000
PUT = f"PUT /backups/{ID} HTTP/1.1\r\nHost: x\r\n".encode()
LENGTH = b"Content-Length: %d\r\n\r\n" % len(NEW)
RESET = struct.pack("ii", 1, 0)  # no lingering: closing sends RST


def names(server):
    """Of all files of the store but those of the server itself."""
    return {str(path.relative_to(server.directory)) for path in server.directory.rglob("*") if path.is_file()} - {
        "clock", "config", "keep-previous", "server.lock", "backups/.lock"}


BROKEN = {
    "half of a body": LENGTH + NEW[: len(NEW) // 2],
    "all but one byte": LENGTH + NEW[:-1],
    "a head": LENGTH,
    "chunks without an end": b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n" % (len(NEW), NEW),
    "half of a chunk": b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b" % (len(NEW), NEW[:1000]),
}


@pytest.mark.parametrize("is_reset", [False, True])
@pytest.mark.parametrize("is_tls", [False, True])
@pytest.mark.parametrize("case", BROKEN)
def test_broken_uploads(serve, case, is_tls, is_reset):
    server = serve("--metrics-listen", "127.0.0.1:0", *(["--tls-self-signed", "localhost"] if is_tls else []))
    trust = ["--cacert", server.said["ca_file"]] if is_tls else []
    url = f"{server.url.replace('127.0.0.1', 'localhost')}/backups/{ID}"
    assert curl(url, *trust, body=OLD).status == 201
    before = names(server)

    def break_off():
        connection = server.connect()
        if is_tls:
            connection = trusting(server).wrap_socket(connection, server_hostname="localhost")
        connection.sendall(PUT + BROKEN[case])
        if is_reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        connection.close()

    threads = [threading.Thread(target=break_off) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # This listener's own connection is not counted there.
    wait_for(lambda: server.metrics()["keytool_server_connections"] == 0)
    assert names(server) == before and curl(url, *trust).body == OLD
    assert curl(url, *trust, body=NEW).status == 204 and server.stop() == 0


@pytest.mark.parametrize("keep", ["0s", "7d"])
def test_a_write_that_fails(serve, keep):
    """No file may be longer than the limit: the write that crosses it is cut short, and the next one fails."""
    server = serve("--keep-previous", keep)
    url = f"{server.url}/backups/{ID}"
    assert curl(url, body=OLD).status == 201
    before = names(server)
    for limit in (1, 100, 100_000, len(NEW) - 1):
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        assert curl(url, body=NEW).status == 507
        assert curl(url[:-1] + "0", body=NEW).status == 507
        assert names(server) == before and curl(url).body == OLD
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert curl(url, body=NEW).status == 204 and curl(url).body == NEW and server.stop() == 0


@pytest.fixture
def disk(tmp_path):
    """disk(**limits): an empty file system of this size in the place of the store."""
    place = tmp_path / "store"
    place.mkdir()
    mounted = []

    def disk(**limits):
        options = ",".join(f"{name}={value}" for name, value in limits.items())
        remount = "remount," if mounted else ""
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"{remount}{options}", "tmpfs", place],
                              capture_output=True, text=True, timeout=60)
        if made.returncode != 0:
            pytest.skip(f"nothing may be mounted here: {made.stderr.strip()}")
        mounted.append(place)

    yield disk
    if mounted:
        subprocess.run(["umount", place], check=True, timeout=60)


@pytest.mark.parametrize("limits", [{"size": "256k"}, {"size": "4m", "nr_inodes": 11}])
def test_a_full_disk(disk, serve, limits):
    """It fills up with backups. Those that were acknowledged stay, and there is room again once it has grown."""
    disk(**limits)
    server = serve("--keep-previous", "0s")
    stored, refused = {}, 0
    for number in range(16):
        id, body = f"{number:064x}", os.urandom(40_000)
        status = curl(f"{server.url}/backups/{id}", body=body).status
        assert status in (201, 507)
        refused += status == 507
        if status == 201:
            stored[id] = body
    assert stored and refused > 1
    assert names(server) == {f"backups/{id}" for id in stored}
    for id, body in stored.items():
        assert curl(f"{server.url}/backups/{id}", body=NEW).status == 507
        assert curl(f"{server.url}/backups/{id}").body == body
    # A deletion needs no room, and makes some.
    assert curl(f"{server.url}/backups/{min(stored)}", "-X", "DELETE").status == 204
    assert curl(f"{server.url}/backups/{ID}", body=OLD[:1000]).status == 201
    disk(size="16m", nr_inodes=1000)
    assert curl(f"{server.url}/backups/{max(stored)}", body=NEW).status == 204
    assert curl(f"{server.url}/backups/{max(stored)}").body == NEW and server.stop() == 0


def test_a_directory_that_cannot_be_synced(serve):
    """The new backup is in place, so the old one has no name but that of a previous one."""
    server = serve()
    url = f"{server.url}/backups/{ID}"
    assert curl(url, body=OLD).status == 201 and server.stop() == 0
    server = serve(before=("strace", "-D", "-f", "-qq", "-o", "/dev/null", "-P", server.directory / "backups",
                           "-e", "trace=fsync", "-e", "inject=fsync:error=EIO"))
    url = f"{server.url}/backups/{ID}"
    assert curl(url, body=NEW).status == 503 and curl(url).body == NEW
    assert [file.read_bytes() for file in server.directory.glob("previous/*/*")] == [OLD]


# What a file system without RENAME_EXCHANGE and RENAME_NOREPLACE answers, such as NFS.
UNSUPPORTED = ("-e", "inject=renameat2:error=EINVAL")


def failing(serve, tmp_path, *calls):
    """A server on which these calls fail, if they concern the directory of the backups."""
    return serve(before=("strace", "-D", "-f", "-qq", "-o", "/dev/null", "-P", tmp_path / "store/backups",
                         "-e", "trace=renameat,renameat2,unlinkat", *calls))


@pytest.mark.parametrize("calls", [
    ["-e", "inject=renameat,renameat2,unlinkat:error=EIO"],
    [*UNSUPPORTED, "-e", "inject=renameat,unlinkat:error=EIO"],
], ids=["in one step", "with a second name"])
def test_a_failed_write_leaves_no_previous_backup(serve, tmp_path, calls):
    """What was retained for it is taken back."""
    server = serve()
    url = f"{server.url}/backups/{ID}"
    assert curl(url, body=OLD).status == 201 and server.stop() == 0
    before = names(server)
    server = failing(serve, tmp_path, *calls)
    url = f"{server.url}/backups/{ID}"
    for options in ({"body": NEW}, {}):
        assert curl(url, *([] if options else ["-X", "DELETE"]), **options).status == 503
        assert curl(url).body == OLD
        # Its temporary file could not be removed either.
        assert {name for name in names(server) if not name.endswith(".new")} == before


def test_previous_backups_on_a_file_system_that_cannot_exchange(serve, tmp_path):
    server = failing(serve, tmp_path, *UNSUPPORTED)
    url = f"{server.url}/backups/{ID}"
    assert [curl(url, body=body).status for body in (OLD, NEW)] == [201, 204] and curl(url).body == NEW
    assert curl(url, "-X", "DELETE").status == 204 and curl(url).status == 404
    previous = sorted(server.directory.glob("previous/*/*"))
    assert [file.read_bytes() for file in previous] == [OLD, NEW]
    assert [file.stat().st_nlink for file in previous] == [1, 1]
    assert names(server) == {str(file.relative_to(server.directory)) for file in previous}
