"""Nothing that another device has written is ever replaced or deleted unseen, and no loss that was seen is called healthy.

Each test is a script that once destroyed a good backup, hid a loss, or left no way on. The phone's backups have the
form that an app writes.
"""

import shutil
import signal
import time
from contextlib import contextmanager

import pytest

from kit import history, identityfiles, oracle
from kit.known import SAFE_PASSWORD
from kit.processes import injection
from kit.processes.injection import without_waiting
from kit.processes.locks import Held
from kit.runner import snapshot
from kit.servers.safedirectory import SafeDirectory
from kit.stages.edit import contacts_of, edit
from kit.stages.place import ID, records

KEY, OTHER_KEY = bytes(range(32)), bytes(range(32, 64))
KEYS = oracle.safe_keys(SAFE_PASSWORD, ID)
NEW_PASSWORD = b"another-stable-5"
NEW_KEYS = oracle.safe_keys(NEW_PASSWORD, ID)


def names(count):
    return {f"{number:08d}" for number in range(count)}


def phone(count, key=KEY):
    """What an app uploads that has so many contacts."""
    contacts = [{"identity": id, "verification": 2} for id in sorted(names(count))]
    return oracle.seal_safe(oracle.safe_document(key, contacts=contacts), KEYS)


@pytest.fixture
def machine(pulled):
    """Holds what a phone had written, 40 contacts, and goes on from there."""
    return pulled("mine", phone(40))


@pytest.fixture
def second(tmp_path):
    """Another directory, prepared and empty."""
    directory = SafeDirectory(tmp_path / "second")
    directory.path.mkdir()
    return directory.prepare()


@pytest.fixture
def new_password(given):
    return given("new-safe-password", NEW_PASSWORD + b"\n")


def contacts(directory):
    """Of each backup that opens, under either password."""
    keys = [oracle.safe_keys(password, ID) for password in (SAFE_PASSWORD, NEW_PASSWORD)]
    return [contacts_of(oracle.open_safe(directory.backup(key).read_bytes(), key))
            for key in keys if directory.backup(key).exists()]


def points(keytool, *command):
    """The calls by which the command changes files; afterwards they are as before."""
    injection.require_tracing()
    with unchanged(keytool):
        return injection.points(keytool, *command)


@contextmanager
def unchanged(keytool):
    """Puts keystore and directories back as they are now."""
    everything = keytool.keystore.parent
    kept = everything.with_name(everything.name + "-kept")
    shutil.copytree(everything, kept, symlinks=True)
    yield
    shutil.rmtree(everything)
    kept.rename(everything)


def unlinking(keytool, *command):
    """The call by which the command unlinks the backup."""
    return next(point for point in points(keytool, *command)
                if point.call == "unlinkat" and f'"{KEYS.backup_id}"' in point.text)


def lying(keytool, *command):
    """The same keytool; when this command unlinks the backup, that seems to succeed, and the file stays."""
    point = unlinking(keytool, *command)
    return injection.Prefixed(keytool, "strace", "-qq", "-o", "/dev/null", "-e", "trace=unlinkat",
                              "-e", f"inject=unlinkat:retval=0:when={point.nth}")


# A change of password or place deletes nothing that another device has written.


@pytest.mark.parametrize("key, reason", [(KEY, "foreign"), (OTHER_KEY, "other_key")], ids=["same key", "other key"])
@pytest.mark.parametrize("verb", ["passwd", "move"])
def test_change_judges_the_old_place_first(machine, second, new_password, verb, key, reason):
    change = {"passwd": ["safe", "passwd", *new_password], "move": ["safe", "move", "--server", second.url]}[verb]
    theirs = phone(80, key)
    machine.directory.put(KEYS, theirs)
    machine.keytool.fails(20, "safe", "push", "--force")
    before = snapshot(machine.directory.path), snapshot(second.path)
    for options in ([], ["--accept-loss"]):
        error = machine.keytool.fails(20, *change, *options, "--json").error
        assert error["reason"] == reason and "safe pull" in error["hint"]
        assert (snapshot(machine.directory.path), snapshot(second.path)) == before
    # With one more word it goes, and is kept: whoever wrote it may want it back.
    machine.keytool.ok(*change, "--overwrite")
    assert theirs in machine.kept
    assert contacts(machine.directory) + contacts(second) == [names(40)]
    assert machine.push()["result"] == "unchanged"


