"""telegram import, list, show, mark-lost, export: accounts of the Desktop app and of files, in the keystore."""

import base64
import json
import shutil

import pytest

from kit import agefile, archives, identityfiles, masterkey, telegram
from kit.damage import flip
from kit.runner import snapshot
from kit.telegram import KEYS, Account, key_id

ONE = Account({2: KEYS[0], 4: KEYS[1]}, user=777000111222333)
TWO = Account({1: KEYS[2]}, user=5, main=1)
PASSCODE = b"Saffron-Ladder-93"
PASSPHRASE = b"Marble-Compass-19"
FAST = 12  # work factor


@pytest.fixture
def tdata(tmp_path):
    """tdata(*accounts, passcode=b"", name="tdata") -> its path"""
    return lambda *accounts, passcode=b"", name="tdata": telegram.tdata(tmp_path / name, accounts, passcode)


@pytest.fixture
def file_passphrase(given):
    return given("file-passphrase", PASSPHRASE)


def sealed(content, passphrase=PASSPHRASE, work_factor=FAST):
    file_key = b"0123456789abcdef"
    stanza = agefile.scrypt_stanza(file_key, passphrase, b"saltsaltsaltsalt", work_factor)
    return agefile.seal(content, [stanza], file_key, bytes(16))


def shown(account, lost=()):
    return [{"dc": dc, "key_id": key_id(key), "lost": dc in lost} for dc, key in sorted(account.keys.items())]


def record(keytool, account):
    """The text in the keystore, unsealed by Python."""
    path = keytool.keystore / "identities/telegram" / key_id(account.keys[account.main]) / "account"
    return identityfiles.opened(path, masterkey.read(keytool))


def test_two_accounts(keytool, tdata):
    source = tdata(ONE, TWO)
    before = snapshot(source, without=())
    done = keytool.ok("telegram", "import", source)
    assert "imported account 1" in done.out and "imported account 2" in done.out
    assert snapshot(source, without=()) == before, "only read"
    for account in (ONE, TWO):
        assert record(keytool, account) == telegram.account_text(account.keys, account.main, account.user)
        one = keytool.json("telegram", "show", key_id(account.keys[account.main]))
        assert (one["messenger"], one["user_id"], one["main_dc"]) == ("telegram", str(account.user), account.main)
        assert one["keys"] == shown(account)
    listed = keytool.json("telegram", "list")
    assert sorted(each["user_id"] for each in listed["accounts"]) == ["5", "777000111222333"]
    text = keytool.ok("telegram", "list").out + keytool.ok("telegram", "show", key_id(KEYS[0])).out
    for key in KEYS[:3]:
        assert key.hex() not in text and base64.b64encode(key).decode()[:20] not in text


def test_json_of_an_import(keytool, tdata):
    done = keytool.json("telegram", "import", tdata(ONE, TWO))
    assert (done["command"], done["messenger"]) == ("telegram import", "telegram")
    assert [(each["account"], each["stored"], each["result"], each["user_id"]) for each in done["results"]] == [
        (1, True, "imported", str(ONE.user)), (2, True, "imported", "5")]
    again = keytool.json("telegram", "import", tdata(ONE, TWO, name="again"))
    assert [(each["stored"], each["result"]) for each in again["results"]] == [(False, "held")] * 2


def test_passcode(keytool, tdata, given):
    source = tdata(ONE, passcode=PASSCODE)
    keytool.fails(16, "telegram", "import", source)
    wrong = keytool.fails(12, "telegram", "import", source, *given("telegram-passcode", b"wrong"))
    assert "wrong Telegram passcode" in wrong.err
    assert list(keytool.keystore.iterdir()) == [], "nothing was made"
    keytool.ok("telegram", "import", source, *given("telegram-passcode", PASSCODE))
    assert record(keytool, ONE) == telegram.account_text(ONE.keys, 2, ONE.user)


def test_typed_passcode(keytool, tdata, terminal):
    source = tdata(ONE, passcode=PASSCODE)
    process = terminal("telegram", "import", source, "--no-passphrase")
    process.expect(r"Telegram passcode of [^\n]*: $")
    assert not process.echo
    process.send("wrong")
    process.expect(r"wrong Telegram passcode; try again\n")
    process.expect(r"Telegram passcode of [^\n]*: $")
    process.send(PASSCODE.decode())
    assert process.finish() == 0, process.text
    assert PASSCODE.decode() not in process.text
    assert record(keytool, ONE)


