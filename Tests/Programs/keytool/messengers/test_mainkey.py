"""mainkey init, status, protect, remove, passwd and wipe: what they leave is opened here without the program."""

import os
import re
import subprocess

import pytest

from kit import agefile, archives, mainkeys
from kit.mainkeys import AGE_KEY, AGE_PIN, KEY, KEY_ID, NEW_PIN, NONE, PIN, RECIPIENTS, WRONG_PIN
from kit.masterkey import PASSPHRASE
from kit.runner import BINARY, snapshot

SECRET, OTHER_SECRET = bytes(range(40, 72)), bytes(range(90, 122))
RECIPIENT, OTHER_RECIPIENT = agefile.recipient_text(SECRET), agefile.recipient_text(OTHER_SECRET)
IDENTITY = agefile.identity_text(SECRET)


@pytest.fixture
def pin(given):
    return given("pin", PIN)


@pytest.fixture
def new_pin(given):
    return given("new-pin", NEW_PIN)


@pytest.fixture
def identity(write):
    return ["--identity", write("identity", IDENTITY + "\n")]


@pytest.fixture
def key(keytool):
    """The key 00…1f without protection, put there by hand."""
    keytool.ok("id", "create", "--id", "ABCD1234")
    mainkeys.put(keytool, KEY_ID, {NONE: KEY})
    return keytool


def under(keytool, *kinds):
    """Protected by these, at a cost that no test has to wait for."""
    parts = {}
    for kind in kinds:
        if kind == NONE:
            parts[kind] = KEY
        elif kind == AGE_PIN:
            parts[kind] = mainkeys.under_pin(KEY)
        else:
            parts |= {kind: mainkeys.for_key(KEY, RECIPIENT), RECIPIENTS: RECIPIENT.encode()}
    mainkeys.put(keytool, KEY_ID, parts)
    return keytool


def state(keytool, **by):
    """The kinds that are there; each opens to the key."""
    parts = mainkeys.protections(keytool, KEY_ID)
    found = mainkeys.opened(parts, **{"pin": PIN, "identity": IDENTITY, **by})
    assert set(found.values()) == {KEY}, found
    assert set(found) == set(parts) - {RECIPIENTS}
    return set(found)


# init


def test_init_with_a_pin(keytool, pin):
    made = keytool.json("mainkey", "init", *pin)
    assert (made["command"], made["messenger"], made["protections"]) == ("mainkey init", "mainkey", ["pin"])
    parts = mainkeys.protections(keytool, made["id"])
    assert list(parts) == [AGE_PIN]
    assert agefile.parse(parts[AGE_PIN])[0][0][0][2] == b"18", "the work factor"
    held = mainkeys.opened(parts, PIN)[AGE_PIN]
    assert len(held) == 32 and mainkeys.check_value(held) == made["id"]


def test_a_new_keystore_without_a_passphrase_is_said(keytool, other_keytool, pin, write):
    note = "the keystore is not protected by a passphrase"
    assert note in keytool.ok("mainkey", "init", *pin, "--no-input").err
    assert note not in keytool.ok("mainkey", "init", "--another", *pin, "--no-input").err, "it was there"
    assert note in other_keytool.ok("mainkey", "import", write("bare", KEY), "--no-pin").err
    other_keytool.ok("mainkey", "wipe", "--yes")


def test_no_passphrase_is_a_choice(keytool, pin):
    assert "not protected" not in keytool.ok("mainkey", "init", *pin, "--no-passphrase").err


def test_init_without_anybody_to_ask(keytool):
    made = keytool.ok("mainkey", "init")
    assert "the MainKey is not protected" in made.err
    (id,) = mainkeys.ids(keytool.keystore)
    assert list(mainkeys.protections(keytool, id)) == [NONE]
    assert keytool.json("mainkey", "status")["id"] == id
    before = snapshot(keytool.keystore)
    assert id in keytool.fails(17, "mainkey", "init").err
    assert snapshot(keytool.keystore) == before
    quiet = keytool.ok("mainkey", "init", "--another", "--no-pin", "-q")
    assert (quiet.out, quiet.err) == ("", "")
    assert len(mainkeys.ids(keytool.keystore)) == 2
    error = keytool.fails(64, "mainkey", "status").err
    assert all(id in error for id in mainkeys.ids(keytool.keystore))


@pytest.mark.parametrize("content, code", [(b"123", 64), (b"12345", 64), (b"123456", 64), (b"9876543210", 64), (b"111111111", 64),
                                           (b"", 65), (b"\xff\xfe-abcd", 65)], ids=repr)
def test_weak_pins_are_refused_and_nothing_is_made(keytool, given, content, code):
    before = snapshot(keytool.keystore)
    keytool.fails(code, "mainkey", "init", *given("pin", content))
    assert snapshot(keytool.keystore) == before


@pytest.mark.parametrize("content, is_warned", [(b"1234", True), (b"83517", True), (b"835172", False),
                                                (b"tea with milk", False)])
