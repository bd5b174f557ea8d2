"""How often and how long keytool repeats a request to a Safe server, and when it does not."""

import json
import re
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
import time

import pytest

from kit.processes.clock import Clocked
from kit.servers import faults as f
from kit.servers.httpsmachine import PLACE, fresh, pushed  # fixtures

TRIES = 5
RETRIED = (423, 425, 429, 500, 502, 503, 504)
PATIENT = ["--timeout", "2s", "--retry-max-time", "6s"]


@pytest.mark.parametrize("kind, code, times", [
    *(("PUT", code, 1) for code in RETRIED), *(("config", code, 1) for code in RETRIED),
    ("config", 500, TRIES - 1), ("PUT", 429, TRIES - 1)])
def test_status_that_passes(pushed, kind, code, times):
    """A server that says 0 seconds is left alone for one."""
    pushed.server.fault(kind, f.status(code, Retry_After=0), times=times)
    start = time.monotonic()
    done = pushed.keytool.json("safe", "push", "--force")
    assert done["result"] == "uploaded" and done["backup"]["verified"] is True
    assert done["attempts"] == times + 1 and pushed.server.kinds().count(kind) == times + 1
    assert time.monotonic() - start >= times


@pytest.mark.parametrize("kind, code", [("PUT", 500), ("PUT", 429), ("config", 503)])
def test_status_that_stays(pushed, kind, code):
    pushed.server.fault(kind, f.status(code, Retry_After=0))
    pushed.fails(75, "safe", "push", "--force", patience=[], seconds=TRIES)
    before = ["config", "GET", "PUT"]
    assert pushed.server.kinds() == before[:before.index(kind) + 1] * TRIES
    time.sleep(1)  # for which it asked the last time
    pushed.recovers()


@pytest.mark.parametrize("headers", [{}, {"Retry_After": 0}], ids=["", "asked to wait"])
@pytest.mark.parametrize("code, asks", [
    (423, []), (425, []), (429, []), (408, ["GET"]), (500, ["GET"]), (503, ["GET"]), (504, ["GET"])])
def test_status_after_which_an_upload_may_arrive(pushed, code, headers, asks):
    """A locked resource (423), an early request (425) or one of too many (429) was not stored, so no later push looks
    whether it was. A server that asks to wait says nothing else of what it has done."""
    pushed.server.fault("PUT", f.status(code, **headers))
    pushed.fails(75, "safe", "push", "--force")
    pushed.server.heal()
    time.sleep(1 if headers else 0)
    assert pushed.keytool.json("safe", "push")["result"] == "uploaded"
    pushed.server.forget()
    pushed.keytool.ok("safe", "push")
    assert pushed.server.kinds() == asks


@pytest.mark.parametrize("code", [400, 401, 403, 404, 405, 409, 411, 413, 501, 505, 507, 511])
def test_status_that_is_not_retried(pushed, code):
    pushed.server.fault("PUT", f.status(code, Retry_After=0))
    pushed.keytool("safe", "push", "--force")
    assert pushed.server.kinds() == ["config", "GET", "PUT"]


@pytest.mark.parametrize("command, kind, code, end", [
    (command, kind, code, end) for command, kind, missing in (("push --force", "config", 15), ("check", "GET", 10))
    for code, end in ((401, 13), (403, 13), (503, 75), (404, missing))])
def test_long_page_that_says_no(pushed, command, kind, code, end):
    """Longer than a config may be: the status is what counts."""
    pushed.server.fault(kind, f.status(code, b"<html>" * 100_000, Retry_After=0))
    pushed.keytool.fails(end, "safe", *command.split())


@pytest.mark.parametrize("kind, act", [("config", f.reset_before), ("GET", f.reset_in_the_answer),
                                       ("PUT", f.reset_within), ("PUT", f.reset_after)])
def test_one_reset(pushed, kind, act):
    """A wait of up to 2 s, and all is well."""
    pushed.server.fault(kind, act, times=1)
    result = pushed.run("safe", "push", "--force", patience=PATIENT, seconds=3)
    assert result.code == 0, result
    assert pushed.document and pushed.server.kinds().count(kind) == (3 if kind == "GET" else 2)


def test_attempts_are_counted(pushed):
    pushed.server.fault("PUT", f.status(503, Retry_After=0), times=2)
    assert pushed.keytool.json("safe", "push", "--force")["attempts"] == 3


def test_request_that_stalls_once(pushed):
    pushed.server.fault("PUT", f.stall, times=1)
    result = pushed.run("safe", "push", "--force", seconds=4,
                        patience=["--timeout", "1s", "--retry-max-time", "6s"])
    assert result.code == 0, result


