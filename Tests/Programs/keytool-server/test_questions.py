"""The questions that were put to five WebDAV servers, put to this one over HTTP/1.1 and HTTP/2; and what the apps send."""

import hashlib
import json
import os
import random
import re
import time

import pytest

from server import ID, MAX_BYTES, curl, exchange, statuses, trusting, wait_for

BACKUP = b"an encrypted backup" * 100
TYPE = ["-H", "Content-Type: application/octet-stream"]


@pytest.fixture(params=["--http1.1", "--http2"])
def ask(request, serve):
    """ask(path, *options, body=None), over TLS."""
    server = serve("--tls-self-signed", "localhost", "--log-requests")
    base = f"https://localhost:{server.port}"

    def ask(path, *options, body=None, ok=True):
        answer = curl(base + path, request.param, "--cacert", server.said["ca_file"], "--path-as-is", *options,
                      body=body, ok=ok)
        assert not ok or answer.version == request.param[len("--http"):].rstrip("."), answer
        return answer

    ask.directory, ask.server = server.directory, server
    return ask


def backups(ask):
    return {path.name: path.read_bytes() for path in (ask.directory / "backups").iterdir()}


def test_config(ask):
    answer = ask("/config")
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    assert answer.body == b'{"maxBackupBytes":524288,"retentionDays":180}'
    assert re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", answer.headers["date"])
    assert "server" not in answer.headers and "content-encoding" not in answer.headers


def test_config_is_not_compressed(ask):
    answer = ask("/config", "-H", "Accept-Encoding: gzip")
    assert answer.status == 200 and "content-encoding" not in answer.headers


def test_put_get_delete(ask):
    assert ask(f"/backups/{ID}").status == 404
    assert ask(f"/backups/{ID}", *TYPE, body=BACKUP).status == 201
    again = ask(f"/backups/{ID}", *TYPE, body=BACKUP + b"!")
    assert again.status == 204 and re.fullmatch('"[0-9a-f]{32}"', again.headers["etag"])
    got = ask(f"/backups/{ID}", "-H", "Accept: application/octet-stream")
    assert (got.status, got.body, got.headers["etag"]) == (200, BACKUP + b"!", again.headers["etag"])
    assert got.headers["content-type"] == "application/octet-stream" and got.headers["cache-control"] == "no-store"
    assert ask(f"/backups/{ID}").body == BACKUP + b"!", "GET without Accept"
    head = ask(f"/backups/{ID}", "-I")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", str(len(BACKUP) + 1))
    assert backups(ask) == {ID: BACKUP + b"!"}
    assert [ask(f"/backups/{ID}", "-X", "DELETE").status for _ in range(2)] == [204, 404]
    assert ask(f"/backups/{ID}").status == 404 and backups(ask) == {}


def test_chunked_put(ask):
    answer = ask(f"/backups/{ID}", *TYPE, "-T", "/etc/hostname", "-H", "Content-Length:", "-H",
                 "Transfer-Encoding: chunked")
    assert answer.status == 201 and set(backups(ask)) == {ID}


def test_largest_and_one_more(ask):
    assert ask(f"/backups/{ID}", *TYPE, body=b"x" * MAX_BYTES).status == 201
    assert ask(f"/backups/{ID}", *TYPE, body=b"y" * (MAX_BYTES + 1)).status == 413
    assert ask(f"/backups/{ID}", *TYPE, body=b"y" * (5 * MAX_BYTES), ok=False).status == 413
    assert backups(ask) == {ID: b"x" * MAX_BYTES}
    assert ask("/config").status == 200


@pytest.mark.parametrize("length", [1, 61_439, 61_440, 61_441, 122_881, MAX_BYTES])
def test_a_download_is_what_was_uploaded(ask, length):
    """Long answers are sent in pieces."""
    body = random.Random(length).randbytes(length)
    assert ask(f"/backups/{ID}", *TYPE, body=body).status == 201
    got = [ask(f"/backups/{ID}") for _ in range(2)]
    assert [(each.body == body, each.headers["content-length"]) for each in got] == [(True, str(length))] * 2


