"""Start, reload and stop: signals, systemd, locks, sockets, certificates."""

import fcntl
import os
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest

from server import ID, begin_upload, curl, exchange, run, statuses, wait_for

PUT = f"PUT /backups/{ID} HTTP/1.1\r\nHost: x\r\n".encode()


class Manager:
    """systemd's end of the socket."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(path)
        self.socket.settimeout(60)
        self.path = path.replace("\0", "@")

    def next(self):
        return self.socket.recv(4096).decode().split("\n")


@pytest.mark.parametrize("is_abstract", [False, True])
def test_systemd_is_told(serve, tmp_path, is_abstract):
    manager = Manager(f"\0{tmp_path}/notify" if is_abstract else f"{tmp_path}/notify")
    before = time.clock_gettime(time.CLOCK_MONOTONIC)
    server = serve("--tls-self-signed", "localhost", NOTIFY_SOCKET=manager.path)
    assert manager.next() == ["READY=1"]
    assert curl(f"https://localhost:{server.port}/config", "--cacert", server.said["ca_file"]).status == 200
    server.process.send_signal(signal.SIGHUP)
    word, clock = manager.next()
    assert word == "RELOADING=1"
    assert before < int(clock.removeprefix("MONOTONIC_USEC=")) / 1e6 <= time.clock_gettime(time.CLOCK_MONOTONIC)
    assert manager.next() == ["READY=1"]
    assert server.stop() == 0
    assert manager.next() == ["STOPPING=1"]


def test_a_second_server_is_refused(serve):
    server = serve()
    second = run("serve", "--store", f"file://{server.directory}", "--listen", "127.0.0.1:0")
    assert second.returncode == 11 and "another keytool-server process is running" in second.stderr
    server.process.kill()
    server.ended()
    third = serve()
    assert curl(f"{third.url}/config").status == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_waits_for_an_upload(serve, number):
    server = serve()
    with server.connect() as upload, server.connect() as idle:
        begin_upload(upload, PUT + b"Content-Length: 10\r\n", b"hello")
        assert statuses(exchange(idle, b"GET /config HTTP/1.1\r\nHost: x\r\n\r\n", seconds=0.3, answers=1)[0]) == [200]
        server.process.send_signal(number)
        assert exchange(idle, b"") == (b"", True), "an idle connection is closed at once"
        with pytest.raises(OSError):
            wait_for(lambda: server.connect().close())
        assert server.process.poll() is None
        received, is_closed = exchange(upload, b"world")
        assert (statuses(received), is_closed) == ([201], True)
    assert server.ended() == 0
    assert (server.directory / "backups" / ID).read_bytes() == b"helloworld"
    assert server.words.splitlines()[-2:] == ["keytool-server: stopping", "keytool-server: stopped"]


def test_a_stop_does_not_wait_for_ever(serve):
    server = serve()
    with server.connect() as upload:
        begin_upload(upload, PUT + b"Content-Length: 10\r\n", b"hello")
        start = time.monotonic()
        assert server.stop() == 0
        assert 9 < time.monotonic() - start
        assert exchange(upload, b"") == (b"", True)
    assert "some requests were cut off" in server.words and list((server.directory / "backups").iterdir()) == []


def test_a_stop_under_http2(serve):
    server = serve("--tls-self-signed", "localhost", "--metrics-listen", "127.0.0.1:0")
    results = []

    def put():
        results.append(curl(f"https://localhost:{server.port}/backups/{ID}", "--http2", "--cacert",
                            server.said["ca_file"], "--limit-rate", "20k", body=b"x" * 60_000))

    thread = threading.Thread(target=put)
    thread.start()
    wait_for(lambda: server.metrics()["keytool_server_connections_total"] == 1)
    time.sleep(1)
    assert server.stop() == 0
    thread.join()
    assert [(each.status, each.version) for each in results] == [(201, "2")]


def test_reload_of_a_certificate(serve, certificates, tmp_path):
    certificate, key = tmp_path / "server.crt", tmp_path / "server.key"

    def install(which):
        certificate.write_bytes(which.path.read_bytes())
        key.write_bytes(which.key.read_bytes())

    def pin():
        command = ["openssl", "s_client", "-connect", f"127.0.0.1:{server.port}", "-servername", "localhost"]
        shown = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True).stdout
        key = subprocess.run(["openssl", "x509", "-pubkey", "-noout"], input=shown, capture_output=True).stdout
        return key

    def asks(which):
        return curl(f"https://localhost:{server.port}/config", "--cacert", certificates.authority.path, "--pinnedpubkey",
                    which.pin).status == 200

    install(certificates.good)
    server = serve("--tls-certificate", certificate, "--tls-key", key)
    assert server.said["pin"] == certificates.good.pin and "ca_file" not in server.said
    setup = f"keytool safe setup --server https://HOST:{server.port}/NAME --server-user NAME"
    assert server.said["setup"] == [setup]
    assert asks(certificates.good)
    first = pin()
    install(certificates.renewed)
    assert pin() == first
    server.process.send_signal(signal.SIGHUP)
    wait_for(lambda: "the certificate was read again" in server.words)
    assert pin() != first and asks(certificates.renewed)
    # One that cannot be used changes nothing.
    for content, sentence in [(b"", "no usable certificate (PEM) in --tls-certificate FILE"),
                              (certificates.good.path.read_bytes(), "is not that of the certificate")]:
        certificate.write_bytes(content)
        server.process.send_signal(signal.SIGHUP)
        wait_for(lambda: f"the present certificate stays in use: " in server.words and sentence in server.words)
        assert asks(certificates.renewed)
    assert server.stop() == 0


def test_tls_versions(serve):
    server = serve("--tls-self-signed", "localhost")
    url, trust = f"https://localhost:{server.port}/config", ["--cacert", server.said["ca_file"]]
    assert curl(url, *trust, "--tlsv1.2", "--tls-max", "1.2").status == 200
    assert curl(url, *trust, "--tlsv1.3").status == 200
    old = subprocess.run(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{server.port}", "-tls1_1", "-cipher", "ALL:@SECLEVEL=0"],
        stdin=subprocess.DEVNULL, capture_output=True)
    assert old.returncode != 0


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1"])
def test_a_self_signed_certificate_stays(serve, name):
    first = serve("--tls-self-signed", name)
    files = {each.name: each.read_bytes() for each in (first.directory / "tls").iterdir()}
    assert set(files) == {"authority.pem", "certificate.pem", "key.pem"}
    assert [oct(path.stat().st_mode)[-3:] for path in
            (first.directory / "tls", first.directory / "tls/key.pem")] == ["700", "600"]
    assert first.stop() == 0
    second = serve("--tls-self-signed", name)
    assert {each.name: each.read_bytes() for each in (second.directory / "tls").iterdir()} == files
    assert second.said["pin"] == first.said["pin"]
    assert curl(f"https://{name}:{second.port}/config", "--cacert", second.said["ca_file"]).status == 200


def test_a_self_signed_certificate_of_several_names(serve):
    """One more name makes another certificate of the same key and authority."""
    first = serve("--tls-self-signed", "localhost")
    pin, authority = first.said["pin"], (first.directory / "tls/authority.pem").read_bytes()
    assert first.stop() == 0
    server = serve("--tls-self-signed", "localhost,127.0.0.1,nas.example.net")
    assert server.said["pin"] == pin and (server.directory / "tls/authority.pem").read_bytes() == authority
    assert "https://localhost:" in server.said["setup"][0]
    for name in ("localhost", "127.0.0.1"):
        assert curl(f"https://{name}:{server.port}/config", "--cacert", server.said["ca_file"]).status == 200
    resolved = f"nas.example.net:{server.port}:127.0.0.1"
    assert curl(f"https://nas.example.net:{server.port}/config", "--resolve", resolved, "--cacert",
                server.said["ca_file"]).status == 200
    for names in ("localhost,", "localhost,,x", "localhost, x"):
        refused = run("serve", "--store", f"file://{server.directory}-2", "--listen", "127.0.0.1:0",
                      "--tls-self-signed", names)
        assert refused.returncode == 64 and "in --tls-self-signed is neither" in refused.stderr, refused


def test_a_name_that_was_taken_out_of_a_certificate(serve):
    """It is valid no more. Another order, and a name that stands there twice, make no other certificate."""
    first = serve("--tls-self-signed", "localhost,127.0.0.1,::1")
    certificate = first.directory / "tls/certificate.pem"
    before = certificate.read_bytes()
    assert first.stop() == 0
    same = serve("--tls-self-signed", "0:0::1,LOCALHOST,127.0.0.1,localhost")
    assert certificate.read_bytes() == before and same.stop() == 0
    second = serve("--tls-self-signed", "localhost,::1")
    assert second.said["pin"] == first.said["pin"]
    assert curl(f"https://localhost:{second.port}/config", "--cacert", second.said["ca_file"]).status == 200
    refused = subprocess.run(
        ["curl", "-q", "-sS", "--cacert", second.said["ca_file"], f"https://127.0.0.1:{second.port}/config"],
        capture_output=True, timeout=60)
    assert refused.returncode == 60, refused


def test_a_store_below_a_directory_that_is_missing(tmp_path):
    refused = run("serve", "--store", f"file://{tmp_path}/absent/store", "--listen", "127.0.0.1:0")
    assert refused.returncode == 66 and "the directory above it is missing" in refused.stderr, refused
    assert "hint: make it, or mount its disk" in refused.stderr and list(tmp_path.iterdir()) == []


def test_a_store_that_is_a_link_to_nothing(tmp_path):
    """For example to a disk that is not mounted."""
    (tmp_path / "store").symlink_to("absent")
    refused = run("serve", "--store", f"file://{tmp_path}/store", "--listen", "127.0.0.1:0")
    assert refused.returncode == 66, refused
    assert f"{tmp_path}/store is a symbolic link to a directory that is missing" in refused.stderr, refused.stderr
    assert "hint: make it, or mount its disk" in refused.stderr and not (tmp_path / "absent").exists()


def test_an_ipv4_address_in_the_form_of_ipv6(serve):
    first = serve("--tls-self-signed", "::ffff:127.0.0.1")
    certificate = first.directory / "tls/certificate.pem"
    before = certificate.read_bytes()
    assert first.stop() == 0
    second = serve("--tls-self-signed", "::ffff:127.0.0.1")
    assert certificate.read_bytes() == before
    assert curl(f"https://127.0.0.1:{second.port}/config", "--cacert", second.said["ca_file"]).status == 200


def test_a_renewed_self_signed_certificate_has_the_same_key(serve, tmp_path):
    """A client needs no other file."""
    first = serve("--tls-self-signed", "127.0.0.1")
    authority = tmp_path / "old.pem"
    authority.write_bytes((first.directory / "tls/authority.pem").read_bytes())
    certificate = (first.directory / "tls/certificate.pem").read_bytes()
    assert first.stop() == 0
    second = serve("--tls-self-signed", "localhost")
    assert second.said["pin"] == first.said["pin"]
    assert (second.directory / "tls/certificate.pem").read_bytes() != certificate
    for file in (authority, second.said["ca_file"]):
        assert curl(f"https://localhost:{second.port}/config", "--cacert", file).status == 200


def test_a_self_signed_certificate_is_renewed_in_time(serve):
    """Here by a server whose clock is ahead."""
    first = serve("--tls-self-signed", "localhost")
    certificate = first.directory / "tls/certificate.pem"
    before, authority = certificate.read_bytes(), (first.directory / "tls/authority.pem").read_bytes()
    assert first.stop() == 0
    for days, changes in [(500, False), (600, True)]:
        # faketime is preloaded: only the wall clock moves.
        library = next(Path("/usr/lib").rglob("libfaketimeMT.so.1"))
        second = serve("--tls-self-signed", "localhost", LD_PRELOAD=str(library), FAKETIME=f"+{days}d",
                       FAKETIME_DONT_FAKE_MONOTONIC="1")
        assert second.said["pin"] == first.said["pin"]
        assert second.stop() == 0
        # The server ends without the library's clean-up, and another process may get its number.
        for left in Path("/dev/shm").glob(f"*faketime_*_{second.process.pid}"):
            left.unlink()
        assert (certificate.read_bytes() != before) == changes
    assert (first.directory / "tls/authority.pem").read_bytes() == authority
    subprocess.run(["openssl", "verify", "-x509_strict", "-attime", str(int(time.time()) + 600 * 86400), "-CAfile",
                    first.directory / "tls/authority.pem", certificate], check=True, capture_output=True)


def other_key():
    key = subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout"], capture_output=True)
    pkcs8 = ["openssl", "pkcs8", "-topk8", "-nocrypt"]
    return subprocess.run(pkcs8, input=key.stdout, capture_output=True, check=True).stdout


def made(*options):
    """A private key: PKCS #8, PEM."""
    return lambda: subprocess.run(["openssl", "genpkey", *options], capture_output=True, check=True).stdout


