"""A year of `safe mirror` at night, beside a phone that writes when it likes and to which everything happens once.

What each night has to end in, and which versions have to be there, says a model that shares nothing with the program.
"""

import os
import random
from datetime import datetime, timedelta

import pytest

from kit.processes.clock import Clocked
from kit.servers.phone import ID, Phone

START = datetime(2027, 1, 1, 3, 17)
TOLERATED = timedelta(days=3)
OLDEST = timedelta(days=30)
RUN = ("safe", "mirror", "--tolerate", "3d", "--max-age", "30d")
# By the name of what happens: for how many nights.
EVENTS = {"wiped": 5, "deleted": 3, "away": 7, "back": 2, "other key": 3, "damaged": 2, "loss": 9, "silent": 40}


def calendar(rng):
    """What happens before each night, with the number of nights since it began."""
    days = [("edit" if rng.random() < 0.4 else "quiet", 0) for _ in range(365)]
    days[0] = ("edit", 0)
    start = 10
    events = list(EVENTS.items())
    rng.shuffle(events)
    for event, length in events:
        start += rng.randrange(8, 24)
        days[start:start + length] = [(event, since) for since in range(length)]
        start += length
        # The phone writes its whole document again.
        days[start] = ("edit", 0)
    assert len(days) == 365
    return days


class Model:
    """The contract of `safe mirror`, from what a person knows: what the phone wrote, and when."""

    def __init__(self):
        self.stored = []  # (moment, bytes), the oldest first
        self.seen = []  # all that were ever stored
        self.normal = self.contacts = self.success = self.changed = None

    def night(self, now, event, blob, contacts, accepting):
        """The exit code of a run that finds these bytes."""
        if event == "away":
            return 75 if now - self.success > TOLERATED else 0
        if blob is None:
            return 10
        if event == "damaged":
            return 65
        if blob not in self.seen[-1:]:
            if blob in self.seen:
                return 19
            self.seen.append(blob)
            self.stored.append((now, blob))
            self.changed = now
        if event == "other key":
            return 19
        if self.contacts is not None and contacts * 2 < self.contacts and blob != self.normal and not accepting:
            return 17
        self.normal, self.contacts, self.success = blob, contacts, now
        self.thin()
        return 18 if now - self.changed > OLDEST else 0

    def thin(self):
        """last=3,daily=7,weekly=4,monthly=12"""
        kept = {moment for moment, _ in self.stored[-3:]}
        for count, period in ((7, lambda day: day.date()), (4, lambda day: day.isocalendar()[:2]),
                              (12, lambda day: (day.year, day.month))):
            newest = {period(moment): moment for moment, _ in self.stored}
            kept.update(sorted(newest.values())[-count:])
        self.stored = [(moment, blob) for moment, blob in self.stored if moment in kept or blob == self.normal]


def untouched(directory):
    """What a write to the server would change, even of the same bytes."""
    return {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in [directory, *directory.rglob("*")]}


@pytest.mark.parametrize("seed", [2027])
def test_a_year(keytool, directory, safe_password, tmp_path, seed):
    rng = random.Random(seed)
    phone = Phone(keytool, directory)
    phone.writes("first")
    keytool = Clocked(keytool, START - timedelta(hours=1))
    phone.keytool = keytool
    phone.guarded_by(*safe_password)
    model, contacts, codes = Model(), 100, {}
    for number, (event, since) in enumerate(calendar(rng)):
        now = START + timedelta(days=number, minutes=rng.randrange(30))
        if event == "edit":
            contacts = max(20, contacts + rng.randrange(-3, 6))
            phone.writes(f"night {number}", contacts)
        elif event == "wiped" and since == 0:
            phone.writes("wiped", 1)
        elif event == "loss" and since == 0:
            phone.writes("loss", contacts // 3)
        elif event == "other key" and since == 0:
            phone.writes("other", contacts, key=bytes(32))
        elif event == "deleted" and since == 0:
            directory.backup(phone.keys).unlink()
        elif event == "damaged" and since == 0:
            blob = bytearray(phone.blob)
            blob[30] ^= 1
            directory.put(phone.keys, bytes(blob))
        elif event == "back" and since == 0:
            directory.put(phone.keys, model.stored[-3][1])
        blob = phone.blob if directory.backup(phone.keys).exists() else None
        found = {"wiped": 1, "loss": contacts // 3}.get(event, contacts)
        if event == "away":
            directory.go_away()
        before = untouched(tmp_path / "safe-directory") if event != "away" else None
        accepting = event == "loss" and since == 4
        keytool.moment = now
        result = keytool(*RUN, *(["--accept-loss"] if accepting else []))
        expected = model.night(now, event, blob, found, accepting)
        assert result.code == expected, (number, event, since, result)
        if event == "away":
            directory.come_back()
            assert expected or result.out == result.err == ""
        else:
            assert untouched(tmp_path / "safe-directory") == before, (number, event)
        codes.setdefault(event, []).append(result.code)
        if number % 7 == 0 or result.code:
            assert phone.kept == [blob for _, blob in model.stored], (number, event, since)
    # The third night is three days after the last good one, some minutes more or less.
    assert codes["away"] in ([0, 0, 0, 75, 75, 75, 75], [0, 0, 75, 75, 75, 75, 75])
    assert codes["wiped"] == [17] * 5 and codes["deleted"] == [10] * 3 and codes["back"] == [19] * 2
    assert codes["other key"] == [19] * 3 and codes["damaged"] == [65] * 2
    assert codes["loss"] == [17] * 4 + [0] * 5 and set(codes["edit"]) == {0}
    assert set(codes["silent"]) == {0, 18} and codes["silent"] == sorted(codes["silent"])

    # Each version that is left is restored from the keystore, as the phone wrote it.
    keytool.moment = START + timedelta(days=365)
    numbers = [one["number"] for one in keytool.json("safe", "history", ID)["backups"]]
    assert len(numbers) == len(model.stored) > 15 and numbers == sorted(numbers, reverse=True)
    for number, (_, blob) in zip(numbers, reversed(model.stored)):
        file = tmp_path / f"version-{number}"
        keytool.ok("safe", "pull", "--from", str(number), "--raw", "-o", file)
        assert file.read_bytes() == blob
