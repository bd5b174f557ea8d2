"""The directory verbs: time limits, and which requests are repeated after a temporary failure."""

import time

import pytest

from kit.runner import snapshot
from kit.servers.registering import pending_files

CREATE, KEY = "identity/create", bytes(range(32))
# Time for some tries, but not for all of them.
SHORT = ["--retry-max-time", "3s"]


@pytest.fixture
def registered(keytool, id_directory, at):
    id = keytool.json("id", "create", *at)["id"]
    id_directory.asked.clear()
    return id


def phases(id_directory, path):
    return [phase for asked, phase in id_directory.asked if asked == path]


def test_reads_are_repeated(keytool, id_directory, registered, at, write):
    id_directory.add("ECHOECHO", KEY)
    id_directory.add("ANNANNAN", KEY, email="ann@example.org")
    for path, verb in (("identity/ECHOECHO", ["id", "fetch", "ECHOECHO"]),
                       ("identity/fetch_bulk", ["id", "fetch", "ECHOECHO", "ANNANNAN"]),
                       ("identity/match", ["contact", "match", write("addresses", "ann@example.org\n")])):
        id_directory.asked.clear()
        id_directory.script(path, id_directory.status(503, Retry_After=1))
        result = keytool.ok(*verb, "-v", *at)
        assert phases(id_directory, path) == [1, 1] and KEY.hex() in result.out
        assert f"{id_directory.url}{path} 503, " in result.err


def test_the_first_phase_is_repeated(keytool, id_directory, at):
    id_directory.script(CREATE, id_directory.lose, phase=1)
    keytool.ok("id", "create", *at)
    assert phases(id_directory, CREATE) == [1, 1, 2] and len(id_directory.identities) == 1


@pytest.mark.parametrize("act", ["lose", "status"])
def test_the_second_phase_is_never_repeated(keytool, id_directory, at, act):
    id_directory.script(CREATE, {"lose": id_directory.lose, "status": id_directory.status(503, Retry_After=1)}[act],
                        phase=2)
    keytool.fails(75, "id", "create", *at)
    assert phases(id_directory, CREATE) == [1, 2] and len(pending_files(keytool)) == 1


def test_a_change_without_a_proof_is_sent_once(keytool, id_directory, registered, at, given):
    password = given("revocation-password", b"correct horse battery")
    keytool.ok("revoke", "set", *password)
    id_directory.script("identity/ws/revoke", id_directory.lose)
    keytool.fails(75, "id", "revoke", registered, "--yes", *at, *password)
    assert phases(id_directory, "identity/ws/revoke") == [1]


def test_one_that_asks_to_wait_is_not_asked_again(keytool, id_directory, at):
    id_directory.script("identity/ECHOECHO", id_directory.status(429, Retry_After=1))
    keytool.fails(75, "id", "fetch", "ECHOECHO", *at)
    assert phases(id_directory, "identity/ECHOECHO") == [1]


def test_tries_end(keytool, id_directory, registered):
    before = snapshot(keytool.keystore)
    id_directory.script("identity/fetch_priv", id_directory.status(503), phase=1, times=10)
    assert "503" in keytool.fails(75, "id", "link", *SHORT).err
    assert snapshot(keytool.keystore) == before


@pytest.mark.parametrize("verb", [
    ["id", "create"], ["id", "fetch", "ECHOECHO"], ["id", "link"], ["id", "link", "email", "ann@example.org"],
    ["id", "revoke", "--yes"], ["revoke", "check"], ["contact", "match", "-"]], ids=" ".join)
def test_timeout_of_one_request(keytool, id_directory, registered, at, verb):
    def silent(call, outcome):
        id_directory.released.wait(60)
        call.abort()

    paths = {"id create": CREATE, "id fetch": "identity/ECHOECHO", "id link": "identity/fetch_priv",
             "id revoke": "identity/revoke", "revoke check": "identity/check_revocation_key",
             "contact match": "identity/match_token"}
    path = "identity/link_email" if "email" in verb else paths[" ".join(verb[:2])]
    id_directory.script(path, silent, times=10)
    start = time.monotonic()
    result = keytool.fails(75, *verb, *at, "--timeout", "1s", *SHORT, stdin="ann@example.org\n")
    took = time.monotonic() - start
    id_directory.released.set()
    assert "did not answer in time" in result.err and 1 <= took, (took, result)
