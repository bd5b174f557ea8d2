"""A command writes only what fits what it has read: stale answers, repeated tries of one command, backups that have to
stay, and losses that were seen and not repaired. Each test is a script that once lost a backup, or called a lost
one healthy."""

import time

import pytest

from kit.servers import faults as f
from kit.servers.httpsmachine import ID, PLACE, pushed  # fixtures
from kit.stages.edit import contacts_of

KEY = bytes(range(32))


def phone(machine, *names):
    """What a phone writes that has these contacts."""
    return machine.written_by_an_app(contacts=[{"identity": name, "verification": 2} for name in names])


def seen(machine):
    return machine.keytool.json("safe", "status")


# Stale answers


def answering(body):
    """A cache that returns what was there before."""
    return lambda call: (call.read(), call.answer(200, body))


@pytest.fixture
def heeded(pushed):
    """Its server honours conditions, and the setup has found that out."""
    pushed.keytool.ok("safe", "delete", "--yes")
    pushed.server.tag, pushed.server.conditions = "strong", "honoured"
    pushed.keytool.ok("safe", "setup", *pushed.world.by_password)
    pushed.keytool.ok("safe", "push")
    return pushed


@pytest.mark.parametrize("command", [["push", "--force"], ["delete", "--yes"]])
def test_refused_condition_is_never_overridden(heeded, command):
    pushed = heeded
    stale = pushed.blob
    theirs = pushed.server.stored[PLACE] = phone(pushed, "ECHOECHO")
    pushed.server.fault("GET", answering(stale))
    pushed.keytool.fails(75, "safe", *command)
    assert pushed.blob == theirs
    pushed.server.heal()
    pushed.keytool.fails(20, "safe", *command)
    assert pushed.blob == theirs


def test_cache_that_catches_up_costs_a_moment(heeded):
    before = heeded.blob
    newer = heeded.server.stored[PLACE] = phone(heeded, "ECHOECHO")
    heeded.server.fault("GET", answering(before), times=2)
    heeded.keytool.fails(20, "safe", "push", "--force")
    assert heeded.blob == newer


@pytest.mark.parametrize("loss", [f.missing, f.content(f.truncated)], ids=["missing", "truncated"])
def test_foreign_backup_that_was_seen_survives_one_wrong_answer(pushed, loss):
    theirs = pushed.server.stored[PLACE] = phone(pushed, "ECHOECHO")
    pushed.keytool.fails(20, "safe", "push", "--force")
    pushed.server.fault("GET", loss, times=1)
    pushed.keytool.fails(20, "safe", "push")
    assert pushed.blob == theirs


def test_foreign_backup_that_setup_has_seen_survives_one_wrong_answer(pushed):
    theirs = phone(pushed, "ECHOECHO")
    pushed.keytool.ok("safe", "delete", "--yes")
    pushed.server.stored[PLACE] = theirs
    pushed.keytool.ok("safe", "setup", *pushed.world.by_password)
    assert pushed.keytool("safe", "status", "--max-age", "1d").code == 18
    pushed.server.fault("GET", f.missing, times=1)
    pushed.keytool.fails(20, "safe", "push")
    assert pushed.blob == theirs


# The backup that is to stay


@pytest.fixture
def left_over(pushed, other):
    """A move whose old place was away when its backup was to be deleted; now it is back."""
    pushed.server.fault("GET", f.status(503))
    result = pushed.keytool.ok("safe", "move", *other.options, "--retry-max-time", "3s")
    assert "not deleted" in result.err and len(other.stored) == 1
    pushed.server.heal()
    return pushed


@pytest.mark.parametrize("options", [[], ["--force"]])
def test_old_backup_stays_until_the_new_one_is_there_again(left_over, other, options):
    """The new place has lost it, and takes no more."""
    other.stored.clear()
    other.config = b'{"maxBackupBytes":200,"retentionDays":180}'
    old = left_over.blob
    left_over.keytool.fails(14, "safe", "push", *options)
    assert left_over.blob == old
    other.heal()
    left_over.keytool.ok("safe", "push")
    assert left_over.blob is None and list(other.stored) == [PLACE]


@pytest.mark.parametrize("options", [[], ["--force"]])
def test_old_backup_stays_where_another_device_uses_the_new_place(left_over, other, options):
    theirs = other.stored[PLACE] = phone(left_over, "ECHOECHO")
    old = left_over.blob
    left_over.keytool.fails(20, "safe", "push", *options)
    assert left_over.blob == old and other.stored[PLACE] == theirs


def test_new_place_that_makes_no_new_files_keeps_no_push_from_it(left_over, other):
    """The probe before the deletion cannot be stored: the old backup stays, and the way out is named."""
    def full(call):
        (type(call).healthy if call.request.path == PLACE else f.status(507))(call)
    other.fault("PUT", full)
    for options in ([], ["--force"]):
        result = left_over.keytool.ok("safe", "push", *options)
        assert "not deleted" in result.err and "--forget-old" in result.err
    left_over.keytool.ok("safe", "server", "--forget-old")
    assert left_over.keytool.ok("safe", "push", "--force").err == ""


