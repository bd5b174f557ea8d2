"""mainkey unlock, lock and timeout, on the real keyring of this account: every key is taken out again."""

import datetime
import fcntl
import os
import shutil
import struct
import time

import pytest

from kit import agefile, identityfiles, mainkeys, masterkey
from kit.mainkeys import AGE_KEY, AGE_PIN, KEY, KEY_ID, NEW_PIN, NONE, PIN, RECIPIENTS, WRONG_PIN
from kit.processes import injection, keyring
from kit.runner import snapshot
from kit.stages import readonly

pytestmark = pytest.mark.alone  # the account has one keyring, and keys in it expire by the clock

POSSESSOR_VIEW_READ_SEARCH = 0x0B00_0000
SECRET = bytes(range(40, 72))
RECIPIENT, IDENTITY = agefile.recipient_text(SECRET), agefile.identity_text(SECRET)


@pytest.fixture(scope="module", autouse=True)
def usable():
    refusal = keyring.refusal()
    if refusal:
        pytest.skip(f"the kernel's keyring cannot be used here: {refusal}")


@pytest.fixture
def pin(given):
    return given("pin", PIN)


@pytest.fixture
def locked(keytool):
    keytool.ok("id", "create", "--id", "ABCD1234")
    mainkeys.put(keytool, KEY_ID, {AGE_PIN: mainkeys.under_pin(KEY)})
    keytool.entry = mainkeys.entry_name(keytool.keystore, KEY_ID)
    yield keytool
    keyring.remove(keytool.entry)


@pytest.fixture
def unlocked(locked, pin):
    locked.ok("mainkey", "unlock", *pin)
    return locked


@pytest.fixture
def use(tmp_path):
    """A command that needs the key, and changes nothing."""
    return ["mainkey", "export", "--recipient", RECIPIENT, "--force", "-o", tmp_path / "exported"]


def uptime():
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * 1000)


def wall():
    return int(time.time() * 1000)


def entry(keytool):
    """Key, end, and both times of the countdown, in milliseconds."""
    found = keyring.find(keytool.entry)
    return found and (found.payload[:32], *struct.unpack(">qqq", found.payload[32:]))


def put(keytool, end=3_600_000, wall_ago=0, uptime_ago=0, key=KEY):
    keyring.put(keytool.entry, key + struct.pack(">qqq", uptime() + end, wall() - wall_ago, uptime() - uptime_ago))


def is_locked(keytool, use):
    keytool.fails(16, *use)
    assert keytool.json("mainkey", "status")["unlocked"] is False
    return keyring.find(keytool.entry) is None


def test_unlock_and_lock(locked, pin, use):
    before = snapshot(locked.keystore)
    locked.fails(16, *use)
    start = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    done = locked.json("mainkey", "unlock", "--for", "20m", *pin)
    assert (done["command"], done["messenger"], done["id"]) == ("mainkey unlock", "mainkey", KEY_ID)
    left = datetime.datetime.fromisoformat(done["until"]) - start
    assert datetime.timedelta(minutes=20) <= left < datetime.timedelta(minutes=21)
    locked.ok(*use)
    shown = locked.json("mainkey", "status")
    # Two clocks, each cut to seconds.
    until, told = (datetime.datetime.fromisoformat(each["until"]) for each in (shown, done))
    assert shown["unlocked"] is True and until <= told + datetime.timedelta(seconds=1)
    done = locked.json("mainkey", "lock")
    assert (done["unlocked"], done["was_unlocked"]) == (False, True)
    assert keyring.find(locked.entry) is None
    assert is_locked(locked, use)
    assert locked.json("mainkey", "lock")["was_unlocked"] is False
    assert snapshot(locked.keystore) == before


def test_the_entry(unlocked):
    """Nobody but its possessors reads it, nobody changes it, and it ends by itself."""
    found = keyring.find(unlocked.entry)
    assert (found.permissions, found.owner) == (POSSESSOR_VIEW_READ_SEARCH, os.getuid())
    assert found.expiry in ("15m", "14m"), "the default"
    key, end, wall_start, uptime_start = entry(unlocked)
    assert key == KEY and end - uptime_start == 15 * 60_000
    assert abs(wall() - wall_start) < 60_000 and 0 <= uptime() - uptime_start < 60_000


