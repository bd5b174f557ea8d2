"""key unlock and key lock, on the real keyring of this account: every key is taken out again."""

import datetime
import os
import shlex
import time

import pytest

from kit import masterkey
from kit.masterkey import NEW_PASSPHRASE, PASSPHRASE, WRONG
from kit.processes import injection, keyring
from kit.runner import snapshot

pytestmark = pytest.mark.alone  # the account has one keyring, and keys in it expire by the clock

POSSESSOR_VIEW_READ_SEARCH = 0x0B00_0000
SHOW = ["id", "show", "ABCD1234"]


@pytest.fixture(scope="module", autouse=True)
def usable():
    refusal = keyring.refusal()
    if refusal:
        pytest.skip(f"the kernel's keyring cannot be used here: {refusal}")


@pytest.fixture
def passphrase(given):
    return given("passphrase", PASSPHRASE)


def protect(keytool):
    keytool.ok("id", "create", "--id", "ABCD1234")
    masterkey.rewrap(keytool)
    keytool.name = keyring.name(keytool.keystore)
    return keytool


@pytest.fixture
def locked(keytool):
    yield protect(keytool)
    keyring.remove(keytool.name)


@pytest.fixture
def other_locked(other_keytool):
    yield protect(other_keytool)
    keyring.remove(other_keytool.name)


@pytest.fixture
def unlocked(locked, passphrase):
    locked.ok("key", "unlock", *passphrase)
    return locked


def now():
    return datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)


def test_unlock_and_lock(locked, passphrase):
    before, start = snapshot(locked.keystore), now()
    locked.fails(16, *SHOW)
    done = locked.json("key", "unlock", "--for", "20m", *passphrase)
    assert (done["command"], done["unlocked"]) == ("key unlock", True)
    until = datetime.datetime.fromisoformat(done["until"]) - datetime.timedelta(minutes=20)
    assert start <= until <= now()
    locked.ok(*SHOW)
    locked.ok("id", "create", "--id", "ZZZZ9999")
    locked.ok("id", "remove", "ZZZZ9999", "--yes")
    assert locked.json("key", "status")["unlocked"] is True
    assert "keyring" in locked.ok("key", "status").out
    done = locked.json("key", "lock")
    assert (done["command"], done["unlocked"], done["was_unlocked"]) == ("key lock", False, True)
    locked.fails(16, *SHOW)
    assert locked.json("key", "status")["unlocked"] is False
    assert locked.json("key", "lock")["was_unlocked"] is False
    locked.ok("key", "unlock", *passphrase)
    assert locked.ok("key", "lock").out == "the key was removed from the keyring\n"
    assert snapshot(locked.keystore) == before


def test_doctor_says_that_the_passphrase_was_not_tried(unlocked, passphrase):
    """After the key has left the keyring, a `master.key` that was spoiled meanwhile opens nothing."""
    def detail(*options):
        return {each["check"]: each for each in unlocked.json("doctor", *options)["checks"]}["protection"]["detail"]
    assert detail().endswith("the kernel's keyring opens it, so the passphrase was not tried")
    assert "not tried" not in detail(*passphrase)
    unlocked.ok("key", "lock")
    assert "not tried" not in detail()


def test_the_key_that_is_kept(unlocked):
    """Nobody but its possessors reads it, nobody changes it, and it ends by itself."""
    key = keyring.find(unlocked.name)
    assert key.permissions == POSSESSOR_VIEW_READ_SEARCH
    assert (key.payload, key.owner) == (masterkey.read(unlocked, PASSPHRASE), os.getuid())
    assert key.expiry in ("15m", "14m"), "the default"


def test_unlock_expires(locked, passphrase):
    locked.ok("key", "unlock", "--for", "2s", *passphrase)
    end = time.monotonic() + 2.1
    locked.ok(*SHOW)
    time.sleep(max(0, end - time.monotonic()))
    locked.fails(16, *SHOW)
    assert locked.json("key", "status")["unlocked"] is False
    assert keyring.find(locked.name) is None


def test_unlocking_again_begins_anew(locked, passphrase):
    for span, expiry in (("20h", ("20h", "19h")), ("24h", ("24h", "23h", "1d")), ("30s", None)):
        locked.ok("key", "unlock", "--for", span, *passphrase)
        found = keyring.find(locked.name).expiry
        assert found in expiry if expiry else found in {f"{n}s" for n in range(20, 31)}