@pytest.mark.parametrize("repeated", [False, True])
def test_old_backup_that_is_to_be_left_is_left(left_over, other, repeated):
    """Also if that is said when the move is made already."""
    if not repeated:
        left_over.keytool.ok("safe", "server", "--forget-old")
    else:
        result = left_over.keytool.ok("safe", "move", *other.options, "--leave-old")
        assert "--leave-old" in result.err
    left_over.keytool.ok("safe", "push", "--force")
    assert left_over.blob is not None and seen(left_over).get("old_server") is None


def test_overwriting_the_new_place_spares_the_old_one(left_over, other):
    theirs = left_over.server.stored[PLACE] = phone(left_over, "ECHOECHO")
    other.stored[PLACE] = phone(left_over, "ANOTHER1")
    left_over.keytool.ok("safe", "push", "--overwrite")
    assert left_over.blob == theirs


def test_overwriting_change_spares_the_place_before_the_last(left_over, other, new_password):
    theirs = left_over.server.stored[PLACE] = phone(left_over, "ECHOECHO")
    left_over.keytool("safe", "passwd", *new_password, "--overwrite")
    assert left_over.blob == theirs


# Tries of one command


def test_second_try_agrees_to_what_the_first_has_seen(pushed):
    """--overwrite is about the bytes that were there when it was said."""
    pushed.server.stored[PLACE] = phone(pushed, "ECHOECHO")
    theirs = phone(pushed, "ECHOECHO", "ANOTHER1")

    def busy(call):
        call.read()
        pushed.server.stored[PLACE] = theirs
        call.answer(503)
    pushed.server.fault("PUT", busy, times=1)
    pushed.keytool.fails(20, "safe", "push", "--overwrite")
    assert pushed.blob == theirs


@pytest.mark.parametrize("act", [f.status(503), f.status(429, Retry_After=1), f.reset_after, f.reset_before],
                         ids=["503", "429", "reset after", "reset before"])
@pytest.mark.parametrize("verb", ["passwd", "move"])
def test_change_goes_on_after_a_failure_that_passes(pushed, other, new_password, verb, act):
    change, server = {"passwd": (["passwd", *new_password], pushed.server), "move": (["move", *other.options], other)}[verb]
    # Of a move, the first PUT is that of the probe.
    server.fault("PUT", act, times=1, after=None if verb == "passwd" else "DELETE")
    result = pushed.keytool.ok("safe", *change)
    assert "one place" not in result.out and seen(pushed)["changing"] is False
    assert len(pushed.server.stored) + len(other.stored) == 1


def test_move_that_is_interrupted_after_the_switch_says_what_it_did(pushed, other):
    """One refused request of the proof before the old backup is deleted."""
    puts = []

    def third(call):
        puts.append(call)
        (f.status(503) if len(puts) == 3 else type(call).healthy)(call)
    other.fault("PUT", third)
    done = pushed.keytool.json("safe", "move", *other.options)
    assert done["same_place"] is False and list(other.stored) == [PLACE]
    pushed.keytool.ok("safe", "push")
    assert pushed.server.stored == {}


def test_delete_says_that_the_backup_was_there(pushed):
    pushed.server.fault("GET", f.status(429, Retry_After=1), times=1, after="DELETE")
    assert pushed.keytool.json("safe", "delete", "--yes")["was_there"] is True


# Taking a change back


@pytest.mark.parametrize("trouble", ["away", "full"])
def test_abort_ends_the_change_whatever_the_present_place_says(pushed, other, trouble):
    other.fault("GET", f.missing, after="PUT")
    pushed.keytool("safe", "move", *other.options, "--retry-max-time", "3s")
    other.heal()
    if seen(pushed)["changing"] is False:
        pytest.skip("the move was not begun")
    pushed.server.fault("GET" if trouble == "away" else "PUT", f.status(503 if trouble == "away" else 507))
    pushed.keytool.ok("safe", "move", "--abort", "--retry-max-time", "3s")
    assert seen(pushed)["changing"] is False


# Looks that say more than "there"


def test_older_backup_after_a_pull_is_older(pushed):
    first = pushed.blob
    pushed.server.stored[PLACE] = phone(pushed, "ECHOECHO", "ANOTHER1")
    pushed.keytool.ok("safe", "pull")
    pushed.server.stored[PLACE] = first
    pushed.keytool.fails(19, "safe", "check")
    assert pushed.keytool("safe", "status", "--remote", "--max-age", "1d").code == 19
    assert pushed.keytool.json("safe", "push")["result"] in ("restored", "uploaded")
    assert contacts_of(pushed.document) == {"ECHOECHO", "ANOTHER1"}