def test_check_stores_nothing(keytool, tdata, write):
    checked = keytool.json("telegram", "import", "--check", tdata(ONE))
    assert checked["results"][0]["stored"] is False and checked["results"][0]["keys"] == shown(ONE)
    checked = keytool.json("telegram", "import", "--check", write("key", KEYS[0]))
    assert (checked["stored"], checked["key_id"], checked["form"]) == (False, key_id(KEYS[0]), "raw")
    assert list(keytool.keystore.iterdir()) == []


@pytest.mark.parametrize("damage", ["missing", "cut", "other directory", "no main key", "two keys of one"])
def test_an_account_that_cannot_be_read_stops_no_other(keytool, tdata, damage, tmp_path):
    source = tdata(ONE, TWO)
    file = source / f"{telegram.file_name(0)}s"
    if damage == "missing":
        file.unlink()
    elif damage == "cut":
        file.write_bytes(file.read_bytes()[:-1])
    elif damage == "other directory":
        file.write_bytes((tdata(ONE, name="other") / file.name).read_bytes())
    else:
        keys = {4: KEYS[1]} if damage == "no main key" else {2: KEYS[0], 3: KEYS[1]}
        local = bytes(range(256))
        source = telegram.tdata(tmp_path / "third", [Account(keys), TWO], local=local)
        if damage == "two keys of one":
            payload = telegram.account_payload(Account(keys)).replace(b"\0\0\0\3" + KEYS[1], b"\0\0\0\2" + KEYS[1])
            (source / file.name).write_bytes(telegram.shell(telegram.array(telegram.blob(local, payload))))
    result = keytool("telegram", "import", source)
    assert result.code == 65, result
    assert "error: account 1: " in result.err and "imported account 2" in result.out, result
    assert [one["id"] for one in keytool.json("telegram", "list")["accounts"]] == [key_id(KEYS[2])]
    failed = keytool("telegram", "import", source, "--json")
    assert failed.code == 65 and failed.error["code"] == 65, failed
    first, second = failed.json["results"]
    assert first["error"]["code"] == 65 and second["result"] == "held"


def test_a_file_that_cannot_be_read_stops_no_other_account(keytool, tdata):
    source = tdata(ONE, TWO)
    file = source / f"{telegram.file_name(0)}s"
    content = file.read_bytes()
    file.unlink()
    file.mkdir()
    result = keytool("telegram", "import", source)
    assert result.code == 77 and f"error: account 1: {file} " in result.err, result
    assert "imported account 2" in result.out, result
    first, second = keytool("telegram", "import", source, "--json").json["results"]
    assert first["error"]["code"] == 77 and second["result"] == "held"
    # An older app's file of the account counts then, and so does one with the local key.
    (source / f"{telegram.file_name(0)}0").write_bytes(content)
    (source / "key_datas").rename(source / "key_data1")
    (source / "key_datas").mkdir()
    keytool.ok("telegram", "import", source)
    assert record(keytool, ONE) == telegram.account_text(ONE.keys, ONE.main, ONE.user)
    (source / "key_data1").unlink()
    keytool.fails(77, "telegram", "import", source)


def test_another_key_is_never_replaced(keytool, tdata):
    keytool.ok("telegram", "import", tdata(ONE))
    before = snapshot(keytool.keystore)
    other = Account({2: KEYS[0], 4: KEYS[5]}, user=ONE.user)
    refused = keytool("telegram", "import", tdata(other, name="other"))
    assert refused.code == 17 and "data centre 4" in refused.err, refused
    user = keytool("telegram", "import", tdata(Account(ONE.keys, user=6), name="user"))
    assert user.code == 17 and "another user" in user.err, user
    assert snapshot(keytool.keystore) == before
    held = keytool.ok("telegram", "import", tdata(ONE, name="same"))
    assert "already in the keystore, with the same keys" in held.out
    assert snapshot(keytool.keystore) == before


def test_a_key_for_a_further_data_centre_is_added(keytool, tdata):
    keytool.ok("telegram", "import", tdata(Account({2: KEYS[0]}, user=ONE.user)))
    keytool.ok("telegram", "mark-lost", key_id(KEYS[0]))
    done = keytool.json("telegram", "import", tdata(ONE, name="later"))
    assert done["results"][0]["result"] == "extended"
    assert keytool.json("telegram", "show")["keys"] == shown(ONE, lost=[2])
    assert record(keytool, ONE) == telegram.account_text(ONE.keys, 2, ONE.user, lost=[2])
    fewer = keytool.json("telegram", "import", tdata(Account({2: KEYS[0]}, user=ONE.user), name="fewer"))
    assert fewer["results"][0]["result"] == "held"


