"""Clocks that are wrong, and clocks that jump between two runs: the uploads go on."""

import itertools
import random
from datetime import datetime, timedelta

import pytest

from kit.clock import BETWEEN_RUNS, Clocked
from kit.decision import decide
from kit.edit import contacts_of, edit
from kit.injection import without_waiting
from kit.known import SAFE_PASSWORD
from kit.safedirectory import SafeSetup
from kit.sampling import often

MOMENTS = {
    "1970": datetime(1970, 1, 1, 0, 0, 10),
    "2027": datetime(2027, 5, 20, 12),
    "2038": datetime(2038, 1, 19, 3, 14, 7),  # the last second of 31 bits
    "2106": datetime(2106, 2, 7, 6, 28, 15),  # the last second of 32 bits
    "2262": datetime(2262, 4, 11, 23, 47, 16),  # the last second of 63 bits of nanoseconds
}
DAY = timedelta(days=1)
JUMPS = often(150, 3)
SEED = 19_700_101


class Machine(SafeSetup):
    """A machine with a clock that can be set, and its Safe."""

    def __init__(self, keytool, directory, moment):
        super().__init__(Clocked(keytool, moment), directory, "ABCD1234", SAFE_PASSWORD)

    def set_clock(self, moment):
        self.keytool = Clocked(self.keytool, moment)

    def edit(self, *contacts):
        edit(self, *contacts)

    def status(self):
        return self.keytool.json("safe", "status")


@pytest.fixture
def machine(keytool, directory, safe_password):
    """machine(moment): set up at that time, nothing pushed yet."""

    def machine(moment):
        machine = Machine(keytool, directory, moment)
        machine.keytool.ok("id", "create", "--id", machine.id)
        machine.keytool.ok("safe", "setup", "--create", "--server", directory.url, *safe_password)
        return machine

    return machine


def is_at(text, moment):
    """Whether a time that keytool gave is this one, or one of the next runs'."""
    assert text.endswith("Z")
    shown = datetime.fromisoformat(text[:-1])
    return timedelta(0) <= shown - moment < 10 * BETWEEN_RUNS


@pytest.mark.parametrize("start", MOMENTS.values(), ids=MOMENTS)
def test_every_verb(machine, start):
    machine = machine(start)
    backup = machine.push()["backup"]
    assert is_at(backup["uploaded_at"], start)
    assert is_at(backup["expires_at"], start + 180 * DAY)
    written = timedelta(milliseconds=machine.document["keytool"]["written_at"])
    assert timedelta(0) <= datetime(1970, 1, 1) + written - start < 10 * BETWEEN_RUNS
    shown = machine.status()
    assert is_at(shown["uploaded_at"], start) and is_at(shown["seen_at"], start)
    assert machine.keytool.json("safe", "check")["same"] is True
    assert machine.push()["result"] == "unchanged"
    machine.edit("ECHOECHO")
    assert machine.push()["result"] == "deferred"
    machine.set_clock(start + DAY)
    assert machine.push()["result"] == "uploaded"
    assert contacts_of(machine.document) == {"ECHOECHO"}
    assert is_at(machine.status()["uploaded_at"], start + DAY)
    assert machine.keytool.json("safe", "check")["same"] is True
    machine.keytool.ok("safe", "pull")


@pytest.mark.parametrize("first, second", itertools.permutations(MOMENTS, 2))
def test_jump(machine, first, second):
    machine = machine(MOMENTS[first])
    assert machine.push()["result"] == "uploaded"
    machine.set_clock(MOMENTS[second])
    is_back = MOMENTS[second] < MOMENTS[first]
    shown = machine.status()
    if is_back:
        assert shown.get("uploaded_at") is None, "what will be uploaded has not been"
        assert shown.get("seen_at") is None
    else:
        assert is_at(shown["uploaded_at"], MOMENTS[first])
    assert machine.keytool("safe", "status", "--max-age", "1d", "--json").code == 18
    assert machine.push()["result"] == ("uploaded" if is_back else "refreshed")
    assert is_at(machine.status()["uploaded_at"], MOMENTS[second])
    machine.keytool.ok("safe", "status", "--max-age", "1d")
    assert machine.push()["result"] == "unchanged"
    machine.edit("ECHOECHO")
    machine.set_clock(MOMENTS[first])
    assert machine.push()["result"] == "uploaded", "changed, and not within 23 hours"
    assert contacts_of(machine.document) == {"ECHOECHO"}


def test_backup_from_the_future(machine, other_keytool, safe_password):
    """Another machine's clock is ahead: after a pull, its upload counts as none."""
    machine = machine(MOMENTS["2027"])
    machine.push()
    ahead = Machine(other_keytool, machine.directory, MOMENTS["2106"])
    pull = ["safe", "pull", "--id", machine.id, "--server", machine.directory.url, *safe_password]
    ahead.keytool.ok(*pull)
    ahead.push("--force")
    assert machine.keytool.fails(20, "safe", "push", "--force")
    machine.keytool.ok("safe", "pull")
    assert machine.status().get("uploaded_at") is None
    assert machine.push()["result"] == "uploaded"
    assert is_at(machine.status()["uploaded_at"], MOMENTS["2027"])


def test_any_jumps(machine):
    """A walk through time, with changes and with a server that forgets, beside the table."""
    chance = random.Random(SEED)
    steps = [timedelta(minutes=5), timedelta(hours=20), DAY, 8 * DAY, 8 * DAY, 91 * DAY]
    now = MOMENTS["2027"]
    machine = machine(now)
    uploaded = seen = machine.keytool.moment
    machine.push()
    contacts, pushed, tried = (), (), set()
    for number in range(JUMPS):
        away = [now - chance.choice(steps), chance.choice(list(MOMENTS.values()))]
        now = chance.choice([now + chance.choice(steps)] * 4 + away)
        now = min(max(now, MOMENTS["1970"]), MOMENTS["2262"])
        machine.set_clock(now + timedelta(minutes=chance.randrange(300)))
        if chance.random() < 0.3:
            contacts = (f"{number:08d}",)
            machine.edit(*contacts)
        now = machine.keytool.moment
        expected = decide(now, uploaded=uploaded, seen=seen, is_changed=contacts != pushed)
        is_quiet = expected in ("unchanged", "deferred")
        kept = machine.blob
        is_gone = chance.random() < 0.3
        if is_gone:
            machine.directory.backup(machine.keys).unlink()
            expected = expected if is_quiet else "restored"
        print(f"{number}, seed {SEED}: {now}, last upload {uploaded}, {expected}")
        push = without_waiting(machine.keytool) if expected == "restored" else machine.keytool
        assert push.json("safe", "push")["result"] == expected
        tried.add(expected)
        if is_gone and is_quiet:
            machine.directory.put(machine.keys, kept)  # else nothing could be told from a backup
        if not is_quiet:
            seen = now
            uploaded = uploaded if expected == "confirmed" else now
            pushed = pushed if expected == "confirmed" else contacts
        assert contacts_of(machine.document) == set(pushed)
    assert tried == {"uploaded", "deferred", "unchanged", "confirmed", "restored", "refreshed"}
