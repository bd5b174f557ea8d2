"""Clients that are slow, greedy or many."""

import select
import socket
import subprocess
import threading
import time

import pytest

from server import ID, curl, exchange, run, statuses, trusting, wait_for

GET = b"GET /config HTTP/1.1\r\nHost: x\r\n\r\n"
PUT = f"PUT /backups/{ID} HTTP/1.1\r\nHost: x\r\n".encode()
METRICS = ["--metrics-listen", "127.0.0.1:0"]


def ended(server, reason):
    return server.metrics()[f'keytool_server_connections_ended_total{{reason="{reason}"}}']


@pytest.mark.parametrize("first", [b"", b"GET /con", b"GET /config HTTP/1.1\r\nHost: x\r\nX: "])
def test_a_head_that_does_not_come(serve, first):
    server = serve(*METRICS, "--head-timeout", "1s")
    start = time.monotonic()
    with server.connect() as connection:
        connection.sendall(first)
        # A byte now and then does not help.
        for _ in range(4):
            time.sleep(0.2)
            connection.sendall(b"a" if first else b"")
        assert exchange(connection, b"") == (b"", True)
    assert 0.9 < time.monotonic() - start < 14 and ended(server, "slow") == 1


def test_a_handshake_that_does_not_come(serve):
    server = serve(*METRICS, "--head-timeout", "1s", "--tls-self-signed", "localhost")
    with server.connect() as connection:
        assert exchange(connection, b"\x16\x03\x01") == (b"", True)
    assert ended(server, "slow") == 1 and ended(server, "handshake") == 0


PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
PING = bytes([0, 0, 8, 6, 0, 0, 0, 0, 0]) + b"12345678"


def http2(server):
    context = trusting(server)
    context.set_alpn_protocols(["h2"])
    return context.wrap_socket(server.connect(), server_hostname="localhost")


@pytest.mark.parametrize("first", [b"", PREFACE[:10], PREFACE, PREFACE + PING])
def test_an_http2_connection_without_a_request(serve, first):
    server = serve(*METRICS, "--head-timeout", "1s", "--tls-self-signed", "localhost")
    start = time.monotonic()
    with http2(server) as connection:
        assert exchange(connection, first)[1]
    assert 0.9 < time.monotonic() - start < 14 and ended(server, "slow") == 1


def test_an_idle_http2_connection(serve):
    """After a request; its client answers no PING."""
    server = serve(*METRICS, "--idle-timeout", "1s", "--tls-self-signed", "localhost")
    # GET /config: indexed fields, and the two literal ones :path and :authority.
    block = bytes([0x82, 0x87, 0x04, 7]) + b"/config" + bytes([0x01, 9]) + b"localhost"
    request = bytes([0, 0, len(block), 1, 5, 0, 0, 0, 1]) + block
    start = time.monotonic()
    with http2(server) as connection:
        received, is_closed = exchange(connection, PREFACE + request)
    assert is_closed and b"retentionDays" in received
    assert 0.9 < time.monotonic() - start < 50 and ended(server, "idle") == 1


@pytest.mark.parametrize("is_tls", [False, True])
def test_an_idle_connection(serve, is_tls):
    server = serve(*METRICS, "--idle-timeout", "1s", *(["--tls-self-signed", "localhost"] if is_tls else []))
    start = time.monotonic()
    connection = server.connect()
    if is_tls:
        connection = trusting(server).wrap_socket(connection, server_hostname="localhost")
    with connection:
        received, is_closed = exchange(connection, GET)
    assert (statuses(received), is_closed) == ([200], True) and 0.9 < time.monotonic() - start < 50
    assert ended(server, "idle") == 1


def test_a_slow_body(serve):
    server = serve(*METRICS, "--body-timeout", "1s")
    start = time.monotonic()
    with server.connect() as connection:
        connection.sendall(PUT + b"Content-Length: 1000\r\n\r\n")
        for _ in range(4):
            time.sleep(0.2)
            connection.sendall(b"a")
        received, is_closed = exchange(connection, b"")
    assert (statuses(received), is_closed) == ([408], True) and b"connection: close" in received
    assert 0.9 < time.monotonic() - start < 29
    assert ended(server, "slow") == 1 and list((server.directory / "backups").iterdir()) == []


