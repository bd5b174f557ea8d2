"""Commands that write a file for the user, or remove an identity, each with the place it starts from."""

import base64
import json
from dataclasses import dataclass
from typing import Callable

from kit import agefile, archives, identityfiles, masterkey, sessions, sophax, telegram, textsecure
from kit.stages.place import ID, OTHER_ID, Place
from kit.stages.scenes import Scene
from kit.stages.staged import RepeatedStaged
from kit.stages.telegramscenes import ONE

TO = ("--recipient", archives.RECIPIENT)
ALICE, MEMBER = sophax.peer_id(sophax.ALICE), "1" * 32
TELEGRAM = telegram.key_id(ONE.keys[ONE.main])
TEXTSECURE = textsecure.account()
CLIENT_PASSWORD, CLIENT_SECRET = b"Walnut-Ferry-4471", bytes(range(50, 86))
BLOB = bytes(range(256)) * 40
GATEWAY_ID, GATEWAY_KEY = "*TESTGW1", bytes(range(60, 92))


def sealed(path):
    return agefile.open_file(path.read_bytes(), archives.SECRET)


def archived(path):
    return {name: content for name, content in archives.opened(path).items() if name != "README.txt"}


def length(path):
    return len(path.read_bytes())


def bytes_of(path):
    return path.read_bytes()


def members(path):
    """Of JSON whose values are drawn in the run."""
    return sorted(json.loads(path.read_bytes()))


@dataclass(frozen=True)
class Verb(Scene):
    read: Callable = length  # what is compared of a result
    holds: Callable = lambda place: True  # of the results and the keystore, however the command ended


class VerbPlace(Place):
    """Looked at: the records of all identities, and what the results contain. Of sessions, which ones there are."""

    def __init__(self, path):
        super().__init__(path)
        self.results = self.home / "results"
        self.results.mkdir(mode=0o700)
        for name, content in {
                "agekey": archives.IDENTITY.encode(), "client-password": CLIENT_PASSWORD,
                "telegram.age": archives.seal(telegram.account_text(ONE.keys, ONE.main, ONE.user)),
                "textsecure.age": archives.seal(textsecure.text(TEXTSECURE)),
                "sophaxchat.age": archives.seal(sophax.account_text(sophax.ALICE)),
                "wrapped": textsecure.rncryptor(CLIENT_PASSWORD, CLIENT_SECRET), "blob": BLOB,
                "bot.private": b"private:" + GATEWAY_KEY.hex().encode(), "gateway-secret": b"apiSecret0123",
                "signal": textsecure.signal(textsecure.field(2, b"text"))}.items():
            (self.home / name).write_bytes(content)
            (self.home / name).chmod(0o600)

    def bring_back(self, name):
        super().bring_back(name)
        # A store of sessions that was copied counts as a copy.
        if (self.home / "grouped").exists():
            put_group(self)

    def records(self):
        if not masterkey.file(self.keytool).exists():
            return {}
        key = masterkey.read(self.keytool)
        found = {}
        for directory in sorted((self.keystore / "identities").glob("*/[!.]*")):
            owner = (directory.parent.name, directory.name)
            found[owner] = {str(path.relative_to(directory)): identityfiles.opened(path, key)
                            for path in sorted(directory.rglob("*"))
                            if path.is_file() and path.read_bytes()[:4] == b"KTR2"}
            store = sessions.path(self.keystore, *owner)
            if store.exists():
                found[owner]["sessions"] = sorted(sessions.restored_values(store, key, *owner))
        return found

    def out(self, name):
        return ["-o", self.results / name]


class VerbStaged(RepeatedStaged):
    def view(self, place):
        results = {}
        for path in sorted(place.results.glob("[!.]*")):
            content = self.scene.read(path)
            # An old file that stays is looked at once, however often it does.
            if not path.suffix[1:].isdigit() or content not in results.values():
                results[path.name] = content
        return {"identities": place.records(), "results": results}

    def nothing_is_lost(self, place):
        """Right after the interruption, before anything else has run: each identity and each file is whole."""
        now, known = self.view(place), self.views[place]
        if not self.scene.has_steps:
            assert self.names(place), f"neither the old state nor the new one: {now}"
        for kind, found in now.items():
            old, new = known["old"][kind], known["new"][kind]
            for name in {*old, *new, *found}:
                assert found.get(name) in (old.get(name), new.get(name)), f"half of {name}: {found.get(name)}"
        assert all(path.stat().st_mode & 0o777 == 0o600 for path in place.results.iterdir())
        assert self.scene.holds(place), f"what was written does not fit: {now}"

    def goes_on(self, place):
        """The same command finishes the work, or says that it is done, and nothing is left of the interrupted one."""
        result = place.keytool(*self.scene.command(place))
        assert result.code in self.scene.nexts, result
        if result.code == 0:
            assert "new" in self.names(place), f"{result}{self.view(place)}"
            assert not place.temporary(), f"left {place.temporary()}: {result}"
        self.nothing_is_lost(place)


def everything(place):
    """An identity of each messenger, and one more of Threema."""
    for id in (ID, OTHER_ID):
        place.keytool.ok("id", "create", "--id", id)
    for messenger in ("telegram", "textsecure", "sophaxchat"):
        place.keytool.ok(messenger, "import", place.home / f"{messenger}.age", "--identity", place.home / "agekey")