def test_a_mark_of_another_machine_is_taken_over(keytool, tdata, write, file_passphrase):
    keytool.ok("telegram", "import", tdata(ONE))
    keytool.ok("telegram", "mark-lost", key_id(KEYS[0]))
    file = write("account.age", sealed(telegram.account_text(ONE.keys, 2, ONE.user, lost=[4])))
    done = keytool.ok("telegram", "import", file, *file_passphrase)
    assert f"marked the key {key_id(KEYS[1])} as lost" in done.out, done
    assert record(keytool, ONE) == telegram.account_text(ONE.keys, 2, ONE.user, lost=[2, 4])
    again = keytool.json("telegram", "import", file, *file_passphrase)
    assert (again["stored"], again["result"]) == (False, "held")
    assert record(keytool, ONE) == telegram.account_text(ONE.keys, 2, ONE.user, lost=[2, 4])


def test_a_mark_is_told_to_programs(keytool, tdata, write, file_passphrase):
    keytool.ok("telegram", "import", tdata(Account({2: KEYS[0]}, user=ONE.user)))
    file = write("account.age", sealed(telegram.account_text(ONE.keys, 2, ONE.user, lost=[2])))
    done = keytool.json("telegram", "import", file, *file_passphrase)
    assert (done["stored"], done["result"], done["marked_lost"]) == (True, "extended", [key_id(KEYS[0])])
    assert record(keytool, ONE) == telegram.account_text(ONE.keys, 2, ONE.user, lost=[2])


@pytest.mark.parametrize("held_first", [True, False], ids=["marked by the file", "marked by an extension"])
def test_a_mark_comes_to_all_accounts_with_the_key(keytool, tdata, write, file_passphrase, held_first):
    """Somebody else may have it, whatever account it is in."""
    both = Account({2: KEYS[0], 4: KEYS[1]}, user=ONE.user)
    other = Account({1: KEYS[2], 4: KEYS[1]}, user=5, main=1)
    keytool.ok("telegram", "import", tdata(both))
    if not held_first:
        keytool.ok("telegram", "import", tdata(other, name="other"))
    file = write("account.age", sealed(telegram.account_text(other.keys, 1, other.user, lost=[4])))
    keytool.ok("telegram", "import", file, *file_passphrase)
    assert record(keytool, both) == telegram.account_text(both.keys, 2, both.user, lost=[4])
    assert record(keytool, other) == telegram.account_text(other.keys, 1, other.user, lost=[4])


def test_a_user_that_was_not_known_is_stored(keytool, tdata, write):
    keytool.ok("telegram", "import", write("key", KEYS[0]), "--dc", "2")
    one = Account({2: KEYS[0]}, user=ONE.user)
    done = keytool.json("telegram", "import", tdata(one))["results"][0]
    assert (done["stored"], done["result"]) == (True, "extended")
    assert record(keytool, one) == telegram.account_text(one.keys, 2, ONE.user)
    assert keytool.json("telegram", "import", tdata(one, name="again"))["results"][0]["stored"] is False


def test_two_devices_of_one_user(keytool, tdata):
    """Each has keys of its own."""
    keytool.ok("telegram", "import", tdata(ONE))
    keytool.ok("telegram", "import", tdata(Account({2: KEYS[3]}, user=ONE.user), name="laptop"))
    assert len(keytool.json("telegram", "list")["accounts"]) == 2
    refused = keytool.fails(64, "telegram", "show")
    assert key_id(KEYS[0]) in refused.err and key_id(KEYS[3]) in refused.err


def test_keys_to_destroy_are_left_out(keytool, tdata):
    account = Account({2: KEYS[0]}, gone={2: KEYS[1]})
    done = keytool.ok("telegram", "import", tdata(account))
    assert "1 key left out" in done.err
    assert keytool.json("telegram", "show")["keys"] == shown(account)