def test_a_large_body_gets_more_time(serve):
    """It comes at 40 KiB a second, five times the least rate."""
    server = serve(*METRICS, "--body-timeout", "1s")
    with server.connect() as connection:
        connection.sendall(PUT + b"Content-Length: 131072\r\n\r\n")
        for _ in range(32):
            connection.sendall(b"a" * 4096)
            time.sleep(0.1)
        assert statuses(exchange(connection, b"", seconds=0.3, answers=1)[0]) == [201]


def test_an_answer_that_nobody_takes(serve):
    server = serve(*METRICS, "--body-timeout", "1s")
    curl(f"{server.url}/backups/{ID}", body=b"x" * 500_000)
    with server.connect() as connection:
        connection.setsockopt(1, 8, 4096)  # SOL_SOCKET, SO_RCVBUF
        # More than the kernel's buffers hold.
        connection.sendall(f"GET /backups/{ID} HTTP/1.1\r\nHost: x\r\n\r\n".encode() * 8)
        wait_for(lambda: ended(server, "slow") >= 1, seconds=80)


def test_too_many_connections_of_a_client(serve):
    server = serve(*METRICS, "--max-connections-per-client", "3")
    first = [server.connect() for _ in range(3)]
    assert statuses(exchange(first[0], GET, seconds=0.3, answers=1)[0]) == [200]
    with server.connect() as fourth:
        assert exchange(fourth, GET) == (b"", True)
    assert statuses(exchange(first[2], GET, seconds=0.3, answers=1)[0]) == [200]
    first.pop().close()

    def is_accepted():
        with server.connect() as another:
            return statuses(exchange(another, GET, seconds=0.3, answers=1)[0]) == [200]

    wait_for(is_accepted)
    for each in first:
        each.close()
    assert ended(server, "too_many") >= 1


def test_too_many_connections(serve):
    """Another one takes the place of the one that has had no request for the longest time."""
    server = serve(*METRICS, "--max-connections", "3")
    first = [server.connect() for _ in range(3)]
    for each in first:
        assert statuses(exchange(each, GET, seconds=0.3, answers=1)[0]) == [200]
    with server.connect() as fourth:
        assert statuses(exchange(fourth, GET, seconds=0.3, answers=1)[0]) == [200]
        assert exchange(first[0], b"") == (b"", True)
        for each in first[1:]:
            assert statuses(exchange(each, GET, seconds=0.3, answers=1)[0]) == [200]
    assert ended(server, "displaced") == 1
    for each in first:
        each.close()


@pytest.mark.parametrize("soft, hard, connections", [(64, 4096, None), (300, 300, 76), (64, 64, 16)])
def test_the_system_allows_few_open_files(serve, soft, hard, connections):
    """The soft limit is raised; under a low hard one, there are fewer connections, and others are served."""
    server = serve("--max-connections", "500", before=["prlimit", f"--nofile={soft}:{hard}"])
    many = [socket.create_connection(("127.0.0.1", server.port), 60, (f"127.0.1.{1 + number % 50}", 0))
            for number in range(350)]
    assert statuses(exchange(many[-1], GET, seconds=0.3, answers=1)[0]) == [200]
    for each in many:
        each.close()
    words = f"warning: the system allows {hard} open files: --max-connections is {connections}, not 500"
    assert (words in server.words) == (connections is not None), server.words


def test_a_connection_displaced_in_its_handshake(serve):
    server = serve(*METRICS, "--max-connections", "3", "--tls-self-signed", "localhost")
    first = [server.connect() for _ in range(3)]
    for each in first:
        each.sendall(b"\x16\x03\x01")
    wait_for(lambda: server.metrics()["keytool_server_connections_total"] >= 3)
    with server.connect():
        wait_for(lambda: ended(server, "displaced") == 1)
        wait_for(lambda: [exchange(each, b"", seconds=0.1)[1] for each in first].count(True) == 1)
        assert ended(server, "displaced") == 1 and ended(server, "handshake") == 0
    for each in first:
        each.close()


def upload_from(server, address, number, length, body):
    """A connection of another client that has begun an upload."""
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=60, source_address=(address, 0))
    connection.sendall(PUT.replace(b"0123", b"%04d" % number) + b"Content-Length: %d\r\n\r\n" % length + body)
    return connection