@pytest.mark.parametrize("look", [["pull", "--show"], ["pull", "-o", "@file"], ["pull", "--raw", "-o", "@file"]])
def test_loss_that_a_pull_has_seen_is_repaired(pushed, look, tmp_path):
    del pushed.server.stored[PLACE]
    pushed.keytool.fails(10, "safe", *[tmp_path / "file" if word == "@file" else word for word in look])
    assert pushed.keytool("safe", "status", "--max-age", "1d").code == 18
    assert pushed.keytool.json("safe", "push")["result"] == "restored"


def test_more_than_any_backup_has_is_no_backup(pushed):
    """It is noted, and neither replaced nor deleted without a word."""
    huge = pushed.server.stored[PLACE] = bytes(5 << 20)
    for look in (["check"], ["status", "--remote"]):
        pushed.keytool("safe", *look)
        assert pushed.keytool("safe", "status", "--max-age", "1d").code == 18
    pushed.keytool.fails(14, "safe", "push")
    pushed.keytool.fails(14, "safe", "delete", "--yes")
    assert pushed.blob == huge
    pushed.keytool.ok("safe", "push", "--overwrite")
    assert pushed.document


def test_own_backup_that_a_check_found_is_missed(pushed):
    """Nothing was known of it any more."""
    pushed.record("state.json").unlink()
    pushed.keytool.ok("safe", "check")
    del pushed.server.stored[PLACE]
    pushed.keytool.fails(10, "safe", "check")
    assert pushed.keytool("safe", "status", "--max-age", "1d").code == 18


def test_status_tells_what_its_own_look_found(pushed):
    del pushed.server.stored[PLACE]
    pushed.keytool.fails(10, "safe", "check")
    pushed.server.stored[PLACE] = pushed.world.older[-1]
    shown = pushed.keytool.ok("safe", "status", "--remote", "--max-age", "1d").out
    assert "found  " not in shown


def test_refused_deletion_leaves_the_new_backup_healthy(pushed, new_password):
    pushed.server.fault("DELETE", f.status(403))
    assert "not deleted" in pushed.keytool.ok("safe", "passwd", *new_password).err
    assert "not deleted" in pushed.keytool.ok("safe", "push").err
    pushed.keytool.ok("safe", "status", "--max-age", "1d")


def test_nothing_is_tolerated_after_a_loss_was_seen(pushed):
    del pushed.server.stored[PLACE]
    pushed.keytool.fails(10, "safe", "check")
    pushed.server.fault("GET", f.status(503))
    pushed.keytool.fails(75, "safe", "push", "--tolerate", "7d", "--retry-max-time", "3s")


def test_dry_run_after_an_interrupted_deletion(pushed):
    pushed.server.fault("DELETE", f.stall)
    run = pushed.keytool.start("safe", "delete", "--yes")
    while "DELETE" not in pushed.server.kinds():
        assert run.poll() is None
    run.kill()
    run.wait()
    pushed.server.heal()
    pushed.keytool.fails(17, "safe", "push", "--dry-run")
    assert pushed.keytool.json("safe", "push", "--dry-run", "--resume-deleted")["result"].startswith("would")
    pushed.keytool.fails(17, "safe", "push")
    # A pull with the password ends it, too.
    pushed.keytool.ok("safe", "pull", "--id", ID, *pushed.world.by_password)
    pushed.keytool.ok("safe", "push")


def test_pull_with_the_password_forgets_nothing_of_the_place(pushed):
    pushed.keytool.ok("safe", "pull", "--id", ID, *pushed.world.by_password)
    pushed.keytool.ok("safe", "status", "--max-age", "1d")
    assert pushed.keytool.json("safe", "check")["same"] is True
    theirs = pushed.server.stored[PLACE] = phone(pushed, "ECHOECHO")
    pushed.server.fault("GET", f.missing, times=1)
    pushed.keytool.fails(20, "safe", "push", "--force")
    assert pushed.blob == theirs


def test_login_that_leads_to_another_directory_is_refused(pushed, write):
    """The same address, and nothing of ours."""
    elsewhere = {}

    def divided(call):
        name = call.request.login.split(b":")[0]
        stored, login = call.server.stored, call.server.login
        call.server.login = call.request.login
        if name == b"bob":
            call.server.stored = elsewhere
        try:
            type(call).healthy(call)
        finally:
            call.server.stored, call.server.login = stored, login
    for kind in ("GET", "PUT", "DELETE", "config"):
        pushed.server.fault(kind, divided)
    pushed.keytool.fails(64, "safe", "server", "--server-user", "bob",
                         "--server-password-file", write("bob", b"pass word 5"))
    assert pushed.keytool.json("safe", "push")["result"] == "unchanged" and elsewhere == {}


def test_check_beside_a_push_that_has_just_uploaded(pushed):
    """What it finds was written by this keystore after it had read what is known: it waits for the push, and looks again."""
    pushed.server.fault("config", f.slow(1.5), times=2)
    push = pushed.keytool.start("safe", "push", "--force")
    while "config" not in pushed.server.kinds():
        assert push.poll() is None
    time.sleep(0.5)
    assert pushed.keytool.json("safe", "check")["same"] is True
    assert push.wait() == 0