def test_weak_pins_by_choice(keytool, given, content, is_warned):
    result = keytool.ok("mainkey", "init", "--weak-ok", *given("pin", content))
    assert ("warning: the PIN is weak" in result.err) == is_warned, result
    if not is_warned:
        keytool.ok("mainkey", "init", "--another", *given("pin", content))


def test_no_other_verb_makes_a_key(keytool, pin, new_pin, write):
    verbs = (["status"], ["protect", "pin", *new_pin], ["remove", "pin"], ["passwd", *pin, *new_pin], ["unlock"],
             ["timeout", "5"], ["export", "-o", "x"], ["wipe", "--yes"])
    for verb in verbs:
        error = keytool.fails(10, "mainkey", *verb)
        assert "mainkey init" in error.err, error
    keytool.ok("id", "create")
    for verb in (*verbs, ["lock"]):
        error = keytool.fails(10, "mainkey", *verb, "--json").error
        assert error["reason"] == "no_mainkey", error
    for verb in (["status", KEY_ID], ["passwd", KEY_ID, *pin, *new_pin], ["wipe", KEY_ID, "--yes"], ["lock", KEY_ID]):
        keytool.fails(10, "mainkey", *verb)
    assert mainkeys.ids(keytool.keystore) == []


# status


def test_status(key):
    shown = under(key, AGE_PIN, AGE_KEY).json("mainkey", "status")
    assert shown == {"schema": "keytool/1", "command": "mainkey status", "messenger": "mainkey", "id": KEY_ID,
                     "protections": ["pin", "key"], "work_factor": 12, "recipients": [RECIPIENT],
                     "clear_copy": False, "unlocked": False, "timeout_minutes": -1}
    result = under(key, NONE, AGE_PIN).ok("mainkey", "status", KEY_ID.upper())
    assert "warning: a copy of the MainKey is in the clear" in result.err
    assert under(key, NONE, AGE_PIN).json("mainkey", "status")["clear_copy"] is True
    mainkeys.put(key, KEY_ID, {AGE_PIN: mainkeys.under_pin(KEY, work_factor=14)})
    strong = key.ok("mainkey", "status")
    assert "weak" not in strong.out and "warning" not in strong.err
    mainkeys.put(key, KEY_ID, {AGE_PIN: mainkeys.under_pin(KEY, work_factor=13)})
    weak = key.ok("mainkey", "status")
    assert "PIN (scrypt, 8 MiB, weak)" in weak.out and "warning: the PIN protection is weak" in weak.err
    assert KEY.hex() not in result.out + result.err


