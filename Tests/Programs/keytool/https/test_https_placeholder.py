"""Servers whose address holds the first byte of the backup id, the official ones among them: each
request goes to the machine that its own id names."""

import re

import pytest

from kit.screens.setupdialog import PUSH, SERVER, choose_password, decline_card
from kit.servers.connectproxy import ConnectProxy
from kit.servers.faultserver import FaultServer
from kit.servers.httpsmachine import KEYS, bare  # a fixture

BYTE = KEYS.backup_id[:2]


def asked(requests, pattern):
    """The bytes in the addresses, having seen that they are those of the ids."""
    for request in requests:
        found = re.fullmatch(pattern, (request.header("host")[0] + request.path).lower())
        assert found, (request.header("host"), request.path)
        byte, id = found.groups()
        assert id is None or id.startswith(byte), f"{id} is asked for on machine {byte}"
    return {re.fullmatch(pattern, (request.header("host")[0] + request.path).lower())[1] for request in requests}


# In the path


IN_PATH = r"localhost:[0-9]+/safe/([0-9a-f]{2})/(?:config|backups/([0-9a-f]{64}))"


@pytest.fixture
def pushed(bare):
    bare.address = f"{bare.server.origin}/safe/{{backupIdPrefix8}}/"
    bare.keytool.ok("safe", "setup", "--server", bare.address, *bare.world.approach,
                    "--safe-password-file", bare.world.passwords["safe"])
    bare.probed = asked(bare.server.requests[:-1], IN_PATH)
    assert asked(bare.server.requests[-1:], IN_PATH) == {BYTE}, "whether a backup is there already"
    bare.server.forget()
    bare.keytool.ok("safe", "push")
    return bare


def test_every_verb(pushed):
    assert len(pushed.probed) == 1, "the probe has one id"
    for verb in ("push --force", "check", "status --remote", "pull"):
        pushed.keytool.ok("safe", *verb.split())
    assert asked(pushed.server.requests, IN_PATH) == {BYTE}
    assert list(pushed.server.stored) == [f"/safe/{BYTE}/backups/{KEYS.backup_id}"]
    pushed.keytool.ok("safe", "delete", "--yes")
    assert asked(pushed.server.requests, IN_PATH) == {BYTE} and pushed.server.stored == {}


def test_address_with_the_byte_itself_is_the_same_place(pushed):
    """The probe of the proof has to lie beside the backup: another byte would be another machine."""
    kept = dict(pushed.server.stored)
    written_out = pushed.address.replace("{backupIdPrefix8}", BYTE)
    pushed.keytool.ok("safe", "server", "--server", written_out, *pushed.world.approach)
    pushed.keytool.ok("safe", "move", "--server", pushed.address, *pushed.world.approach)
    assert asked(pushed.server.requests, IN_PATH) == {BYTE}
    assert pushed.server.stored == kept
    assert pushed.keytool.json("safe", "push")["result"] == "unchanged"


def test_move_away(pushed):
    pushed.keytool.ok("safe", "move", *pushed.world.by_password[:2], *pushed.world.approach)
    there = [request for request in pushed.server.requests if request.path.startswith(f"/safe/{BYTE}/")]
    assert asked(there, IN_PATH) == {BYTE}
    assert list(pushed.server.stored) == [f"/safe/backups/{KEYS.backup_id}"]


# The official servers


OFFICIAL = r"safe-([0-9a-f]{2})\.threema\.ch/(?:config|backups/([0-9a-f]{64}))"


@pytest.fixture
def official(certificates):
    server = FaultServer(certificates.authority.issue("official", hosts="DNS:*.threema.ch"))
    proxy = ConnectProxy(server.port)
    server.proxy = proxy
    yield server
    proxy.close()
    server.close()


@pytest.fixture
def behind(owner, official, certificates):
    return owner.with_environment(https_proxy=official.proxy.url, SSL_CERT_FILE=certificates.authority.path)


def test_official_servers(behind, official, safe_password, directory):
    behind.ok("safe", "setup", "--server", "threema", *safe_password)
    probe = official.requests[:-1]
    assert len(asked(probe, OFFICIAL)) == 1 and asked(official.requests[-1:], OFFICIAL) == {BYTE}
    official.forget()
    official.proxy.hosts.clear()
    assert behind.json("safe", "push")["result"] == "uploaded"
    assert set(official.proxy.hosts) == {f"safe-{BYTE}.threema.ch:443"}
    directory.prepare()
    behind.ok("safe", "move", "--server", directory.url)
    assert asked(official.requests, OFFICIAL) == {BYTE} and official.stored == {}
    behind.ok("safe", "move", "--server", "threema")
    assert asked(official.requests, OFFICIAL) == {BYTE}
    assert list(official.stored) == [f"/backups/{KEYS.backup_id}"] and directory.names() == []


def test_official_servers_at_setup_on_a_terminal(behind, official, terminal):
    """They need no login, so none is asked for."""
    run = terminal("safe", "setup", runner=behind)
    run.expect(SERVER)
    run.send("threema")
    choose_password(run)
    run.expect(PUSH)
    run.send("y")
    decline_card(run)
    assert run.finish() == 0 and "User on" not in run.text, run.text
    assert list(official.stored) == [f"/backups/{KEYS.backup_id}"]


def test_official_servers_away(behind, official, safe_password):
    official.proxy.close()
    assert behind.fails(75, "safe", "setup", "--server", "threema", "--retry-max-time", "1s", *safe_password)
    assert official.requests == []