def answers_of(connections, count):
    """The statuses that have come by each, as soon as so many have come, and no other one comes soon."""
    received = {each: b"" for each in connections}
    reading = set(connections)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        ready = select.select(reading, [], [], 0.5)[0]
        for each in ready:
            chunk = each.recv(65536)
            received[each] += chunk
            if not chunk:
                reading.remove(each)
        if not ready and sum(map(bool, received.values())) >= count:
            break
    return [statuses(received[each]) for each in connections]


def test_bodies_take_no_more_memory_than_allowed(serve):
    server = serve("--max-body-memory", "1")
    slow = [upload_from(server, f"127.0.0.{number + 1}", number, 400_000, b"a" * 390_000) for number in range(3)]
    answers = answers_of(slow, 1)
    # They are of one network, so one of them ends.
    assert sorted(answers) == [[], [], [408]]
    finished = [statuses(exchange(each, b"a" * 10_000, seconds=0.3, answers=1)[0])
                for each, answer in zip(slow, answers) if not answer]
    assert finished == [[201], [201]]
    for each in slow:
        each.close()
    # All of it was given back.
    for _ in range(5):
        assert curl(f"{server.url}/backups/{ID}", body=b"b" * 500_000).status in (201, 204)
        assert curl(f"{server.url}/backups/{ID}").status == 200


def test_a_client_has_a_share_of_the_memory(serve):
    """A quarter, but at least the largest backup."""
    server = serve("--max-body-memory", "4")
    slow = [upload_from(server, "127.0.0.2", number, 524_288, b"a" * 500_000) for number in range(4)]
    answers = answers_of(slow, 2)
    assert sorted(answers) == [[], [], [503], [503]]
    assert curl(f"{server.url}/backups/{ID}", body=b"b" * 500_000).status == 201
    for each in slow:
        each.close()


def test_an_upload_that_comes_with_its_head_is_answered(serve):
    """Its client has no share left by the time that its head is examined."""
    server = serve("--max-body-memory", "1")
    own, slow = ["--interface", "127.0.0.2"], []

    def has_its_share():
        """Of two uploads the one whose bytes come first has it: the server may have refused the slow one."""
        slow.append(upload_from(server, "127.0.0.2", 0, 524_288, b"a" * 524_287))
        return curl(f"{server.url}/backups/{ID[::-1]}", *own, body=b"b" * 5000).status == 503

    wait_for(has_its_share)
    for end in (False, True):
        with socket.create_connection(("127.0.0.1", server.port), 60, ("127.0.0.2", 0)) as connection:
            received, _ = exchange(
                connection, PUT + b"Content-Length: 5000\r\n\r\n" + b"b" * (5000 if end else 4999), seconds=0.3, answers=1)
            assert statuses(received) == [503] and b"retry-after: 5" in received.lower()
            if end:
                # What follows it is answered, too.
                assert statuses(exchange(connection, GET, seconds=0.3, answers=1)[0]) == [200]
    for each in slow:
        each.close()
    wait_for(lambda: curl(f"{server.url}/backups/{ID}", *own, body=b"b" * 500_000).status == 201)


def test_slow_uploads_of_many_networks_keep_nobody_out(serve):
    """With the standard limits: 31 addresses of each of sixteen networks hold what they can."""
    server = serve("--client-rate", "100000", "--backup-rate", "100000")
    stopping = threading.Event()

    def attack(network):
        held = {}
        while not stopping.is_set():
            for host in range(1, 32):
                try:
                    if host not in held:
                        held[host] = upload_from(server, f"127.0.{100 + network}.{host}", host, 524_288, b"a" * 400_000)
                    held[host].send(b"a" * 100)
                except OSError:
                    held.pop(host, None)
            stopping.wait(0.2)
        for each in held.values():
            each.close()

    attacking = [threading.Thread(target=attack, args=[network]) for network in range(16)]
    for each in attacking:
        each.start()
    try:
        # All that the memory holds has come, and more.
        wait_for(lambda: "--max-body-memory is used up" in server.words)
        other, answers = ["--interface", "127.0.2.1", "-m", "60"], []
        for number in range(50):
            url = f"{server.url}/backups/{number:064x}"
            answers += [curl(url, *other, body=b"b" * 500_000).status, curl(url, *other).status]
    finally:
        stopping.set()
        for each in attacking:
            each.join()
    assert sum(status in (200, 201) for status in answers) >= 99, answers
    assert server.stop() == 0


