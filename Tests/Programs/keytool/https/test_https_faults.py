"""Safe servers that fail, answer falsely or attack: the documented exit code in the documented time, nothing half
done, and once the server is healthy the next push uploads."""

import json

import pytest

from kit import oracle
from kit.damage import flipped
from kit.known import EMPTY_KEYSTORE
from kit.runner import snapshot
from kit.servers import faults as f
from kit.servers.httpsmachine import ID, PLACE, bare, fresh, pushed  # fixtures

DEFAULT_DAYS = 180


# config


def config(maximum="524288", days="180"):
    return f'{{"maxBackupBytes":{maximum},"retentionDays":{days}}}'.encode()


def nested(depth):
    return b'{"x":' + b"[" * depth + b"]" * depth + b',"maxBackupBytes":524288,"retentionDays":180}'


NUMBERS = {"text": '"180"', "NaN": "NaN", "null": "null", "a fraction": "180.5", "a point": "180.0",
           "true": "true", "a list": "[180]", "an object": "{}", "nothing": "", "a word": "many"}
NO_MAXIMUM = {"negative": "-1", "zero": "0", "2^31 + 1": str(2**31 + 1), "2^63": str(2**63),
              "2^64": str(2**64), "1000 digits": "9" * 1000}
NO_CONFIG = {
    "empty": b"", "HTML": f.HTML, "a list": b"[]", "a number": b"1", "half": config()[:-20],
    "no members": b"{}", "only the first": b'{"maxBackupBytes":524288}',
    "only the second": b'{"retentionDays":180}', "more behind it": config() + config(),
    "a member twice": b'{"maxBackupBytes":1,' + config()[1:],
    "UTF-16": config().decode().encode("utf-16"),
    "nested deep": nested(30_000), "nested 200,000 deep": nested(200_000), "NUL": config() + b"\0",
    "64 MB": config() + b" " * 64_000_000, "over 64 KiB": config() + b" " * 65536,
} | {f"maxBackupBytes {name}": config(maximum=text) for name, text in (NUMBERS | NO_MAXIMUM).items()
     } | {f"retentionDays {name}": config(days=text) for name, text in NUMBERS.items()}
CLAMPED = {"negative": "-1", "zero": "0", "3651": "3651", "2^63": str(2**63), "-2^63": str(-2**63),
           "2^64": str(2**64), "1000 digits": "9" * 1000}


@pytest.mark.parametrize("name", NO_CONFIG)
def test_config_of_no_safe_server(pushed, name):
    pushed.server.config, kept = NO_CONFIG[name], pushed.blob
    pushed.fails(15, "safe", "push", "--force")
    assert pushed.server.kinds() == ["config"] and pushed.blob == kept
    pushed.recovers()


@pytest.mark.parametrize("name", ["empty", "HTML", "64 MB", "maxBackupBytes 2^63"])
def test_config_of_no_safe_server_at_first(bare, name):
    bare.server.config = NO_CONFIG[name]
    bare.fails(15, "safe", "setup", *bare.world.by_password)
    assert bare.server.kinds() == ["config"] and not bare.record("safe").exists()
    bare.server.heal()
    bare.keytool.ok("safe", "setup", *bare.world.by_password)
    bare.recovers()


@pytest.mark.parametrize("name", CLAMPED)
def test_retention_that_makes_no_sense_counts_as_180_days(pushed, name):
    pushed.server.config = config(days=CLAMPED[name])
    done = pushed.keytool.json("safe", "push", "--force")
    assert done["result"] == "uploaded" and done["server"]["retention_days"] == DEFAULT_DAYS
    assert pushed.keytool.json("safe", "push")["result"] == "unchanged"


# Answers to the GET of a backup. Before a PUT, what cannot be a backup is overwritten.


# Made before any server has to answer in time.
SOMEBODY_ELSES = oracle.seal_safe(
    oracle.safe_document(bytes(32)), oracle.safe_keys(b"another-stable-5", "ZZZZ9999"))