@pytest.mark.parametrize("span", ["25h", "2d", "86401s", "0s", "-1s", "1", "", "forever",
                                  "99999999999999999999h"])
def test_spans_that_are_none(locked, passphrase, span):
    locked.fails(64, "key", "unlock", "--for", span, *passphrase)
    assert keyring.find(locked.name) is None


def test_wrong_passphrase(locked, given):
    locked.fails(12, "key", "unlock", *given("passphrase", WRONG))
    locked.fails(16, "key", "unlock", "--no-input")
    assert keyring.find(locked.name) is None


def test_other_keystores_stay_locked(unlocked, other_locked, passphrase):
    other_locked.fails(16, *SHOW)
    assert other_locked.json("key", "lock")["was_unlocked"] is False
    unlocked.ok(*SHOW)
    # Both at once, and one of them ends.
    other_locked.ok("key", "unlock", *passphrase)
    other_locked.ok(*SHOW)
    unlocked.ok("key", "lock")
    unlocked.fails(16, *SHOW)
    other_locked.ok(*SHOW)


def test_sessions_that_possess_nothing(unlocked):
    """As under cron and sudo: the account's keyring is not in the session's."""
    unlocked.ok(*SHOW, preexec_fn=keyring.join_new_session)
    unlocked.ok("key", "lock", preexec_fn=keyring.join_new_session)
    unlocked.fails(16, *SHOW)


def test_unlocked_in_a_session_that_ended(locked, passphrase):
    locked.ok("key", "unlock", *passphrase, preexec_fn=keyring.join_new_session)
    locked.ok(*SHOW)
    assert keyring.find(locked.name).permissions == POSSESSOR_VIEW_READ_SEARCH


@pytest.mark.parametrize("payload", [bytes(32), b"x", bytes(31), bytes(33), bytes(64), bytes(100),
                                     bytes(20_000)], ids=len)
def test_somebody_elses_key_counts_as_locked(locked, passphrase, payload):
    """It does not open the keystore, so it seals nothing either."""
    before = snapshot(locked.keystore)
    keyring.put(locked.name, payload)
    for command in (SHOW, ["id", "create", "--id", "ZZZZ9999"]):
        locked.fails(16, *command)
    assert locked.json("key", "status")["unlocked"] is False
    assert snapshot(locked.keystore) == before
    locked.ok(*SHOW, *passphrase)
    locked.ok("key", "unlock", *passphrase)  # takes its place
    locked.ok(*SHOW)
    assert keyring.find(locked.name).permissions == POSSESSOR_VIEW_READ_SEARCH


def test_somebody_elses_key_is_taken_away(locked):
    keyring.put(locked.name, bytes(32))
    locked.ok("key", "lock")
    assert keyring.find(locked.name) is None


def test_a_source_that_is_named_comes_first(unlocked, given, tmp_path):
    """Whoever names a passphrase wants to know whether it is the right one."""
    wrong = given("passphrase", WRONG)
    unlocked.fails(12, *SHOW, *wrong)
    unlocked.with_environment(KEYTOOL_PASSPHRASE_FILE=wrong[1]).fails(12, *SHOW)
    (tmp_path / "keytool.passphrase").write_bytes(WRONG)
    unlocked.with_environment(CREDENTIALS_DIRECTORY=tmp_path).fails(12, *SHOW)
    unlocked.with_environment(CREDENTIALS_DIRECTORY=tmp_path / "none").ok(*SHOW)


def test_the_passphrase_itself_is_changed_only_by_who_knows_it(unlocked, given):
    new = given("new-passphrase", NEW_PASSPHRASE)
    before = snapshot(unlocked.keystore)
    for command in (["passwd", *new], ["unprotect", "--yes"], ["unlock", "--for", "24h"]):
        unlocked.fails(16, "key", *command)
    assert snapshot(unlocked.keystore) == before
    assert keyring.find(unlocked.name).expiry in ("15m", "14m")


