"""sophaxchat set-pin, set-duress-pin and check-pin: the hashes by hashlib, and attempts that outlive kills."""

import re
import shlex
import time
from datetime import datetime, timedelta, timezone

import pytest

from kit import sophax
from kit.processes import injection
from kit.processes.clock import Clocked
from kit.runner import Keytool

PIN, OTHER, DURESS = b"271828", b"314159", b"161803"


@pytest.fixture
def id(keytool):
    return keytool.json("sophaxchat", "init")["id"]


@pytest.fixture
def set_pin(keytool, id, given):
    keytool.ok("sophaxchat", "set-pin", *given("new-pin", PIN))


def hashes(keytool, id):
    return sophax.pin_hashes(sophax.record(keytool, id, "pin"))


def count(keytool, id):
    return sophax.attempts(sophax.record(keytool, id, "attempts") or bytes(12))[0]


def changes(keytool, id):
    """How many changes of a PIN are counted."""
    return len(sophax.uses(sophax.record(keytool, id, "changes") or b""))


def test_set_pin(keytool, id, given):
    assert keytool.fails(10, "sophaxchat", "check-pin", *given("pin", PIN), "--json").error["reason"] == "no_pin"
    keytool.fails(10, "sophaxchat", "set-pin", *given("pin", PIN), *given("new-pin", OTHER))
    for weak in (b"123", b"1234", b"111111"):
        keytool.fails(64, "sophaxchat", "set-pin", *given("new-pin", weak), "--no-input")
    keytool.fails(64, "sophaxchat", "set-pin", *given("new-pin", b"x" * 65))
    assert sophax.record(keytool, id, "pin") is None
    keytool.ok("sophaxchat", "set-pin", *given("new-pin", PIN))
    real, duress = hashes(keytool, id)
    assert sophax.is_pin(PIN, real) and not sophax.is_pin(PIN, duress)
    assert keytool.json("sophaxchat", "show")["pin"] is True
    # A PIN is changed by those who know it only.
    keytool.fails(16, "sophaxchat", "set-pin", *given("new-pin", OTHER))
    keytool.fails(12, "sophaxchat", "set-pin", *given("new-pin", OTHER), *given("pin", b"wrong"))
    assert count(keytool, id) == 1 and hashes(keytool, id) == [real, duress]
    keytool.ok("sophaxchat", "set-pin", *given("new-pin", OTHER), *given("pin", PIN))
    changed, same = hashes(keytool, id)
    assert sophax.is_pin(OTHER, changed) and changed[0] != real[0] and same == duress
    assert count(keytool, id) == 0


def test_the_first_pin_of_two_at_once(keytool, id, given, write):
    """Another keytool sets one while this one is asked for: it is not replaced, and nothing says that a PIN is wrong."""
    other = shlex.join(keytool.command_line("sophaxchat", "set-pin", *given("new-pin", OTHER)))
    late = ["sophaxchat", "set-pin", "--new-pin-command", f"{other} -q && printf 271828"]
    error = keytool.fails(17, *late, "--json").error
    assert error["reason"] == "pin_exists" and "was set" in error["message"] and "run" in error["hint"], error
    assert sophax.is_pin(OTHER, hashes(keytool, id)[0]) and (count(keytool, id), changes(keytool, id)) == (0, 0)


def test_duress(keytool, id, set_pin, given):
    keytool.fails(16, "sophaxchat", "set-duress-pin", *given("duress-pin", DURESS))
    keytool.fails(64, "sophaxchat", "set-duress-pin", *given("duress-pin", PIN), *given("pin", PIN))
    before = len(sophax.record(keytool, id, "pin"))
    keytool.ok("sophaxchat", "set-duress-pin", *given("duress-pin", DURESS), *given("pin", PIN))
    real, duress = hashes(keytool, id)
    assert sophax.is_pin(PIN, real) and sophax.is_pin(DURESS, duress)
    assert len(sophax.record(keytool, id, "pin")) == before
    # Nothing tells one from the other.
    results = [keytool.ok("sophaxchat", "check-pin", *given("pin", pin), *more)
               for more in ([], ["--json"]) for pin in (PIN, DURESS)]
    assert (results[0].out, results[0].err, results[2].out) == (results[1].out, results[1].err, results[3].out)
    keytool.fails(12, "sophaxchat", "check-pin", *given("pin", OTHER))
    # Who knows only the PIN of duress changes that one, and is told the same.
    said = keytool.ok("sophaxchat", "set-pin", *given("new-pin", OTHER), *given("pin", DURESS))
    assert "was changed" in said.out
    assert hashes(keytool, id)[0] == real and sophax.is_pin(OTHER, hashes(keytool, id)[1])
    before = sophax.record(keytool, id, "pin")
    keytool.ok("sophaxchat", "set-duress-pin", *given("duress-pin", b"998877"), *given("pin", OTHER))
    assert sophax.record(keytool, id, "pin") == before
    keytool.ok("sophaxchat", "check-pin", *given("pin", PIN))


