"""Commands that change files, each with the place it starts from and what may come next."""

import shutil
from dataclasses import dataclass
from typing import Callable

from kit import archives, oracle, sessions
from kit.known import SAFE_PASSWORD
from kit.processes import injection
from kit.servers.safedirectory import SafeSetup
from kit.stages.edit import edit
from kit.stages.place import ID, OTHER_ID

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
    safe = SafeSetup(place.keytool, place.directory, ID, SAFE_PASSWORD)
    edit(safe, "ECHOECHO")


def other_device(place):
    """Pushed, and since then an app has written the backup."""
    pushed(place)
    safe = SafeSetup(place.keytool, place.directory, ID, SAFE_PASSWORD)
    document = {**safe.document, "contacts": [{"identity": "ECHOECHO", "verification": 2}]}
    document.pop("keytool")
    place.directory.put(safe.keys, oracle.seal_safe(document, safe.keys))


def other_key(place):
    """Pushed, and since then somebody has put a backup with another private key and contacts there."""
    pushed(place)
    safe = SafeSetup(place.keytool, place.directory, ID, SAFE_PASSWORD)
    document = oracle.safe_document(bytes(range(32)), contacts=[{"identity": "ECHOECHO", "verification": 2}])
    place.directory.put(safe.keys, oracle.seal_safe(document, safe.keys))


def overwritten(place):
    """The backup of an app was replaced by consent, so it is in the history, and in a file of its own."""
    other_device(place)
    (place.home / "taken").write_bytes(_the_backup(place).read_bytes())
    place.keytool.ok("safe", "push", "--overwrite")


def lost(place):
    """Pushed, and since then the backup has gone, which a command has seen."""
    pushed(place)
    _the_backup(place).unlink()
    place.keytool.fails(10, "safe", "check")


def damaged(place):
    """Pushed, and since then the backup was cut, which a command has seen."""
    pushed(place)
    _the_backup(place).write_bytes(_the_backup(place).read_bytes()[:-1])
    place.keytool.fails(65, "safe", "check")


def _the_backup(place):
    return place.directory.backup(oracle.safe_keys(SAFE_PASSWORD, ID))


def only_the_backup(place):
    other_device(place)
    shutil.rmtree(place.keystore)


def two_servers(place):
    pushed(place)
    place.second.path.mkdir()
    place.second.prepare()


def two_names(place):
    """Pushed; the second server is the first one under another name."""
    pushed(place)
    place.second.path.symlink_to(place.directory.path)


def moving(place):
    """A move that was killed when the backup had just arrived at the second server."""
    two_servers(place)
    place.keep("not-moved")
    points = injection.points(place.keytool, *move(place))
    place.bring_back("not-moved")
    # The first file to get its name there, and what comes after that.
    arrived = next(number for number, point in enumerate(points)
                   if point.call in ("linkat", "renameat") and _the_backup(place).name in point.text)
    injection.kill(place.keytool, points[arrived + 1], *move(place))
    assert len(place.backups()) == 2 and place.keytool.json("safe", "status")["new_server"] == place.second.url


def archive_file(place, *files):
    """An archive in the home, and the key that opens it."""
    for name, content in {"agekey": archives.IDENTITY.encode(), "archive.age": archives.archive(*files)}.items():
        (place.home / name).write_bytes(content)
        (place.home / name).chmod(0o600)


def archive_of_one(place):
    archive_file(place, *archives.threema(ID, bytes(range(1, 33))))


def archive_of_two(place):
    archive_file(place, *archives.threema(ID, bytes(range(1, 33))), *archives.threema(OTHER_ID, bytes(range(2, 34))))


def archive_with_sessions(place):
    values = {("session", b"ECHOECHO"): bytes(range(100)), ("queue", b"1"): bytes(9000), ("nonce", b"1"): b""}
    archive_file(place, *archives.threema(ID, bytes(range(1, 33))),
                 (f"threema/{ID}/sessions.values", sessions.exported(values)))


def older_archive(place):
    """Pushed and exported, and since then the keystore's profile has become another."""
    pushed(place)
    archive_file(place)
    place.keytool.ok("archive", "export", "--force", "-o", place.home / "archive.age", "--recipient", archives.RECIPIENT)
    safe = SafeSetup(place.keytool, place.directory, ID, SAFE_PASSWORD)
    edit(safe, "ECHOECHO")


# The commands.


def plain(*arguments):
    return lambda place: arguments


def safe_password(place):
    return ["--safe-password-file", place.home / "safe-password"]