def test_change_after_a_pull_carries_the_other_devices_contacts(machine, new_password):
    theirs = phone(80)
    machine.directory.put(KEYS, theirs)
    machine.keytool.fails(20, "safe", "passwd", *new_password)
    machine.keytool.ok("safe", "pull")
    machine.keytool.ok("safe", "passwd", *new_password)
    assert contacts(machine.directory) == [names(80)] and theirs in machine.kept


def test_old_place_that_comes_back_with_another_devices_backup(machine, second):
    """It was away during the move, and the phone has written there since."""
    machine.directory.go_away()
    assert "was not deleted" in machine.keytool.ok("safe", "move", "--server", second.url).err
    assert contacts(second) == [names(40)]
    machine.directory.come_back()
    theirs = phone(80)
    machine.directory.put(KEYS, theirs)
    for options in ([], ["--force"], ["-q"]):
        result = machine.keytool.ok("safe", "push", *options)
        assert "another device" in result.err
        assert ("--forget-old" in result.err) == (options != ["-q"])
        assert machine.blob == theirs
    assert machine.directory.url in machine.keytool.ok("safe", "status").out
    assert machine.keytool.json("safe", "server", "--forget-old")["forgotten"] is True
    result = machine.keytool.ok("safe", "push")
    assert result.err == "" and machine.blob == theirs
    assert "old_server" not in machine.keytool.json("safe", "status")


def test_old_place_that_comes_back_as_it_was_is_emptied(machine, second):
    before = machine.blob
    machine.directory.go_away()
    machine.keytool.ok("safe", "move", "--server", second.url)
    machine.directory.come_back()
    result = machine.keytool.ok("safe", "push")
    assert result.err == "" and machine.directory.names() == [] and machine.kept == [before]
    assert contacts(second) == [names(40)]


# One place under two names


@pytest.fixture
def alias(machine):
    """Another name of a directory that holds a backup of the keystore's own."""
    machine.push("--force")
    link = machine.directory.path.with_name("alias")
    link.symlink_to(machine.directory.path.name)
    return SafeDirectory(link)


def is_whole(machine, directory):
    """The one backup is there, and push says so because it is."""
    assert contacts(directory) == [names(40)]
    machine.push()
    machine.keytool.ok("safe", "check")
    assert machine.push("--force")["result"] == "uploaded" and contacts(directory) == [names(40)]


def test_move_to_another_name_of_the_same_place(machine, alias):
    before = machine.blob
    shown = machine.keytool.json("safe", "move", "--server", alias.url)
    assert (shown["same_place"], shown["old_removed"]) == (True, False)
    assert machine.blob == before, "nothing was moved"
    assert machine.keytool.json("safe", "status")["server"]["address"] == alias.url
    is_whole(machine, machine.directory)


def test_move_to_another_name_before_the_first_push(safe):
    link = safe.directory.path.with_name("alias")
    link.symlink_to(safe.directory.path.name)
    safe.keytool.ok("safe", "move", "--server", f"file://{link}")
    safe.push()
    assert safe.directory.names() == [safe.keys.backup_id]
    safe.keytool.ok("safe", "check")


def test_another_spelling_of_the_address(machine):
    """Never 0 with an empty directory."""
    path = str(machine.directory.path)
    for url in (f"file://{path}/", f"file://{path[:-1]}%{ord(path[-1]):02x}", f"file://{path}//"):
        result = machine.keytool("safe", "move", "--server", url)
        assert result.code in (0, 64), result
        is_whole(machine, machine.directory)