def test_duress_is_no_oracle_for_the_pin(keytool, id, set_pin, given):
    """Nothing that the PIN of duress may do tells whether another PIN is the owner's."""
    keytool.ok("sophaxchat", "set-duress-pin", *given("duress-pin", DURESS), *given("pin", PIN))
    # The owner knows both: they must differ.
    keytool.fails(64, "sophaxchat", "set-pin", *given("new-pin", DURESS), *given("pin", PIN))
    # A PIN for duress that equals the one that was proven is refused for both.
    keytool.fails(64, "sophaxchat", "set-duress-pin", *given("duress-pin", PIN), *given("pin", PIN))
    keytool.fails(64, "sophaxchat", "set-duress-pin", *given("duress-pin", DURESS), *given("pin", DURESS))
    sophax.forget(keytool, id, "changes")
    keytool.ok("sophaxchat", "set-duress-pin", *given("duress-pin", PIN), *given("pin", DURESS))
    real = hashes(keytool, id)[0]
    wrong = keytool.ok("sophaxchat", "set-pin", *given("new-pin", OTHER), *given("pin", DURESS))
    right = keytool.ok("sophaxchat", "set-pin", *given("new-pin", PIN), *given("pin", OTHER))
    assert (right.out, right.err) == (wrong.out, wrong.err)
    assert hashes(keytool, id)[0] == real and sophax.is_pin(PIN, hashes(keytool, id)[1])
    # The owner is found first.
    assert changes(keytool, id) == 3
    keytool.ok("sophaxchat", "set-pin", *given("new-pin", OTHER), *given("pin", PIN))
    assert sophax.is_pin(OTHER, hashes(keytool, id)[0])


def test_changes_are_counted(keytool, id, set_pin, given):
    """Somebody who knows the PIN of duress sets a guess as that one, and another one by the guess: if the guess is the
    owner's, it opens afterwards, too."""
    assert sophax.record(keytool, id, "changes") is None, "the first setting is not a change"
    keytool.ok("sophaxchat", "set-duress-pin", *given("duress-pin", DURESS), *given("pin", PIN))
    sophax.forget(keytool, id, "changes")
    began = time.time() * 1000
    known = DURESS
    for number in range(1, 4):
        guess = b"guess-%d" % number
        keytool.ok("sophaxchat", "set-pin", *given("new-pin", guess), *given("pin", known))
        assert changes(keytool, id) == number
        known = guess
    # One that is refused because both PINs would be equal is counted before they are compared.
    keytool.fails(64, "sophaxchat", "set-pin", *given("new-pin", known), *given("pin", PIN))
    uses = sophax.uses(sophax.record(keytool, id, "changes"))
    assert len(uses) == 4 and began - 1 <= uses[0] and uses == sorted(uses) and uses[3] <= time.time() * 1000 + 1
    before = {name: sophax.record(keytool, id, name) for name in ("pin", "attempts", "changes", "clearings")}
    for proof in (known, PIN, b"wrong-pin"):
        for verb, stem in (("set-pin", "new-pin"), ("set-duress-pin", "duress-pin")):
            refused = keytool.fails(75, "sophaxchat", verb, *given(stem, OTHER), *given("pin", proof), "--json").error
            assert refused["reason"] == "pin_changes"
            assert re.search(r" in (23h 5\dm|1d 0s)", refused["message"])
    assert before == {name: sophax.record(keytool, id, name) for name in before}
    for pin in (known, PIN):
        keytool.ok("sophaxchat", "check-pin", *given("pin", pin))
    # The first of the four is a day old.
    day = 86_400_000
    old = round(time.time() * 1000) - day
    sophax.put(keytool, id, "changes", sophax.allowance(old, *uses[1:]))
    keytool.ok("sophaxchat", "set-pin", *given("new-pin", OTHER), *given("pin", PIN))
    assert sophax.uses(sophax.record(keytool, id, "changes"))[:3] == uses[1:]
    # A clock that was ahead: the wait is a day, and ends.
    sophax.put(keytool, id, "changes", sophax.allowance(*[uses[0] + 400 * day] * 4))
    command = ("sophaxchat", "set-pin", *given("new-pin", PIN), *given("pin", OTHER))
    assert "possible in 1d 0s" in keytool.fails(75, *command).err
    moved = sophax.uses(sophax.record(keytool, id, "changes"))
    assert abs(moved[0] - time.time() * 1000) < 60_000 and moved == moved[:1] * 4
    sophax.put(keytool, id, "changes", sophax.allowance(*[time - day for time in moved]))
    keytool.ok(*command)
    for malformed in (bytes(7), bytes(40), sophax.allowance(2, 1)):
        sophax.put(keytool, id, "changes", malformed)
        keytool.fails(65, *command)