CURVE = "ec_paramgen_curve:"
P256_WITH_PASSPHRASE = made("-algorithm", "EC", "-pkeyopt", CURVE + "P-256", "-aes256", "-pass", "pass:secret")
P384 = made("-algorithm", "EC", "-pkeyopt", CURVE + "P-384")


@pytest.mark.parametrize("is_certificate_there", [True, False])
@pytest.mark.parametrize("name, content, sentence", [
    ("key.pem", lambda: b"damaged\n", "tls/key.pem in the store's directory is damaged"),
    ("key.pem", P256_WITH_PASSPHRASE, "tls/key.pem in the store's directory is damaged"),
    ("key.pem", P384, "tls/key.pem in the store's directory is damaged"),
    ("key.pem", made("-algorithm", "RSA"), "tls/key.pem in the store's directory is damaged"),
    ("key.pem", other_key, "tls/key.pem in the store's directory is not the key of tls/authority.pem"),
    ("authority.pem", lambda: b"damaged\n", "tls/authority.pem in the store's directory is damaged"),
], ids=["damaged key", "key with a passphrase", "key on another curve", "RSA key", "other key", "damaged authority"])
def test_damaged_files_of_a_self_signed_certificate(serve, name, content, sentence, is_certificate_there):
    server = serve("--tls-self-signed", "localhost")
    assert server.stop() == 0
    tls = server.directory / "tls"
    (tls / name).write_bytes(content())
    if not is_certificate_there:
        (tls / "certificate.pem").unlink()
    before = {path.name: path.read_bytes() for path in tls.iterdir()}
    refused = run("serve", "--store", f"file://{server.directory}", "--listen", "127.0.0.1:0", "--tls-self-signed",
                  "localhost")
    assert refused.returncode == 65 and sentence in refused.stderr and "--tls-key" not in refused.stderr
    assert {path.name: path.read_bytes() for path in tls.iterdir()} == before
    # The hint helps.
    for path in tls.iterdir() if name == "key.pem" else [tls / name]:
        path.unlink()
    again = serve("--tls-self-signed", "localhost")
    assert curl(f"https://localhost:{again.port}/config", "--cacert", again.said["ca_file"]).status == 200


