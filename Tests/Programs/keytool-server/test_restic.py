"""Copies that restic makes of a stopped server's directory, by the commands of keytool-server(8), as they stand there.
What was acknowledged is served by a server on the restored directory."""

import base64
import hashlib
import http.client
import shlex
import subprocess

import pytest

from page import example
from server import environment, run
from uploads import content, version_of

PLACE, REPOSITORY, RESTORED = "/var/lib/keytool-server", "sftp:far.example.net:safe", "/srv/restored"
LOGIN = {"Authorization": "Basic " + base64.b64encode(b"alice:three tin roofs").decode()}
STAYING, DOOMED = 60, 20
# Of a writer on another machine, so that no sweep at the start removes it.
LEFTOVER = f".{'ab' * 32}.1-1.zz.new"


class Client:
    """One connection. `acknowledged` has the last version of each id that was stored."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.acknowledged = {}

    def asks(self, method, id, body=None):
        self.connection.request(method, f"/alice/backups/{id}", body, LOGIN)
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def puts(self, id, version):
        status, _ = self.asks("PUT", id, content(id, version))
        assert status in (201, 204), status
        self.acknowledged[id] = version

    def deletes(self, id):
        assert self.asks("DELETE", id)[0] == 204


def ids(word, count):
    return [hashlib.sha256(f"{word} {number}".encode()).hexdigest() for number in range(count)]


@pytest.fixture
def restic(tmp_path):
    """restic(verb, count) runs the page's command with this verb, or with an option more or less; its exit code."""
    password = tmp_path / "restic-password"
    password.write_text("a password of restic\n")
    lines = example("OFF-SITE COPIES").replace("\\\n", "").splitlines()
    variables = environment(RESTIC_PASSWORD_FILE=str(password), HOME=str(tmp_path))
    places = {PLACE: tmp_path / "store", REPOSITORY: tmp_path / "repository", RESTORED: tmp_path / "restored"}

    def restic(verb, without=()):
        words = next(words for words in (shlex.split(line) for line in lines)
                     if words[1:2] == ["restic"] and verb in words)[1:]
        words = [str(places.get(word, word)) for word in words if word not in without]
        done = subprocess.run(words, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout + done.stderr

    return restic


@pytest.mark.parametrize("without", [(), ("--exclude", ".*.new")], ids=["as on the page", "with temporary files"])
def test_a_copy_of_a_stopped_server(serve, restic, tmp_path, without):
    options = ["--client-rate", "100000", "--backup-rate", "100000"]
    store = f"file://{tmp_path}/store"
    password = tmp_path / "password"
    password.write_text("three tin roofs\n")
    server = serve(*options)
    assert run("account", "add", "alice", "--account-password-file", password, "--store", store).returncode == 0
    before, staying, doomed = Client(server.port), ids("staying", STAYING), ids("doomed", DOOMED)
    for id in staying + doomed:
        before.puts(id, 1)
    backups = tmp_path / "store/accounts/alice/backups"
    (backups / LEFTOVER).write_bytes(b"half of a back")
    assert restic("init")[0] == 0

    for id in doomed:
        before.deletes(id)
    for id in staying[::2]:
        before.puts(id, 2)
    assert server.stop() == 0
    code, words = restic("backup", without)
    assert code == 0, words

    code, words = restic("restore")
    assert code == 0, words
    restored = tmp_path / f"restored/{tmp_path}/store"
    assert (restored / backups.relative_to(tmp_path / "store") / LEFTOVER).exists() == bool(without)
    again = serve(*options, store=f"file://{restored}", name="restored")
    after = Client(again.port)
    for id in staying:
        status, stored = after.asks("GET", id)
        assert status == 200 and version_of(id, stored) == before.acknowledged[id], id
    for id in doomed:
        assert after.asks("GET", id)[0] == 404
    # It goes on from there, with the accounts.
    after.puts(staying[0], 999_999)
    assert run("sweep", "--dry-run", "--store", f"file://{restored}").returncode == 0
    assert again.stop() == 0
