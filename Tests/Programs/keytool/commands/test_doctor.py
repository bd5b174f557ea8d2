"""`doctor` checks everything, stores nothing but a loss that it finds on a server, and prints no data of the user."""

import os
import shutil
import sqlite3
from datetime import datetime, timedelta

import pytest

from kit import identityfiles, masterkey, sessions
from kit.archives import RECIPIENT
from kit.processes.clock import Clocked
from kit.processes.injection import without_waiting
from kit.processes.locks import Held
from kit.runner import snapshot
from kit.servers import faults as f
from kit.servers.httpsmachine import pushed  # a fixture
from kit.stages.everymessenger import BOB, MEMBER, PEER, files, full  # two fixtures


def findings(keytool, *options):
    return {check["check"]: check for check in keytool.json("doctor", *options)["checks"]}


def test_without_a_keystore(keytool):
    found = findings(keytool)
    assert found["keystore"]["result"] == "ok"
    assert {"version", "name", "memory", "derivation", "keyring", "clock", "terminal", "locale"} <= set(found)


def test_a_safe_in_order(safe):
    safe.push()
    before = snapshot(safe.keytool.keystore), snapshot(safe.directory.path)
    found = findings(safe.keytool)
    assert found["identities"]["result"] == found["safe 1"]["result"] == "ok", found
    assert "last verified: Safe password never" in found["safe 1"]["detail"]
    assert found["protection"]["result"] == "warning"
    assert "not protected by a passphrase" in found["protection"]["detail"]
    assert (snapshot(safe.keytool.keystore), snapshot(safe.directory.path)) == before


def test_an_identity_with_neither_safe_nor_code(keytool, tmp_path, backup_password):
    """A disk that fails would take it along."""
    keytool.ok("id", "create", "--id", "ABCD1234")
    found = findings(keytool)["code 1"]
    assert found["result"] == "warning" and "neither a Safe nor a verified backup code" in found["detail"]
    keytool.ok("backup", "export", "-o", tmp_path / "code", *backup_password)
    keytool.ok("backup", "check", tmp_path / "code", *backup_password)
    found = findings(keytool)["code 1"]
    assert found["result"] == "ok" and "verified 0 days ago" in found["detail"]


@pytest.mark.parametrize("spoil", [
    lambda keystore: (keystore / "lock").chmod(0o644),
    lambda keystore: ((keystore / "lock").unlink(), (keystore / "lock").symlink_to("elsewhere")),
    lambda keystore: (keystore / "keystore").chmod(0o644), lambda keystore: (keystore / "keystore").unlink(),
], ids=["lock", "link", "mode", "missing"])
def test_the_keystores_own_files(keytool, spoil):
    """Without its passphrase, nothing else looks at them; and no identity could be added."""
    keytool.ok("id", "create", "--id", "ABCD1234")
    masterkey.rewrap(keytool)
    assert findings(keytool)["keystore"]["result"] == "ok"
    spoil(keytool.keystore)
    found = [check for check in keytool("doctor", "--json").json["checks"] if check["check"] == "keystore"]
    assert found[0]["result"] == "problem", found
    words = "wrong mode, owner or type: 1 file" if (keytool.keystore / "keystore").exists() else "the file keystore is missing"
    assert found[0]["detail"] == words


def test_a_file_that_is_none_of_keytool_s(keytool, tmp_path):
    """It stops an archive. Nobody may be told to remove the identity for it."""
    keytool.ok("id", "create", "--id", "ABCD1234")
    stray = keytool.keystore / "identities/threema/ABCD1234/old"
    shutil.copy(stray.with_name("identity"), stray)
    found = [check for check in keytool("doctor", "--json").json["checks"] if check["check"] == "identities"]
    assert found[0]["result"] == "problem" and "a file that is none of keytool's" in found[0]["detail"]
    assert "old" not in found[0]["detail"], "a name may be the user's"
    refused = keytool.fails(65, "archive", "export", "-o", tmp_path / "a.age", "--recipient", RECIPIENT)
    assert "move the file identities/threema/ABCD1234/old out of the keystore" in refused.err
    assert "id remove" not in refused.err
    stray.unlink()
    keytool.ok("archive", "export", "-o", tmp_path / "a.age", "--recipient", RECIPIENT)