def test_a_backup_that_another_program_changes_has_another_tag(ask):
    """The server does not hash a file again that has not changed. One of the same length and time may have."""
    def tag(body):
        return '"' + hashlib.sha256(body).hexdigest()[:32] + '"'

    ask(f"/backups/{ID}", *TYPE, body=BACKUP)
    # A file that has changed just now is not remembered.
    time.sleep(3.1)
    assert [ask(f"/backups/{ID}").headers["etag"] for _ in range(2)] == [tag(BACKUP)] * 2
    file = ask.directory / "backups" / ID
    status = file.stat()
    with file.open("r+b") as opened:
        opened.write(BACKUP.swapcase())
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    got = ask(f"/backups/{ID}")
    assert (got.body, got.headers["etag"]) == (BACKUP.swapcase(), tag(BACKUP.swapcase()))
    again = ask(f"/backups/{ID}", "-H", f"If-Match: {tag(BACKUP)}", *TYPE, body=b"other")
    assert again.status == 412, "a write hashes what it finds"


def test_oversize_without_a_length(ask, tmp_path):
    file = tmp_path / "large"
    file.write_bytes(b"z" * (MAX_BYTES + 1))
    answer = ask(f"/backups/{ID}", "-T", file, "-H", "Content-Length:", "-H", "Transfer-Encoding: chunked")
    assert answer.status == 413 and backups(ask) == {}


@pytest.mark.parametrize("options, status", [
    (["-H", "Content-Type: text/plain"], 400), ([], 201), (["-H", "Content-Range: bytes 0-9/100"], 400),
    (["-H", "Content-Encoding: gzip"], 400), (["-H", "If-None-Match: *"], 201), (["-H", "If-Match: *"], 412),
    (["-H", "If-Match: broken"], 400),
])
def test_put(ask, options, status):
    assert ask(f"/backups/{ID}", *options, body=BACKUP).status == status
    assert set(backups(ask)) == ({ID} if status == 201 else set())


def test_empty_put(ask):
    assert ask(f"/backups/{ID}", *TYPE, body=b"").status == 400 and backups(ask) == {}


def test_conditions_on_an_existing_backup(ask):
    tag = ask(f"/backups/{ID}", *TYPE, body=BACKUP).headers["etag"]
    assert ask(f"/backups/{ID}", "-H", "If-None-Match: *", body=b"other").status == 412
    assert ask(f"/backups/{ID}", "-H", 'If-Match: "00000000000000000000000000000000"', body=b"other").status == 412
    assert ask(f"/backups/{ID}", "-H", 'If-Match: "0"', "-X", "DELETE").status == 412
    assert backups(ask) == {ID: BACKUP}
    assert ask(f"/backups/{ID}", "-H", f"If-Match: {tag}", body=b"other").status == 204
    assert backups(ask) == {ID: b"other"}


def test_ranges_are_ignored(ask):
    ask(f"/backups/{ID}", *TYPE, body=BACKUP)
    answer = ask(f"/backups/{ID}", "-H", "Range: bytes=0-3")
    assert (answer.status, answer.body, answer.headers["accept-ranges"]) == (200, BACKUP, "none")


@pytest.mark.parametrize("path, status", [
    (f"/backups/{ID.upper()}", 400), (f"/backups/{ID[1:]}", 400), (f"/backups/{ID}0", 400), (f"/backups/{ID}/", 400),
    (f"/backups/../config", 400), (f"/backups/..%2fconfig", 400), (f"/backups/%30{ID[1:]}", 400),
    (f"/backups/{ID}?x", 400), (f"//backups/{ID}", 404), (f"/other/{ID}", 404), (f"/a/backups/{ID}", 404),
    ("/config", 405), ("/backups/", 405), ("/", 404), ("/health/x", 404),
])
def test_put_elsewhere(ask, path, status):
    def stored():
        """Without the store's clock, which the first sweep writes."""
        return sorted(each for each in ask.directory.rglob("*") if "clock" not in each.name)

    before = stored()
    assert ask(path, *TYPE, body=BACKUP).status == status
    assert stored() == before