def test_server_changes_the_spelling_only_of_the_same_place(machine, alias, second):
    before = machine.blob
    assert machine.keytool.json("safe", "server", "--server", alias.url)["changed"] is True
    assert machine.blob == before
    error = machine.keytool.fails(64, "safe", "server", "--server", second.url, "--json").error
    assert error["reason"] == "other_place" and "safe move" in error["hint"]
    assert second.names() == [] and machine.directory.names() == [KEYS.backup_id], "the probe is gone"
    is_whole(machine, machine.directory)


def test_other_name_while_the_first_one_is_away(machine, alias):
    """Nobody can prove then that both are one place: nothing is deleted before somebody has."""
    machine.keytool.ok("safe", "server", "--server", alias.url)
    target = alias.path.readlink()
    alias.path.unlink()
    error = machine.keytool.fails(64, "safe", "move", "--server", machine.directory.url, "--json").error
    assert error["reason"] == "replica" and "--leave-old" in error["hint"]
    assert contacts(machine.directory) == [names(40)]
    machine.keytool.ok("safe", "move", "--server", machine.directory.url, "--leave-old")
    alias.path.symlink_to(target)
    is_whole(machine, machine.directory)


def test_copy_that_follows_the_old_place(machine, second):
    """Equal bytes are no proof: it may lose its backup with the old place."""
    second.put(KEYS, machine.blob)
    error = machine.keytool.fails(64, "safe", "move", "--server", second.url, "--json").error
    assert error["reason"] == "replica"
    assert contacts(machine.directory) == contacts(second) == [names(40)]
    result = machine.keytool.ok("safe", "move", "--server", second.url, "--leave-old")
    assert contacts(machine.directory) == [names(40)], result
    is_whole(machine, second)


def test_alias_made_while_a_move_waits_for_its_old_place(machine, second):
    """The old address leads to the new place by now: what is deleted there would be the only backup."""
    machine.directory.go_away()
    machine.keytool.ok("safe", "move", "--server", second.url)
    machine.directory.path.symlink_to(second.path)
    for options in ([], ["--force"], []):
        machine.push(*options)
        assert contacts(second) == [names(40)]
    machine.keytool.ok("safe", "check")


# A change that cannot go on


def killed_move(machine, second, later):
    """`later`: how many calls after the one by which the backup arrives at the new place."""
    return killed_change(machine, KEYS, later, "safe", "move", "--server", second.url)


def killed_change(machine, keys, later, *command):
    """`keys`: those of the backup that arrives."""
    found = points(machine.keytool, *command)
    arrival = next(number for number, point in enumerate(found)
                   if point.call in ("linkat", "renameat") and keys.backup_id in point.text)
    injection.kill(machine.keytool, found[arrival + later], *command)
    assert machine.keytool.json("safe", "status")["changing"] is True
    return machine


@pytest.fixture
def begun_move(machine, second):
    """Killed before anything arrived at the new place."""
    machine = killed_move(machine, second, 0)
    assert contacts(second) == [] and len(contacts(machine.directory)) == 1
    return machine


@pytest.fixture
def begun_passwd(machine, new_password):
    """Killed before anything arrived under the new password."""
    return killed_change(machine, NEW_KEYS, 0, "safe", "passwd", *new_password)


def test_unfinished_passwd_says_what_it_is(begun_passwd):
    """The address is no news: it stays."""
    machine = begun_passwd
    shown = next(line for line in machine.keytool.ok("safe", "status").out.splitlines() if line.startswith("unfinished"))
    assert "a change of the Safe password" in shown and machine.directory.url not in shown
    assert "safe passwd --abort" in shown and "safe move" not in shown
    assert machine.keytool.json("safe", "status")["changing_password"] is True
    # What it says works.
    aborted = machine.keytool.ok("safe", "passwd", "--abort")
    assert aborted.out == "cancelled the change of ABCD1234\n"
    assert machine.keytool.json("safe", "status")["changing"] is False
    assert contacts(machine.directory) == [names(40)]
    machine.keytool.ok("safe", "check")