@pytest.mark.parametrize("record, content, verbs", [
    ("changes", lambda: sophax.allowance(*[round(time.time() * 1000)] * 4), ["set-pin", "set-duress-pin"]),
    ("attempts", lambda: b"\0\0\0\5" + sophax.time_bytes(time.time() + 25),
     ["set-pin", "set-duress-pin", "check-pin"])], ids=["changes", "attempts"])
def test_no_pin_is_asked_for_in_vain(keytool, id, set_pin, terminal, record, content, verbs):
    """Before a PIN is typed, so the same for each of them: nothing is counted or compared."""
    sophax.put(keytool, id, record, content())
    kept = {name: sophax.record(keytool, id, name) for name in ("pin", "attempts", "changes", "clearings")}
    for verb in verbs:
        refused = terminal("sophaxchat", verb)
        refused.expect("is possible in" if record == "changes" else "the next one is checked in")
        assert refused.finish() == 75
        assert "PIN of" not in refused.text and "PIN for" not in refused.text, refused.text
        # Without a source of the PIN the refusal comes first, too.
        assert keytool.fails(75, "sophaxchat", verb, "--json").error["reason"] == (
            "pin_changes" if record == "changes" else "pin_delayed")
    assert kept == {name: sophax.record(keytool, id, name) for name in kept}


def test_failures_are_cleared_four_times_a_day(keytool, id, set_pin, given):
    """Otherwise somebody who knows the PIN of duress would try the other one as often as it pleases."""
    keytool.ok("sophaxchat", "set-duress-pin", *given("duress-pin", DURESS), *given("pin", PIN))
    for number in range(5):
        keytool.fails(12, "sophaxchat", "check-pin", *given("pin", OTHER))
        keytool.ok("sophaxchat", "check-pin", *given("pin", DURESS))
        assert count(keytool, id) == (0 if number < 4 else 1)
    assert len(sophax.uses(sophax.record(keytool, id, "clearings"))) == 4
    before = sophax.record(keytool, id, "attempts")
    keytool.ok("sophaxchat", "check-pin", *given("pin", PIN))
    assert sophax.record(keytool, id, "attempts") == before, "that of the owner clears no more than that of duress"


def test_a_clock_before_1970_locks_nobody_out(keytool, id, set_pin, given):
    for _ in range(5):
        keytool.fails(12, "sophaxchat", "check-pin", *given("pin", OTHER))
    early = Clocked(keytool, datetime(1960, 1, 1, tzinfo=timezone.utc))
    refused = early.fails(75, "sophaxchat", "check-pin", *given("pin", PIN))
    assert "is checked in 30 s" in refused.err or "is checked in 31 s" in refused.err
    assert sophax.attempts(sophax.record(keytool, id, "attempts"))[1] < 0
    # There the wait ends as elsewhere, and the next failure is delayed.
    early.fails(12, "sophaxchat", "check-pin", *given("pin", OTHER))
    early.moment -= timedelta(minutes=1)
    assert early.fails(75, "sophaxchat", "check-pin", *given("pin", PIN), "--json").error["reason"] == "pin_delayed"
    keytool.ok("sophaxchat", "check-pin", *given("pin", PIN))
    keytool.ok("sophaxchat", "set-pin", *given("new-pin", OTHER), *given("pin", PIN))


def instructions(keytool, *command):
    """How many instructions a run takes. Unlike its time, the number is the same on each machine beside any load."""
    checked = Counted(keytool)
    return int(re.search(r"I\s+refs:\s+([\d,]+)", checked.ok(*command).err)[1].replace(",", ""))


