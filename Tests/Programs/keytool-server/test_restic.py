"""Copies that restic makes of a server's directory, by the commands of keytool-server(8), as they stand there. What was
acknowledged is served by a server on the restored directory. While a server runs, clients upload, replace and delete.
"""

import base64
import hashlib
import http.client
import re
import shlex
import shutil
import subprocess
import threading

import pytest

from kit.sampling import often
from page import example
from server import environment, run
from uploads import content, version_of

PLACE, REPOSITORY, RESTORED = "/var/lib/keytool-server", "sftp:far.example.net:safe", "/srv/restored"
LOGIN = {"Authorization": "Basic " + base64.b64encode(b"alice:three tin roofs").decode()}
STAYING, DOOMED, WRITERS = 60, 20, 4
COPIES = often(20, 5)
OPTIONS = ["--client-rate", "100000", "--backup-rate", "100000"]
# A backup that is about to be replaced stays so for longer, if it has two names then, so that a copy meets some.
SLOW = ("strace", "-D", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "-e", "trace=renameat,renameat2",
        "-e", "inject=renameat,renameat2:delay_enter=10000")
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


class Uploads:
    """Threads that replace all backups, store new ones and delete some, until they are stopped."""

    def __init__(self, port, staying, doomed):
        self.sent, self.acknowledged = dict.fromkeys(staying + doomed, 1), dict.fromkeys(staying, 1)
        self.deleted, self.failures, self.over = set(), [], threading.Event()
        self.threads = [
            threading.Thread(target=self.guarded, args=(Client(port), staying[each::WRITERS], doomed[each::WRITERS]))
            for each in range(WRITERS)]
        for thread in self.threads:
            thread.start()

    def guarded(self, client, staying, doomed):
        try:
            self.write(client, staying, doomed)
        except Exception as failure:
            self.failures.append(failure)

    def write(self, client, staying, doomed):
        version = 1
        while True:
            version += 1
            for number, id in enumerate(staying):
                if self.over.is_set():
                    return
                self.put(client, id, version)
                if number % 10 == 0:
                    self.put(client, hashlib.sha256(f"new {id} {version}".encode()).hexdigest(), version)
                    if doomed:
                        self.deleted.add(doomed[-1])
                        client.deletes(doomed.pop())

    def put(self, client, id, version):
        self.sent[id] = version
        client.puts(id, version)
        self.acknowledged[id] = version

    def stop(self):
        self.over.set()
        for thread in self.threads:
            thread.join()
        assert not self.failures, self.failures


class Copy:
    """What was acknowledged when it began, and what had been sent and deleted when it ended."""

    def __init__(self, restic, uploads):
        self.least = dict(uploads.acknowledged)
        code, words = restic("backup")
        self.most, self.deleted = dict(uploads.sent), set(uploads.deleted)
        self.snapshot = re.search(r"^snapshot (\w+) saved$", words, re.M)[1]
        # 3: a backup was deleted, or a previous one removed, between its name and its content.
        lacking = [line for line in words.splitlines() if line.startswith("error: ")]
        assert code == (3 if lacking else 0), words
        for line in lacking:
            assert "no such file or directory" in line and ("/previous/" in line or any(
                f"/backups/{id}:" in line for id in self.deleted)), line

    def check(self, account):
        for id, version in self.least.items():
            assert version <= version_of(id, (account / "backups" / id).read_bytes()) <= self.most[id], id
        for file in [*(account / "backups").glob("[!.]*"), *(account / "previous").glob("??/*")]:
            id = file.name[:64]
            assert 1 <= version_of(id, file.read_bytes()) <= self.most[id], file


@pytest.fixture
def restic(tmp_path):
    """restic(verb) runs the page's command with this verb, without some words, and with others in place of some."""
    password = tmp_path / "restic-password"
    password.write_text("a password of restic\n")
    lines = example("OFF-SITE COPIES").replace("\\\n", "").splitlines()
    variables = environment(RESTIC_PASSWORD_FILE=str(password), HOME=str(tmp_path))
    places = {PLACE: tmp_path / "store", REPOSITORY: tmp_path / "repository", RESTORED: tmp_path / "restored"}

    def restic(verb, without=(), **others):
        words = next(words for words in (shlex.split(line) for line in lines)
                     if words[1:2] == ["restic"] and verb in words)[1:]
        words = [str(places.get(word, others.get(word, word))) for word in words if word not in without]
        done = subprocess.run(words, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout + done.stderr

    return restic


def add_account(tmp_path):
    password = tmp_path / "password"
    password.write_text("three tin roofs\n")
    store = f"file://{tmp_path}/store"
    assert run("account", "add", "alice", "--account-password-file", password, "--store", store).returncode == 0


@pytest.mark.parametrize("without", [(), ("--exclude", ".*.new")], ids=["as on the page", "with temporary files"])
def test_a_copy_of_a_stopped_server(serve, restic, tmp_path, without):
    server = serve(*OPTIONS)
    add_account(tmp_path)
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
    again = serve(*OPTIONS, store=f"file://{restored}", name="restored")
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


def test_copies_of_a_running_server(serve, restic, tmp_path):
    server = serve(*OPTIONS, before=SLOW)
    add_account(tmp_path)
    before, staying, doomed = Client(server.port), ids("staying", STAYING), ids("doomed", DOOMED)
    for id in staying + doomed:
        before.puts(id, 1)
    assert restic("init")[0] == 0
    uploads = Uploads(server.port, staying, doomed)
    copies = [Copy(restic, uploads) for _ in range(COPIES)]
    uploads.stop()
    assert server.stop() == 0
    assert all(copy.most != copy.least for copy in copies) and copies[-1].deleted, "nothing happened during the copies"

    code, words = restic("check")
    assert code == 0, words
    for copy in copies:
        shutil.rmtree(tmp_path / "restored", ignore_errors=True)
        code, words = restic("restore", latest=copy.snapshot)
        assert code == 0, words
        restored = tmp_path / f"restored/{tmp_path}/store"
        copy.check(restored / "accounts/alice")
    # The last one goes on.
    again = serve(*OPTIONS, store=f"file://{restored}", name="restored")
    after = Client(again.port)
    for id in staying:
        status, stored = after.asks("GET", id)
        assert status == 200 and version_of(id, stored) >= copies[-1].least[id], id
    after.puts(staying[0], 999_999)
    assert again.stop() == 0
