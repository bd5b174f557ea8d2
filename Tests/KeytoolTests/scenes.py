"""Commands that change files, each with the place it starts from and what may come next."""

import shutil
from dataclasses import dataclass
from typing import Callable

import oracle
from known import SAFE_PASSWORD
from place import ID, OTHER_ID
from safefolder import SafeSetup
from secondserver import SecondServer

# Where the commands start from.


def nothing(place):
    pass


def identity(place):
    place.keytool.ok("id", "create", "--id", ID)


def two_identities(place):
    identity(place)
    place.keytool.ok("id", "create", "--id", OTHER_ID)


def set_up(place):
    identity(place)
    place.keytool.ok(*setup(place))


def pushed(place):
    set_up(place)
    place.keytool.ok("safe", "push")


def changed(place):
    """Pushed, and since then the keystore's profile has become another."""
    pushed(place)
    safe = SafeSetup(place.keytool, place.folder, ID, SAFE_PASSWORD)
    SecondServer(safe, place.second.path, safe_password(place)).give_contacts("ECHOECHO")
    shutil.rmtree(place.second.path)


def other_device(place):
    """Pushed, and since then an app has written the backup."""
    pushed(place)
    safe = SafeSetup(place.keytool, place.folder, ID, SAFE_PASSWORD)
    document = {**safe.document, "contacts": [{"identity": "ECHOECHO", "verification": 2}]}
    document.pop("keytool")
    place.folder.put(safe.keys, oracle.seal_safe(document, safe.keys))


def only_the_backup(place):
    other_device(place)
    shutil.rmtree(place.keystore)


def two_servers(place):
    pushed(place)
    place.second.path.mkdir()
    place.second.prepare()


# The commands.


def plain(*arguments):
    return lambda place: arguments


def safe_password(place):
    return ["--safe-password-file", place.home / "safe-password"]


def setup(place):
    return ["safe", "setup", "--create", "--server", place.folder.url, *safe_password(place)]


def import_code(place):
    return ["backup", "import", place.home / "code",
            "--backup-password-file", place.home / "code-password"]


def pull_to_empty(place):
    return ["safe", "pull", "--id", ID, "--server", place.folder.url, *safe_password(place)]


def export(place):
    return ["backup", "export", "-o", place.code,
            "--backup-password-file", place.home / "backup-password"]


def passwd(place):
    return ["safe", "passwd", "--new-safe-password-file", place.home / "new-safe-password"]


def move(place):
    return ["safe", "passwd", "--server", place.second.url,
            "--new-safe-password-file", place.home / "safe-password"]


@dataclass(frozen=True)
class Next:
    """A command after the interrupted one: its exit codes, and what then must be there."""

    command: Callable
    leads_to: dict  # exit code -> the views it may leave, of "old" and "new"


@dataclass(frozen=True)
class Scene:
    prepare: Callable
    command: Callable
    nexts: tuple
    drawn: tuple = ()
    has_steps: bool = False  # between the old state and the new one there are others
    deletes_backup: bool = False
    has_others_backup: bool = False  # so that push may see a conflict
    is_swept_later: bool = False  # what cannot be deleted now goes in the next run


def again(command, *codes):
    """The same command; it must lead to the new state."""
    return Next(command, {code: {"new"} for code in (0, *codes)})


def scene(prepare, command, *codes, nexts=(), **more):
    return Scene(prepare, command, (again(command, *codes), *nexts), **more)


PUSH, FORCE, PULL = plain("safe", "push"), plain("safe", "push", "--force"), plain("safe", "pull")
DELETE = plain("safe", "delete", "--yes")
# A change that was begun is finished, one that was not is not; no password is needed for it.
PUSH_NEXT = Next(PUSH, {0: {"old", "new"}})

SCENES = {
    "create-first": scene(nothing, plain("id", "create", "--id", ID), 17, drawn=(ID,)),
    "create-second": scene(identity, plain("id", "create", "--id", OTHER_ID), 17,
                           drawn=(OTHER_ID,)),
    "import": scene(nothing, import_code),
    "export": scene(identity, export, 17),
    "remove": scene(two_identities, plain("id", "remove", ID, "--yes"), 10,
                    is_swept_later=True),
    "setup": scene(identity, setup, 17, has_steps=True),
    "push-first": scene(set_up, PUSH),
    "push-unchanged": scene(pushed, FORCE, nexts=[PUSH_NEXT]),
    "push-changed": scene(changed, FORCE, nexts=[PUSH_NEXT]),
    "pull": scene(other_device, PULL, has_others_backup=True, nexts=[
        Next(PUSH, {0: {"old", "new"}, 20: {"old", "new"}})]),
    "pull-to-empty": scene(only_the_backup, pull_to_empty),
    "passwd": Scene(pushed, passwd, (PUSH_NEXT, again(passwd, 64)), has_steps=True),
    "move": Scene(two_servers, move, (PUSH_NEXT, again(move, 64)), has_steps=True),
    "delete": scene(pushed, DELETE, 10, has_steps=True, deletes_backup=True, nexts=[
        Next(PUSH, {0: {"old"}, 10: {"new"}})]),
    "delete-keep-setup": scene(
        pushed, plain("safe", "delete", "--yes", "--keep-setup"), has_steps=True,
        deletes_backup=True, nexts=[Next(PUSH, {0: {"old"}})]),
}