class Counted(Keytool):
    """Each run is counted by valgrind, which says so on stderr."""

    def __init__(self, keytool):
        super().__init__(keytool.home, keytool.keystore, keytool.environment)

    def command_line(self, *arguments):
        return ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
                *super().command_line(*arguments)]


def test_a_duress_pin_takes_the_same_time_for_both(keytool, id, set_pin, given, write):
    new = ["--duress-pin-file", write("new", OTHER, 0o600)]

    def change(proof):
        # For the owner it is set again; under duress nothing changes, or the PIN would be another one.
        sophax.forget(keytool, id, "changes")
        keytool.ok("sophaxchat", "set-duress-pin", *given("duress-pin", DURESS), *given("pin", PIN))
        return instructions(keytool, "sophaxchat", "set-duress-pin", *new, *proof)

    real, duress = change(given("pin", PIN)), change(["--pin-file", write("duress", DURESS, 0o600)])
    # There are five hashes; without those of the new PIN there would be two.
    assert real == pytest.approx(duress, rel=0.02), (real, duress)


def test_real_and_duress_take_the_same_time(keytool, id, set_pin, given, write):
    keytool.ok("sophaxchat", "set-duress-pin", *given("duress-pin", DURESS), *given("pin", PIN))
    real, duress = (instructions(keytool, "sophaxchat", "check-pin", *proof)
                    for proof in (given("pin", PIN), ["--pin-file", write("duress", DURESS, 0o600)]))
    # Each of the two hashes takes about a third of it.
    assert real == pytest.approx(duress, rel=0.02), (real, duress)


def test_delays(keytool, id, set_pin, given):
    wrong = given("pin", b"wrong")
    for attempt in range(1, 6):
        keytool.fails(12, "sophaxchat", "check-pin", *wrong)
        assert count(keytool, id) == attempt
    failures, release = sophax.attempts(sophax.record(keytool, id, "attempts"))
    assert 20 < release - time.time() <= 30
    before = sophax.record(keytool, id, "attempts")
    for verb in (("check-pin", *given("pin", PIN)), ("set-pin", *given("new-pin", OTHER), *given("pin", PIN)),
                 ("set-duress-pin", *given("duress-pin", OTHER), *given("pin", PIN))):
        refused = keytool.fails(75, "sophaxchat", *verb, "--json").error
        assert refused["reason"] == "pin_delayed"
    assert sophax.record(keytool, id, "attempts") == before
    # The delay is over.
    over = before[:4] + sophax.time_bytes(time.time() - 1)
    sophax.put(keytool, id, "attempts", over)
    keytool.fails(12, "sophaxchat", "check-pin", *given("pin", b"wrong"))
    failures, release = sophax.attempts(sophax.record(keytool, id, "attempts"))
    assert failures == 6 and 50 < release - time.time() <= 60
    sophax.put(keytool, id, "attempts", before[:4] + sophax.time_bytes(time.time() - 1))
    keytool.ok("sophaxchat", "check-pin", *given("pin", PIN))
    assert sophax.attempts(sophax.record(keytool, id, "attempts")) == (0, 0)


def test_a_malformed_count_checks_nothing(keytool, id, set_pin, given):
    sophax.put(keytool, id, "attempts", bytes(11))
    keytool.fails(65, "sophaxchat", "check-pin", *given("pin", PIN))
    sophax.put(keytool, id, "pin", bytes(131))
    keytool.fails(65, "sophaxchat", "check-pin", *given("pin", PIN))


def test_attempts_are_counted_across_kills(keytool, id, set_pin, given):
    """Killed at any of its calls, a check of the right PIN has forgotten the failures only after it has counted itself:
    between the two the PIN is compared."""
    injection.require_tracing()
    command = ["sophaxchat", "check-pin", *given("pin", PIN)]
    two = b"\0\0\0\2" + bytes(8)
    sophax.put(keytool, id, "attempts", two)
    points = injection.points(keytool, *command)
    counted = []
    for point in points:
        sophax.put(keytool, id, "attempts", two)
        sophax.forget(keytool, id, "clearings", "commit")
        injection.kill(keytool, point, *command)
        counted.append(count(keytool, id))
    steps = [value for at, value in enumerate(counted) if at == 0 or counted[at - 1] != value]
    assert steps == [2, 3, 0] or steps == [2, 3], counted