def test_not_tdata(keytool, tdata, tmp_path):
    (tmp_path / "empty").mkdir()
    assert "tdata" in keytool.fails(65, "telegram", "import", tmp_path / "empty").err
    tdata(ONE)
    assert f"name the directory {tmp_path}/tdata" in keytool.fails(65, "telegram", "import", tmp_path).err
    keytool.fails(66, "telegram", "import", tmp_path / "absent")
    keytool.fails(64, "telegram", "import", tmp_path / "tdata", "--dc", "2")


def test_a_single_key_needs_its_data_centre(keytool, write):
    file = write("key", KEYS[0])
    refused = keytool.fails(64, "telegram", "import", file)
    assert "--dc" in refused.err and list(keytool.keystore.iterdir()) == []
    done = keytool.ok("telegram", "import", file, "--dc", "2")
    assert "warning" in done.err and "not protected" in done.err
    assert record(keytool, Account({2: KEYS[0]})) == telegram.account_text({2: KEYS[0]})
    shown = keytool.json("telegram", "show")
    assert "user_id" not in shown and shown["main_dc"] == 2


@pytest.mark.parametrize("form", telegram.FORMS)
def test_every_form(keytool, write, given, form):
    file = write("file", telegram.FORMS[form](KEYS[0], PASSPHRASE))
    source = given("file-passphrase", PASSPHRASE)
    if form in ("raw", "hashed"):
        keytool.fails(12, "telegram", "import", file, "--dc", "2", *source)
        source = []
    else:
        keytool.fails(16, "telegram", "import", file, "--dc", "2")
        wrong = keytool.fails(12, "telegram", "import", file, "--dc", "2", *given("file-passphrase", b"wrong"))
        assert "or it is damaged" in wrong.err
        source = given("file-passphrase", PASSPHRASE)
    done = keytool.json("telegram", "import", file, "--dc", "2", *source)
    assert (done["form"], done["weak"], done["stored"]) == (form, True, True)
    assert record(keytool, Account({2: KEYS[0]})) == telegram.account_text({2: KEYS[0]})


def test_an_age_file_with_an_account(keytool, write, file_passphrase):
    text = telegram.account_text(ONE.keys, 2, ONE.user, lost=[4])
    done = keytool.ok("telegram", "import", write("account.age", sealed(text)), *file_passphrase)
    assert "is marked as lost" in done.err and "work factor 12" in done.err
    assert record(keytool, ONE) == text


@pytest.mark.parametrize("content", [b"", b"{}", b"hello", KEYS[0], telegram.hashed(KEYS[0])[:-1] + b"x",
                                     telegram.account_text({2: KEYS[0]}).replace(b"telegram", b"threema")],
                         ids=["empty", "object", "text", "raw", "damaged", "other messenger"])
def test_an_age_file_with_something_else(keytool, write, file_passphrase, content):
    keytool.fails(65, "telegram", "import", write("file.age", sealed(content)), "--dc", "2", *file_passphrase)
    assert list(keytool.keystore.iterdir()) == []


def test_no_account(keytool):
    assert keytool.json("telegram", "list")["accounts"] == []
    for command in (["show"], ["export", "-o", "x"], ["mark-lost", key_id(KEYS[0])]):
        keytool.fails(10, "telegram", *command)
    keytool.ok("id", "create")
    assert keytool.ok("telegram", "list").out == ""
    for command in (["show"], ["show", key_id(KEYS[0])], ["mark-lost", key_id(KEYS[0])]):
        keytool.fails(10, "telegram", *command)
    keytool.fails(64, "telegram", "show", "12")


def test_mark_lost(keytool, tdata):
    keytool.ok("telegram", "import", tdata(ONE))
    done = keytool.json("telegram", "mark-lost", key_id(KEYS[1]))
    assert (done["id"], done["key_id"], done["lost"], done["changed"]) == (key_id(KEYS[0]), key_id(KEYS[1]), True, True)
    assert keytool.json("telegram", "mark-lost", key_id(KEYS[1]))["changed"] is False
    assert keytool.json("telegram", "show")["keys"] == shown(ONE, lost=[4])
    assert ", lost" in keytool.ok("telegram", "show").out and "1 lost" in keytool.ok("telegram", "list").out
    keytool.fails(10, "telegram", "mark-lost", key_id(KEYS[5]))
    assert "warning" not in keytool.ok("telegram", "show").err
    for using in (["show", "--reveal-private-key"], ["export", "-o", keytool.home / "out", "--recipient", agefile.recipient_text(bytes(range(32)))]):
        assert f"the key {key_id(KEYS[1])} is marked as lost" in keytool.ok("telegram", *using).err