def exported(place):
    """And an archive of what was there before."""
    place.keytool.ok("id", "create", "--id", ID)
    place.keytool.ok("archive", "export", *place.out("all.age"), *TO)
    place.keytool.ok("id", "remove", ID, "--yes")
    everything(place)


def textsecure_held(place):
    place.keytool.ok("textsecure", "import", place.home / "textsecure.age", "--identity", place.home / "agekey")


def sophaxchat_held(place):
    place.keytool.ok("sophaxchat", "import", place.home / "sophaxchat.age", "--identity", place.home / "agekey")
    place.keytool.ok("sophaxchat", "refill-prekeys")


def put_group(place):
    sophax.put_group(place.keytool, sophax.group_record(members=[MEMBER, "2" * 32]))


def grouped(place):
    sophaxchat_held(place)
    (place.home / "grouped").touch()
    put_group(place)


def with_sessions(place):
    everything(place)
    put_group(place)


def is_own_chain(place):
    """Members are not given a chain that the store does not have: it would seal with another one."""
    path = place.results / "chain.json"
    if not path.exists():
        return True
    chain = sophax.own_chain(sophax.stored_group(place.keytool))[0]
    return base64.b64encode(chain).decode() in path.read_text()



def opens_with_its_key(place):
    """A blob has its key: a key without a blob is of no use, and does no harm."""
    blob, key = place.results / "blob", place.results / "key"
    if not blob.exists():
        return True
    return key.exists() and textsecure.open_attachment(base64.b64decode(key.read_bytes()), blob.read_bytes()) == BLOB



def joins(place):
    shares = [json.loads(path.read_bytes()) for path in sorted(place.results.glob("share.*"))]
    return len(shares) < 3 or sophax.join(shares[:2]) == sophax.join(shares[1:]) == sophax.held(place.keytool, ALICE)[0]


def verb(*words, name=None, more=()):
    return lambda place: [*words, *(place.out(name) if name else []), *more]


def client(place):
    return ["textsecure", "import-client", place.home / "wrapped", *place.out("secret.age"), *TO,
            "--client-password-file", place.home / "client-password"]


def attachment(place):
    return ["textsecure", "seal-attachment", place.home / "blob", *place.out("blob"), "--key-out",
            place.results / "key"]


def gateway(place):
    return ["backup", "import", place.home / "bot.private", "--id", GATEWAY_ID, "--gateway-secret-file",
            place.home / "gateway-secret"]


def gateway_held(place):
    place.keytool.ok(*gateway(place))


def push(place):
    return ["textsecure", "seal-push", place.home / "signal", *place.out("payload")]


def removed(owner):
    return Verb(with_sessions, verb("id", "remove", owner, "--yes"), (0, 10), is_swept_later=True)


WRITTEN = (0, 17)  # what was written is not replaced
SCENES = {
    "archive-export": Verb(everything, verb("archive", "export", name="all.age", more=TO), WRITTEN, read=archived),
    "archive-export-force": Verb(
        exported, verb("archive", "export", "--force", name="all.age", more=TO), (0,), read=archived),
    "telegram-export": Verb(everything, verb("telegram", "export", name="t.age", more=TO), WRITTEN, read=sealed),
    "telegram-export-session": Verb(
        everything, verb("telegram", "export", "--format", "telethon", "--reveal-private-key", name="t.session"), WRITTEN,
        read=bytes_of),
    "gateway-import": Verb(lambda place: None, gateway, (0,)),
    "gateway-export": Verb(
        gateway_held, verb("backup", "export", "--format", "gateway", "--reveal-private-key", name="k"), WRITTEN,
        read=bytes_of),
    "textsecure-export": Verb(
        textsecure_held, verb("textsecure", "export", name="t.age", more=TO), WRITTEN, read=sealed),
    "textsecure-import-client": Verb(lambda place: None, client, WRITTEN, read=sealed),
    "textsecure-seal-push": Verb(textsecure_held, push, WRITTEN),
    "textsecure-seal-attachment": Verb(
        lambda place: None, attachment, WRITTEN, has_steps=True, holds=opens_with_its_key),
    "sophaxchat-export": Verb(
        sophaxchat_held, verb("sophaxchat", "export", name="s.age", more=TO), WRITTEN, read=sealed),
    "sophaxchat-split": Verb(
        sophaxchat_held, verb("sophaxchat", "split", "-m", "2", "-n", "3", name="share"), WRITTEN, has_steps=True,
        read=members, holds=joins),
    "sophaxchat-export-bundle": Verb(
        sophaxchat_held, verb("sophaxchat", "export-bundle", name="bundle.json"), WRITTEN, read=members),
    "sophaxchat-rekey-group": Verb(
        grouped, verb("sophaxchat", "rekey-group", "G", "--members", MEMBER, name="chain.json"), WRITTEN,
        has_steps=True, read=members, holds=is_own_chain),
    "remove-threema": removed(OTHER_ID),
    "remove-telegram": removed(f"telegram/{TELEGRAM}"),
    "remove-textsecure": removed(f"textsecure/{textsecure.NUMBER[1:]}"),
    "remove-sophaxchat": removed(f"sophaxchat/{ALICE}"),
}
