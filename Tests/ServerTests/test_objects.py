"""A store on an S3 server: another process with a verification of signatures of its own. One in memory."""

import subprocess
import sys
from pathlib import Path

import pytest

from server import ID, curl, run

OTHER = "f" * 64


class Objects:
    """The S3 server, and the options that lead to it."""

    def __init__(self, directory, certificate):
        pem = directory / "s3.pem"
        pem.write_bytes(certificate.path.read_bytes() + certificate.key.read_bytes())
        key = directory / "s3-secret-key"
        key.write_text("a secret key\n")
        key.chmod(0o600)
        script = Path(__file__).with_name("s3server.py")
        self.process = subprocess.Popen(
            [sys.executable, script, "-", pem], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        port = int(self.process.stdout.readline())
        self.store = f"s3://localhost:{port}/safe"
        self.key = key
        self.options = ["--s3-access-key", "test:key", "--s3-secret-key-file", key,
                        "--s3-ca-file", certificate.authority.path]

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture
def objects(certificates, tmp_path):
    objects = Objects(tmp_path, certificates.good)
    yield objects
    objects.stop()


def backup(server, id=ID):
    return f"{server.url}/backups/{id}"


def test_two_servers_share_the_backups(serve, objects):
    first = serve(*objects.options, store=objects.store)
    second = serve(*objects.options, store=objects.store)
    assert curl(backup(first), body=b"one").status == 201
    found = curl(backup(second))
    assert (found.status, found.body) == (200, b"one")
    assert curl(backup(second), body=b"two").status == 204
    assert curl(backup(first)).body == b"two"
    assert curl(backup(first), "-X", "DELETE").status == 204
    assert [curl(backup(each)).status for each in (first, second)] == [404, 404]
    assert curl(backup(second), "-X", "DELETE").status == 404
    assert [each.stop() for each in (first, second)] == [0, 0]


def test_the_limits_are_options(serve, objects):
    server = serve(*objects.options, "--max-backup-bytes", "1K", "--retention-days", "90", store=objects.store)
    assert curl(f"{server.url}/config").body == b'{"maxBackupBytes":1024,"retentionDays":90}'
    assert curl(backup(server), body=b"x" * 1025).status == 413
    assert curl(backup(server), body=b"x" * 1024).status == 201


def test_an_object_store_that_is_away_is_503_until_it_is_back(serve, objects, tmp_path, certificates):
    server = serve(*objects.options, store=objects.store)
    assert curl(backup(server), body=b"one").status == 201
    objects.stop()
    for answer in (curl(backup(server)), curl(backup(server), body=b"two"), curl(backup(server), "-X", "DELETE")):
        assert answer.status == 503 and int(answer.headers["retry-after"]) > 0
    assert curl(f"{server.url}/config").status == 200


@pytest.mark.parametrize("change, code, words", [
    ([("--s3-access-key", None)], 64, "--s3-access-key"),
    ([("--s3-access-key", "other")], 74, "store failed"),
    ([("--s3-secret-key-file", None)], 16, "secret key of the S3 server"),
    ([("--s3-ca-file", None)], 74, "certificate of the object store is not trusted"),
])
def test_wrong_options_end_the_start(objects, change, code, words):
    options = dict(zip(objects.options[::2], objects.options[1::2]))
    options.update(change)
    given = [each for name, value in options.items() if value is not None for each in (name, value)]
    result = run("serve", "--no-input", "--store", objects.store, "--listen", "127.0.0.1:0", *given)
    assert result.returncode == code and words in result.stderr, result.stderr


def test_a_wrong_secret_ends_the_start_and_is_not_printed(objects):
    objects.key.write_text("another secret\n")
    result = run("serve", "--store", objects.store, "--listen", "127.0.0.1:0", *objects.options)
    assert result.returncode == 74 and "another secret" not in result.stderr, result.stderr


@pytest.mark.parametrize("store, words", [
    ("s3://localhost", "s3://HOST/PREFIX"), ("s3://localhost/Safe", "prefix"), ("s3:///x", "host"),
    ("http://localhost/x", "not a store"), ("file://localhost/x", "not a store"),
])
def test_a_malformed_store_is_refused(store, words):
    result = run("serve", "--store", store, "--listen", "127.0.0.1:0")
    assert result.returncode == 64 and words in result.stderr, result.stderr


def test_a_store_that_is_no_directory_has_no_operators_verbs_and_no_own_certificate():
    for verb in (["account", "list"], ["sweep"], ["versions", ID]):
        result = run(*verb, "--store", "s3://localhost/safe")
        assert result.returncode == 64 and "directory" in result.stderr, result.stderr
    result = run("serve", "--store", "memory:", "--tls-self-signed", "localhost", "--listen", "127.0.0.1:0")
    assert result.returncode == 64 and "directory" in result.stderr


def test_a_directory_has_its_limits_in_its_config(tmp_path):
    result = run("serve", "--store", f"file://{tmp_path}/store", "--retention-days", "90", "--listen", "127.0.0.1:0")
    assert result.returncode == 64 and "config" in result.stderr


def test_a_store_in_memory_ends_with_the_server(serve):
    server = serve(store="memory:")
    assert curl(backup(server, OTHER), body=b"one").status == 201
    assert curl(backup(server, OTHER)).body == b"one"
    assert server.stop() == 0 and not server.directory.exists()
    again = serve(store="memory:")
    assert curl(backup(again, OTHER)).status == 404
