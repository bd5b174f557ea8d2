"""state.json edited at random.

Whatever it says, nothing in it keeps an upload that is due from being made. It may cost one that
was not due, and where the Safe holds other content it may be refused aloud (20): never in silence.
Four times as many edits are tried under `make test-all`.
"""

import random
from datetime import datetime, timedelta, timezone

import pytest

from kit import oracle
from kit.known import SAFE_PASSWORD
from kit.processes.clock import Clocked
from kit.processes.injection import without_waiting
from kit.runner import on_two_processors
from kit.sampling import often
from kit.stages.edit import contacts_of, document, edit
from kit.stages.mutation import Mutation, meaning

PRIVATE_KEY = bytes(range(32))
MUTATIONS = often(2000, 4)
SEED = 20_261_121


@pytest.fixture
def machines(pulled):
    blob = oracle.seal_safe(
        document(PRIVATE_KEY, {"ECHOECHO"}), oracle.safe_keys(SAFE_PASSWORD, "ABCD1234"))
    return [pulled(name, blob) for name in ("one", "two")]


def judge_all(machine, seeds, is_changed, judge):
    """judge(machine with the mutated state in place, keytool, whether the state says the same)"""
    machine.push("--force")
    uploaded, genuine = machine.blob, machine.record("state.json").read_bytes()
    if is_changed:
        edit(machine, "CHANGED1")
    # A day later the change is due.
    moment = datetime.now(timezone.utc) + timedelta(days=1)
    keytool = Clocked(machine.keytool, moment) if is_changed else machine.keytool
    kept = 0
    for seed in seeds:
        file = Mutation(genuine, random.Random(seed)).next()
        machine.record("state.json").write_bytes(file)
        machine.directory.put(machine.keys, uploaded)
        is_same = said(file) == said(genuine)
        kept += is_same
        try:
            judge(machine, keytool, is_same)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {file!r}") from error
    assert kept < len(seeds) / 4, "most of them do change what it says"


def said(file):
    """What a state says: its digest in capital letters is the same digest."""
    state = meaning(file)
    if isinstance(state, dict) and isinstance(state.get("mac"), str):
        state["mac"] = state["mac"].lower()
    return state


def push(keytool):
    result = keytool("safe", "push", "--json")
    return result.json["result"] if result.code == 0 else result.error["code"]


def test_unchanged(machines):
    """Not due: an edited state is none, and costs an upload."""

    def judge(machine, keytool, is_same):
        assert push(keytool) == ("unchanged" if is_same else "uploaded")

    on_two_processors(lambda machine, seeds: judge_all(machine, seeds, False, judge),
                      machines, range(SEED, SEED + MUTATIONS // 4))


def test_unchanged_on_an_emptied_server(machines):
    """An edited state does not claim that the backup is there."""

    def judge(machine, keytool, is_same):
        machine.directory.backup(machine.keys).unlink()
        assert push(keytool) == ("unchanged" if is_same else "uploaded")
        assert is_same or contacts_of(machine.document) == {"ECHOECHO"}

    on_two_processors(lambda machine, seeds: judge_all(machine, seeds, False, judge),
                      machines, range(SEED, SEED + MUTATIONS // 4))


def test_changed(machines):
    """Due: uploaded, or refused aloud, as without its state it does not know the backup there."""

    def judge(machine, keytool, is_same):
        before = machine.blob
        result = push(keytool)
        assert result == ("uploaded" if is_same else 20)
        assert result == 20 or contacts_of(machine.document) == {"CHANGED1"}
        assert result != 20 or machine.blob == before

    on_two_processors(lambda machine, seeds: judge_all(machine, seeds, True, judge),
                      machines, range(SEED, SEED + MUTATIONS // 4))


def test_changed_on_an_emptied_server(machines):
    """Due, and nothing there that could be lost: uploaded."""

    def judge(machine, keytool, is_same):
        machine.directory.backup(machine.keys).unlink()
        assert push(without_waiting(keytool)) == ("restored" if is_same else "uploaded")
        assert contacts_of(machine.document) == {"CHANGED1"}

    on_two_processors(lambda machine, seeds: judge_all(machine, seeds, True, judge),
                      machines, range(SEED, SEED + MUTATIONS // 4))