DAMAGED = {"check": 65, "pull": 65, "before": 0, "after": 19}
AWAY = dict.fromkeys(("check", "pull", "before", "after"), 75)
TOO_MUCH = {**dict.fromkeys(AWAY, 14), "after": 19}
LOGIN = dict.fromkeys(AWAY, 13)
NOT_SAFE = dict.fromkeys(AWAY, 15)
ABSENT = {"check": 10, "pull": 10, "before": 0, "after": 19}
GETS = {
    "empty": (f.constant(b""), DAMAGED),
    "HTML": (f.constant(f.HTML), DAMAGED),
    "truncated": (f.content(f.truncated), DAMAGED),
    "one bit flipped": (f.content(flipped), DAMAGED),
    "halves swapped": (f.content(f.swapped), DAMAGED),
    "4 MiB": (f.constant(bytes(4 << 20)), DAMAGED),
    "somebody else's": (f.constant(SOMEBODY_ELSES), DAMAGED),
    "longer than it is": (f.promising(+100), AWAY),
    "shorter than it is": (f.promising(-100), DAMAGED),
    "4 MiB and a byte": (f.constant(bytes((4 << 20) + 1)), TOO_MUCH),
    "4 GiB": (f.endless(), TOO_MUCH),
    "404": (f.missing, ABSENT),
    "404 with 100 KiB": (f.status(404, bytes(100 << 10)), ABSENT),
    "401": (f.status(401), LOGIN), "403": (f.status(403), LOGIN),
    "401 with 5 MiB": (f.status(401, bytes(5 << 20)), LOGIN),
    "400": (f.status(400), NOT_SAFE), "405": (f.status(405), NOT_SAFE),
    "reset in the answer": (f.reset_in_the_answer, AWAY),
    "502": (f.status(502), AWAY), "511": (f.status(511), AWAY),
}


@pytest.mark.parametrize("name", GETS)
@pytest.mark.parametrize("verb", ["check", "pull", "pull -o document"])
def test_get(pushed, name, verb):
    act, codes = GETS[name]
    pushed.server.fault("GET", act)
    pushed.fails(codes[verb.split()[0]], "safe", *verb.split())
    assert list(pushed.keytool.home.iterdir()) == [], "a partial file"
    pushed.server.heal()
    pushed.keytool.ok("safe", *verb.split())


@pytest.mark.parametrize("verb", ["check", "push --force"])
def test_get_that_stalls(pushed, verb):
    pushed.server.fault("GET", f.stall)
    pushed.fails(75, "safe", *verb.split())
    assert pushed.server.kinds().count("GET") == 1 and "PUT" not in pushed.server.kinds()
    pushed.server.heal()
    pushed.keytool.ok("safe", *verb.split())


@pytest.mark.parametrize("name", GETS)
def test_get_before_a_put(pushed, name):
    act, codes = GETS[name]
    kept = pushed.blob
    if codes["before"] == 0:
        pushed.server.fault("GET", act, times=1)
        done = pushed.keytool.json("safe", "push", "--force")
        assert done["result"] == "uploaded" and done["backup"]["verified"] is True
        assert pushed.blob != kept and pushed.document
        return
    pushed.server.fault("GET", act)
    pushed.fails(codes["before"], "safe", "push", "--force")
    assert "PUT" not in pushed.server.kinds() and pushed.blob == kept
    pushed.recovers()


@pytest.mark.parametrize("name", GETS)
def test_get_after_a_put(pushed, name):
    act, codes = GETS[name]
    pushed.server.fault("GET", act, after="PUT")
    pushed.fails(codes["after"], "safe", "push", "--force")
    pushed.recovers()


@pytest.mark.parametrize(
    "name", ["truncated", "somebody else's", "4 GiB", "404", "401", "502"])
def test_the_way_back_on_an_empty_machine(pushed, name):
    act, codes = GETS[name]
    pushed.server.fault("GET", act)
    empty = pushed.on_an_empty_machine()
    pull = ["safe", "pull", "--id", ID, *pushed.world.by_password]
    empty.fails(codes["pull"], *pull)
    assert snapshot(empty.keytool.keystore) == EMPTY_KEYSTORE
    pushed.server.heal()
    empty.keytool.ok(*pull)
    assert empty.keytool.json("safe", "check")["same"] is True
    assert empty.keytool.json("id", "show") == pushed.keytool.json("id", "show")


def test_older_backup_put_back(pushed):
    """Genuine, so that only what this keystore has seen tells it from the present one."""
    older = pushed.world.older[0]
    pushed.server.fault("GET", f.constant(older))
    pushed.fails(19, "safe", "pull")
    pushed.fails(19, "safe", "push", "--force")
    pushed.server.heal()
    pushed.server.stored[PLACE] = older
    pushed.recovers()