def test_mark_lost_in_all_accounts(keytool, tdata, write):
    """One key can be in two accounts: beside others, and alone."""
    keytool.ok("telegram", "import", tdata(ONE))
    keytool.ok("telegram", "import", write("key", KEYS[1]), "--dc", "4")
    done = keytool.json("telegram", "mark-lost", key_id(KEYS[1]))
    both = sorted([key_id(KEYS[0]), key_id(KEYS[1])])
    assert (done["accounts"], done["changed"]) == (both, True)
    for account in both:
        keys = keytool.json("telegram", "show", account)["keys"]
        assert [one["lost"] for one in keys if one["key_id"] == key_id(KEYS[1])] == [True]
    again = keytool.ok("telegram", "mark-lost", key_id(KEYS[1]))
    assert again.out.count("already") == 2


def test_a_lost_key_is_lost_in_an_account_that_comes_later(keytool, tdata, write):
    keytool.ok("telegram", "import", write("key", KEYS[1]), "--dc", "4")
    keytool.ok("telegram", "mark-lost", key_id(KEYS[1]))
    done = keytool.ok("telegram", "import", tdata(ONE))
    assert f"{key_id(KEYS[1])}  for data centre 4, lost\n" in done.out
    assert keytool.json("telegram", "show", key_id(KEYS[0]))["keys"] == shown(ONE, lost=[4])


def test_mark_lost_beside_an_account_that_cannot_be_read(keytool, tdata):
    keytool.ok("telegram", "import", tdata(ONE, TWO))
    (keytool.keystore / "identities/telegram" / key_id(KEYS[2]) / "account").write_bytes(b"damaged")
    result = keytool.ok("telegram", "mark-lost", key_id(KEYS[1]))
    assert f"the account {key_id(KEYS[2])} cannot be read" in result.err
    keytool.fails(65, "telegram", "mark-lost", key_id(KEYS[5]))


@pytest.mark.parametrize("number, dc", [(0, 4), (0, 10_002), (1, 2), (1, 1)])
def test_a_held_key_for_another_data_centre(keytool, tdata, write, number, dc):
    keytool.ok("telegram", "import", tdata(ONE))
    before = snapshot(keytool.keystore)
    error = keytool.fails(17, "telegram", "import", write("key", KEYS[number]), "--dc", dc, "--json").error
    assert error["reason"] == "other_data_centre" and key_id(KEYS[number]) in error["message"]
    assert snapshot(keytool.keystore) == before


def test_a_held_key_for_a_further_data_centre_beside_its_own(keytool, tdata):
    """A device may use one key for two numbers, and says so in one account."""
    keytool.ok("telegram", "import", tdata(ONE))
    further = Account({2: KEYS[0], 4: KEYS[1], 10_004: KEYS[1]}, user=ONE.user)
    keytool.ok("telegram", "import", tdata(further, name="further"))
    assert keytool.json("telegram", "show")["keys"] == shown(further)


def test_keys_are_shown_only_if_asked_for(keytool, tdata):
    keytool.ok("telegram", "import", tdata(ONE))
    revealed = keytool.json("telegram", "show", "--reveal-private-key")
    assert [base64.b64decode(key["private_key"]) for key in revealed["keys"]] == [KEYS[0], KEYS[1]]
    assert base64.b64encode(KEYS[0]).decode() in keytool.ok("telegram", "show", "--reveal-private-key").out
    assert "private_key" not in json.dumps(keytool.json("telegram", "show"))


def test_export(keytool, tdata, file_passphrase, tmp_path):
    keytool.ok("telegram", "import", tdata(ONE))
    file = tmp_path / "account.age"
    done = keytool.json("telegram", "export", "-o", file, *file_passphrase)
    assert (done["file"], done["id"], done["bytes"]) == (str(file), key_id(KEYS[0]), file.stat().st_size)
    assert file.stat().st_mode & 0o7777 == 0o600
    text = telegram.account_text(ONE.keys, 2, ONE.user)
    assert agefile.open_file(file.read_bytes(), passphrase=PASSPHRASE) == text
    assert b"scrypt" in file.read_bytes()[:80] and b" 18\n" in file.read_bytes()[:80]
    keytool.fails(17, "telegram", "export", "-o", file, *file_passphrase)
    other = keytool.with_keystore(tmp_path / "other")
    other.ok("telegram", "import", file, *file_passphrase)
    assert record(other, ONE) == text


