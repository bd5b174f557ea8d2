"""Clients that mean harm: mutated requests, heads and chunks without end, a thousand connections at once."""

import os
import random
import select
import socket
import threading
import time

import pytest

from kit.sampling import SEED
from rawrequests import mutated, whole_requests
from server import ID, begin_upload, statuses, trusting, wait_for

REQUESTS = 10_000
PUT = f"PUT /backups/{ID} HTTP/1.1\r\nHost: x\r\n".encode()
GET = f"GET /backups/{ID} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
CONFIG = b"GET /config HTTP/1.1\r\nHost: x\r\n\r\n"
FAST = ["--client-rate", "100000", "--backup-rate", "100000"]
MIB = 1024 * 1024
# In seconds: before the server's first deadline ends a connection that stands in the way.
AT_ONCE = 10


@pytest.fixture
def guarded(tmp_path, serve):
    """guarded(*options) -> a server whose surroundings have to stay as they are."""
    outside = tmp_path / "outside"
    for name in ("config", "backups/a", "health"):
        (outside / name).parent.mkdir(parents=True, exist_ok=True)
        (outside / name).write_text("outside")
    before = None

    def surroundings():
        return {path: (path.lstat().st_mtime_ns, path.lstat().st_ino, path.lstat().st_size)
                for path in (tmp_path, *tmp_path.rglob("*"))
                if tmp_path / "store" not in (path, *path.parents) and path.name != "server.log"}

    def guarded(*options):
        nonlocal before
        server = serve(*FAST, *options, TMPDIR=outside, HOME=outside)
        before = surroundings()
        return server

    yield guarded
    assert surroundings() == before


def memory(server, which="VmRSS"):
    """In bytes."""
    status = open(f"/proc/{server.process.pid}/status").read()
    return int(status.split(f"{which}:")[1].split()[0]) * 1024


def ask(server, raw, source=None):
    """Sends the bytes on a connection of its own, says that nothing follows, and reads to the end."""
    with socket.create_connection(("127.0.0.1", server.port), 20, (source, 0) if source else None) as connection:
        try:
            connection.sendall(raw)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # The server has closed it before all was sent.
        return to_the_end(connection)


def to_the_end(connection):
    """What comes until the server closes, which it has to."""
    received = b""
    try:
        while piece := connection.recv(65_536):
            received += piece
    except ConnectionResetError:
        pass
    return received


def test_mutated_requests(guarded):
    """The store holds what a strict reader would have stored of the requests that were obeyed, and nothing else."""
    server, source = guarded(), random.Random(SEED)
    ids = [source.randbytes(32).hex() for _ in range(4)]
    expected, possible, obeyed = {}, {}, 0
    limit = memory(server) + 32 * MIB
    for number in range(REQUESTS):
        raw = mutated(source, ids)
        received = ask(server, raw)
        answers = [status for status in statuses(received) if status != 100]
        meant = whole_requests(raw)
        for place, status in enumerate(answers):
            if not 200 <= status < 300:
                continue
            assert place < len(meant) and meant[place].may_succeed, f"{number}: {status} for {raw!r}\n{received!r}"
            obeyed += 1
            change(expected, meant[place])
        # They may yet be carried out if the client has left within the next request: others take the places of their
        # ids.
        for request in meant[len(answers):]:
            if request.method in ("PUT", "DELETE") and request.id in ids:
                ids[ids.index(request.id)] = source.randbytes(32).hex()
                possible[request.id] = {expected.pop(request.id, None)}
            if request.method in ("PUT", "DELETE") and request.id in possible:
                possible[request.id].add(request.body or None)
        assert memory(server) < limit
    assert statuses(ask(server, CONFIG)) == [200] and server.stop() == 0
    present = {path.name: path.read_bytes() for path in (server.directory / "backups").iterdir() if path.name[0] != "."}
    for id, contents in possible.items():
        assert present.pop(id, None) in contents, id
    assert present == expected and obeyed > REQUESTS / 10 and len(possible) < REQUESTS / 20
    assert {path.name for path in server.directory.iterdir()} <= {
        "backups", "clock", "config", "keep-previous", "previous", "server.lock"}


def change(expected, request):
    if request.method == "PUT":
        expected[request.id] = request.body
    elif request.method == "DELETE":
        expected.pop(request.id, None)