def test_unfinished_passwd_that_the_next_push_finishes(begun_passwd, given):
    machine = begun_passwd
    assert machine.keytool.ok("safe", "push").err == ""
    assert machine.directory.names() == [NEW_KEYS.backup_id]
    machine.keytool.ok("safe", "check", "--with-password", *given("safe-password", NEW_PASSWORD + b"\n"))


def test_no_further_place_takes_the_password_that_is_going(begun_passwd, second):
    """`main` would soon open with the new password, and the further place with the old one only."""
    setup = ["safe", "setup", "--name", "nas", "--same-password", "--create", "--server", second.url]
    failed = begun_passwd.keytool.fails(17, *setup, "--json").error
    assert failed["reason"] == "change_unfinished" and "keytool safe push ABCD1234" in failed["hint"]
    begun_passwd.keytool.ok("safe", "push")
    begun_passwd.keytool.ok(*setup)
    begun_passwd.keytool.ok("safe", "push")
    assert begun_passwd.directory.names() == second.names() == [NEW_KEYS.backup_id]


def test_unfinished_move_names_its_new_place(begun_move, second):
    shown = begun_move.keytool.ok("safe", "status").out
    assert f"unfinished  a change to {second.url};" in shown and "safe move --abort" in shown
    assert begun_move.keytool.json("safe", "status")["changing_password"] is False


@pytest.mark.parametrize("change", ["begun_passwd", "begun_move"])
def test_move_beside_an_unfinished_change_prepares_nothing(request, machine, tmp_path, change):
    request.getfixturevalue(change)
    third = tmp_path / "third"
    move = ["safe", "move", "--create", "--server", f"file://{third}"]
    for made in (False, True):
        if made:
            third.mkdir()
        before = snapshot(machine.keytool.keystore), snapshot(machine.directory.path)
        error = machine.keytool.fails(17, *move, "--json").error
        assert error["reason"] == "change_unfinished", error
        assert (snapshot(machine.keytool.keystore), snapshot(machine.directory.path)) == before
        assert (list(third.iterdir()) == []) if made else not third.exists()
    machine.keytool.ok("safe", "move", "--abort")
    machine.keytool.ok(*move)
    assert contacts(SafeDirectory(third)) == [names(40)]


@pytest.mark.parametrize("why, code", [("foreign", 20), ("lossy", 17)])
def test_move_that_is_refused_prepares_nothing(machine, tmp_path, why, code):
    new = tmp_path / "new"
    if why == "foreign":
        machine.directory.put(KEYS, phone(80))
    else:
        edit(machine, *names(10))
    machine.keytool.fails(code, "safe", "move", "--create", "--server", f"file://{new}")
    assert not new.exists()
    machine.keytool.ok("safe", "move", "--create", "--server", f"file://{new}", "--overwrite", "--accept-loss")
    assert contacts(SafeDirectory(new)) == [names(40 if why == "foreign" else 10)]


def test_place_that_is_too_small_is_no_move_to_begin(machine, second):
    second.prepare(max_backup_bytes=200)
    before = snapshot(identityfiles.path(machine.keytool.keystore, ID, "safe"))
    error = machine.keytool.fails(14, "safe", "move", "--server", second.url, "--json").error
    assert error["reason"] == "too_large" and "the new place accepts at most 200" in error["message"]
    assert "--abort" not in error.get("hint", "")
    assert snapshot(identityfiles.path(machine.keytool.keystore, ID, "safe")) == before and second.names() == []
    assert machine.keytool.json("safe", "status")["changing"] is False


@pytest.mark.parametrize("verb", ["passwd", "move"])
def test_change_that_would_lose_contacts_is_not_begun(machine, second, new_password, verb):
    change = {"passwd": ["safe", "passwd", *new_password], "move": ["safe", "move", "--server", second.url]}[verb]
    edit(machine, *names(10))
    assert machine.keytool.fails(17, *change, "--json").error["reason"] == "loses_contacts"
    assert machine.keytool.json("safe", "status")["changing"] is False
    machine.keytool.ok(*change, "--accept-loss")


