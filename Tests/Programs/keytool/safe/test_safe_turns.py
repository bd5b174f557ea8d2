"""Two keystores and now and then an app take turns on one Safe: no edit is lost without a word.

An edit is a contact. It is acknowledged once a push said "uploaded" (or the app has written it),
and then it stays in the Safe until somebody says --replace or --overwrite, which give edits up
knowingly. A model beside the run knows who has seen what: exit 20 comes exactly where somebody
else has written since.
"""

import random
from collections import Counter
from datetime import datetime, timedelta

import pytest

from kit import oracle
from kit.known import SAFE_PASSWORD
from kit.processes.clock import BETWEEN_RUNS, Clocked
from kit.sampling import often
from kit.servers.safedirectory import SafeSetup
from kit.stages.decision import decide
from kit.stages.edit import contacts_of, document, edit

ROUNDS = often(200, 3)
ALL_OF_THESE = {"uploaded", "deferred", "unchanged", "confirmed", "refreshed", "conflict", "pulled",
                "pull refused", "merged", "yielded", "overwritten", "app"}
SEED = 1
START = datetime(2027, 5, 20, 12)
STEPS = [timedelta(days=days) for days in (1 / 24, 1, 1, 8, 91)]
PRIVATE_KEY = bytes(range(32))


class Safe:
    """The Safe as it ought to be. Each write makes another version of it."""

    def __init__(self, contacts):
        self.contacts, self.version = frozenset(contacts), 0
        self.written = self.generation = None
        self.acknowledged, self.given_up = set(contacts), set()

    def write(self, contacts, written=None, generation=None):
        """By a keytool, when and as which number; an app says neither."""
        self.contacts, self.written, self.generation = frozenset(contacts), written, generation
        self.version += 1
        self.acknowledged |= self.contacts


class Player:
    """One keystore, and what it ought to know."""

    def __init__(self, name, machine):
        self.name, self.machine = name, machine
        self.contacts = frozenset()
        self.unpushed = set()
        self.generation = 0  # the highest that it has pushed or pulled

    def saw(self, safe, now, uploaded):
        """The profile is what the Safe holds, by a push or by a pull."""
        self.contacts = self.base = safe.contacts
        self.version, self.uploaded, self.seen = safe.version, uploaded, now
        self.generation = max(self.generation, safe.generation or 0)
        self.failed = False
        self.unpushed.clear()