def test_the_kernel_removes_it(locked, pin, use):
    locked.ok("mainkey", "unlock", "--for", "2s", *pin)
    end = time.monotonic() + 2.1
    locked.ok(*use)
    time.sleep(max(0, end - time.monotonic()))
    assert is_locked(locked, use)


def test_every_unlocking_checks(unlocked, given):
    held = entry(unlocked)
    unlocked.fails(12, "mainkey", "unlock", *given("pin", WRONG_PIN))
    unlocked.fails(16, "mainkey", "unlock")
    assert entry(unlocked) == held


def test_a_source_that_is_named_comes_first(unlocked, use, given):
    unlocked.fails(12, *use, *given("pin", WRONG_PIN))


def test_unlock_with_a_secret_key(locked, use, write):
    mainkeys.put(locked, KEY_ID, {AGE_KEY: mainkeys.for_key(KEY, RECIPIENT), RECIPIENTS: RECIPIENT.encode()})
    locked.fails(16, "mainkey", "unlock")
    locked.ok("mainkey", "unlock", "--identity", write("identity", IDENTITY))
    locked.ok(*use)


def test_nothing_to_unlock(locked, pin):
    mainkeys.put(locked, KEY_ID, {NONE: KEY})
    assert locked.json("mainkey", "unlock")["protections"] == ["none"]
    assert keyring.find(locked.entry) is None
    locked.fails(12, "mainkey", "unlock", *pin)


@pytest.mark.parametrize("span", ["25h", "86401s", "0s", "-1s", "1", "", "forever"])
def test_spans_that_are_none(locked, pin, span):
    locked.fails(64, "mainkey", "unlock", "--for", span, *pin)
    assert keyring.find(locked.entry) is None


def test_protections_change_with_the_unlocked_key(unlocked, given):
    unlocked.ok("mainkey", "passwd", *given("new-pin", NEW_PIN))
    parts = mainkeys.protections(unlocked, KEY_ID)
    assert mainkeys.opened(parts, NEW_PIN) == {AGE_PIN: KEY}
    unlocked.ok("mainkey", "protect", "key", RECIPIENT)
    # The PIN would be all that is left: it has to open now.
    unlocked.fails(16, "mainkey", "remove", "key", "--yes")
    unlocked.ok("mainkey", "remove", "key", "--pin-file", given("new-pin", NEW_PIN)[1])
    # The copy in the clear goes only after a protection itself has opened.
    unlocked.ok("mainkey", "protect", "none", "--yes")
    unlocked.fails(16, "mainkey", "remove", "none")
    unlocked.ok("mainkey", "remove", "none", "--pin-file", given("new-pin", NEW_PIN)[1])


def test_other_keys_stay_locked(unlocked, pin, tmp_path):
    other = bytes(range(100, 132))
    mainkeys.put(unlocked, mainkeys.check_value(other), {AGE_PIN: mainkeys.under_pin(other)})
    export = ["mainkey", "export", "--recipient", RECIPIENT, "-o", tmp_path / "exported"]
    unlocked.fails(16, *export, mainkeys.check_value(other))
    unlocked.ok(*export, KEY_ID)
    unlocked.fails(64, "mainkey", "lock")
    assert unlocked.json("mainkey", "lock", mainkeys.check_value(other))["was_unlocked"] is False
    assert entry(unlocked)


def test_lock_needs_no_passphrase(unlocked):
    masterkey.rewrap(unlocked)
    assert unlocked.json("mainkey", "lock")["was_unlocked"] is True


def test_wipe_takes_the_entry_away(unlocked):
    done = unlocked.json("mainkey", "wipe", "--yes")
    assert done["wiped"] is True and done["keyring_checked"] is True
    assert keyring.find(unlocked.entry) is None


# timeout


def test_timeout_is_stored(locked):
    assert locked.json("mainkey", "status")["timeout_minutes"] == -1
    for word, minutes in (("always", 0), ("never", -1), ("1", 1), ("1440", 1440), ("0", 0)):
        done = locked.json("mainkey", "timeout", word)
        assert done["timeout_minutes"] == minutes
        assert locked.json("mainkey", "status")["timeout_minutes"] == minutes
        path = mainkeys.directory(locked.keystore, KEY_ID) / "autolock"
        assert identityfiles.opened(path, masterkey.read(locked)) == b"\x01" + struct.pack(">i", minutes)
    locked.ok("mainkey", "timeout", "--", "-1", KEY_ID)
    assert locked.json("mainkey", "status")["timeout_minutes"] == -1
    for word in ("-2", "1441", "soon", "", "1.5", "99999999999999999999"):
        locked.fails(64, "mainkey", "timeout", "--", word)
    assert locked.json("mainkey", "status")["timeout_minutes"] == -1