def test_a_renewal_that_fails_is_logged(serve):
    """The first one comes with the first sweep, which here waits for a lock."""
    server = serve("--tls-self-signed", "localhost")
    assert server.stop() == 0
    backup = server.directory / "backups" / ID
    for path, days in [(backup, 300), *((backup.with_name(f"{number:064x}"), 0) for number in range(20))]:
        path.write_bytes(b"x")
        os.utime(path, (time.time() - days * 86_400,) * 2)
    lock = os.open(server.directory / "backups", os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    again = serve("--tls-self-signed", "localhost")
    (server.directory / "tls/key.pem").write_bytes(b"damaged\n")
    os.close(lock)
    wait_for(lambda: "warning: the self-signed certificate was not renewed: tls/key.pem" in again.words)
    assert curl(f"https://localhost:{again.port}/config", "--cacert", again.said["ca_file"]).status == 200


def test_a_certificate_of_another_key_is_made_again(serve, certificates):
    server = serve("--tls-self-signed", "localhost")
    assert server.stop() == 0
    (server.directory / "tls/certificate.pem").write_bytes(certificates.good.path.read_bytes())
    again = serve("--tls-self-signed", "localhost")
    assert again.said["pin"] == server.said["pin"]
    assert curl(f"https://localhost:{again.port}/config", "--cacert", again.said["ca_file"]).status == 200


def test_a_unix_socket(serve, tmp_path):
    path = f"{tmp_path}/s"
    server = serve(listen=f"unix:{path}")
    assert server.said["listening"] == f"unix:{path}"
    assert oct(os.stat(path).st_mode)[-3:] == "660"
    assert curl("http://x/config", "--unix-socket", path).status == 200
    second = run("serve", "--store", f"file://{tmp_path}/other", "--listen", f"unix:{path}")
    assert second.returncode == 69 and "another program is listening" in second.stderr
    server.process.kill()
    server.ended()
    # The socket of a server that was killed is replaced, and that of one that stopped is gone.
    again = serve(listen=f"unix:{path}")
    assert curl("http://x/config", "--unix-socket", path).status == 200
    assert again.stop() == 0 and not os.path.exists(path)


def test_the_socket_of_the_next_server_stays(serve, tmp_path):
    """It starts while the first one still waits for an upload."""
    path = f"{tmp_path}/s"
    first = serve(listen=f"unix:{path}", store="memory:")
    with socket.socket(socket.AF_UNIX) as upload:
        upload.connect(path)
        begin_upload(upload, PUT + b"Content-Length: 10\r\n", b"hello")
        first.process.send_signal(signal.SIGTERM)
        wait_for(lambda: not os.path.exists(path))
        second = serve(listen=f"unix:{path}", store="memory:")
        assert statuses(exchange(upload, b"world", seconds=0.3, answers=1)[0]) == [201]
    assert first.ended() == 0
    assert curl("http://x/config", "--unix-socket", path).status == 200
    assert second.stop() == 0 and not os.path.exists(path)


def test_a_start_that_fails_leaves_no_socket(serve, tmp_path):
    """The address of the metrics is in use."""
    other = serve()
    path = tmp_path / "s"
    refused = run("serve", "--store", "memory:", "--listen", f"unix:{path}", "--metrics-listen",
                  f"127.0.0.1:{other.port}")
    assert refused.returncode == 69 and not path.exists()


def test_a_file_in_the_place_of_the_socket_stays(serve, tmp_path):
    path = tmp_path / "s"
    path.write_text("precious")
    refused = run("serve", "--store", f"file://{tmp_path}/store", "--listen", f"unix:{path}")
    assert refused.returncode == 17 and path.read_text() == "precious"


def test_an_address_in_use(serve):
    server = serve()
    second = run("serve", "--store", f"file://{server.directory}-2", "--listen", f"127.0.0.1:{server.port}")
    assert second.returncode == 69 and "another program is listening on 127.0.0.1:" in second.stderr


def test_ipv6(serve):
    server = serve(listen="[::1]:0")
    assert server.url.startswith("http://[::1]:") and curl(f"{server.url}/config").status == 200


def test_limits_of_the_directory(serve, tmp_path):
    store = tmp_path / "store"
    store.mkdir()
    (store / "backups").mkdir()
    (store / "config").write_text('{"maxBackupBytes": 1000, "retentionDays": 30}')
    server = serve()
    assert curl(f"{server.url}/config").body == b'{"maxBackupBytes":1000,"retentionDays":30}'
    assert curl(f"{server.url}/backups/{ID}", body=b"x" * 1001).status == 413
    assert curl(f"{server.url}/backups/{ID}", body=b"x" * 1000).status == 201


def test_a_directory_of_something_else(tmp_path):
    (tmp_path / "letter").write_text("dear")
    refused = run("serve", "--store", f"file://{tmp_path}", "--listen", "127.0.0.1:0")
    assert refused.returncode == 17 and os.listdir(tmp_path) == ["letter"]


def test_metrics_and_health(serve):
    server = serve("--metrics-listen", "127.0.0.1:0")
    assert curl(f"{server.url}/health").body == b"ok\n"
    assert curl(f"{server.url}/metrics").status == 404, "not for clients"
    curl(f"{server.url}/backups/{ID}", body=b"x" * 1000)
    curl(f"{server.url}/backups/{ID}")
    metrics = server.metrics()
    assert metrics['keytool_server_requests_total{method="PUT",subject="backup",status="201"}'] == 1
    assert metrics['keytool_server_requests_total{method="GET",subject="backup",status="200"}'] == 1
    assert (metrics["keytool_server_received_bytes_total"], metrics["keytool_server_sent_bytes_total"]) == (1000, 1003)
    assert metrics["keytool_server_request_seconds_count"] == 4
    wait_for(lambda: server.metrics().get("keytool_server_stored_backups") == 0)
    text = curl(f"http://{server.said['metrics']}/metrics")
    assert text.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8" and ID.encode() not in text.body
    assert curl(f"http://{server.said['metrics']}/metrics", "-X", "POST").status == 405
    assert curl(f"http://{server.said['metrics']}/config").status == 404


def test_what_is_measured(serve, tmp_path):
    server = serve("--metrics-listen", "127.0.0.1:0", "--tls-self-signed", "localhost")
    metrics = server.metrics()
    space = os.statvfs(server.directory)
    assert abs(metrics["keytool_server_free_bytes"] - space.f_bavail * space.f_frsize) < 1 << 30
    days = (metrics["keytool_server_certificate_end_timestamp_seconds"] - time.time()) / 86_400
    assert 822 < days < 825
    memory = serve("--metrics-listen", "127.0.0.1:0", store="memory:").metrics()
    assert not {"keytool_server_free_bytes", "keytool_server_certificate_end_timestamp_seconds"} & set(memory)


def test_accounts_in_the_metrics(serve, tmp_path):
    """Only if they are asked for."""
    password = tmp_path / "password"
    password.write_text("correct horse\n")
    password.chmod(0o600)
    for name in ("alice", "bob"):
        added = run("account", "add", name, "--account-password-file", password, "--store", f"file://{tmp_path}/store")
        assert added.returncode == 0, added.stderr
    server = serve("--metrics-listen", "127.0.0.1:0")
    for id, body in ((ID, b"x" * 1000), (ID[::-1], b"x" * 24)):
        assert curl(f"{server.url}/alice/backups/{id}", "-u", "alice:correct horse", body=body).status == 201
    assert not [name for name in server.metrics() if "account" in name]
    assert server.stop() == 0
    server = serve("--metrics-listen", "127.0.0.1:0", "--metrics-accounts")
    metrics = server.metrics()
    assert {name: value for name, value in metrics.items() if "account" in name} == {
        'keytool_server_account_backups{account="alice"}': 2, 'keytool_server_account_backups{account="bob"}': 0,
        'keytool_server_account_bytes{account="alice"}': 1024, 'keytool_server_account_bytes{account="bob"}': 0,
        'keytool_server_unreadable_accounts': 0}
    # One that cannot be read leaves the others.
    assert server.stop() == 0
    (tmp_path / "store/accounts/alice/backups").rename(tmp_path / "away")
    (tmp_path / "store/accounts/alice/backups").write_bytes(b"")
    metrics = serve("--metrics-listen", "127.0.0.1:0", "--metrics-accounts").metrics()
    assert {name: value for name, value in metrics.items() if "account" in name} == {
        'keytool_server_account_backups{account="bob"}': 0, 'keytool_server_account_bytes{account="bob"}': 0,
        'keytool_server_unreadable_accounts': 1}
    for options, words in ((["--listen", "127.0.0.1:0"], "requires --metrics-listen"),
                           (["--store", "memory:", "--metrics-listen", "127.0.0.1:0"], "needs a store that is a directory")):
        refused = run("serve", "--store", f"file://{tmp_path}/store", "--metrics-accounts", *options)
        assert refused.returncode == 64 and f"--metrics-accounts {words}" in refused.stderr, refused


def test_wrong_logins_are_counted(serve, tmp_path):
    """A request without a login is asked for one: that is no failure."""
    server = serve("--metrics-listen", "127.0.0.1:0")
    password = tmp_path / "password"
    password.write_text("correct horse\n")
    password.chmod(0o600)
    added = run("account", "add", "alice", "--account-password-file", password, "--store", f"file://{server.directory}")
    assert added.returncode == 0, added.stderr
    url = f"{server.url}/alice/config"
    logins = [[], ["-u", "alice:correct horse"], ["-u", "alice:a guess"], ["-u", "bob:correct horse"]]
    assert [curl(url, *login).status for login in logins] == [401, 200, 401, 401]
    wait_for(lambda: server.metrics()["keytool_server_failed_logins_total"] == 2)


def test_previous_backups(serve):
    server = serve()
    for body in (b"one", b"two", b"three"):
        curl(f"{server.url}/backups/{ID}", body=body)
    previous = server.directory / "previous"
    assert sorted(each.read_bytes() for each in previous.glob(f"{ID[:2]}/*")) == [b"one", b"two"]
    assert server.stop() == 0
    server = serve("--keep-previous", "0s", "--metrics-listen", "127.0.0.1:0")
    wait_for(lambda: server.metrics()["keytool_server_expired_previous_backups_total"] == 2)
    curl(f"{server.url}/backups/{ID}", body=b"four")
    assert list(previous.glob("*/*")) == []


def test_a_sweep_that_looks_wrong(serve, tmp_path):
    """All backups are old: that is a wrong clock, or a restored disk."""
    store = tmp_path / "store"
    (store / "backups").mkdir(parents=True)
    (store / "config").write_text('{"maxBackupBytes": 1000, "retentionDays": 30}')
    (store / "backups" / ID).write_bytes(b"old")
    os.utime(store / "backups" / ID, (1_500_000_000, 1_500_000_000))
    now = int(time.time() * 1000)
    (store / "clock").write_text(f'{{"sum":{now},"wall":{now}}}')
    server = serve("--metrics-listen", "127.0.0.1:0")
    wait_for(lambda: server.metrics()["keytool_server_sweep_suspicious"] == 1)
    # The log has a thread of its own.
    wait_for(lambda: "the sweep of old backups deleted nothing: 1 of 1 backup would expire at once" in server.words)
    text = curl(f"http://{server.said['metrics']}/metrics").body.decode()
    assert "# HELP keytool_server_sweep_suspicious 1 if the last sweep has deleted nothing because a clock or the " \
        "number of expired backups looks wrong.\n" in text
    assert (store / "backups" / ID).read_bytes() == b"old"


SLEEP = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, time);
    if (result == 0 && (clock == CLOCK_BOOTTIME || clock == CLOCK_REALTIME) && access(getenv("SLEPT"), F_OK) == 0)
        time->tv_sec += 3600;
    return result;
}
"""


def test_a_machine_that_sleeps(serve, tmp_path):
    """After an hour of sleep, a client may ask again: the clock has gone on."""
    library = tmp_path / "sleep.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library], input=SLEEP, text=True, check=True)
    slept = tmp_path / "slept"
    server = serve("--client-rate", "3", LD_PRELOAD=str(library), SLEPT=str(slept))
    assert [curl(f"{server.url}/config").status for _ in range(4)] == [200] * 3 + [429]
    slept.touch()
    assert [curl(f"{server.url}/config").status for _ in range(4)] == [200] * 3 + [429]