@pytest.mark.parametrize("method", ["GET", "PROPFIND", "DELETE", "MKCOL", "OPTIONS", "POST", "PATCH", "MOVE", "COPY"])
def test_nothing_lists_or_deletes_all(ask, method):
    ask(f"/backups/{ID}", *TYPE, body=BACKUP)
    for path, status in [("/backups/", 405), ("/backups", 404)]:
        answer = ask(path, "-X", method)
        assert answer.status == status and ID.encode() not in answer.body
    if method not in ("GET", "DELETE"):
        answer = ask(f"/backups/{ID}", "-X", method)
        assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD, PUT, DELETE")
    assert backups(ask) == {ID: BACKUP}


def test_accept(ask):
    ask(f"/backups/{ID}", *TYPE, body=BACKUP)
    assert ask("/config", "-H", "Accept: text/html").status == 400
    assert ask(f"/backups/{ID}", "-H", "Accept: application/json").status == 400
    assert ask("/config", "-H", "Accept: application/*").status == 200


def test_a_reset_in_the_middle_of_a_body_changes_nothing(ask):
    ask(f"/backups/{ID}", *TYPE, body=BACKUP)
    tls = trusting(ask.server).wrap_socket(ask.server.connect(), server_hostname="localhost")
    tls.sendall(f"PUT /backups/{ID} HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n".encode() + b"z" * 200_000)
    tls.close()
    assert ask(f"/backups/{ID}").body == BACKUP and list(backups(ask)) == [ID]


def test_the_log_names_no_id_and_no_address(ask):
    ask(f"/backups/{ID}", *TYPE, body=BACKUP)
    ask(f"/backups/{ID}")
    ask("/config")
    ask("/strange/path")
    wait_for(lambda: ask.server.words.count("\n") == 4)
    lines = [json.loads(line) for line in ask.server.words.splitlines()]
    assert [(line["method"], line["subject"], line["status"]) for line in lines] == [
        ("PUT", "backup", 201), ("GET", "backup", 200), ("GET", "config", 200), ("GET", "other", 404)]
    assert not {ID, "strange", "127.0.0.1"} & set(re.findall(r"[\w.]+", ask.server.words))


# What the apps send. Each is one request on a connection of its own or the next of the same.
APPS = {
    "Android": {"User-Agent": "Threema", "Accept-Encoding": "gzip", "Connection": "Keep-Alive"},
    "iOS": {"User-Agent": "Threema", "Accept-Encoding": "gzip, deflate, br", "Accept-Language": "de-DE;q=1.0"},
    "Desktop": {"User-Agent": "Threema Desktop/2.0 (consumer, live)", "Accept-Encoding": "gzip"},
}


@pytest.mark.parametrize("app", APPS)
def test_the_apps(ask, app):
    common = [word for name, value in APPS[app].items() for word in ("-H", f"{name}: {value}")]
    assert ask("/config", *common, "-H", "Accept: application/json").status == 200
    put = [*common, *TYPE, "-H", "Accept:"]
    assert [ask(f"/backups/{ID}", *put, body=BACKUP).status for _ in range(2)] == [201, 204]
    assert ask(f"/backups/{ID}", *common, "-H", "Accept: application/octet-stream").body == BACKUP
    assert ask(f"/backups/{ID}", *common, "-H", "Accept:", "-X", "DELETE").status == 204


def test_plain_http_on_the_tls_port(serve):
    server = serve("--tls-self-signed", "localhost")
    with server.connect() as connection:
        received, is_closed = exchange(connection, b"GET /config HTTP/1.1\r\nHost: x\r\n\r\n")
    assert is_closed and statuses(received) == []