def test_taken_place_is_no_move_to_begin(machine, second):
    """There is nothing to take back; the hint names what leads on."""
    second.put(KEYS, phone(80))
    error = machine.keytool.fails(20, "safe", "move", "--server", second.url, "--json").error
    assert "--overwrite" in error["hint"] and "--abort" not in error["hint"]
    assert machine.keytool.json("safe", "status")["changing"] is False
    machine.keytool.ok("safe", "move", "--server", second.url, "--overwrite")
    assert contacts(second) == [names(40)] and machine.directory.names() == []


def test_move_to_a_place_that_has_become_too_small(begun_move, second):
    machine = begun_move
    second.prepare(max_backup_bytes=200)
    for options in ([], ["--force"], ["--force", "-q"], ["--all", "--force"]):
        result = machine.keytool.ok("safe", "push", *options)
        assert "cannot be finished" in result.err and "--abort" in result.err
        assert contacts(machine.directory) == [names(40)] and second.names() == []
    generation = machine.document["keytool"]["generation"]
    assert generation >= 3, "each of them did its work"
    shown = machine.keytool.json("safe", "status")
    assert (shown["changing"], shown["new_server"]) == (True, second.url)
    assert "--abort" in machine.keytool.ok("safe", "status").out
    assert machine.keytool.json("safe", "move", "--abort")["aborted"] is True
    result = machine.keytool.ok("safe", "push", "--force")
    assert result.err == "" and machine.keytool.json("safe", "status")["changing"] is False


def test_move_to_a_place_that_has_gone_away_for_good(begun_move, second):
    second.go_away()
    for options in ([], ["-q"]):
        result = begun_move.keytool.ok("safe", "push", "--force", *options)
        assert "cannot be finished" in result.err and "--abort" in result.err
    assert "unfinished" in begun_move.keytool.ok("safe", "status").out
    assert begun_move.keytool.json("safe", "move", "--abort")["aborted"] is True
    assert begun_move.keytool.json("safe", "status")["changing"] is False
    assert begun_move.keytool.ok("safe", "push", "--force").err == ""
    assert begun_move.keytool.json("safe", "move", "--abort")["aborted"] is False


def test_move_that_can_go_on_again(begun_move, second):
    """The push finishes it, without a password."""
    machine = begun_move
    assert machine.keytool.ok("safe", "push").err == ""
    assert machine.directory.names() == [] and contacts(second) == [names(40)]
    assert machine.keytool.json("safe", "status")["changing"] is False


def test_consent_of_an_earlier_change_is_named_when_it_is_used(machine, new_password, given):
    """The phone's backup goes by the consent that the interrupted change has left: that is said."""
    theirs = phone(80)
    machine.directory.put(KEYS, theirs)
    passwd = ["safe", "passwd", "--overwrite", *new_password]
    injection.kill(machine.keytool, unlinking(machine.keytool, *passwd), *passwd)
    assert machine.keytool.json("safe", "status")["old_server"] == machine.directory.url
    assert machine.directory.backup(KEYS).read_bytes() == theirs
    result = machine.keytool.ok("safe", "passwd", *given("new-safe-password", SAFE_PASSWORD + b"\n"))
    assert "a backup of another device was replaced or deleted; a copy stays in the history" in result.err, result
    assert contacts(machine.directory) == [names(40)] and theirs in history.kept(machine.keytool, ID)
    assert "another device" not in machine.push("--force").get("reason", "")


# A loss that was seen


@pytest.mark.parametrize("look", ["check", "status"])
@pytest.mark.parametrize("loss, code", [("missing", 10), ("damaged", 65)])
def test_loss_that_was_seen_is_repaired_by_the_next_push(machine, look, loss, code):
    machine.push("--force")
    if loss == "missing":
        machine.directory.backup(KEYS).unlink()
    else:
        machine.directory.put(KEYS, bytes([machine.blob[0] ^ 1]) + machine.blob[1:])
    command = {"check": ["safe", "check"], "status": ["safe", "status", "--remote", "--max-age", "1d"]}[look]
    assert machine.keytool(*command).code == code
    assert machine.keytool("safe", "status", "--max-age", "1d").code == 18
    assert machine.keytool("doctor").code == code
    shown = without_waiting(machine.keytool).json("safe", "push")
    assert (shown["result"], shown["reason"]) == ("restored", f"replaced_{loss}")
    assert contacts(machine.directory) == [names(40)]
    for command in (["safe", "check"], ["safe", "status", "--remote", "--max-age", "1d"], ["doctor"]):
        machine.keytool.ok(*command)