ENDLESS = {
    "a request line": (b"GET /", b"a" * 65_536),
    "a field": (PUT + b"X: ", b"a" * 65_536),
    "fields": (PUT, b"X: y\r\n" * 10_000),
    "empty lines": (b"", b"\r\n" * 30_000),
    "the zeros of a size": (PUT + b"Transfer-Encoding: chunked\r\n\r\n", b"0" * 65_536),
    "a chunk extension": (PUT + b"Transfer-Encoding: chunked\r\n\r\n5;", b"a" * 65_536),
    "chunk extensions": (PUT + b"Transfer-Encoding: chunked\r\n\r\n", b"1;" + b"a" * 65_536 + b"\r\nx\r\n"),
    "small chunks": (PUT + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 10_000),
    "trailers": (PUT + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n", b"X: y\r\n" * 10_000),
    "a chunk of 2^60 bytes": (PUT + b"Transfer-Encoding: chunked\r\n\r\n1000000000000000\r\n", b"a" * 65_536),
    "a length of 10^18": (PUT + b"Content-Length: 1000000000000000000\r\n\r\n", b"a" * 65_536),
}


@pytest.mark.parametrize("case", ENDLESS)
def test_endless(guarded, case):
    """The server ends it, by a limit of bytes or of time."""
    server = guarded("--head-timeout", "2s", "--body-timeout", "2s")
    before = memory(server)
    beginning, piece = ENDLESS[case]
    deadline = time.monotonic() + 200
    with server.connect() as connection, pytest.raises((BrokenPipeError, ConnectionResetError)):
        connection.sendall(beginning)
        while time.monotonic() < deadline:
            connection.sendall(piece)
    assert memory(server, "VmHWM") - before < 16 * MIB
    assert not [path for path in (server.directory / "backups").iterdir() if path.name != ".lock"]


def open_many(server, count, raw, clients):
    """Connections of so many clients, of which each has sent the bytes."""
    opened = []
    for number in range(count):
        address = f"127.0.1.{1 + number % clients}"
        opened.append(socket.create_connection(("127.0.0.1", server.port), 20, (address, 0)))
        opened[-1].sendall(raw)
    return opened


SLOW = {"idle": b"", "slow heads": b"PUT /backups/", "slow bodies": PUT + b"Content-Length: 500000\r\n\r\nhello"}


@pytest.mark.parametrize("case", SLOW)
def test_a_thousand_connections(guarded, case):
    """Another client is served within a second."""
    server = guarded("--max-connections", "1100")
    assert statuses(ask(server, PUT + b"Content-Length: 5\r\n\r\nhello")) == [201]
    before = memory(server)
    many = open_many(server, 1000, SLOW[case], clients=20)
    stopping = threading.Event()

    def trickle():
        while not stopping.wait(0.2):
            for each in many[::10] if SLOW[case] else []:
                each.send(b"0")

    trickling = threading.Thread(target=trickle)
    trickling.start()
    try:
        for _ in range(10):
            start = time.monotonic()
            assert ask(server, GET, "127.0.2.1").endswith(b"hello")
            assert statuses(ask(server, PUT + b"Content-Length: 5\r\n\r\nhello", "127.0.2.1")) == [204]
            assert time.monotonic() - start < AT_ONCE
        assert memory(server) - before < 96 * MIB
    finally:
        stopping.set()
        trickling.join()
        for each in many:
            each.close()
    wait_for(lambda: memory(server) - before < 96 * MIB)
    assert server.stop() == 0


def test_one_greedy_client(guarded):
    """With the standard limits, a thousand connections of one address leave room for the others."""
    server = guarded()
    many = open_many(server, 1000, b"", clients=1)
    for _ in range(10):
        start = time.monotonic()
        assert statuses(ask(server, CONFIG, "127.0.2.1")) == [200]
        assert time.monotonic() - start < AT_ONCE
    for each in many:
        each.close()


RESTING = {"idle": b"", "half a head": b"PUT /backups/", "between requests": CONFIG, "a handshake": None}


def open_tls(server, count, clients):
    """Connections of so many clients that speak HTTP/2 and have no request."""
    context = trusting(server)
    context.set_alpn_protocols(["h2"])
    opened = []
    for number in range(count):
        address = f"127.0.1.{1 + number % clients}"
        connection = socket.create_connection(("127.0.0.1", server.port), 20, (address, 0))
        opened.append(context.wrap_socket(connection, server_hostname="localhost"))
    return opened


@pytest.mark.parametrize("case", RESTING)
def test_more_connections_than_there_are(guarded, case):
    """A thousand connections without a request, of many addresses: another client takes the place of one at once, and
    what is under way comes to its end."""
    is_tls, raw = case == "a handshake", RESTING[case]
    server = guarded(*(["--tls-self-signed", "localhost"] if is_tls else []))

    def connect(source):
        connection = socket.create_connection(("127.0.0.1", server.port), 20, (source, 0))
        return trusting(server).wrap_socket(connection, server_hostname="localhost") if is_tls else connection

    def asked(raw, source="127.0.2.1"):
        with connect(source) as connection:
            connection.sendall(raw.replace(b"Host: x", b"Host: x\r\nConnection: close"))
            return to_the_end(connection)

    content, many = b"x" * 500_000, []
    assert statuses(asked(PUT + b"Content-Length: 500000\r\n\r\n" + content)) == [201]
    before = memory(server)
    with connect("127.0.3.1") as upload, connect("127.0.4.1") as download:
        begin_upload(upload, PUT.replace(ID.encode(), b"ab" * 32) + b"Content-Length: 10\r\n", b"hello")
        # More than the kernel's buffers hold.
        download.sendall(GET * 8)
        select.select([download], [], [], 60)
        try:
            many = open_tls(server, 1000, 50) if is_tls else open_many(server, 1000, raw, clients=50)
            for _ in range(10):
                start = time.monotonic()
                assert statuses(asked(CONFIG)) == [200]
                assert time.monotonic() - start < AT_ONCE
            assert memory(server) - before < 96 * MIB
            # Each of the fifty has ten: these have one.
            upload.sendall(b"world")
            assert statuses(upload.recv(4096)) == [201]
            received = b""
            while received.count(content) < 8 and (piece := download.recv(1 << 20)):
                received += piece
            assert received.count(content) == 8
        finally:
            for each in many:
                each.close()
    assert server.stop() == 0


def test_one_greedy_client_ends_its_own(guarded):
    """Even if one client may have all connections, it ends its own and not those of others."""
    server = guarded("--max-connections-per-client", "1000", "--max-connections", "50", "--head-timeout", "10m",
                     "--metrics-listen", "127.0.0.1:0")
    others = [socket.create_connection(("127.0.0.1", server.port), 20, (f"127.0.2.{1 + number}", 0))
              for number in range(20)]
    for each in others:
        each.sendall(CONFIG)
        assert statuses(each.recv(4096)) == [200]
    many = open_many(server, 500, b"", clients=1)
    assert statuses(ask(server, CONFIG, "127.0.3.1")) == [200]
    # The server's threads take up connections in another order than that in which they came, and close them later.
    wait_for(lambda: has_only(server, 50, total=521))
    for each in others:
        each.sendall(CONFIG)
        assert statuses(each.recv(4096)) == [200]
    wait_for(lambda: count_open(many) <= 30)
    # The place of the one of 127.0.3.1 may be free.
    assert count_open(many) >= 29
    for each in many + others:
        each.close()


def has_only(server, most, total):
    """Whether so many connections have come, and at most so many of them are not closed."""
    metrics = server.metrics()
    return metrics["keytool_server_connections_total"] == total and metrics["keytool_server_connections"] <= most


def count_open(connections):
    """How many the server has not closed. It sends nothing by them."""
    poll = select.poll()
    for each in connections:
        poll.register(each, select.POLLIN)
    return len(connections) - len(poll.poll(0))


def test_all_connections_have_a_request(guarded):
    """Then another client waits until one has none."""
    server = guarded("--max-connections", "2")
    uploads = open_many(server, 2, b"", clients=2)
    for each in uploads:
        begin_upload(each, PUT.replace(ID.encode(), b"ab" * 32) + b"Content-Length: 10\r\n", b"hello")
    with socket.create_connection(("127.0.0.1", server.port), 20, ("127.0.2.1", 0)) as another:
        another.sendall(CONFIG)
        time.sleep(1)
        # Up to four are accepted at once, and no more while all have a request.
        for each in uploads:
            each.sendall(b"world")
            assert statuses(each.recv(4096))[0] in (201, 204)
        assert statuses(another.recv(4096)) == [200]
    for each in uploads:
        each.close()


def test_a_sweep_remembers_no_names(serve):
    """Of a hundred thousand: there are few files, with many names each."""
    first = serve("--metrics-listen", "127.0.0.1:0")
    wait_for(lambda: "keytool_server_stored_backups" in first.metrics())
    before = memory(first, "VmHWM")
    assert first.stop() == 0
    store = first.directory
    old = "20200101T000000000Z"
    backups, previous = store / "backups", store / "previous/00"
    previous.mkdir(mode=0o700, parents=True)
    for name in (backups / f"{0:064x}", previous / f"{0:064x}-{old}-{old}"):
        name.write_bytes(b"x")
        for number in range(1, 50_000):
            os.link(name, name.parent / name.name.replace(f"{0:064x}", f"{number:064x}"))
    server = serve("--metrics-listen", "127.0.0.1:0")
    wait_for(lambda: server.metrics()["keytool_server_expired_previous_backups_total"] == 50_000)
    assert server.metrics()["keytool_server_stored_backups"] == 50_000
    assert memory(server, "VmHWM") < before + 6 * MIB
    assert server.stop() == 0
