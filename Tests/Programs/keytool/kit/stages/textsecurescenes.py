"""Commands that change the TextSecure accounts of a keystore, each with the place it starts from."""

import json

from kit import archives, identityfiles, textsecure
from kit.stages.accountstaged import AccountPlace, identity
from kit.stages.scenes import Scene, nothing
from kit.textsecure import NUMBER

ACCOUNT = textsecure.account()


class TextSecurePlace(AccountPlace):
    """Looked at: the accounts. Keys that are made at random count by their number."""

    messenger = "textsecure"

    def __init__(self, path):
        super().__init__(path)
        (self.home / "key").write_text(archives.IDENTITY + "\n")
        (self.home / "account.age").write_bytes(archives.seal(textsecure.text(ACCOUNT)))

    def account(self, directory, key):
        return self.known(json.loads(identityfiles.opened(directory / "account", key)))

    @staticmethod
    def known(members):
        """What is the same in each run. Every key of the account that was there has to be there, and whole."""
        ids = {each["id"] for each in members["prekeys"]}
        assert len(ids) == len(members["prekeys"]) and textsecure.publics(members)
        held = {each["id"]: each for each in ACCOUNT["prekeys"]}
        kept = sorted(each["id"] for each in members["prekeys"] if held.get(each["id"]) == each)
        return {"server": members["server"], "prekeys": len(ids), "kept": kept,
                "identity": members["identity"] == ACCOUNT["identity"]}


def imported(place):
    place.keytool.ok(*import_file(place))


def import_file(place):
    return ["textsecure", "import", place.home / "account.age", "--identity", place.home / "key"]


def init(place):
    return ["textsecure", "init", "--number", NUMBER]


def refill(place):
    return ["textsecure", "refill-prekeys", "--size", "20"]


SCENES = {
    "first": Scene(nothing, import_file, (0,), has_steps=True),
    "beside": Scene(identity, import_file, (0,)),
    "init": Scene(identity, init, (0, 17)),
    "refill": Scene(imported, refill, (0,)),
}