def test_loss_that_was_seen_is_said_while_the_server_is_away(machine):
    machine.push("--force")
    machine.directory.backup(KEYS).unlink()
    machine.keytool.fails(10, "safe", "check")
    machine.directory.go_away()
    machine.keytool.fails(75, "safe", "push")
    assert machine.keytool("safe", "status", "--max-age", "1d").code == 18


# Taking a change back


def test_abort_deletes_no_other_devices_backup(begun_move, second, other_keytool, safe_password):
    """Another keystore of the identity has moved to the new place meanwhile."""
    machine = begun_move
    second.put(KEYS, phone(80))
    other_keytool.ok("safe", "pull", "--id", ID, "--server", second.url, *safe_password)
    other_keytool.ok("safe", "push", "--force")
    theirs = second.backup(KEYS).read_bytes()
    result = machine.keytool.ok("safe", "push", "--force")
    assert "another device" in result.err and "--abort" in result.err
    assert contacts(machine.directory) == [names(40)]
    assert machine.keytool.json("safe", "move", "--abort")["aborted"] is True
    assert second.backup(KEYS).read_bytes() == theirs
    assert machine.keytool.ok("safe", "push", "--force").err == ""
    other_keytool.ok("safe", "check")


@pytest.fixture
def unfinished_move(machine, second):
    """Killed when the backup had just arrived at the new place."""
    machine = killed_move(machine, second, 1)
    assert len(contacts(second)) == len(contacts(machine.directory)) == 1
    return machine


def test_abort_deletes_what_the_move_has_sent(unfinished_move, second):
    unfinished_move.keytool.ok("safe", "move", "--abort")
    assert second.names() == [] and contacts(unfinished_move.directory) == [names(40)]
    assert unfinished_move.push("--force")["result"] == "uploaded" and second.names() == []


def test_abort_leaves_what_was_written_since(unfinished_move, second):
    theirs = phone(80)
    second.put(KEYS, theirs)
    result = unfinished_move.keytool.ok("safe", "push", "--force")
    assert "another device" in result.err and "--abort" in result.err
    result = unfinished_move.keytool.ok("safe", "move", "--abort")
    assert "another device" in result.err
    assert second.backup(KEYS).read_bytes() == theirs and contacts(unfinished_move.directory) == [names(40)]
    assert unfinished_move.keytool.ok("safe", "push", "--force").err == ""


# A deletion that is not believed


def test_old_backup_that_says_it_is_deleted_and_is_not(machine, new_password):
    """A lie: the unlink says that it succeeded, and the file stays."""
    command = ["safe", "passwd", *new_password]
    shown = lying(machine.keytool, *command).json(*command)
    assert (shown["old_removed"], shown["old_left"]) == (False, "not_removed")
    assert len(contacts(machine.directory)) == 2
    assert "old_server" in machine.keytool.json("safe", "status")
    machine.keytool.ok("safe", "push")
    assert contacts(machine.directory) == [names(40)] and len(machine.directory.names()) == 1
    assert "old_server" not in machine.keytool.json("safe", "status")


def test_deletion_that_is_a_lie(machine):
    command = ["safe", "delete", "--yes"]
    error = lying(machine.keytool, *command).fails(19, *command, "--json").error
    assert error["reason"] == "not_removed"
    assert machine.record("safe").exists()
    machine.keytool.ok(*command)
    assert machine.directory.names() == []


# A deletion that was interrupted


@pytest.fixture
def interrupted_deletion(machine):
    machine.push("--force")
    delete = ["safe", "delete", "--yes"]
    injection.kill(machine.keytool, unlinking(machine.keytool, *delete), *delete)
    return machine