def setup(place):
    return ["safe", "setup", "--create", "--server", place.directory.url, *safe_password(place)]


def import_code(place):
    return ["backup", "import", place.home / "code",
            "--backup-password-file", place.home / "code-password"]


def pull_file(place):
    return ["safe", "pull", "--from", place.home / "taken", "--replace"]


def pull_to_empty(place):
    return ["safe", "pull", "--id", ID, "--server", place.directory.url, *safe_password(place)]


def export(place):
    return ["backup", "export", "-o", place.code,
            "--backup-password-file", place.home / "backup-password"]


def archive_import(place):
    return ["archive", "import", place.home / "archive.age", "--identity", place.home / "agekey"]


def archive_replace(place):
    return [*archive_import(place), "--replace", f"threema/{ID}"]


def passwd(place):
    return ["safe", "passwd", "--new-safe-password-file", place.home / "new-safe-password"]


def move(place):
    return ["safe", "move", "--server", place.second.url]


ANY = None  # of views
DELETION_INTERRUPTED = 17


@dataclass(frozen=True)
class Next:
    """A command after the interrupted one: its exit codes, and what then must be there."""

    command: Callable
    leads_to: dict  # exit code -> the views it may leave, of "old" and "new", or ANY


@dataclass(frozen=True)
class Scene:
    prepare: Callable
    command: Callable
    nexts: tuple
    drawn: tuple = ()
    has_steps: bool = False  # between the old state and the new one there are others
    deletes_backup: bool = False
    has_no_good_backup: bool = False  # to begin with
    has_others_backup: bool = False  # so that push may see a conflict
    restores_earlier: bool = False  # a backup that no place has, until the next push uploads it
    is_swept_later: bool = False  # what cannot be deleted now goes in the next run


def again(command, *codes):
    """The same command; it must lead to the new state."""
    return Next(command, {code: {"new"} for code in (0, *codes)})


def scene(prepare, command, *codes, nexts=(), **more):
    return Scene(prepare, command, (again(command, *codes), *nexts), **more)


PUSH, FORCE, PULL = plain("safe", "push"), plain("safe", "push", "--force"), plain("safe", "pull")
RESUME = plain("safe", "push", "--resume-deleted")
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
    "archive-import": scene(archive_of_one, archive_import),
    "archive-import-sessions": scene(archive_with_sessions, archive_import),
    # One identity after the other: if one fails, the other is imported.
    "archive-import-two": scene(archive_of_two, archive_import, has_steps=True),
    "archive-replace": scene(older_archive, archive_replace, nexts=[PUSH_NEXT]),
    "push-lost": scene(lost, PUSH),
    "push-damaged": scene(damaged, PUSH, has_no_good_backup=True),
    "pull-key": scene(other_key, plain("safe", "pull", "--replace-key", ID), has_others_backup=True, nexts=[
        Next(PUSH, {0: {"old", "new"}, 20: {"old", "new"}})]),
    "pull-to-empty": scene(only_the_backup, pull_to_empty),
    # A push uploads what was restored.
    "pull-history": scene(overwritten, plain("safe", "pull", "--from", "1", "--replace"),
                          restores_earlier=True, nexts=[Next(PUSH, {0: ANY})]),
    "pull-file": scene(overwritten, pull_file, restores_earlier=True, nexts=[Next(PUSH, {0: ANY})]),
    "passwd": Scene(pushed, passwd, (PUSH_NEXT, again(passwd, 64)), has_steps=True),
    "move": Scene(two_servers, move, (PUSH_NEXT, again(move, 64)), has_steps=True),
    "move-alias": Scene(two_names, move, (PUSH_NEXT, again(move, 64))),
    # What comes next may also finish the move.
    "abort": scene(moving, plain("safe", "move", "--abort"), has_steps=True, deletes_backup=True, nexts=[
        Next(PUSH, {0: ANY}), Next(plain("safe", "push", "--force"), {0: ANY})]),
    "delete": scene(pushed, DELETE, 10, has_steps=True, deletes_backup=True, nexts=[
        Next(PUSH, {0: {"old"}, 10: {"new"}, DELETION_INTERRUPTED: ANY}),
        Next(RESUME, {0: {"old"}, 10: {"new"}})]),
    "delete-keep-setup": scene(
        pushed, plain("safe", "delete", "--yes", "--keep-setup"), has_steps=True,
        deletes_backup=True, nexts=[Next(PUSH, {0: {"old"}, DELETION_INTERRUPTED: ANY}), Next(RESUME, {0: {"old"}})]),
}
