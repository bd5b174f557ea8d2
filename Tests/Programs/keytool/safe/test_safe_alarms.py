"""Alarms about changes that nobody uploads, although looks find the earlier backup again and again."""

from datetime import datetime, timedelta, timezone

from kit.processes.clock import Clocked
from kit.servers import faults as f
from kit.servers.httpsmachine import ID, pushed  # fixtures

KEY = "22" * 32


def on_day(keytool, day):
    """The clock some `day` days ahead; an hour more, so that a whole day is over whatever its second was."""
    return Clocked(keytool, datetime.now(timezone.utc) + timedelta(days=day, hours=1))


def test_looks_do_not_hide_that_pushes_fail(pushed):
    keytool = pushed.keytool
    keytool.ok("safe", "push")
    keytool.ok("contact", "add", "CONTACTB", KEY)
    pushed.server.fault("PUT", f.status(503))
    push = ["safe", "push", "--all", "--quiet", "--tolerate", "3d", "--retry-max-time", "0s"]
    codes = {}
    for day in range(1, 10):
        codes[day] = on_day(keytool, day)(*push).code
        if day > 4:
            on_day(keytool, day).ok("safe", "status", "--all", "--remote")
    assert codes == {day: 0 if day < 3 else 75 for day in codes}
    # What the look finds is good; what waits is not.
    waiting = on_day(keytool, 9)("safe", "status", "--remote", "--max-age", "8d")
    assert waiting.code == 18 and "error: changes are not uploaded" in waiting.err
    assert f"hint: keytool safe push {ID} uploads them\n" in waiting.err
    pushed.server.heal()
    on_day(keytool, 9).ok("safe", "push")
    on_day(keytool, 9).ok("safe", "status", "--remote", "--max-age", "8d")


def test_checks_do_not_hide_that_no_push_runs(safe):
    safe.push()
    on_day(safe.keytool, 1).ok("contact", "add", "CONTACTB", KEY)
    status = ["safe", "status", "--all", "--max-age", "8d"]
    on_day(safe.keytool, 7).ok("safe", "check", "--all")
    on_day(safe.keytool, 7).ok(*status)
    on_day(safe.keytool, 14).ok("safe", "check", "--all")
    overdue = on_day(safe.keytool, 14)(*status)
    assert overdue.code == 18 and "changes are not uploaded" in overdue.err
    on_day(safe.keytool, 14).ok("safe", "push")
    on_day(safe.keytool, 14).ok(*status)


def test_without_changes_a_look_is_enough(safe):
    safe.push()
    for day in (7, 14):
        on_day(safe.keytool, day).ok("safe", "check")
        on_day(safe.keytool, day).ok("safe", "status", "--max-age", "8d")