def is_refused(machine):
    """Cron's push, again and again: it deletes nothing and says what there is to decide."""
    before = machine.blob
    for _ in range(2):
        result = machine.keytool("safe", "push", "--all", "--quiet")
        assert result.code == 17, result
        assert "safe delete" in result.err and "--resume-deleted" in result.err
        assert machine.blob == before
    assert machine.keytool.fails(17, "safe", "push", "--json").error["reason"] == "deletion_interrupted"
    for verb in ("passwd", "move"):
        machine.keytool.ok("safe", verb, "--abort")
    assert "--resume-deleted" in machine.keytool.ok("safe", "status").out
    assert machine.keytool.json("safe", "status")["deleting"] is True and machine.blob == before


def test_interrupted_deletion_is_never_carried_out_later(interrupted_deletion):
    is_refused(interrupted_deletion)
    assert interrupted_deletion.push("--resume-deleted")["result"] == "uploaded"
    assert interrupted_deletion.push()["result"] == "unchanged"
    assert contacts(interrupted_deletion.directory) == [names(40)]


def test_interrupted_deletion_can_be_done_again(interrupted_deletion):
    is_refused(interrupted_deletion)
    interrupted_deletion.keytool.ok("safe", "delete", "--yes")
    assert interrupted_deletion.directory.names() == []
    interrupted_deletion.keytool.fails(10, "safe", "push")


def test_interrupted_deletion_ends_with_a_pull(interrupted_deletion):
    interrupted_deletion.keytool.ok("safe", "pull")
    assert interrupted_deletion.push()["result"] in ("uploaded", "unchanged")
    assert interrupted_deletion.keytool.json("safe", "status")["deleting"] is False


@pytest.mark.parametrize("command", [["safe", "check"], ["safe", "delete", "--yes"]], ids=["check", "delete"])
def test_interrupted_deletion_ends_where_a_phone_has_written(interrupted_deletion, command):
    machine = interrupted_deletion
    theirs = phone(80)
    machine.directory.put(KEYS, theirs)
    machine.keytool.fails(20, *command)
    machine.keytool.fails(20, "safe", "push")
    assert machine.blob == theirs and machine.keytool.json("safe", "status")["deleting"] is False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_deletion_that_is_interrupted_by_a_person(machine, number):
    """While it waits for the directory: nothing has begun, and nothing goes on later."""
    machine.push("--force")
    before = machine.blob
    with Held(machine.directory.backups):
        running = machine.keytool.start("safe", "delete", "--yes")
        time.sleep(1.5)
        running.send_signal(number)
        running.communicate(timeout=60)
    assert running.returncode in (-number, 128 + number)
    assert machine.push()["result"] == "unchanged" and machine.blob == before


# A pull that is killed


def test_pull_of_another_key_changes_everything_at_once(machine):
    machine.directory.put(KEYS, phone(3, OTHER_KEY))
    pull = ["safe", "pull", "--replace", "--replace-key", ID]
    def state():
        found = records(machine.keytool.keystore, ID)
        return found["identity"], found["profile"]

    before, seen = state(), set()
    with unchanged(machine.keytool):
        machine.keytool.ok(*pull)
        after = state()
    assert before[0] != after[0] and before[1] != after[1]
    for point in points(machine.keytool, *pull):
        with unchanged(machine.keytool):
            injection.kill(machine.keytool, point, *pull)
            assert state() in (before, after), f"a mixture, killed at {point}"
            seen.add(state() == after)
    assert seen == {False, True}


def test_pull_of_fewer_contacts_says_so(machine):
    machine.directory.put(KEYS, phone(1))
    result = machine.keytool.ok("safe", "pull")
    assert "40 contacts" in result.err and "1 now" in result.err


def test_pull_with_the_password_of_fewer_contacts_says_so(machine, safe_password):
    machine.directory.put(KEYS, phone(1))
    result = machine.keytool.ok("safe", "pull", "--id", ID, "--server", machine.directory.url, *safe_password)
    assert "40 contacts" in result.err and "1 now" in result.err