def test_what_doctor_has_just_seen_is_said_and_not_stored(safe):
    """It is a reader: the next push looks for itself when it is due."""
    safe.push()
    keytool = Clocked(safe.keytool, datetime.now() + timedelta(days=3))
    seen = safe.keytool.json("safe", "status")["seen_at"]
    before = snapshot(safe.keytool.keystore, without=())
    assert "last seen there 0 days ago" in findings(keytool)["safe 1"]["detail"]
    assert safe.keytool.json("safe", "status")["seen_at"] == seen
    assert snapshot(safe.keytool.keystore, without=()) == before


def test_a_loss_that_doctor_has_seen_is_stored(safe):
    """No loss that was seen is called healthy by the next push."""
    safe.push()
    backup = safe.directory.backup(safe.keys)
    backup.unlink()
    for _ in range(2):
        result = safe.keytool("doctor")
        assert result.code == 10 and "PROBLEM  safe 1" in result.out, result
        assert "last seen there 0 days ago" in result.out, "as safe status says"
    assert safe.keytool.json("safe", "status")["finding"] == "missing"
    assert without_waiting(safe.keytool).json("safe", "push")["result"] == "restored" and backup.exists()


def test_a_place_that_was_never_uploaded_to_is_not_written(safe):
    before = snapshot(safe.keytool.keystore)
    assert "WARNING  safe 1" in safe.keytool.ok("doctor").out
    assert snapshot(safe.keytool.keystore) == before


def test_nothing_of_the_users_is_said(safe):
    result = safe.keytool.ok("doctor")
    for own in (safe.id, safe.keytool.keystore, safe.directory.path, safe.keytool.home, safe.keys.backup_id):
        assert str(own) not in result.out + result.err, result


def test_a_locked_keystore_is_not_asked_about(keytool, given):
    passphrase = given("passphrase", b"correct horse\n")
    keytool.ok("id", "create", *passphrase)
    assert findings(keytool)["identities"]["result"] == "skipped"
    assert "not all was looked at" in keytool.ok("doctor").err
    assert findings(keytool, *passphrase)["identities"]["result"] == "ok"


@pytest.mark.parametrize("what, code", [("", 77), ("master.key", 77), ("identities/threema/ABCD1234/profile", 77)])
def test_files_that_others_can_read(safe, what, code):
    (safe.keytool.keystore / what).chmod(0o755 if what == "" else 0o644)
    result = safe.keytool("doctor")
    assert result.code == code, result
    assert "PROBLEM" in result.out and str(safe.keytool.keystore) not in result.out, result