def test_a_change_of_passphrase_while_unlock_asks(locked, passphrase, given, write):
    """Else the key would stay in the keyring for hours, although the passphrase was changed."""
    change = shlex.join(map(str, locked.command_line(
        "key", "passwd", *passphrase, *given("new-passphrase", NEW_PASSPHRASE))))
    source = write("source", f"{change} >&2; cat {shlex.quote(str(passphrase[1]))}\n", 0o700)
    refused = locked.fails(11, "key", "unlock", "--passphrase-command", f"sh {shlex.quote(str(source))}")
    assert "another keytool process changed" in refused.err, refused
    assert keyring.find(locked.name) is None
    locked.fails(16, *SHOW)


@pytest.mark.parametrize("verb", ["passwd", "unprotect"])
def test_change_of_passphrase_locks(unlocked, passphrase, given, verb):
    """The key in the keyring is the same after the change: it would open the keystore without the new passphrase."""
    new = given("new-passphrase", NEW_PASSPHRASE)
    changed = unlocked.ok("key", *{"passwd": ["passwd", *new], "unprotect": ["unprotect", "--yes"]}[verb], *passphrase)
    assert "removed from the kernel's keyring" in changed.err and keyring.find(unlocked.name) is None
    if verb == "passwd":
        unlocked.fails(16, *SHOW)
        assert unlocked.json("key", "status")["unlocked"] is False
        unlocked.ok(*SHOW, *given("passphrase", NEW_PASSPHRASE))
        return
    unlocked.ok(*SHOW)
    protected = unlocked.ok("key", "protect", *given("passphrase", NEW_PASSPHRASE))
    assert "removed" not in protected.err, "nothing was there"
    unlocked.fails(16, *SHOW)


def test_protecting_removes_a_key_that_was_left(unlocked, passphrase, given):
    """A copy of the directory from before the unlock has the same name in the keyring."""
    key = keyring.find(unlocked.name).payload
    unlocked.ok("key", "unprotect", "--yes", *passphrase)
    keyring.put(unlocked.name, key)
    assert "removed" in unlocked.ok("key", "protect", *given("passphrase", NEW_PASSPHRASE)).err
    assert keyring.find(unlocked.name) is None
    unlocked.fails(16, *SHOW)


def test_change_that_fails_leaves_the_key(unlocked, given):
    new = given("new-passphrase", NEW_PASSPHRASE)
    unlocked.fails(12, "key", "passwd", *new, *given("passphrase", WRONG))
    unlocked.ok(*SHOW)


@pytest.mark.parametrize("error", ["EPERM", "ENOSYS"])
def test_change_where_the_kernel_refuses_its_keyring(locked, passphrase, given, error):
    """As in many containers: nothing is unlocked there, and nothing needs a word."""
    injection.require_tracing()
    refused = injection.Prefixed(locked, "strace", "-qq", "-o", "/dev/null",
                                 "-e", "trace=keyctl", "-e", f"inject=keyctl:error={error}")
    changed = refused.ok("key", "passwd", *given("new-passphrase", NEW_PASSPHRASE), *passphrase)
    assert "keyring" not in changed.err


def test_nobody_is_asked_while_it_is_unlocked(unlocked, terminal):
    run = terminal(*SHOW)
    assert run.finish() == 0, run.text
    assert "assphrase" not in run.text


def test_keystore_without_passphrase(keytool):
    keytool.ok("id", "create")
    assert keytool.json("key", "unlock")["protection"] == "none"
    assert keyring.find(keyring.name(keytool.keystore)) is None


@pytest.mark.parametrize("call, error", [("add_key", "EPERM"), ("keyctl", "ENOSYS")])
def test_kernel_that_refuses(locked, passphrase, call, error):
    """As in many containers: then the passphrase goes on being needed, and that is all."""
    injection.require_tracing()
    refused = injection.Prefixed(locked, "strace", "-qq", "-o", "/dev/null",
                                 "-e", f"trace={call}", "-e", f"inject={call}:error={error}")
    assert "keyring" in refused.fails(69, "key", "unlock", *passphrase).err
    refused.fails(16, *SHOW)
    refused.ok(*SHOW, *passphrase)
    assert refused.json("key", "status")["unlocked"] is False
    assert keyring.find(locked.name) is None


def test_lock_that_the_kernel_refuses(unlocked):
    """Nobody must be told that nothing is there while it is."""
    injection.require_tracing()
    injection.Prefixed(unlocked, "strace", "-qq", "-o", "/dev/null", "-e", "trace=keyctl",
                       "-e", "inject=keyctl:error=EPERM").fails(69, "key", "lock")
    assert keyring.find(unlocked.name)
