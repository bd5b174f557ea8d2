"""A prepared store in a directory, and keytool-server run on it the way a script would."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from server import BINARY, REPOSITORY, TRAP

sys.path.insert(0, str(REPOSITORY / "Tests/Programs/keytool"))

from kit.screens.terminal import Terminal  # noqa: E402

SCHEMA = "keytool-server/1"
DAY = 86_400


class Result:
    """Exit code, stdout and stderr of one finished run."""

    def __init__(self, arguments, code, stdout, stderr):
        self.arguments, self.code, self.out, self.err = arguments, code, stdout.decode(), stderr.decode()

    @property
    def json(self):
        document = json.loads(self.out)
        assert document["schema"] == SCHEMA, self
        return document

    def __repr__(self):
        return (f"\n$ keytool-server {' '.join(map(str, self.arguments))}\nexit {self.code}\n"
                f"stdout: {self.out[:3000]}\nstderr: {self.err[:3000]}")


class Store:
    """A directory of a server, and the commands on it. Nothing of the caller's environment leaks in."""

    def __init__(self, base):
        self.path = base / "safe"
        self.path.mkdir(mode=0o700)
        (self.path / "backups").mkdir(mode=0o700)
        self.configure()
        self.set_clock()
        self.environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(base), "LC_ALL": "C.UTF-8"}

    def configure(self, retention_days=180):
        limits = {"maxBackupBytes": 524_288, "retentionDays": retention_days}
        (self.path / "config").write_text(json.dumps(limits))

    def set_clock(self, days_ago=0, days_behind=0):
        """As if the store's clock had been read each day, until so many days ago, and were so many days behind."""
        now = int((time.time() - days_ago * DAY) * 1000)
        (self.path / "clock").write_text(json.dumps({"sum": now - days_behind * DAY * 1000, "wall": now}))

    def command_line(self, *arguments):
        return [str(part) for part in (BINARY, *arguments, "--store", f"file://{self.path}")]

    def start(self, *arguments, stdin=subprocess.DEVNULL, **variables):
        return subprocess.Popen(
            self.command_line(*arguments), stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**self.environment, **variables}, start_new_session=True)

    def __call__(self, *arguments, stdin=None, days_ahead=0):
        process = self.start(
            *arguments, **({"stdin": subprocess.PIPE} if stdin else {}), **(faketime(days_ahead) if days_ahead else {}))
        stdout, stderr = process.communicate(stdin and stdin.encode(), timeout=60)
        result = Result(arguments, process.returncode, stdout, stderr)
        assert result.code >= 0 and not TRAP.search(result.err), result
        return result

    def ok(self, *arguments, **options):
        result = self(*arguments, **options)
        assert result.code == 0, result
        return result

    def json(self, *arguments, **options):
        return self.ok(*arguments, "--json", **options).json

    def fails(self, code, *arguments, **options):
        """A clean failure: the expected code, nothing on stdout, one error line; and nothing was changed."""
        before = self.tree()
        result = self(*arguments, **options)
        assert result.code == code and result.out == "", result
        assert len(re.findall(r"^keytool-server: error: \S", result.err, re.M)) == 1, result
        assert self.tree() == before, result
        return result

    def add(self, name, password="correct horse", *more):
        return self.ok("account", "add", name, "--account-password-file", "-", *more, stdin=password)

    def on_terminal(self, *arguments):
        return Terminal(self.command_line(*arguments), self.environment)

    def tree(self):
        """Every path below the directory, with its mode and content; without the clock, which goes on by itself."""
        return {
            str(path.relative_to(self.path)): (oct(path.lstat().st_mode), path.is_file() and path.read_bytes())
            for path in self.path.rglob("*") if path.name != "clock"}

    @property
    def logins(self):
        return (self.path / "logins").read_text()

    def directory(self, account=None):
        return self.path / "accounts" / account if account else self.path

    def put(self, number, content=b"x", days_ago=0, account=None):
        """Stores a backup as a server does. Gives its path."""
        path = self.directory(account) / "backups" / identifier(number)
        path.write_bytes(content)
        put = path.stat().st_mtime - days_ago * DAY
        os.utime(path, (put, put))
        return path

    def put_previous(self, number, time, content=b"y", account=None, replaced=None):
        """A backup that was uploaded at a time, and replaced then, too, or later."""
        name = identifier(number)
        directory = self.directory(account) / "previous" / name[:2]
        directory.mkdir(mode=0o700, exist_ok=True, parents=True)
        path = directory / f"{name}-{time}-{replaced or time}"
        path.write_bytes(content)
        return path

    def put_flat(self, number, uploaded, replaced, content=b"y"):
        """As earlier releases did: the time of the upload is that of the file. In seconds, both."""
        directory = self.path / "previous"
        directory.mkdir(mode=0o700, exist_ok=True)
        path = directory / f"{identifier(number)}-{compact(replaced)}"
        path.write_bytes(content)
        os.utime(path, (uploaded, uploaded))
        return path

    def previous(self, account=None):
        """All previous backups, of the present layout."""
        return sorted((self.directory(account) / "previous").glob("??/*"))


def faketime(days):
    """The variables of a process whose wall clock is so many days ahead, or behind."""
    library = next(Path("/usr/lib").rglob("libfaketimeMT.so.1"))
    return {"LD_PRELOAD": str(library), "FAKETIME": f"{days:+}d", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}


def forget_faketime(process):
    """A server ends without the library's clean-up, and another process may get its number."""
    for left in Path("/dev/shm").glob(f"*faketime_*_{process.pid}"):
        left.unlink()


def identifier(number):
    return f"{number:064x}"


def compact(seconds):
    return time.strftime("%Y%m%dT%H%M%S000Z", time.gmtime(seconds))


@pytest.fixture
def store(tmp_path):
    assert os.access(BINARY, os.X_OK), f"{BINARY} is missing: set KEYTOOL_SERVER_BINARY"
    return Store(tmp_path)


@pytest.fixture
def on_terminal(store):
    """on_terminal(*arguments) -> Terminal, closed at the end of the test."""
    opened = []

    def on_terminal(*arguments):
        opened.append(store.on_terminal(*arguments))
        return opened[-1]

    yield on_terminal
    for terminal in opened:
        terminal.close()
