"""Commands that change the SophaxChat identities of a keystore, each with the place it starts from."""

import time

from kit import archives, identityfiles, sophax
from kit.sophax import ALICE
from kit.stages.accountstaged import AccountPlace, identity
from kit.stages.scenes import Scene, nothing

ID = sophax.peer_id(ALICE)
PEERS = {sophax.peer_id(sophax.BOB): sophax.safety_number(sophax.BOB)}
PINS = {"new-pin": b"271828", "other-pin": b"314159"}
RECORDS = ("identity", "prekeys", "pin", "attempts", "changes", "clearings")


class SophaxPlace(AccountPlace):
    """Looked at: the records of the identities. Of prekeys that are made in the run, their numbers; of a lock, which PIN
    opens it, and how much was counted."""

    messenger = "sophaxchat"

    def __init__(self, path):
        super().__init__(path)
        (self.home / "agekey").write_text(archives.IDENTITY + "\n")
        (self.home / "agekey").chmod(0o600)
        for name, pin in PINS.items():
            (self.home / name).write_bytes(pin + b"\n")
            (self.home / name).chmod(0o600)
        for name, peers in {"bare": {}, "peers": PEERS}.items():
            (self.home / f"{name}.age").write_bytes(archives.seal(sophax.account_text(ALICE, verified=peers)))
        (self.home / "bundle.json").write_bytes(sophax.bundle(sophax.BOB, time.time() - sophax.EPOCH))
        for index in (1, 2):
            (self.home / f"share.{index}").write_bytes(sophax.share(ALICE, index))

    def account(self, directory, key):
        return {name: self.content(directory / name, key) for name in RECORDS if (directory / name).exists()}

    @staticmethod
    def content(path, key):
        content = identityfiles.opened(path, key)
        if path.name == "prekeys":
            signed, rest = sophax.prekeys(content)
            return len(signed), len(rest)
        if path.name == "pin":
            return [name for name, pin in PINS.items() if sophax.is_pin(pin, sophax.pin_hashes(content)[0])]
        if path.name == "attempts":
            return sophax.attempts(content)
        return len(sophax.uses(content)) if path.name in ("changes", "clearings") else content


def bare(place):
    place.keytool.ok("sophaxchat", "import", place.home / "bare.age", "--identity", place.home / "agekey")


def made(place):
    bare(place)
    place.keytool.ok("sophaxchat", "refill-prekeys")


def imported(name):
    return lambda place: ["sophaxchat", "import", place.home / f"{name}.age", "--identity", place.home / "agekey"]


def words(*verb):
    return lambda place: ["sophaxchat", *verb]


def verify_peer(place):
    number = sophax.pair_number(ALICE, sophax.BOB)
    return ["sophaxchat", "verify-peer", place.home / "bundle.json", "--number", number.replace(" ", "")]


def join(place):
    return ["sophaxchat", "join", place.home / "share.1", place.home / "share.2", "--username", "Ann",
            "--expect-id", ID]


def set_pin(place):
    return ["sophaxchat", "set-pin", "--new-pin-file", place.home / "new-pin"]


def tried(place):
    """With a PIN, and two failures."""
    bare(place)
    place.keytool.ok(*set_pin(place))
    for _ in range(2):
        place.keytool.fails(12, "sophaxchat", "check-pin", "--pin-file", place.home / "other-pin")


def change_pin(place):
    return ["sophaxchat", "set-pin", "--pin-file", place.home / "new-pin", "--new-pin-file", place.home / "other-pin"]


SCENES = {
    "first": Scene(nothing, imported("bare"), (0,), has_steps=True),
    "beside": Scene(identity, imported("bare"), (0,)),
    "extend": Scene(bare, imported("peers"), (0,)),
    "refill": Scene(bare, words("refill-prekeys"), (0,)),
    "join": Scene(identity, join, (0,)),
    "rotate": Scene(made, words("rotate-prekeys"), (0,)),
    "verify-peer": Scene(bare, verify_peer, (0,)),
    "set-pin": Scene(made, set_pin, (0,)),
    "change-pin": Scene(tried, change_pin, (0,), has_steps=True),
}