def test_names_that_are_no_text(safe):
    """Foreign files, as any other of a name that keytool does not make: it opens none of them."""
    safe.push()
    safe.push("--force")
    identity = safe.keytool.keystore / "identities/threema" / safe.id
    history = identity / "places/main/history"
    history.mkdir(0o700, exist_ok=True)
    for directory in (history, identity, identity / "places/main"):
        with open(os.open(os.fsencode(directory) + b"/\xff\xfe", os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write("foreign")
    os.mkdir(os.fsencode(safe.keytool.keystore / "identities/threema") + b"/\xff", 0o700)
    result = safe.keytool.ok("doctor")
    assert "mode, owner and type of all files are right" in result.out, result


def test_a_safe_directory_that_is_away(safe):
    safe.push()
    safe.directory.path.rename(safe.directory.path.with_name("away"))
    result = safe.keytool("doctor")
    assert result.code == 75, result
    assert "safe 1        its directory is missing or not mounted\n" in result.out, result
    assert str(safe.directory.path) not in result.out + result.err, result


def test_a_record_that_is_damaged(safe):
    """No server is asked, and none is blamed."""
    safe.record("profile").write_bytes(b"damaged")
    result = safe.keytool("doctor")
    assert result.code == 65 and "its record in the keystore is damaged" in result.out, result


RECORDS = ["identity", "profile", "devicegroupkey", "safe", "commit", "history"]


@pytest.mark.parametrize("name", RECORDS)
def test_each_record_damaged(safe, name):
    """It is named by its kind; whose it is, is not said."""
    safe.push()
    safe.push("--force")
    safe.keytool.ok("id", "create", "--id", "ZZZZ9999")
    path = safe.record(name)
    if name == "history":
        path = next(path.iterdir())
    path.write_bytes(b"damaged")
    path.chmod(0o600)
    result = safe.keytool("doctor")
    assert result.code == 65 and "PROBLEM  identities" in result.out, result
    assert result.out.count(f"1 of 2 with damaged records: {name}\n") == 1, result
    as_json = safe.keytool("doctor", "--json")
    for own in (safe.id, "ZZZZ9999", safe.keytool.keystore, safe.directory.path, safe.keytool.home, path.name * (name == "history")):
        assert not own or str(own) not in result.out + result.err + as_json.out + as_json.err, (own, result)


def test_a_directory_whose_name_is_no_id(keytool):
    keytool.ok("id", "create", "--id", "ABCD1234")
    directory = keytool.keystore / "identities/threema"
    (directory / "ABCD1234").rename(directory / "abcd1234")
    result = keytool("doctor")
    assert result.code == 65 and "1 of the directories in identities/threema have a name that is not an ID" in result.out, result
    assert "abcd1234" not in result.out + result.err
    assert "1 of the directories in identities/threema are left out" in keytool.ok("id", "list").err


def test_each_file_of_all_messengers_damaged(full, directory):
    """Whatever is wrong with it: no ID, number, name or path of the user is said."""
    keystore = full.keystore
    owners = {path.name for path in keystore.glob("identities/*/*")}
    assert len(owners) >= 6
    own = [*owners, MEMBER, BOB, PEER, str(keystore), str(full.home), str(directory.path)]
    problems = 0
    for path in sorted(path for path in keystore.rglob("*") if path.is_file() and path.name != "lock"):
        content = path.read_bytes()
        middle = len(content) // 2
        changed = content[:middle] + bytes([255 - byte for byte in content[middle:middle + 1]]) + content[middle + 1:]
        for damaged, options in ((b"", []), (changed, []), (b"damaged" * 30, ["--json"])):
            path.write_bytes(damaged)
            result = full("doctor", *options)
            assert not [name for name in own if name in result.out + result.err], (path, damaged[:20], result)
            problems += result.code != 0
        path.write_bytes(content)
    assert problems > 40


@pytest.mark.parametrize("name", ["master.key", "keystore"])
def test_the_keystores_own_files_damaged(safe, name):
    for content in (b"damaged", b"", None):
        path = safe.keytool.keystore / name
        path.unlink()
        if content is not None:
            path.write_bytes(content)
            path.chmod(0o600)
        result = safe.keytool("doctor")
        assert result.code == 65 and "PROBLEM" in result.out, result
        assert safe.id not in result.out and str(safe.keytool.keystore) not in result.out + result.err, result
        path.touch()


def test_a_server_that_refuses(pushed):
    """In words, and without its address."""
    for fault, code, words in (
            (f.status(401), 13, "its server does not accept the stored user name and password"),
            (f.status(404), 15, "config or backups/ is missing on its server"),
            (f.status(418), 15, "its server does not answer like a Safe server: status 418")):
        pushed.server.fault("config", fault)
        pushed.server.fault("GET", fault)
        result = pushed.keytool("doctor")
        assert result.code == code and words in result.out, result
        assert "localhost" not in result.out + result.err
        pushed.server.heal()


def test_another_keytool_on_the_path(keytool, tmp_path):
    for name in ("keytool", "java"):
        program = tmp_path / name
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    found = findings(keytool.with_environment(PATH=f"{tmp_path}:/usr/bin:/bin"))
    assert found["name"]["result"] == "warning" and "Java" in found["name"]["detail"]


def test_a_messenger_that_is_not_known_is_not_said_to_open(keytool):
    keytool.ok("id", "create")
    home = keytool.keystore / "identities/whatsapp/abc"
    home.mkdir(parents=True, mode=0o700)
    home.parent.chmod(0o700)
    words = "1, of a messenger that this keytool does not support: not checked"
    assert findings(keytool)["whatsapp"] == {"check": "whatsapp", "result": "warning", "detail": words}
    record = identityfiles.sealed(b"x", masterkey.read(keytool), "nest", ("whatsapp", "abc", "", "nest"), bytes(24))
    (home / "nest").write_bytes(record)
    (home / "nest").chmod(0o600)
    result = keytool.ok("doctor")
    assert f"WARNING  whatsapp      {words}\n" in result.out and "abc" not in result.out, result
    (home / "nest").write_bytes(record[:-1])
    assert "PROBLEM  whatsapp      1 of 1 with damaged records" in keytool("doctor").out


# Session stores.

NAMES = [("threema", "ABCD1234"), ("threema", "WXYZ9876"), ("threema", "ZZZZ9999")]


@pytest.fixture
def stores(keytool):
    for _, id in NAMES:
        keytool.ok("id", "create", "--id", id)
    for messenger, id in NAMES[:2]:
        sessions.create(keytool.keystore, masterkey.read(keytool), messenger, id, {("session", b"ECHOECHO"): b"a chain key"})
    return keytool


def stored_sessions(keytool):
    """The finding, and the exit code; nothing may have changed."""
    before = snapshot(keytool.keystore)
    result = keytool("doctor")
    assert snapshot(keytool.keystore) == before
    for own in [id for _, id in NAMES] + [str(keytool.keystore), "ECHOECHO", "a chain key"]:
        assert own not in result.out + result.err, result
    return [line for line in result.out.splitlines() if " sessions " in line], result.code


def test_no_sessions(keytool):
    keytool.ok("id", "create")
    assert "sessions" not in findings(keytool)


def test_copied_sessions(stores):
    assert stored_sessions(stores) == (
        ["WARNING  sessions      2 of 2 copied or restored: the program that uses it ends its sessions first"], 0)


def test_sessions_in_use_are_not_waited_for(stores):
    with Held(stores.keystore / "identities/threema/ABCD1234/lock"):
        lines, code = stored_sessions(stores)
    assert code == 0 and lines == [
        "WARNING  sessions      1 of 2 copied or restored: the program that uses it ends its sessions first; "
        "1 of 2 in use: another program has it open"]


def other_key(path):
    shutil.copyfile(path.parent.parent / "WXYZ9876/sessions.db", path)


@pytest.mark.parametrize("damage, words", [
    (lambda path: path.write_bytes(b""), "emptied"), (lambda path: path.write_bytes(b"no database" * 99), "damaged"),
    (other_key, "sealed for another identity or keystore"),
    (lambda path: path.with_name("sessions.db-journal").touch(0o600) or path.with_name(
        "sessions.db-journal").write_bytes(b"1"), "damaged"),
], ids=["emptied", "damaged", "other key", "journal"])
def test_sessions_that_do_not_open(stores, damage, words):
    damage(sessions.path(stores.keystore, *NAMES[0]))
    [line], code = stored_sessions(stores)
    assert f"1 of 2 {words}" in line and "1 of 2 copied" in line, line
    assert (code, line[:7]) == (65, "PROBLEM"), line


def test_sessions_with_a_damaged_value(stores):
    database = sqlite3.connect(sessions.path(stores.keystore, *NAMES[0]))
    database.execute("UPDATE value SET sealed = zeroblob(99) WHERE kind = 'session'")
    database.commit()
    database.close()
    [line], code = stored_sessions(stores)
    assert code == 65 and "1 of 2 damaged" in line, line