def test_a_download_with_a_malformed_body_gives_its_memory_back(serve):
    """It is answered without a thread, and its connection ends before the answer."""
    server = serve("--max-body-memory", "1", "--client-rate", "100000", "--backup-rate", "100000")
    assert curl(f"{server.url}/backups/{ID}", body=b"b" * 500_000).status == 201
    for target in (f"/backups/{ID}".encode(), b"/health"):
        head = b"GET " + target + b" HTTP/1.1\r\nHost: x\r\nAccept: */*\r\nTransfer-Encoding: chunked\r\n\r\n"
        for _ in range(100):
            with server.connect() as connection:
                exchange(connection, head + b"2000\r\n" + b"a" * 8192 + b"\r\nno length\r\n", seconds=2)
    assert curl(f"{server.url}/backups/{ID}", body=b"b" * 500_000).status == 204


def test_memory_for_less_than_one_backup_is_refused(tmp_path):
    """Every upload of that length would be answered with 503."""
    sentence = "--max-body-memory is smaller than the largest backup of the store"
    refused = run("serve", "--store", "memory:", "--listen", "127.0.0.1:0", "--max-body-memory", "1",
                  "--max-backup-bytes", "2M")
    assert refused.returncode == 64 and sentence in refused.stderr and "--max-body-memory 2 or more" in refused.stderr
    store = tmp_path / "store"
    (store / "backups").mkdir(parents=True)
    (store / "config").write_text('{"maxBackupBytes": 67108865, "retentionDays": 30}')
    refused = run("serve", "--store", f"file://{store}", "--listen", "127.0.0.1:0")
    assert refused.returncode == 64 and sentence in refused.stderr and "--max-body-memory 65 or more" in refused.stderr


def test_the_memory_may_be_one_backup(serve):
    server = serve("--max-body-memory", "1", "--max-backup-bytes", "1M", store="memory:")
    assert curl(f"{server.url}/backups/{ID}", body=b"x" * (1 << 20)).status == 201
    assert len(curl(f"{server.url}/backups/{ID}").body) == 1 << 20


def test_memory_is_given_back_by_those_who_leave(serve):
    server = serve("--max-body-memory", "1")
    for _ in range(20):
        with server.connect() as connection:
            connection.sendall(PUT + b"Content-Length: 500000\r\n\r\n" + b"a" * 400_000)
            time.sleep(0.05)
    wait_for(lambda: curl(f"{server.url}/backups/{ID}", body=b"b" * 500_000).status in (201, 204))


def test_a_client_that_asks_too_often(serve):
    server = serve("--client-rate", "5")
    answers = [curl(f"{server.url}/config") for _ in range(7)]
    assert [each.status for each in answers] == [200] * 5 + [429] * 2
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 12
    assert curl(f"{server.url}/health").status == 200


def test_a_backup_that_is_asked_for_too_often(serve):
    server = serve("--backup-rate", "3")
    assert [curl(f"{server.url}/backups/{ID}").status for _ in range(8)] == [404] * 6 + [429] * 2
    assert curl(f"{server.url}/backups/{ID[::-1]}").status == 404


def test_many_clients_at_once(serve):
    server = serve("--client-rate", "10000")
    results = []

    def work(number):
        backup = f"{number:064x}"
        for round in range(5):
            body = bytes([number]) * (1000 + round)
            put = curl(f"{server.url}/backups/{backup}", body=body)
            got = curl(f"{server.url}/backups/{backup}")
            results.append(put.status in (201, 204) and got.body == body)

    threads = [threading.Thread(target=work, args=[number]) for number in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert results == [True] * 40 and server.stop() == 0


def test_many_requests_of_one_http2_connection(serve, certificates):
    """curl resets each stream whose answer has no body. It may do so for each request that the throttle allows."""
    server = serve("--tls-self-signed", "localhost", "--client-rate", "10000", "--backup-rate", "10000")
    run = subprocess.run(
        ["curl", "-q", "-sS", "-m", "60", "--http2", "--cacert", server.said["ca_file"], "-w", "%{http_code} %{num_connects}\\n",
         "-o", "/dev/null", f"https://localhost:{server.port}/backups/{'0' * 61}[100-699]"], capture_output=True, text=True)
    lines = [line.split() for line in run.stdout.splitlines()]
    assert run.returncode == 0 and len(lines) == 600 and {status for status, _ in lines} == {"404"}, run.stderr
    assert sum(int(connects) for _, connects in lines) == 1
