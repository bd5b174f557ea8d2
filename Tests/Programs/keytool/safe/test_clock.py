"""Clocks that are wrong, and clocks that jump between two runs: the uploads go on."""

import itertools
from datetime import datetime, timedelta

import pytest

from kit import oracle
from kit.known import SAFE_PASSWORD
from kit.processes.clock import BETWEEN_RUNS, Clocked
from kit.servers.safedirectory import SafeSetup
from kit.stages.edit import contacts_of, edit

MOMENTS = {
    "1970": datetime(1970, 1, 1, 0, 0, 10),
    "2027": datetime(2027, 5, 20, 12),
    "2038": datetime(2038, 1, 19, 3, 14, 7),  # the last second of 31 bits
    "2106": datetime(2106, 2, 7, 6, 28, 15),  # the last second of 32 bits
    "2262": datetime(2262, 4, 11, 23, 47, 16),  # the last second of 63 bits of nanoseconds
}
DAY = timedelta(days=1)


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
    # A time in the future is unknown, and no time was observed since.
    assert machine.keytool("safe", "status", "--max-age", "1d", "--json").code == (0 if is_back else 18)
    # A time in the future is unknown, and no time was observed since.
    assert machine.keytool("safe", "status", "--max-age", "1d", "--json").code == (0 if is_back else 18)
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


def stored(machine):
    """The numbers of the backups in the history."""
    return {one["number"] for one in machine.keytool.json("safe", "history")["backups"]}


def test_one_wrong_run_deletes_no_copy(machine, directory):
    """A copy that was promised for 90 days stays, whatever the clock of one run says."""
    start = datetime(2027, 5, 20, 12)
    machine = machine(start)
    machine.push()
    directory.put(machine.keys, oracle.seal_safe(oracle.safe_document(bytes(range(32))), machine.keys))
    machine.keytool.ok("safe", "push", "--overwrite")
    for _ in range(9):
        machine.push("--force")
    (copies := stored(machine)).discard(max(copies))
    assert len(copies) > 8 and 1 in copies
    for moment in (start + 100 * DAY, start + DAY, datetime(1990, 1, 1), start + 2 * DAY, start + 4000 * DAY, start + 3 * DAY):
        machine.set_clock(moment)
        machine.push("--force")
        assert copies <= stored(machine), moment
    # As time passes, 90 days are over.
    for day in range(10, 101, 7):
        machine.set_clock(start + day * DAY)
        machine.push("--force")
        assert copies <= stored(machine) or day >= 66, day  # three weeks early, after three wrong readings
    for day in range(107, 122, 7):
        machine.set_clock(start + day * DAY)
        machine.push("--force")
    assert not copies & stored(machine)