@pytest.mark.parametrize("minutes, wall_ago, uptime_ago, keeps", [
    ("5", 295_000, 295_000, True),
    ("5", 305_000, 305_000, False),
    ("5", -5_000, -5_000, False),  # the clock was set back
    ("5", 60_000, 55_000, False),  # it was set by more than two seconds
    ("5", 55_000, 60_000, False),
    ("5", 60_000, 60_900, True),
    ("never", 5_000_000, 5_000_000, True),
    ("never", -900_000, 10, True),
    ("always", 10, 10, False),
])
def test_countdown(locked, use, minutes, wall_ago, uptime_ago, keeps):
    locked.ok("mainkey", "timeout", minutes)
    put(locked, wall_ago=wall_ago, uptime_ago=uptime_ago)
    if keeps:
        locked.ok(*use)
        assert locked.json("mainkey", "status")["unlocked"] is True
    else:
        assert is_locked(locked, use), "a key that the rule locks is removed"


def test_use_restarts_the_countdown(locked, use):
    locked.ok("mainkey", "timeout", "5")
    put(locked, end=600_000, wall_ago=200_000, uptime_ago=200_000)
    _, end, *_ = entry(locked)
    locked.ok("mainkey", "status")
    assert uptime() - entry(locked)[3] >= 200_000, "looking is no use"
    locked.ok(*use)
    key, new_end, wall_start, uptime_start = entry(locked)
    assert (key, new_end) == (KEY, end), "the time of unlock --for does not grow"
    assert wall() - wall_start < 60_000 and uptime() - uptime_start < 60_000
    assert keyring.find(locked.entry).expiry in ("5m", "4m"), "the kernel's timeout is that of the countdown"


def test_end_of_the_time(locked, use):
    put(locked, end=-1)
    assert is_locked(locked, use)


def test_timeout_shortens_what_is_unlocked(unlocked, use):
    assert keyring.find(unlocked.entry).expiry in ("15m", "14m")
    unlocked.ok("mainkey", "timeout", "1")
    assert keyring.find(unlocked.entry).expiry in ("1m", "60s", "59s", "61s")
    unlocked.ok("mainkey", "timeout", "always")
    assert keyring.find(unlocked.entry) is None


def test_always_locked(locked, pin):
    locked.ok("mainkey", "timeout", "always")
    assert f"keytool mainkey timeout never {KEY_ID}" in locked.fails(64, "mainkey", "unlock", *pin).err
    assert keyring.find(locked.entry) is None


@pytest.mark.parametrize("payload", [b"", b"x", KEY, KEY + bytes(23), KEY + bytes(25), bytes(56), bytes(64),
                                     KEY[::-1] + struct.pack(">qqq", 1 << 62, 0, 0), bytes(20_000)],
                         ids=lambda p: f"{len(p)}-{p[:1].hex()}")
def test_somebody_elses_entry_counts_as_locked(locked, pin, use, payload):
    if payload:
        keyring.put(locked.entry, payload)
    locked.fails(16, *use)
    assert locked.json("mainkey", "status")["unlocked"] is False
    locked.ok("mainkey", "unlock", *pin)
    locked.ok(*use)


def test_the_hint_names_the_key(locked, pin):
    assert f"keytool mainkey lock {KEY_ID} removes it" in locked.ok("mainkey", "unlock", *pin).err


def test_damaged_setting(locked, pin, use):
    locked.ok("mainkey", "timeout", "5")
    locked.ok("mainkey", "unlock", *pin)
    path = mainkeys.directory(locked.keystore, KEY_ID) / "autolock"
    path.write_bytes(path.read_bytes()[:-1])
    # Nobody knows when the unlocked key had to be locked: it counts as locked.
    locked.fails(16, *use)
    locked.ok(*use, *pin)
    assert "timeout never" in locked.fails(65, "mainkey", "unlock", *pin).err
    locked.ok("mainkey", "timeout", "never")
    locked.ok("mainkey", "unlock", *pin)