def test_export_to_recipients(keytool, tdata, tmp_path, write, file_passphrase):
    keytool.ok("telegram", "import", tdata(ONE))
    secrets = [bytes(range(number, number + 32)) for number in (1, 2)]
    to = [part for secret in secrets for part in ("--recipient", agefile.recipient_text(secret))]
    keytool.fails(64, "telegram", "export", "-o", tmp_path / "x", *to, *file_passphrase)
    done = keytool.ok("telegram", "export", "-o", "-", *to)
    for number, secret in enumerate(secrets):
        assert agefile.open_file(done.out_bytes, identity=secret) == telegram.account_text(ONE.keys, 2, ONE.user)
    file = write("account.age", done.out_bytes)
    assert "--identity" in keytool.fails(16, "telegram", "verify", file).err
    key = write("key.txt", f"# created: today\n\n{agefile.identity_text(secrets[1])}\n")
    assert keytool.json("telegram", "verify", file, "--identity", key)["keys"] == shown(ONE)
    stranger = write("stranger.txt", agefile.identity_text(bytes(range(9, 41))))
    keytool.fails(12, "telegram", "verify", file, "--identity", stranger)
    assert keytool.ok("telegram", "verify", file, "--identity", stranger, "--identity", key)


def test_a_damaged_account_hides_no_other(keytool, tdata):
    keytool.ok("telegram", "import", tdata(ONE, TWO))
    path = keytool.keystore / "identities/telegram" / key_id(KEYS[0]) / "account"
    flip(path)
    listed = keytool("telegram", "list", "--json")
    assert listed.code == 65 and len(listed.json["accounts"]) == 2, listed
    assert {"user_id": "5"}.items() <= [one for one in listed.json["accounts"] if "keys" in one][0].items()
    words = f"keytool id remove telegram/{key_id(KEYS[0])}, then import"
    assert words in keytool.fails(65, "telegram", "show", key_id(KEYS[0])).err
    refused = keytool("telegram", "import", tdata(ONE, TWO, name="again"))
    assert refused.code == 65 and words in refused.err, refused
    shutil.rmtree(path.parent)
    assert keytool.json("telegram", "import", tdata(ONE, name="then"))["results"][0]["result"] == "imported"


def test_an_older_archive_takes_back_a_mark(keytool, tdata, write, tmp_path):
    keytool.ok("telegram", "import", tdata(ONE))
    owner = keytool.json("telegram", "list")["accounts"][0]["id"]
    old, opened_by = tmp_path / "old.age", ("--identity", write("agekey", archives.IDENTITY + "\n"))
    keytool.ok("archive", "export", "-o", old, "--recipient", archives.RECIPIENT)
    keytool.ok("telegram", "mark-lost", key_id(ONE.keys[ONE.main]))
    said = keytool.ok("archive", "import", old, *opened_by, "--replace", f"telegram/{owner}").err
    assert f"telegram/{owner} is as it was at 20" in said and "lost since then is not marked any more" in said


def test_a_damaged_account_stops_no_command_on_another_one(keytool, tdata, write, tmp_path):
    keytool.ok("telegram", "import", tdata(ONE, TWO))
    # The account that is looked at first.
    damaged, healthy = sorted((ONE, TWO), key=lambda one: key_id(one.keys[one.main]))
    path = keytool.keystore / "identities/telegram" / key_id(damaged.keys[damaged.main]) / "account"
    flip(path)
    key, packet = key_id(healthy.keys[healthy.main]), tmp_path / "packet"
    keytool.ok("telegram", "seal-packet", write("data", b"abcd"), "-o", packet, "--key", key)
    assert key in keytool.ok("telegram", "open-packet", packet).out
    assert keytool.json("telegram", "mark-lost", key)["changed"] is True
    # It may be among the keys that cannot be read.
    refused = keytool.fails(65, "telegram", "mark-lost", key_id(KEYS[5]))
    assert f"keytool id remove telegram/{path.parent.name}" in refused.err


def test_protected_keystore(keytool, tdata, given):
    keytool.ok("telegram", "import", tdata(ONE), *given("passphrase", b"Quartz-Lantern-61"))
    keytool.fails(16, "telegram", "show")
    assert keytool.json("telegram", "show", *given("passphrase", b"Quartz-Lantern-61"))["keys"] == shown(ONE)
