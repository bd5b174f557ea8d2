"""The server's clock against this machine's, and --tolerate over days."""

from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import pytest

from kit.processes.clock import Clocked
from kit.servers import faults as f
from kit.servers.faultserver import FaultServer, abort
from kit.servers.httpsmachine import QUICK, HTTPSMachine, pushed  # fixtures

DAY = timedelta(days=1)


def http_date(lead):
    return format_datetime(datetime.now(timezone.utc) + timedelta(seconds=lead), usegmt=True)


def warnings(result):
    return [line for line in result.err.splitlines() if "warning" in line]


DIFFERENT = {
    420: "7 minutes ahead of", -420: "7 minutes behind", 10_000: "2 hours ahead of", -3600 * 47: "47 hours behind",
    86_400 * 400: "400 days ahead of", -86_400 * 1000: "1000 days behind",
}


@pytest.mark.parametrize("lead, words", DIFFERENT.items(), ids=map(str, DIFFERENT))
def test_push_warns(pushed, lead, words):
    pushed.server.date = http_date(lead + (30 if lead > 0 else -30))
    [warning] = warnings(pushed.keytool.ok("safe", "push", "--force"))
    assert words in warning and "this machine's" in warning


@pytest.mark.parametrize("lead", [0, 200, -200])
def test_push_does_not_care_for_minutes(pushed, lead):
    pushed.server.date = http_date(lead)
    assert warnings(pushed.keytool.ok("safe", "push", "--force")) == []


@pytest.mark.parametrize("date", ["", "yesterday", "Thu, 99 Foo 2026 99:99:99 GMT", "0", "-1", "x" * 5000,
                                  "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT"])
def test_absurd_date(pushed, date):
    pushed.server.date = date
    assert len(warnings(pushed.keytool.ok("safe", "push", "--force"))) <= 1


def test_status_and_doctor_say_so(pushed):
    pushed.server.date = http_date(3630)
    assert "60 minutes ahead of" in pushed.keytool.ok("safe", "status", "--remote").err
    status = pushed.keytool.json("safe", "status", "--remote")
    assert 3600 <= status["remote"]["clock_lead_seconds"] <= 3630
    [line] = [line for line in pushed.keytool("doctor").out.splitlines() if "safe 1" in line]
    assert line.startswith("WARNING") and "its clock is 60 minutes ahead of this machine's" in line


def test_doctor_is_content_with_the_right_time(pushed):
    pushed.server.date = http_date(0)
    [line] = [line for line in pushed.keytool("doctor").out.splitlines() if "safe 1" in line]
    assert line.startswith("ok") and "clock" not in line


# Days without the server


@pytest.fixture
def years(pushed):
    """at(days) -> the machine so many days after its push."""
    start = datetime.now(timezone.utc)

    def at(days):
        return HTTPSMachine(Clocked(pushed.keytool, start + days * DAY + timedelta(hours=1)), pushed.world)
    return at


def is_silent(result):
    return (result.code, result.out, result.err) == (0, "", "")


NIGHTLY = ["safe", "push", "--quiet", "--no-input", "--tolerate", "3d", *QUICK]


def test_offline_for_some_days(years, pushed):
    """Nothing changes: a week goes by without a look. Then the server is away for good."""
    pushed.server.on_connect = abort
    for day in range(1, 7):
        assert is_silent(years(day).keytool(*NIGHTLY))
    assert pushed.server.connections == 0
    for day in (7, 8):
        assert is_silent(years(day).keytool(*NIGHTLY))
    assert pushed.server.connections > 0
    for day in (10, 11, 30):
        assert years(day).keytool.fails(75, *NIGHTLY).err.count("keytool: error: ") == 1
    pushed.server.heal()
    assert years(12).keytool.json("safe", "push", "--tolerate", "3d")["result"] == "uploaded"


def test_nothing_to_do_is_a_success(years, pushed):
    """Last night all was well: tonight another keytool holds the lock, or the server is away."""
    for day in range(1, 5):
        years(day).keytool.ok(*NIGHTLY)
    pushed.server.on_connect = abort
    assert is_silent(years(6).keytool(*NIGHTLY, "--force"))
    years(8).keytool.fails(75, *NIGHTLY)


def test_failures_are_measured_from_the_last_success(years, pushed):
    pushed.server.on_connect = abort
    for day in (1, 2):
        assert is_silent(years(day).keytool(*NIGHTLY, "--force"))
    years(4).keytool.fails(75, *NIGHTLY)
    years(8).keytool.fails(75, *NIGHTLY)


def test_back_in_time(years, pushed):
    years(6).keytool.ok(*NIGHTLY)
    pushed.server.on_connect = abort
    assert is_silent(years(8).keytool(*NIGHTLY))
    pushed.server.heal()
    assert years(9).keytool.json("safe", "push", "--tolerate", "3d")["result"] == "uploaded"
    years(15).keytool.ok(*NIGHTLY)
    pushed.server.on_connect = abort
    assert is_silent(years(17).keytool(*NIGHTLY)), "the count begins anew"


def test_refused_login_is_not_tolerated(pushed):
    pushed.server.fault("config", f.status(401))
    pushed.keytool.fails(13, "safe", "push", "--force", "--tolerate", "3d", *QUICK)


def test_all_of_them_go_on_after_one_failure(pushed):
    """The second identity has no Safe; the first one's server is away."""
    pushed.keytool.ok("id", "create", "--id", "ZZZZ9999")
    pushed.server.on_connect = abort
    result = pushed.keytool("safe", "push", "--all", "--force", "--jitter", "1s", *QUICK)
    assert result.code == 75 and "ABCD1234" in result.err
    assert is_silent(pushed.keytool("safe", "push", "--all", "--force", "--tolerate", "3d", "--quiet", *QUICK))


def test_each_of_them_has_its_own_time(pushed, directory, certificates, safe_password):
    """The first one's server uses up all of its time."""
    pushed.keytool.ok("id", "create", "--id", "ZZZZ9999")
    directory.prepare()
    elsewhere = FaultServer(certificates.good)
    pushed.keytool.ok("safe", "setup", "ZZZZ9999", "--server", elsewhere.url, *safe_password,
                      "--ca-file", certificates.authority.path)
    pushed.server.fault("config", f.stall)
    result = pushed.keytool("safe", "push", "--all", "--force", *QUICK)
    elsewhere.close()
    assert result.code == 75 and "ZZZZ9999: uploaded" in result.out, result