@pytest.mark.parametrize("call, error", [("add_key", "EPERM"), ("keyctl", "ENOSYS")])
def test_kernel_that_refuses(locked, pin, use, call, error):
    injection.require_tracing()
    refused = injection.Prefixed(locked, "strace", "-qq", "-o", "/dev/null",
                                 "-e", f"trace={call}", "-e", f"inject={call}:error={error}")
    assert "keyring" in refused.fails(69, "mainkey", "unlock", *pin).err
    refused.fails(16, *use)
    refused.ok(*use, *pin)
    if call == "keyctl":
        result = refused.ok("mainkey", "wipe", "--yes")
        assert "keyring cannot be used" in result.err
    assert keyring.find(locked.entry) is None


def test_a_lock_while_a_command_ends(unlocked, use):
    """The countdown begins again under the lock of the MainKey, so that it does not undo a lock or wipe."""
    path = mainkeys.directory(unlocked.keystore, KEY_ID) / "lock"
    with path.open("a") as held:
        path.chmod(0o600)
        fcntl.flock(held, fcntl.LOCK_EX)
        run = unlocked.start(*use)
        time.sleep(2)
        assert run.poll() is None, "it puts the key back without the lock"
        keyring.remove(unlocked.entry)
    assert unlocked.finish(run).code == 0
    assert keyring.find(unlocked.entry) is None


def test_lock_without_records(unlocked):
    shutil.rmtree(mainkeys.directory(unlocked.keystore, KEY_ID))
    assert unlocked.json("mainkey", "lock", KEY_ID)["was_unlocked"] is True
    assert keyring.find(unlocked.entry) is None
    unlocked.fails(10, "mainkey", "lock", KEY_ID)


def test_id_remove_when_the_kernel_refuses(locked):
    injection.require_tracing()
    refused = injection.Prefixed(locked, "strace", "-qq", "-o", "/dev/null", "-e", "trace=keyctl",
                                 "-e", "inject=keyctl:error=ENOSYS")
    assert "keyring cannot be used" in refused.ok("id", "remove", f"mainkey/{KEY_ID}", "--yes").err
    assert mainkeys.ids(locked.keystore) == []


def test_an_unlocking_that_fails_leaves_nothing(locked, pin):
    """Each of the calls that store the key fails in its turn."""
    injection.require_tracing()
    results = []
    for number in range(1, 9):
        failing = injection.Prefixed(locked, "strace", "-qq", "-o", "/dev/null", "-e", "trace=keyctl",
                                     "-e", f"inject=keyctl:error=EDQUOT:when={number}")
        results.append(failing("mainkey", "unlock", *pin).code)
        assert bool(keyring.find(locked.entry)) == (results[-1] == 0), (number, results)
        keyring.remove(locked.entry)
    assert results.count(69) >= 4 and results[-1] == 0, results


def test_lock_that_the_kernel_refuses(unlocked):
    injection.require_tracing()
    injection.Prefixed(unlocked, "strace", "-qq", "-o", "/dev/null", "-e", "trace=keyctl",
                       "-e", "inject=keyctl:error=EPERM").fails(69, "mainkey", "lock")
    assert keyring.find(unlocked.entry)


@pytest.mark.parametrize("way", readonly.WAYS)
@pytest.mark.parametrize("has_lock", [True, False], ids=["locked before", "never locked"])
def test_a_keystore_that_cannot_be_written(locked, pin, use, way, has_lock):
    """The keyring is no part of it: the key is unlocked, used and locked there."""
    if has_lock:
        locked.ok("mainkey", "timeout", "10")
    there = readonly.WAYS[way](locked)
    before = snapshot(locked.keystore, without=())
    there.ok("mainkey", "unlock", *pin)
    assert keyring.find(locked.entry)
    shown = there.ok(*use)
    assert "warning" not in shown.err, shown
    assert there.json("mainkey", "lock")["was_unlocked"] is True
    assert keyring.find(locked.entry) is None
    assert there.json("mainkey", "lock")["was_unlocked"] is False
    assert snapshot(locked.keystore, without=()) == before
