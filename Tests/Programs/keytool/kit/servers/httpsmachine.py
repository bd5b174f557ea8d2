"""A keystore whose Safe is on the fault server, and fixtures that make one in a moment.

Setting up takes scrypt, so it is done once; every test gets a copy of what came of it. The two
other listeners are where a client could be led astray: nothing may ever arrive there.
"""

import functools
import shutil
import time

import pytest

from kit import identityfiles, oracle
from kit.known import SAFE_PASSWORD
from kit.runner import Keytool, snapshot
from kit.servers.faultserver import BASE, FaultServer

ID = "ABCD1234"
KEYS = oracle.safe_keys(SAFE_PASSWORD, ID)
PLACE = f"{BASE}backups/{KEYS.backup_id}"
USER, SERVER_PASSWORD = "somebody", b"let me in: 5"
LOGIN = USER.encode() + b":" + SERVER_PASSWORD

# Each of both; what a loaded machine needs on top.
QUICK = ["--timeout", "1s", "--retry-max-time", "1s"]
SECONDS, SLACK = 1, 30


class HTTPSMachine:
    def __init__(self, keytool, world):
        self.keytool, self.world, self.server = keytool, world, world.server

    @property
    def blob(self):
        return self.server.stored.get(PLACE)

    @property
    def document(self):
        return oracle.open_safe(self.blob, KEYS)

    def written_by_an_app(self, **changes):
        """A backup of this identity as a phone with the same password would write it."""
        document = {**self.document, "contacts": [{"identity": "ECHOECHO", "verification": 2}], **changes}
        document.pop("keytool", None)
        return oracle.seal_safe(document, KEYS)

    def record(self, name):
        return identityfiles.path(self.keytool.keystore, ID, name)

    def records(self):
        """Everything but what is remembered of uploads, and the earlier backups, which a push that failed writes, too."""
        everything = snapshot(self.keytool.keystore, without=("lock", "state.json"))
        return {path: content for path, content in everything.items() if "/history" not in path}

    def run(self, *command, patience=QUICK, seconds=SECONDS):
        """The run, which must end within its time."""
        start = time.monotonic()
        result = self.keytool(*command, *patience)
        took = time.monotonic() - start
        assert took < seconds + SLACK, f"took {took:.1f} s: {result}"
        return result

    def fails(self, code, *command, **options):
        """As documented, in time, and with no record of the keystore changed."""
        before = self.records()
        result = self.run(*command, **options)
        assert result.code in (code if isinstance(code, (set, tuple)) else (code,)), \
            f"expected {code}: {result} after {self.server.kinds()}"
        assert result.out == "" and result.err.count("keytool: error: ") == 1, result
        assert self.records() == before, result
        assert SERVER_PASSWORD.decode() not in result.err and "user.privatekey" not in result.err
        return result

    def on_an_empty_machine(self):
        """Beside this one: the same servers, nothing in the keystore."""
        keystore = self.keytool.keystore.with_name("empty-keystore")
        keystore.mkdir(mode=0o700)
        return HTTPSMachine(self.keytool.with_keystore(keystore), self.world)

    def recovers(self):
        """The server is healthy again: the next push uploads, by itself, and verifies. After a request that was not
        answered the one after that looks whether it arrived meanwhile."""
        self.server.heal()
        done = self.keytool.json("safe", "push")
        assert done["result"] in ("uploaded", "restored") and done["backup"]["verified"] is True, done
        assert self.document["keytool"]["generation"] == done["backup"]["generation"]
        assert list(self.server.stored) == [PLACE]
        self.server.forget()
        result = self.keytool.json("safe", "push")["result"]
        assert (result, self.server.kinds()) in (("unchanged", []), ("confirmed", ["GET"])), result


class World:
    """The servers, and keystores that know the first of them."""

    def __init__(self, root, certificate):
        self.root = root
        self.server = FaultServer(certificate, LOGIN)
        self.elsewhere, self.plain = FaultServer(certificate), FaultServer()
        self.passwords = {}
        for name, content in (("safe", SAFE_PASSWORD), ("server", SERVER_PASSWORD)):
            self.passwords[name] = root / name
            self.passwords[name].write_bytes(content)
            self.passwords[name].chmod(0o600)
        self.approach = ["--server-user", USER, "--server-password-file", self.passwords["server"],
                         "--ca-file", certificate.authority.path]
        self.by_password = ["--server", self.server.url, *self.approach,
                            "--safe-password-file", self.passwords["safe"]]

    @functools.cached_property
    def bare(self):
        return self._made("bare", lambda keytool: keytool.ok("id", "create", "--id", ID))

    @functools.cached_property
    def fresh(self):
        """Set up, never pushed."""
        return self._made("fresh", lambda keytool: keytool.ok(
            "safe", "setup", *self.by_password), self.bare)

    @functools.cached_property
    def pushed(self):
        """Pushed three times, so that there are older backups."""
        self.older = []

        def push(keytool):
            for _ in range(3):
                keytool.ok("safe", "push", "--force")
                self.older.append(self.server.stored[PLACE])
        return self._made("pushed", push, self.fresh)

    def _made(self, name, work, origin=None):
        keystore, home = self.root / name, self.root / f"{name}-home"
        home.mkdir(mode=0o700)
        if origin:
            shutil.copytree(origin, keystore)
        else:
            keystore.mkdir(mode=0o700)
        self.server.reset()
        work(Keytool(home, keystore))
        return keystore

    def copy(self, kept, path):
        """A machine with a copy of this keystore; the server has forgotten all but its backup."""
        home = path / "machine-home"
        home.mkdir(mode=0o700)
        has_backup = kept is self.pushed
        shutil.copytree(kept, path / "machine-keystore", dirs_exist_ok=True)
        (path / "machine-keystore").chmod(0o700)
        for server in (self.server, self.elsewhere, self.plain):
            server.reset()
        if has_backup:
            self.server.stored[PLACE] = self.older[-1]
        return HTTPSMachine(Keytool(home, path / "machine-keystore"), self)

    def judge(self, machine):
        """After every test."""
        for stranger in (self.elsewhere, self.plain):
            assert stranger.connections == 0, f"went elsewhere: {stranger.requests}"
        left = [path for path in machine.keytool.keystore.rglob(".*")]
        assert not left, f"left behind: {left}"


def machine_of(name):
    @pytest.fixture
    def machine(tmp_path, https_world):
        machine = https_world.copy(getattr(https_world, name), tmp_path)
        yield machine
        https_world.judge(machine)
        https_world.server.heal()
    return machine


bare = machine_of("bare")
fresh = machine_of("fresh")
pushed = machine_of("pushed")
