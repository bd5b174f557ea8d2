"""Fixtures: a server with TLS, and sides that pair through it, which end with the test."""

import os
import pathlib
import sys

import pytest
from nacl.bindings import crypto_scalarmult_base

import pairing

# The certificates are those of the tests of the binary.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Programs/keytool"))
from kit.servers.certificates import Authority  # noqa: E402

SERVER = os.urandom(32)


@pytest.fixture(scope="session", autouse=True)
def built():
    assert pairing.PYTHON.exists(), f"{pairing.PYTHON} is missing: Scripts/set-up test"
    assert os.access(pairing.PEER, os.X_OK), f"{pairing.PEER} is missing: make pairing"


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("certificates"), "Loopback test authority").issue("good")


@pytest.fixture
def server(certificate):
    server = pairing.Server(certificate, SERVER)
    yield server
    server.close()


class Scene:
    """The sides of one path: web(…) and app(…) connect. Their words are those of web-peer."""

    def __init__(self, server):
        self.server = server
        self.web_key, self.app_key, self.token = os.urandom(32), os.urandom(32), os.urandom(32)
        # The permanent key that sides expect the server to have.
        self.expected = SERVER
        self.sides = []

    @staticmethod
    def public(key):
        return crypto_scalarmult_base(key).hex()

    @property
    def given(self):
        return f"token={self.token.hex()}"

    def _connect(self, *words, is_other):
        side = pairing.Side(self.server, " ".join([*words, f"server={self.public(self.expected)}"]), is_other)
        self.sides.append(side)
        return side

    def web(self, *words, is_other=False):
        return self._connect("initiator", f"key={self.web_key.hex()}", *words, is_other=is_other)

    def restored(self, *words):
        """A web client that knows nothing but what it has stored."""
        return self._connect("initiator", *words, is_other=False)

    def app(self, *words, key=None, is_other=False):
        own = (key or self.app_key).hex()
        return self._connect(
            "responder", f"key={own}", f"initiator={self.public(self.web_key)}", *words, is_other=is_other)


@pytest.fixture
def scene(server):
    scene = Scene(server)
    yield scene
    for side in scene.sides:
        side.close()