class Game:
    def __init__(self, safe, players, chance):
        self.safe, self.players, self.chance = safe, players, chance
        self.now, self.edits = START, 0
        self.happened = Counter()

    def note(self, player, what):
        self.happened[what] += 1
        print(f"{self.now:%Y-%m-%d %H:%M} {player.name if player else '-'} {what}")

    def run(self, player, *command):
        self.now += BETWEEN_RUNS
        return Clocked(player.machine.keytool, self.now)(*command, "--json")

    def new_edit(self, name):
        self.edits += 1
        return f"{name}{self.edits:07d}"

    # What players do

    def edit(self, player, contacts):
        player.contacts |= contacts
        player.unpushed |= contacts
        edit(player.machine, *player.contacts)

    def push(self, player, *options):
        """The push does what the decision table says, or is refused where the model expects it."""
        expected = "uploaded" if options else decide(
            self.now + BETWEEN_RUNS, uploaded=player.uploaded, seen=player.seen,
            has_failed=player.failed, is_changed=player.contacts != player.base)
        knows = player.version == self.safe.version or "--overwrite" in options
        before = player.machine.blob
        result = self.run(player, "safe", "push", *options)
        if expected in ("deferred", "unchanged"):
            assert (result.code, result.json["result"]) == (0, expected), result
        elif not knows:
            assert result.code == 20, result
            assert player.machine.blob == before
            player.failed = True
            expected = "conflict"
        else:
            assert (result.code, result.json["result"]) == (0, expected), result
            if expected == "confirmed":
                player.seen = self.now
            else:
                self.safe.write(player.contacts, self.now, result.json["backup"]["generation"])
                player.saw(self.safe, self.now, uploaded=self.now)
        if expected in ("deferred", "unchanged", "confirmed"):
            assert player.machine.blob == before
        self.note(player, expected)
        return expected

    def pull(self, player, *options):
        """Without --replace, a pull never drops what was not pushed, nor takes a lower number than
        is known: the counts of two keystores part where an app writes, as it drops the number."""
        result = self.run(player, "safe", "pull", *options)
        is_loss = player.contacts not in (player.base, self.safe.contacts)
        is_older = (self.safe.generation is not None and self.safe.generation < player.generation
                    and player.version != self.safe.version)
        if (is_loss or is_older) and not options:
            assert result.code == (19 if is_older else 17), result
            self.note(player, "pull refused")
            return
        assert result.code == 0, result
        player.saw(self.safe, self.now, uploaded=self.safe.written)
        self.note(player, "pulled")

    def resolve(self, player):
        """What a person may do on exit 20, who reads what it says."""
        if self.chance.random() < 0.3:
            self.pull(player)
        way = self.chance.choices(["merged", "yielded", "overwritten", "later"], [6, 2, 1, 1])[0]
        if way == "later":
            return
        if way == "overwritten":
            self.safe.given_up |= self.safe.contacts - player.contacts
            assert self.push(player, "--overwrite") == "uploaded"
        else:
            unpushed = set(player.unpushed)
            self.pull(player, "--replace")
            if way == "merged" and unpushed:
                self.edit(player, unpushed)
                assert self.push(player, "--force") == "uploaded"
        self.note(player, way)

    def app_writes(self):
        contacts = self.safe.contacts | {self.new_edit("P")}
        machine = self.players[0].machine
        machine.directory.put(machine.keys, oracle.seal_safe(
            document(PRIVATE_KEY, contacts), machine.keys))
        self.safe.write(contacts)
        self.note(None, "app")

    def round(self):
        self.now += self.chance.choice(STEPS)
        for player in self.players:
            if self.chance.random() < 0.7:
                self.edit(player, {self.new_edit(player.name)})
        if self.chance.random() < 0.1:
            self.app_writes()
        for player in self.chance.sample(self.players, len(self.players)):
            if self.push(player, *self.chance.choice([[], [], ["--force"]])) == "conflict":
                self.resolve(player)
        found = contacts_of(self.players[0].machine.document)
        assert found == self.safe.contacts
        lost = self.safe.acknowledged - found - self.safe.given_up
        assert not lost, f"lost without a word: {lost}"


@pytest.fixture
def game(keytool, other_keytool, directory, safe_password):
    directory.prepare()
    keys = oracle.safe_keys(SAFE_PASSWORD, "ABCD1234")
    directory.put(keys, oracle.seal_safe(document(PRIVATE_KEY, {"ECHOECHO"}), keys))
    safe, players = Safe({"ECHOECHO"}), []
    for name, runner in (("A", keytool), ("B", other_keytool)):
        player = Player(name, SafeSetup(runner, directory, "ABCD1234", SAFE_PASSWORD))
        Clocked(runner, START).ok(
            "safe", "pull", "--id", "ABCD1234", "--server", directory.url, *safe_password)
        player.saw(safe, START, uploaded=None)
        players.append(player)
    return Game(safe, players, random.Random(SEED))


def test_no_edit_is_lost_without_a_word(game):
    for number in range(ROUNDS):
        print(f"round {number}, seed {SEED}")
        game.round()
    assert set(game.happened) >= ALL_OF_THESE, f"not everything was tried: {game.happened}"
    # In the end each pulls and makes again what it still holds; then both agree.
    unpushed = set()
    for player in game.players:
        mine = set(player.unpushed)
        game.pull(player, "--replace")
        game.edit(player, mine)
        assert game.push(player, "--force") == "uploaded"
        unpushed |= mine
    first, second = game.players
    game.pull(first)
    for player in game.players:
        assert game.run(player, "safe", "check").code == 0
    survived = contacts_of(second.machine.document)
    assert survived >= unpushed and survived | game.safe.given_up >= game.safe.acknowledged
