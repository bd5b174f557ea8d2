"""The directory of the tests: it takes good proofs and nothing else, and fails as it is told to."""

import base64
import http.client
import json
import ssl

import pytest
from nacl import bindings

from kit.servers.directoryserver import DirectoryServer, b64, proof

SECRET = bytes(range(32))


@pytest.fixture
def directory(certificates):
    server = DirectoryServer(certificates.good)
    yield server
    server.close()


@pytest.fixture
def ask(directory, certificates):
    """ask(path, **fields) -> (status, fields of the reply)"""
    trust = ssl.create_default_context(cafile=certificates.authority.path)

    def ask(path, method="POST", **fields):
        connection = http.client.HTTPSConnection("localhost", directory.port, context=trust, timeout=60)
        body = None if method == "GET" else json.dumps(fields)
        connection.request(method, "/" + path, body, {"Content-Type": "application/json"} if body else {})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, json.loads(content) if content else None

    return ask


@pytest.fixture
def prove(ask):
    """prove(path, **fields) -> (status, fields of the second reply)"""
    def prove(path, secret=SECRET, altered=None, **fields):
        status, first = ask(path, **fields)
        assert status == 200, first
        shared = bindings.crypto_box_beforenm(base64.b64decode(first["tokenRespKeyPub"]), secret)
        response = proof(shared, base64.b64decode(first["token"]))
        return ask(path, **(fields | (altered or {})), token=first["token"], response=b64(response))

    return prove


@pytest.fixture
def alice(prove):
    """The ID of a key that was registered."""
    status, reply = prove("identity/create", publicKey=b64(bindings.crypto_scalarmult_base(SECRET)))
    assert status == 200 and reply["success"]
    return reply["identity"]


def test_proof_is_the_published_one():
    shared = bindings.crypto_box_beforenm(
        bytes.fromhex("4d1475eb16b23c367d56bc73ee571501989a9b7ce5057017be6faaaf9477385b"),
        bytes.fromhex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"))
    assert proof(shared, b"\xff" + bytes(63)).hex() == \
        "3b2e2ec24e70012dec364512cd404ed7f67dfdd231ea9f4d75c18629edcf1228"


def test_registered_key_is_told(ask, alice):
    status, entry = ask("identity/" + alice, method="GET")
    assert status == 200 and base64.b64decode(entry["publicKey"]) == bindings.crypto_scalarmult_base(SECRET)
    assert ask("identity/ZZZZZZZZ", method="GET") == (404, None)


def test_another_key_proves_nothing(prove, alice, directory):
    assert prove("identity/revoke", secret=bytes(31) + b"\1", identity=alice) \
        == (401, {"code": "invalid-challenge-response"})
    assert directory.identities[alice].state == 0


def test_proof_is_good_for_its_request_only(ask, prove, alice, directory):
    assert prove("identity/set_featuremask", identity=alice, featureMask=1, altered={"featureMask": 2}) \
        == (401, {"code": "challenge-expired"})
    status, first = ask("identity/set_featuremask", identity=alice, featureMask=1)
    shared = bindings.crypto_box_beforenm(base64.b64decode(first["tokenRespKeyPub"]), SECRET)
    response = b64(proof(shared, base64.b64decode(first["token"])))
    assert ask("identity/revoke", identity=alice, token=first["token"], response=response)[0] == 401
    assert directory.identities[alice].mask == 0 and directory.identities[alice].state == 0


def test_proof_is_good_once(ask, alice):
    status, first = ask("identity/fetch_priv", identity=alice)
    shared = bindings.crypto_box_beforenm(base64.b64decode(first["tokenRespKeyPub"]), SECRET)
    proven = {"identity": alice, "token": first["token"],
              "response": b64(proof(shared, base64.b64decode(first["token"])))}
    assert ask("identity/fetch_priv", **proven) == (200, {"success": True, "serverGroup": "0a"})
    assert ask("identity/fetch_priv", **proven) == (401, {"code": "challenge-expired"})


def test_scripts_fail_as_told(ask, prove, alice, directory):
    path = "identity/fetch_priv"
    directory.script(path, directory.status(429, Retry_After=42))
    assert ask(path, identity=alice) == (429, None)
    directory.script(path, directory.refuse("No"), phase=2)
    assert prove(path, identity=alice) == (200, {"success": False, "error": "No"})
    directory.script("identity/revoke", directory.lose, phase=2)
    with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
        prove("identity/revoke", identity=alice)
    assert directory.identities[alice].state == 2
    assert directory.asked[-2:] == [("identity/revoke", 1), ("identity/revoke", 2)]