def test_slow_server_within_the_timeout(pushed):
    for kind in ("config", "GET", "PUT"):
        pushed.server.fault(kind, f.slow(0.3))
    assert pushed.run("safe", "push", "--force", patience=PATIENT, seconds=6).code == 0


def test_all_tries_end_together(pushed):
    pushed.server.fault("PUT", f.status(503))
    pushed.fails(75, "safe", "push", "--force", patience=["--retry-max-time", "2s"], seconds=2)


@pytest.mark.parametrize("verb", ["push --force", "check", "pull", "delete --yes", "passwd"])
def test_retry_max_time_is_for_the_whole_command(pushed, write, verb):
    """Each request is slow, but each is within --timeout."""
    for kind in ("config", "GET", "PUT", "DELETE"):
        pushed.server.fault(kind, f.slow(0.9))
    command = verb.split()
    if verb == "passwd":
        command += ["--new-safe-password-file", write("new", b"another-stable-5")]
    result = pushed.run("safe", *command, patience=["--timeout", "2s", "--retry-max-time", "1s"])
    assert result.code in (0, 75), result


@pytest.mark.alone
def test_retry_max_time_is_for_old_and_new_together(pushed, write):
    """An old backup is still to be deleted: that and the push are one command."""
    pushed.server.fault("DELETE", f.status(405))
    change = ["--new-safe-password-file", write("new", b"another-stable-5")]
    pushed.keytool.ok("safe", "passwd", *change)
    pushed.server.heal()
    pushed.server.fault("DELETE", f.stall)
    pushed.server.fault("PUT", f.stall)
    start = time.monotonic()
    pushed.fails(75, "safe", "push", "--force", seconds=6,
                 patience=["--timeout", "3s", "--retry-max-time", "3s"])
    assert time.monotonic() - start < 4.5, "3 s are 3 s"


# What is said meanwhile

@pytest.mark.parametrize("verb, kind", [("push --force", "config"), ("pull", "GET"), ("check", "GET")])
@pytest.mark.parametrize("act, options", [(f.stall, ["--timeout", "1s"]), (f.status(503, Retry_After=1), [])])
def test_each_wait_is_said(pushed, verb, kind, act, options):
    words = f"keytool: no usable answer from {pushed.server.url}; trying again in "
    for quiet in ([], ["-q"], ["--json"]):
        pushed.server.fault(kind, act, times=2)
        result = pushed.run("safe", *verb.split(), *quiet, patience=options, seconds=12)
        assert result.code == 0 and result.err.count(words) == (0 if quiet else 2), result
        assert all(re.fullmatch(r"[1-4]s", line.removeprefix(words)) for line in result.err.splitlines()
                   if line.startswith(words)), result


def test_the_waits_of_a_move_are_said(pushed, tmp_path):
    pushed.server.fault("GET", f.stall, times=1)
    result = pushed.run("safe", "move", "--server", f"file://{tmp_path}/nas", "--create",
                        patience=["--timeout", "1s"], seconds=6)
    assert result.code == 0 and f"answer from {pushed.server.url}; trying again in " in result.err, result


# Retry-After


def test_waits_as_long_as_is_asked(pushed):
    pushed.server.fault("PUT", f.status(503, Retry_After=2), times=1)
    start = time.monotonic()
    assert pushed.run("safe", "push", "--force", patience=PATIENT, seconds=4).code == 0
    assert time.monotonic() - start >= 2


@pytest.mark.parametrize("asked", [0, "Thu, 01 Jan 1970 00:00:00 GMT"])
def test_waits_at_least_a_second(pushed, asked):
    pushed.server.fault("PUT", f.status(429, Retry_After=asked), times=1)
    start = time.monotonic()
    assert pushed.run("safe", "push", "--force", patience=PATIENT, seconds=4).code == 0
    assert time.monotonic() - start >= 1


@pytest.mark.parametrize("kind", ["config", "GET", "PUT"])
def test_longer_wait_than_30_seconds_is_left_to_the_next_run(pushed, kind):
    pushed.server.fault(kind, f.status(503, Retry_After=31))
    result = pushed.fails(75, "safe", "push", "--force", patience=[])
    assert "asks to wait 31 seconds" in result.err and pushed.server.kinds().count(kind) == 1


@pytest.mark.parametrize("clock", [datetime(1999, 12, 31), datetime(2090, 1, 1)], ids=str)
def test_waits_until_a_date_by_the_servers_clock(pushed, clock):
    clock = clock.replace(tzinfo=timezone.utc)
    pushed.server.fault("PUT", f.status(
        429, Date=format_datetime(clock, usegmt=True),
        Retry_After=format_datetime(clock + timedelta(seconds=2), usegmt=True)), times=1)
    start = time.monotonic()
    assert pushed.run("safe", "push", "--force", patience=PATIENT, seconds=4).code == 0
    assert time.monotonic() - start >= 2


