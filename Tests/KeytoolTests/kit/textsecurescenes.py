"""Commands that change the TextSecure accounts of a keystore, each with the place it starts from."""

import json

from kit import archives, identityfiles, masterkey, textsecure
from kit.place import OTHER_ID, Place
from kit.scenes import Scene, nothing
from kit.textsecure import NUMBER

ACCOUNT = textsecure.account()


class TextSecurePlace(Place):
    """Looked at: the accounts, unsealed by Python, and the identities beside them. Keys that are made at random count
    by their number."""

    def __init__(self, path):
        super().__init__(path)
        (self.home / "key").write_text(archives.IDENTITY + "\n")
        (self.home / "account.age").write_bytes(archives.seal(textsecure.text(ACCOUNT)))

    def view(self, drawn=()):
        if not masterkey.file(self.keytool).exists():
            return None
        key = masterkey.read(self.keytool)
        assert identityfiles.opened(self.keystore / "keystore", key)
        directories = (self.keystore / "identities/textsecure").glob("[!.]*")
        accounts = {directory.name: json.loads(identityfiles.opened(directory / "account", key))
                    for directory in directories}
        return ([directory.name for directory in identityfiles.directories(self.keystore)],
                {name: self.known(members) for name, members in accounts.items()})

    @staticmethod
    def known(members):
        """What is the same in each run. Every key of the account that was there has to be there, and whole."""
        ids = {each["id"] for each in members["prekeys"]}
        assert len(ids) == len(members["prekeys"]) and textsecure.publics(members)
        held = {each["id"]: each for each in ACCOUNT["prekeys"]}
        kept = sorted(each["id"] for each in members["prekeys"] if held.get(each["id"]) == each)
        return {"server": members["server"], "prekeys": len(ids), "kept": kept,
                "identity": members["identity"] == ACCOUNT["identity"]}


def identity(place):
    place.keytool.ok("id", "create", "--id", OTHER_ID)


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
