"""Fixtures: servers that are stopped after the test, certificates, keytool."""

import os
import sys
from pathlib import Path

import pytest

# Parts that both suites use.
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "keytool"))

from kit import cases, dispositions, release  # noqa: E402
from kit.known import CODE, CODE_PASSWORD, SAFE_PASSWORD  # noqa: E402
from kit.runner import Keytool  # noqa: E402
from kit.servers.certificates import Certificates  # noqa: E402

import server as servers  # noqa: E402

dispositions.give_defaults_to_children()


def pytest_configure(config):
    config.addinivalue_line("markers", release.MARKER)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    cases.leave_out(config, items)
    release.skip_without(servers.BINARY, items)


@pytest.fixture(scope="session", autouse=True)
def built():
    assert os.access(servers.BINARY, os.X_OK), f"{servers.BINARY} is missing; set KEYTOOL_SERVER_BINARY"


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def serve(tmp_path):
    """serve(*options, **variables) -> a running server on tmp_path/"store"."""
    running = []

    def serve(*options, name="store", **more):
        running.append(servers.Server(tmp_path / name, *options, **more))
        return running[-1]

    yield serve
    for each in running:
        if each.process.poll() is None:
            each.process.kill()
            each.ended()
        else:
            each.process.stdout.close()
        assert not servers.TRAP.search(each.words), each.words


@pytest.fixture
def keytool(tmp_path):
    keystore = tmp_path / "keystore"
    keystore.mkdir(mode=0o700)
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    return Keytool(home, keystore)


@pytest.fixture
def client(keytool, tmp_path):
    """keytool with an identity."""
    for name, content in [("code", CODE.encode()), ("password", CODE_PASSWORD), ("safe-password", SAFE_PASSWORD)]:
        (tmp_path / name).write_bytes(content + b"\n")
        (tmp_path / name).chmod(0o600)
    keytool.ok("backup", "import", tmp_path / "code", "--backup-password-file", tmp_path / "password")
    return keytool