DAMAGED = {
    "empty": b"", "version": b"\x02", "nothing": b"\x01", "cut": mainkeys.encoded({NONE: KEY})[:-1],
    "long": mainkeys.encoded({NONE: KEY}) + b"\0", "short key": mainkeys.encoded({NONE: KEY[:-1]}),
    "unknown kind": mainkeys.encoded({4: KEY}), "no age file": mainkeys.encoded({AGE_PIN: KEY}),
    "twice": mainkeys.encoded({NONE: KEY}) + mainkeys.encoded({NONE: KEY})[1:],
    "recipients alone": mainkeys.encoded({RECIPIENTS: RECIPIENT.encode()}),
    "key without recipients": mainkeys.encoded({AGE_KEY: mainkeys.for_key(KEY, RECIPIENT)}),
    "kinds swapped": mainkeys.encoded({AGE_PIN: mainkeys.for_key(KEY, RECIPIENT)}),
    "huge": b"\x01\x00\xff\xff\xff\xff" + KEY,
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_records(key, pin, new_pin, name):
    mainkeys.put(key, KEY_ID, DAMAGED[name])
    before = snapshot(key.keystore)
    for verb in (["status"], ["passwd", *pin, *new_pin], ["protect", "none", "--yes"], ["unlock"]):
        key.fails(65, "mainkey", *verb)
    assert snapshot(key.keystore) == before
    key.ok("mainkey", "wipe", "--yes")


def test_protection_with_another_key_in_it(key, pin, new_pin):
    mainkeys.put(key, KEY_ID, {AGE_PIN: mainkeys.under_pin(KEY[::-1])})
    assert "another key" in key.fails(65, "mainkey", "passwd", *pin, *new_pin).err
    mainkeys.put(key, KEY_ID, {AGE_PIN: mainkeys.under_pin(KEY[:16])})
    key.fails(65, "mainkey", "passwd", *pin, *new_pin)


@pytest.mark.parametrize("factor, code", [(21, 65), (20, 0)])
def test_work_factors(key, pin, factor, code):
    file = mainkeys.under_pin(KEY, work_factor=4)
    forged = re.sub(rb"(-> scrypt \S+) 4\n", rb"\1 %d\n" % factor, file)
    mainkeys.put(key, KEY_ID, {AGE_PIN: forged if code else file})
    result = key("mainkey", "remove", "pin", "--yes", *pin)
    assert result.code == code, result


# protect and remove


def test_protect_with_a_pin(key, new_pin):
    done = key.json("mainkey", "protect", "pin", *new_pin)
    assert (done["command"], done["protections"]) == ("mainkey protect", ["pin"])
    assert state(key, pin=NEW_PIN) == {AGE_PIN}


def test_protect_with_keys(key, pin, identity):
    assert key.json("mainkey", "protect", "key", RECIPIENT, *identity)["protections"] == ["key"]
    assert state(key) == {AGE_KEY}
    under(key, AGE_PIN).ok("mainkey", "protect", "key", RECIPIENT, OTHER_RECIPIENT, *pin)
    assert state(key) == {AGE_PIN, AGE_KEY}
    assert state(key, identity=agefile.identity_text(OTHER_SECRET)) == {AGE_PIN, AGE_KEY}
    assert key.json("mainkey", "status")["recipients"] == [RECIPIENT, OTHER_RECIPIENT]
    before = snapshot(key.keystore)
    key.fails(17, "mainkey", "protect", "key", OTHER_RECIPIENT, *pin)
    key.fails(17, "mainkey", "protect", "pin", *pin)
    assert snapshot(key.keystore) == before
    key.ok("mainkey", "protect", "key", OTHER_RECIPIENT, "--replace", *pin)
    assert state(key, identity=agefile.identity_text(OTHER_SECRET)) == {AGE_PIN, AGE_KEY}
    with pytest.raises(agefile.Refused):
        state(key)


def test_protections_beside_each_other(key, identity, new_pin, pin):
    under(key, AGE_KEY).fails(16, "mainkey", "protect", "pin", *new_pin)
    key.ok("mainkey", "protect", "pin", *new_pin, *identity)
    assert state(key, pin=NEW_PIN) == {AGE_PIN, AGE_KEY}
    under(key, AGE_PIN, AGE_KEY).ok("mainkey", "remove", "pin", *identity)
    assert state(key) == {AGE_KEY}
    under(key, AGE_PIN, AGE_KEY).ok("mainkey", "remove", "key", *pin)
    assert state(key) == {AGE_PIN}


UNPROVEN = {
    "protect": ([NONE], ["protect", "key", RECIPIENT]),
    "protect for two": ([NONE], ["protect", "key", RECIPIENT, OTHER_RECIPIENT]),
    "remove pin": ([AGE_PIN, AGE_KEY], ["remove", "pin"]),
}


@pytest.mark.parametrize("name", UNPROVEN)
def test_keys_alone_need_a_proof_or_a_yes(key, pin, identity, write, terminal, name):
    """The secret half may be thrown away: then nothing opens the MainKey any more."""
    kinds, verb = UNPROVEN[name]
    by_pin = pin if AGE_PIN in kinds else []
    under(key, *kinds)
    before = snapshot(key.keystore)
    error = key.fails(64, "mainkey", *verb, *by_pin).err
    assert "--identity" in error and "--yes" in error
    other = write("other", agefile.identity_text(bytes(range(1, 33))) + "\n")
    key.fails(12, "mainkey", *verb, "--identity", other)
    key.fails(12, "mainkey", *verb, "--identity", other, "--yes")
    run = terminal("mainkey", *verb, *by_pin, runner=key)
    run.expect(r"\[y/N\]")
    run.send("n")
    assert run.finish() == 64
    assert snapshot(key.keystore) == before
    for options in (identity, [*by_pin, "--yes"]):
        under(key, *kinds).ok("mainkey", *verb, *options)
        assert state(key) == {AGE_KEY}
    under(key, *kinds).ok("mainkey", *verb, "--identity", "-", stdin=IDENTITY)
    assert state(key) == {AGE_KEY}


def test_a_pin_alone_needs_a_proof_or_a_yes(key, pin, identity, terminal):
    """Who opens the MainKey with the secret key may have forgotten the PIN."""
    verb = ["mainkey", "remove", "key"]
    before = snapshot(under(key, AGE_PIN, AGE_KEY).keystore)
    assert "--yes" in key.fails(64, *verb, *identity).err
    key.fails(16, *verb)
    run = terminal(*verb, *identity, runner=key)
    run.expect(r"\[y/N\]")
    run.send("n")
    assert run.finish() == 64
    assert snapshot(key.keystore) == before
    for options in (pin, [*identity, "--yes"]):
        under(key, AGE_PIN, AGE_KEY).ok(*verb, *options)
        assert state(key) == {AGE_PIN}


def test_replaced_recipients_need_a_proof_or_a_yes(key, identity, write):
    verb = ["protect", "key", OTHER_RECIPIENT, "--replace", *identity]
    before = snapshot(under(key, AGE_KEY).keystore)
    assert "--identity" in key.fails(64, "mainkey", *verb).err
    assert snapshot(key.keystore) == before
    other = agefile.identity_text(OTHER_SECRET)
    for more in (["--yes"], ["--identity", write("other", other + "\n")]):
        under(key, AGE_KEY).ok("mainkey", *verb, *more)
        assert state(key, identity=other) == {AGE_KEY}


def test_a_clear_copy_goes_with_the_protection(key, new_pin, pin):
    under(key, NONE, AGE_KEY).ok("mainkey", "protect", "pin", *new_pin, "--identity", "-", stdin=IDENTITY)
    assert state(key, pin=NEW_PIN) == {AGE_PIN, AGE_KEY}
    under(key, NONE, AGE_PIN).ok("mainkey", "protect", "key", RECIPIENT, *pin)
    assert state(key) == {AGE_PIN, AGE_KEY}


def test_the_last_protection_goes_only_with_consent(key, pin):
    under(key, AGE_PIN)
    before = snapshot(key.keystore)
    assert "--yes" in key.fails(64, "mainkey", "remove", "pin", *pin).err
    assert snapshot(key.keystore) == before
    result = key.ok("mainkey", "remove", "pin", "--yes", *pin)
    assert state(key) == {NONE} and "not protected" in result.err
    key.fails(10, "mainkey", "remove", "pin", "--yes")
    assert "only one" in key.fails(64, "mainkey", "remove", "none", "--yes").err


def test_a_clear_copy_beside_a_protection_is_asked_for(key, pin, identity):
    under(key, AGE_PIN)
    before = snapshot(key.keystore)
    key.fails(64, "mainkey", "protect", "none", *pin)
    assert snapshot(key.keystore) == before
    key.ok("mainkey", "protect", "none", "--yes", *pin)
    assert state(key) == {NONE, AGE_PIN}
    key.fails(17, "mainkey", "protect", "none", "--yes", *pin)
    # It goes after a real protection has opened, and not before.
    key.fails(16, "mainkey", "remove", "none")
    key.fails(12, "mainkey", "remove", "none", *identity)
    assert state(key) == {NONE, AGE_PIN}
    key.ok("mainkey", "remove", "none", *pin)
    assert state(key) == {AGE_PIN}


@pytest.mark.parametrize("verb", [["protect", "key", RECIPIENT], ["remove", "pin", "--yes"], ["passwd"],
                                  ["protect", "none", "--yes"]], ids=" ".join)
def test_the_key_has_to_be_at_hand(key, given, write, verb):
    under(key, AGE_PIN, *([] if "key" in verb else [AGE_KEY]))
    before = snapshot(key.keystore)
    new = given("new-pin", NEW_PIN) if verb == ["passwd"] else []
    key.fails(16, "mainkey", *verb, *new)
    assert "wrong PIN" in key.fails(12, "mainkey", *verb, *new, *given("pin", WRONG_PIN)).err
    other = write("other", agefile.identity_text(OTHER_SECRET) + "\n")
    key.fails(12, "mainkey", *verb, *new, "--identity", other)
    assert snapshot(key.keystore) == before


def test_a_pin_for_a_key_without_one(key, pin):
    """Somebody may have replaced the keystore."""
    key.fails(12, "mainkey", "protect", "key", RECIPIENT, *pin)
    assert state(key) == {NONE}


@pytest.mark.parametrize("arguments", [["protect"], ["protect", "key"], ["protect", "pin", RECIPIENT],
                                       ["protect", "key", IDENTITY], ["protect", "key", "age1nonsense"],
                                       ["protect", "sth"], ["protect", "pin", "--replace"],
                                       ["protect", "key", *[RECIPIENT] * 21], ["remove"]], ids=lambda a: a[-1][:9])
def test_usage(key, arguments):
    before = snapshot(key.keystore)
    result = key.fails(64, "mainkey", *arguments)
    assert IDENTITY not in result.err
    assert snapshot(key.keystore) == before


# passwd


def test_passwd(key, pin, new_pin):
    under(key, AGE_PIN, AGE_KEY)
    untouched = mainkeys.protections(key, KEY_ID)[AGE_KEY]
    assert key.json("mainkey", "passwd", *pin, *new_pin)["protections"] == ["pin", "key"]
    assert state(key, pin=NEW_PIN) == {AGE_PIN, AGE_KEY}
    assert mainkeys.protections(key, KEY_ID)[AGE_KEY] == untouched
    key.fails(12, "mainkey", "passwd", *pin, *new_pin)
    under(key, AGE_KEY).fails(10, "mainkey", "passwd", *pin, *new_pin)


def test_passwd_by_who_has_forgotten_the_pin(key, identity, new_pin):
    under(key, AGE_PIN, AGE_KEY).ok("mainkey", "passwd", *identity, *new_pin)
    assert state(key, pin=NEW_PIN) == {AGE_PIN, AGE_KEY}


def test_two_changes_of_one_pin(key, terminal, pin, given):
    """The second one was proven by a PIN that the first has replaced."""
    under(key, AGE_PIN)
    run = terminal("mainkey", "passwd", *pin, runner=key)
    run.expect("New PIN for the MainKey: ")
    key.ok("mainkey", "passwd", *pin, *given("new-pin", NEW_PIN))
    run.send("141421")
    run.expect("again: ")
    run.send("141421")
    assert run.finish() == 11, run.text
    assert "changed the protections" in run.words
    assert state(key, pin=NEW_PIN) == {AGE_PIN}, "what the first command said still works"


def test_recipients_that_were_replaced_during_a_question(key, terminal, identity):
    under(key, AGE_PIN, AGE_KEY)
    run = terminal("mainkey", "remove", "pin", runner=key)
    run.expect(r"\[y/N\]")
    key.ok("mainkey", "protect", "key", OTHER_RECIPIENT, "--replace", *identity)
    run.send("y")
    run.expect("PIN for the MainKey")
    run.send(PIN.decode())
    assert run.finish() == 11, run.text
    assert state(key, identity=agefile.identity_text(OTHER_SECRET)) == {AGE_PIN, AGE_KEY}


# wipe


def test_wipe(key, terminal):
    under(key, AGE_PIN)
    before = snapshot(key.keystore)
    key.fails(64, "mainkey", "wipe")
    assert snapshot(key.keystore) == before
    run = terminal("mainkey", "wipe", runner=key)
    run.expect(f"type {KEY_ID}: ")
    run.send("no")
    assert run.finish() == 64
    assert snapshot(key.keystore) == before
    run = terminal("mainkey", "wipe", runner=key)
    run.expect(f"type {KEY_ID}: ")
    run.send(KEY_ID)
    assert run.finish() == 0, run.text
    assert mainkeys.ids(key.keystore) == []
    assert not mainkeys.directory(key.keystore, KEY_ID).exists()
    key.fails(10, "mainkey", "wipe", KEY_ID, "--yes")
    key.ok("id", "show", "ABCD1234")


# On a terminal


def test_prompts(key, terminal):
    under(key, AGE_PIN)
    run = terminal("mainkey", "passwd", runner=key)
    run.expect(f"PIN for the MainKey {KEY_ID}: ")
    assert not run.echo
    run.send("1234567")
    run.expect("wrong PIN; try again")
    run.expect(f"PIN for the MainKey {KEY_ID}: ")
    run.send(PIN.decode())
    run.expect("New PIN for the MainKey: ")
    run.send("12345")
    run.expect(r"weak: it has fewer\s+than 6 digits")
    run.expect(r"\[y/N\]")
    run.send("n")
    run.expect("New PIN for the MainKey: ")
    run.send(NEW_PIN.decode())
    run.expect("New PIN for the MainKey, again: ")
    run.send(NEW_PIN.decode())
    assert run.finish() == 0, run.text
    assert PIN.decode() not in run.text and NEW_PIN.decode() not in run.text
    assert state(key, pin=NEW_PIN) == {AGE_PIN}


def test_init_asks(keytool, terminal):
    run = terminal("mainkey", "init", "--no-passphrase")
    run.expect(r"PIN for the MainKey \(Enter for none\): ")
    run.send(PIN.decode())
    run.expect("PIN for the MainKey, again: ")
    run.send(PIN.decode())
    assert run.finish() == 0, run.text
    (id,) = mainkeys.ids(keytool.keystore)
    assert mainkeys.check_value(mainkeys.opened(mainkeys.protections(keytool, id), PIN)[AGE_PIN]) == id
    run = terminal("mainkey", "init", "--another")
    run.expect(r"PIN for the MainKey \(Enter for none\): ")
    run.send("")
    assert run.finish() == 0, run.text
    assert "not protected" in run.text


def test_consent_on_a_terminal(key, terminal, pin):
    under(key, AGE_PIN)
    for answer, code, left in (("n", 64, {AGE_PIN}), ("y", 0, {NONE})):
        run = terminal("mainkey", "remove", "pin", *pin, runner=key)
        run.expect(r"Remove the last protection of the MainKey \w+\?\s\[y/N\]")
        run.send(answer)
        assert run.finish() == code, run.text
        assert state(key) == left


# Export and import


def test_export_opens_with_age(key, given, write, tmp_path):
    file = tmp_path / "key.age"
    done = key.json("mainkey", "export", "-o", file, "--recipient", RECIPIENT, "--recipient", OTHER_RECIPIENT)
    assert (done["form"], done["bytes"], file.stat().st_mode & 0o777) == ("age", file.stat().st_size, 0o600)
    identity = write("identity", IDENTITY + "\n")
    assert subprocess.check_output(["age", "-d", "-i", identity, file]) == KEY
    before = file.read_bytes()
    key.fails(17, "mainkey", "export", "-o", file, "--recipient", RECIPIENT)
    assert file.read_bytes() == before
    key.ok("mainkey", "export", "-o", file, "--force", *given("file-passphrase", b"seven grey cats"))
    assert agefile.open_file(file.read_bytes(), passphrase=b"seven grey cats") == KEY
    piped = key.ok("mainkey", "export", "-o", "-", "--recipient", RECIPIENT)
    assert agefile.open_file(piped.out_bytes, identity=SECRET) == KEY


def test_export_of_the_key_itself(key, tmp_path, terminal):
    file = tmp_path / "raw"
    result = key.ok("mainkey", "export", "-o", file, "--reveal-private-key")
    assert file.read_bytes() == KEY and file.stat().st_mode & 0o777 == 0o600
    assert "anyone who has the file" in result.err
    assert terminal("mainkey", "export", "-o", "-", "--reveal-private-key", runner=key).finish() == 64
    key.fails(64, "mainkey", "export", "-o", tmp_path / "x", "--reveal-private-key", "--recipient", RECIPIENT)
    key.fails(16, "mainkey", "export", "-o", tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_import_of_what_age_wrote(other_keytool, write, identity, new_pin, tmp_path):
    file = tmp_path / "key.age"
    for armor in ([], ["-a"]):
        file.write_bytes(subprocess.run(["age", "-e", "-r", RECIPIENT, *armor], input=KEY, check=True,
                                        capture_output=True).stdout)
        assert other_keytool.json("mainkey", "verify", file, *identity)["held"] is False
    spaced = write("spaced", b"\v\f\n \r\n" + file.read_bytes())
    assert other_keytool.json("mainkey", "verify", spaced, *identity)["id"] == KEY_ID
    other_keytool.fails(16, "mainkey", "import", file, *new_pin)
    checked = other_keytool.json("mainkey", "import", file, *identity, "--check")
    assert (checked["id"], checked["stored"], checked["form"]) == (KEY_ID, False, "age")
    assert not (other_keytool.keystore / "master.key").exists()
    other_keytool.fails(16, "mainkey", "import", file, *identity)
    done = other_keytool.json("mainkey", "import", file, *identity, "--recipient", RECIPIENT)
    assert (done["id"], done["stored"], done["protections"]) == (KEY_ID, True, ["key"])
    assert state(other_keytool) == {AGE_KEY}
    before = snapshot(other_keytool.keystore)
    again = other_keytool.json("mainkey", "import", file, *identity, *new_pin)
    assert again["stored"] is False
    assert snapshot(other_keytool.keystore) == before
    assert other_keytool.json("mainkey", "verify", file, *identity)["held"] is True


def test_import_of_the_bare_key(other_keytool, write):
    for content in (KEY, KEY.hex() + "\n", KEY.hex().upper(), "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\r\n"):
        result = other_keytool.ok("mainkey", "import", write("bare", content), "--check")
        assert KEY_ID in result.out and "in the clear" in result.err
    other_keytool.ok("mainkey", "import", write("bare", KEY), "--no-pin")
    assert state(other_keytool) == {NONE}


def test_import_for_recipients_needs_a_proof_or_a_yes(other_keytool, write, identity, given, terminal, new_pin):
    """The secret half may be thrown away, as for protect."""
    bare, other = write("bare", KEY), write("other", agefile.identity_text(OTHER_SECRET) + "\n")
    verb = ["mainkey", "import", bare, "--recipient", RECIPIENT]
    before = snapshot(other_keytool.keystore)
    error = other_keytool.fails(64, *verb).err
    assert "--identity" in error and "--yes" in error
    for more in ([], ["--yes"]):
        other_keytool.fails(12, *verb, "--identity", other, *more)
    run = terminal(*verb, runner=other_keytool)
    run.expect(r"\[y/N\]")
    run.send("n")
    assert run.finish() == 64, run.text
    assert snapshot(other_keytool.keystore) == before
    under_passphrase = write("old.age", mainkeys.under_pin(KEY))
    for_key = write("key.age", mainkeys.for_key(KEY, OTHER_RECIPIENT))
    for words in ([bare, *identity], [bare, "--yes"], [for_key, "--identity", other, *identity],
                  [for_key, "--identity", other, "--yes"],
                  [under_passphrase, *given("file-passphrase", PIN), *identity]):
        other_keytool.ok("mainkey", "import", *words, "--recipient", RECIPIENT)
        assert state(other_keytool) == {AGE_KEY}
        other_keytool.ok("mainkey", "wipe", "--yes")
    other_keytool.ok(*verb, "--identity", "-", stdin=IDENTITY)
    assert state(other_keytool) == {AGE_KEY}
    other_keytool.ok("mainkey", "wipe", "--yes")
    # The recipient's own file: what opens it proves it.
    own = write("own.age", mainkeys.for_key(KEY, RECIPIENT))
    other_keytool.ok("mainkey", "import", own, *identity, "--recipient", RECIPIENT)
    other_keytool.ok("mainkey", "wipe", "--yes")
    # The file of somebody else, with a recipient that nobody has proven.
    other_keytool.fails(64, "mainkey", "import", for_key, "--identity", other, "--recipient", RECIPIENT)
    # Without a recipient --identity is for the file alone.
    other_keytool.fails(12, "mainkey", "import", bare, *identity, *new_pin)
    assert mainkeys.ids(other_keytool.keystore) == []


def test_import_of_a_held_key_whose_record_is_damaged(other_keytool, write):
    """The file may be the only copy then: nobody is told to delete it."""
    verb = ["mainkey", "import", write("bare", KEY), "--no-pin"]
    other_keytool.ok(*verb)
    said = other_keytool.ok(*verb)
    assert "already in the keystore" in said.out and "delete it when" in said.err, said
    mainkeys.put(other_keytool, KEY_ID, DAMAGED["cut"])
    before = snapshot(other_keytool.keystore)
    refused = other_keytool.fails(65, *verb)
    assert "protections" in refused.err and "delete it" not in refused.err, refused
    assert snapshot(other_keytool.keystore) == before


def test_a_file_for_a_thousand_recipients(keytool, write, identity):
    file_key = os.urandom(16)
    public = [agefile.decode_key(text, "age") for text in 999 * [OTHER_RECIPIENT] + [RECIPIENT]]
    stanzas = [agefile.x25519_stanza(file_key, each, os.urandom(32)) for each in public]
    file = agefile.seal(KEY, stanzas, file_key, bytes(16))
    for content in (file, agefile.armored(file)):
        assert len(content) > 64 * 1024
        assert keytool.json("mainkey", "verify", write("many.age", content), *identity)["id"] == KEY_ID


def test_stdin(other_keytool, write, new_pin, identity):
    """As for the other messengers."""
    before = snapshot(other_keytool.keystore)
    for content, options in ((KEY, []), (mainkeys.for_key(KEY, RECIPIENT), identity)):
        assert other_keytool.json("mainkey", "verify", "-", *options, stdin=content)["id"] == KEY_ID
        assert other_keytool.json("mainkey", "import", "-", "--check", *options, stdin=content)["id"] == KEY_ID
    assert "stdin" in other_keytool.ok("mainkey", "verify", "-", stdin=KEY).err
    other_keytool.fails(64, "mainkey", "verify", "-", "--identity", "-", stdin=mainkeys.for_key(KEY, RECIPIENT))
    other_keytool.fails(65, "mainkey", "verify", "-", stdin=b"no key")
    assert snapshot(other_keytool.keystore) == before
    other_keytool.ok("mainkey", "import", "-", *new_pin, stdin=KEY)
    assert state(other_keytool, pin=NEW_PIN) == {AGE_PIN}


def test_too_many_recipients_leave_no_keystore(other_keytool, write):
    recipients = [word for _ in range(21) for word in ("--recipient", RECIPIENT)]
    file = write("bare", KEY)
    before = snapshot(other_keytool.keystore.parent)
    assert "at most 20" in other_keytool.fails(64, "mainkey", "import", file, *recipients).err
    assert snapshot(other_keytool.keystore.parent) == before
    other_keytool.ok("mainkey", "import", file, *recipients[:40], "--yes")
    assert len(other_keytool.json("mainkey", "status")["recipients"]) == 20


NO_KEYS = {
    "empty": (b"", 65), "short": (KEY[:-1], 65), "long": (KEY + b"\0", 65), "no base64": (b"." * 44, 65),
    "no hex": (b"g" * 64, 65), "version of age": (b"age-encryption.org/v2\n", 65),
    "short content": (mainkeys.under_pin(KEY[:31]), 65), "long content": (mainkeys.under_pin(KEY + b"\0"), 65),
    "wrong passphrase": (mainkeys.under_pin(KEY, WRONG_PIN), 12), "cut": (mainkeys.under_pin(KEY)[:-1], 65),
    "huge": (bytes(600_000), 65),
}


@pytest.mark.parametrize("name", NO_KEYS)
def test_files_that_are_none(keytool, write, given, name):
    content, code = NO_KEYS[name]
    options = given("file-passphrase", PIN) if content.startswith(b"age-") else []
    before = snapshot(keytool.keystore)
    for verb in ("verify", "import"):
        keytool.fails(code, "mainkey", verb, write("file", content), *options)
    assert snapshot(keytool.keystore) == before
    keytool.fails(12, "mainkey", "verify", write("file", KEY), *given("file-passphrase", PIN))
    keytool.fails(66, "mainkey", "verify", "absent")


# The keystore's own passphrase


def test_protected_keystore(keytool, given):
    passphrase = given("passphrase", PASSPHRASE)
    made = keytool.json("mainkey", "init", *passphrase, "--no-pin")
    keytool.fails(16, "mainkey", "status")
    assert keytool.json("mainkey", "status", *passphrase)["id"] == made["id"]
    keytool.ok("mainkey", "lock")
    parts = mainkeys.protections(keytool, made["id"], PASSPHRASE)
    assert mainkeys.check_value(parts[NONE]) == made["id"]


def test_beside_identities(key, pin):
    """What is done to another identity leaves a MainKey as it is."""
    under(key, AGE_PIN)
    assert [one["id"] for one in key.json("id", "list")["identities"]] == ["ABCD1234", KEY_ID]
    key.ok("doctor")
    key.fails(64, "id", "show", KEY_ID)
    key.ok("id", "remove", "ABCD1234", "--yes")
    assert key.json("id", "show")["id"] == KEY_ID
    key.ok("mainkey", "protect", "key", RECIPIENT, *pin)
    assert state(key) == {AGE_PIN, AGE_KEY}


def test_passwd_warns_of_a_copy_in_the_clear(key, pin, new_pin):
    under(key, AGE_PIN)
    assert "in the clear" not in key.ok("mainkey", "passwd", *pin, *new_pin).err
    warned = under(key, NONE, AGE_PIN).ok("mainkey", "passwd", *pin, *new_pin)
    assert "in the clear" in warned.err and "keytool mainkey remove none" in warned.err


def test_another_init_during_the_question(keytool, write):
    """The second one makes no second key."""
    inner = f"{BINARY} --keystore {keytool.keystore} mainkey init --no-pin --no-passphrase -q; echo 271828"
    refused = keytool.fails(17, "mainkey", "init", "--no-passphrase", "--pin-command", inner)
    assert "--another" in refused.err
    assert len(keytool.json("id", "list")["identities"]) == 1


def test_two_changes_at_once(key, pin):
    """Each is made whole, one after the other; the record holds all that both have left."""
    under(key, AGE_PIN)
    runs = [key.start("mainkey", "protect", *kind, *pin) for kind in (["key", RECIPIENT], ["none", "--yes"])]
    results = [key.finish(run) for run in runs]
    assert all(result.code in (0, 11) for result in results) and 0 in {result.code for result in results}, results
    expected = {AGE_PIN} | {kind for kind, result in zip((AGE_KEY, NONE), results) if result.code == 0}
    found = state(key)
    # A key protection that comes second takes the copy in the clear away.
    assert found in (expected, expected - {NONE})


def test_a_damaged_autolock_setting_keeps_nothing_from_the_key(key, other_keytool, pin, identity, write, tmp_path):
    """It is used, exported and archived without the setting."""
    under(key, AGE_PIN)
    setting = mainkeys.directory(key.keystore, KEY_ID) / "autolock"
    setting.write_bytes(b"KTR2" + bytes(90))
    setting.chmod(0o600)
    key.fails(65, "mainkey", "status")
    key.ok("mainkey", "export", "-o", tmp_path / "key.age", "--recipient", RECIPIENT, *pin)
    assert key.json("mainkey", "verify", tmp_path / "key.age", *identity)["id"] == KEY_ID
    key.ok("mainkey", "protect", "key", RECIPIENT, *pin)
    assert state(key) == {AGE_PIN, AGE_KEY}
    archive = tmp_path / "archive.age"
    verb = ["archive", "export", "-o", archive, "--recipient", archives.RECIPIENT]
    refused = key.fails(65, *verb)
    assert f"--skip-damaged exports mainkey/{KEY_ID} without its autolock" in refused.err and not archive.exists()
    result = key(*verb, "--skip-damaged")
    assert result.code == 65 and f"mainkey/{KEY_ID} is in the archive without its autolock" in result.err, result
    names = [name for name in archives.opened(archive) if name.startswith("mainkey/")]
    assert names == [f"mainkey/{KEY_ID}/protections"]
    other_keytool.ok("archive", "import", archive, "--identity", write("archive.key", archives.IDENTITY + "\n"))
    assert other_keytool.json("mainkey", "status")["timeout_minutes"] == -1


def test_hints_name_the_key(key, pin, write, tmp_path):
    """As soon as there are two, a command that names none ends in 64."""
    other = write("other", agefile.identity_text(OTHER_SECRET) + "\n")
    key.ok("mainkey", "init", "--another", "--no-pin")
    named = ("--id", KEY_ID)
    export = ["mainkey", "export", KEY_ID, "-o", tmp_path / "x", "--recipient", RECIPIENT]
    said = under(key, NONE, AGE_PIN).ok("mainkey", "status", KEY_ID).err
    assert f"keytool mainkey remove none --id {KEY_ID} removes it" in said
    mainkeys.put(key, KEY_ID, {AGE_PIN: mainkeys.under_pin(KEY, work_factor=13)})
    assert f"keytool mainkey passwd {KEY_ID} seals it again" in key.ok("mainkey", "status", KEY_ID).err
    assert f"keytool mainkey passwd {KEY_ID} changes it" in key.fails(17, "mainkey", "protect", "pin", *named).err
    said = under(key, AGE_KEY).fails(12, *export, "--identity", other).err
    assert f"keytool mainkey status {KEY_ID} shows the recipients" in said
    assert f"keytool mainkey status {KEY_ID} shows the protections" in key.fails(12, *export, *pin).err
    assert f"keytool mainkey protect pin --id {KEY_ID}" in under(key, NONE).fails(10, "mainkey", "passwd", KEY_ID).err
    said = key.fails(64, "mainkey", "remove", "none", *named).err
    assert f"keytool mainkey protect pin --id {KEY_ID}" in said and f"keytool mainkey wipe {KEY_ID}" in said