def test_older_backup_for_a_moment_only(pushed):
    """A distributed store may need a second look after a PUT."""
    pushed.server.fault("GET", f.constant(pushed.blob), times=2, after="PUT")
    assert pushed.keytool.json("safe", "push", "--force")["backup"]["verified"] is True
    assert pushed.server.kinds() == ["config", "GET", "PUT", "GET", "GET", "GET"]


# Answers to a PUT.

PUTS = {
    "401": (f.status(401), 13), "403": (f.status(403), 13),
    "413": (f.status(413), 14), "507": (f.status(507), 14), "413 unread": (f.reset_before, 75),
    "404": (f.status(404), 15), "409": (f.status(409), 15), "405": (f.status(405), 15),
    "400": (f.status(400), 15), "415": (f.status(415), 15), "411": (f.status(411), 15),
    "401 with 100 KiB": (f.status(401, bytes(100 << 10)), 13),
    "503 with 100 KiB": (f.status(503, bytes(100 << 10)), 75),
    "a lie of 201": (f.lie(201), 19), "a lie of 204": (f.lie(204), 19),
    "a lie of 200": (f.lie(200), 19),
    "reset before": (f.reset_before, 75), "reset within": (f.reset_within, 75),
    "reset after": (f.reset_after, 75), "half stored": (f.half_stored, 75),
    "closed": (f.closed, 75), "stall": (f.stall, 75), "stored, then stall": (f.stall_after, 75),
    "drip": (f.dripping(0.2), 75), "garbage": (f.garbage, {15, 75}),
    "429": (f.status(429), 75), "503": (f.status(503), 75),
} | {str(code): (f.status(code), 75)
     for code in (408, 423, 425, 500, 501, 502, 504, 505, 511)}
# A first push has nothing to go back to.
FIRST = ["401", "507", "a lie of 201", "reset within", "half stored", "stored, then stall"]


@pytest.mark.parametrize("start, name", [
    *(("pushed", name) for name in PUTS), *(("fresh", name) for name in FIRST)])
def test_put(request, start, name):
    machine = request.getfixturevalue(start)
    act, code = PUTS[name]
    machine.server.fault("PUT", act)
    machine.fails(code, "safe", "push", "--force")
    machine.recovers()


STORED = {"200": 200, "201": 201, "204": 204}
BODIES = {"nothing": b"", "HTML": f.HTML, "100 KiB": bytes(100 << 10)}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("code", STORED)
def test_every_answer_that_means_stored(pushed, code, body):
    def stored(call):
        call.outcome()
        call.answer(STORED[code], b"" if code == "204" else BODIES[body])
    pushed.server.fault("PUT", stored)
    done = pushed.keytool.json("safe", "push", "--force")
    assert done["result"] == "uploaded" and done["backup"]["verified"] is True
    assert pushed.document["keytool"]["generation"] == done["backup"]["generation"]


@pytest.mark.parametrize("start", ["fresh", "pushed"])
def test_lost_acknowledgement_is_no_conflict(request, start):
    machine = request.getfixturevalue(start)
    machine.server.fault("PUT", f.reset_after)
    machine.fails(75, "safe", "push", "--force")
    assert machine.document, "it had arrived"
    machine.recovers()


@pytest.mark.parametrize("start", ["fresh", "pushed"])
@pytest.mark.parametrize("then", [f.reset_before, f.status(507)], ids=["reset", "507"])
def test_lost_acknowledgement_and_another_failure_are_no_conflict(request, start, then):
    """What had arrived unheard of is still ours when the push after it fails, too."""
    machine = request.getfixturevalue(start)
    machine.server.fault("PUT", f.reset_after)
    machine.fails(75, "safe", "push", "--force")
    machine.server.heal()
    machine.server.fault("PUT", then)
    machine.fails({75, 14}, "safe", "push")
    machine.recovers()


def test_larger_than_the_server_takes_is_never_sent(pushed):
    pushed.server.config = json.dumps({"maxBackupBytes": 1, "retentionDays": 180}).encode()
    pushed.fails(14, "safe", "push", "--force")
    assert "PUT" not in pushed.server.kinds()
    pushed.recovers()