ABSURD = ["-1", "9223372036854775807", "9223372036854775808", "9" * 40, "1e9", "soon", "",
          "Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT",
          "Sun, 99 Foo 2026 99:99:99 GMT", "\x80\xff"]


@pytest.mark.parametrize("asked", ABSURD, ids=ascii)
def test_absurd_wait(pushed, asked):
    pushed.server.fault("config", f.status(429, Retry_After=asked))
    pushed.fails(75, "safe", "push", "--force")
    pushed.server.heal()
    pushed.server.forget()
    pushed.keytool = Clocked(pushed.keytool, utc_now() + timedelta(hours=24, minutes=2))
    assert pushed.keytool.json("safe", "push")["result"] == "uploaded", "at most a day is waited"


def utc_now():
    return datetime.now(timezone.utc).replace(tzinfo=None, microsecond=0)


@pytest.mark.parametrize("code", [429, 503])
@pytest.mark.parametrize("kind", ["config", "GET", "PUT"])
def test_not_before(fresh, kind, code):
    start, plain = utc_now(), fresh.keytool
    fresh.keytool = Clocked(plain, start)
    fresh.server.fault(kind, f.status(code, Retry_After=600), times=1)
    fresh.fails(75, "safe", "push")
    asked = fresh.server.connections
    for minutes in (1, 8):
        fresh.keytool = Clocked(plain, start + timedelta(minutes=minutes))
        result = fresh.keytool("safe", "push", "--json")
        assert result.code == 75 and result.error["name"] == "tempfail", result
    assert fresh.server.connections == asked, "not even a connection"
    fresh.keytool = Clocked(plain, start + timedelta(minutes=11))
    assert fresh.keytool.json("safe", "push")["result"] == "uploaded"
    assert json.loads(fresh.record("state.json").read_text())["safe"].get("not_before") is None
    assert PLACE in fresh.server.stored


@pytest.mark.parametrize("form", ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"])
def test_not_before_a_date(fresh, form):
    """By this machine's clock, because the server does not tell its own."""
    start, plain = utc_now(), fresh.keytool
    fresh.keytool = Clocked(plain, start)
    fresh.server.fault("config", f.status(503, Retry_After=(start + timedelta(minutes=10)).strftime(form)), times=1)
    fresh.fails(75, "safe", "push")
    for minutes, code in (8, 75), (11, 0):
        fresh.keytool = Clocked(plain, start + timedelta(minutes=minutes))
        assert fresh.keytool("safe", "push").code == code


@pytest.mark.parametrize("kind", ["config", "GET", "PUT"])
def test_wait_holds_no_lock(pushed, kind):
    """Another keytool goes on meanwhile, and what it uploads is no conflict afterwards."""
    pushed.server.fault(kind, f.status(429, Retry_After=4), times=1)
    waiting = pushed.keytool.start("safe", "push", "--force", "--json")
    wait_for(lambda: kind in pushed.server.kinds())
    time.sleep(0.5)
    between = pushed.keytool.json("safe", "push", "--force", "--lock-wait", "0s")
    assert waiting.poll() is None, "it waits"
    after = pushed.keytool.finish(waiting)
    assert (between["result"], after.json["result"]) == ("uploaded", "uploaded"), after
    assert after.json["backup"]["generation"] == between["backup"]["generation"] + 1
    assert pushed.document["keytool"]["generation"] == after.json["backup"]["generation"]


def wait_for(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("verb", ["push --force", "check", "pull", "delete --yes"])
def test_job_does_not_wait_long(pushed, verb):
    """Over 30 seconds are a later run's: without a terminal it ends at once."""
    for kind in ("config", "GET", "PUT", "DELETE"):
        pushed.server.fault(kind, f.status(429, Retry_After=31))
    result = pushed.run("safe", *verb.split(), patience=[])
    assert result.code == 75 and "asks to wait 31 seconds" in result.err, result
    assert len(pushed.server.requests) == 1


def test_wait_counts_from_the_answer(fresh):
    """Not from the start of the run, 4 seconds earlier."""
    start, plain = utc_now(), fresh.keytool
    fresh.keytool = Clocked(plain, start)

    def late(call):
        fresh.server.released.wait(4)
        f.status(429, Retry_After=40)(call)
    fresh.server.fault("config", late, times=1)
    fresh.fails(75, "safe", "push", patience=[], seconds=5)
    fresh.server.forget()
    fresh.keytool = Clocked(plain, start + timedelta(seconds=41))
    assert fresh.keytool("safe", "push").code == 75 and fresh.server.connections == 0
    fresh.keytool = Clocked(plain, start + timedelta(seconds=70))
    assert fresh.keytool.json("safe", "push")["result"] == "uploaded"
