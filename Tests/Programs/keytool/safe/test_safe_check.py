"""safe check: that the backup on the server opens and equals the last upload."""

import base64

import pytest

from kit import oracle
from kit.known import SAFE_PASSWORD
from kit.processes.injection import without_waiting
from kit.runner import snapshot
from kit.stages.edit import edit


@pytest.fixture
def pushed(safe):
    safe.push()
    return safe


def status(safe):
    return safe.keytool.json("safe", "status")


def state_of(safe):
    """Everything but what `check` may remember."""
    found = snapshot(safe.keytool.keystore, without=("lock", "state.json"))
    return found, snapshot(safe.directory.path)


def test_same(pushed):
    before = state_of(pushed)
    shown = pushed.keytool.json("safe", "check")
    assert (shown["command"], shown["id"], shown["same"]) == ("safe check", "ABCD1234", True)
    assert shown["password_proven"] is False
    assert (shown["contacts"], shown["groups"]) == (0, 0)
    assert shown["generation"] == pushed.document["keytool"]["generation"]
    assert state_of(pushed) == before


def test_in_words(pushed):
    result = pushed.keytool.ok("safe", "check")
    assert "ABCD1234" in result.out and "opens" in result.out
    assert pushed.keys.backup_id not in result.out + result.err
    quiet = pushed.keytool.ok("safe", "check", "-q")
    assert quiet.out == quiet.err == ""


def test_needs_no_password_and_says_so(pushed):
    pushed.keytool.ok("safe", "check", "--no-input")
    assert status(pushed).get("password_proven_at") is None


def test_counts_the_contacts(pushed):
    edit(pushed, "ECHOECHO", "ZZZZ9999")
    pushed.push("--force")
    assert pushed.keytool.json("safe", "check")["contacts"] == 2


def test_changes_that_are_not_uploaded_are_a_note(pushed):
    assert pushed.keytool.json("safe", "check")["unpushed"] is False
    edit(pushed, "ECHOECHO")
    before = state_of(pushed)
    result = pushed.keytool.ok("safe", "check")
    assert "not uploaded" in result.err
    shown = pushed.keytool.json("safe", "check")
    assert (shown["same"], shown["unpushed"], shown["contacts"]) == (True, True, 0)
    assert state_of(pushed) == before
    pushed.push("--force")
    shown = pushed.keytool.json("safe", "check")
    assert (shown["same"], shown["unpushed"], shown["contacts"]) == (True, False, 1)


def test_older_backup_than_was_uploaded(pushed):
    """Somebody has put an earlier one of this keystore back: the next push replaces it."""
    old = pushed.blob
    newest = pushed.push("--force")["backup"]["generation"]
    pushed.directory.put(pushed.keys, old)
    before = state_of(pushed)
    result = pushed.keytool.fails(19, "safe", "check")
    assert "older" in result.err and "safe push" in result.err
    error = pushed.keytool.fails(19, "safe", "check", "--json").error
    assert (error["name"], error["reason"]) == ("verify_failed", "older")
    assert state_of(pushed) == before, "a check repairs nothing"
    shown = without_waiting(pushed.keytool).json("safe", "push")
    assert (shown["result"], shown["reason"]) == ("restored", "replaced_older")
    assert shown["backup"]["generation"] == newest + 1
    pushed.keytool.ok("safe", "check")


def test_backup_of_an_app_that_differs(pushed):
    key = base64.b64decode(pushed.document["user"]["privatekey"])
    document = oracle.safe_document(key, contacts=[{"identity": "ECHOECHO", "verification": 2}])
    pushed.directory.put(pushed.keys, oracle.seal_safe(document, pushed.keys))
    result = pushed.keytool.fails(20, "safe", "check")
    assert "safe pull" in result.err and "--overwrite" in result.err, "both ways out"
    assert pushed.keytool.fails(20, "safe", "check", "--json").error["reason"] == "foreign"
    pushed.keytool.fails(20, "safe", "push")  # what was seen is not forgotten


def test_backup_of_another_private_key(pushed):
    key = base64.b64encode(bytes(range(32))).decode()
    document = {**pushed.document, "user": {"privatekey": key}}
    pushed.directory.put(pushed.keys, oracle.seal_safe(document, pushed.keys))
    result = pushed.keytool.fails(20, "safe", "check")
    assert "private key" in result.err and "--replace-key ABCD1234" in result.err
    assert pushed.keytool.fails(20, "safe", "check", "--json").error["reason"] == "other_key"


def test_missing(safe):
    safe.keytool.fails(10, "safe", "check")
    safe.push()
    safe.directory.backup(safe.keys).unlink()
    result = safe.keytool.fails(10, "safe", "check")
    assert "wrong Safe password" not in result.err, "none was asked for"


def test_damaged(pushed):
    whole = pushed.blob
    before = state_of(pushed)
    for damaged in (whole[:-1], whole[:39], b"", whole + b"\0",
                    bytes([whole[0] ^ 1]) + whole[1:], whole[:-1] + bytes([whole[-1] ^ 0x80])):
        pushed.directory.put(pushed.keys, damaged)
        pushed.keytool.fails(65, "safe", "check")
        assert pushed.blob == damaged, "a check repairs nothing"
    pushed.directory.put(pushed.keys, whole)
    assert state_of(pushed) == before


def test_authentic_but_no_document(pushed):
    for content in (oracle.seal_box(b"not gzip", pushed.keys), oracle.seal_safe("{", pushed.keys)):
        pushed.directory.put(pushed.keys, content)
        result = pushed.keytool.fails(65, "safe", "check")
        assert "--overwrite" in result.err
        assert pushed.keytool("safe", "status", "--remote").code == 65
        pushed.keytool.fails(20, "safe", "push")  # somebody wrote it who has the key


def test_directory_away(pushed):
    pushed.directory.go_away()
    pushed.keytool.fails(75, "safe", "check")


def test_no_setup(keytool):
    keytool.ok("id", "create", "--id", "ABCD1234")
    assert "safe setup" in keytool.fails(10, "safe", "check").err


# The password


def test_right_password(pushed, safe_password):
    shown = pushed.keytool.json("safe", "check", "--with-password", *safe_password)
    assert (shown["same"], shown["password_proven"]) == (True, True)
    assert status(pushed)["password_proven_at"] >= status(pushed)["uploaded_at"]


def test_password_outlives_the_next_push(pushed, safe_password):
    pushed.keytool.ok("safe", "check", "--with-password", *safe_password)
    proven = status(pushed)["password_proven_at"]
    pushed.push("--force")
    assert status(pushed)["password_proven_at"] == proven
    pushed.keytool.ok("safe", "check")
    assert status(pushed)["password_proven_at"] == proven


def test_wrong_password(pushed, given):
    before = snapshot(pushed.keytool.keystore), snapshot(pushed.directory.path)
    result = pushed.keytool.fails(12, "safe", "check", "--with-password",
                                  *given("safe-password", b"battery staple 4"))
    assert "password" in result.err and "no Safe backup" not in result.err
    assert "push" not in result.err, "an upload would not help"
    assert "keytool safe passwd ABCD1234 sets a new one" in result.err
    assert status(pushed).get("password_proven_at") is None
    assert (snapshot(pushed.keytool.keystore), snapshot(pushed.directory.path)) == before


def test_password_is_proven_whatever_the_server_holds(pushed, safe_password):
    """It is compared with the key that was derived at the setup."""
    pushed.directory.put(pushed.keys, pushed.blob[:-1])
    pushed.keytool.fails(65, "safe", "check", "--with-password", *safe_password)
    assert status(pushed)["password_proven_at"]


def test_three_tries(pushed, terminal):
    for answers, code in ((["wrong-1", "wrong-2", "wrong-3"], 12),
                          (["wrong-1", "wrong-2", SAFE_PASSWORD.decode()], 0)):
        run = terminal("safe", "check", "--with-password")
        for answer in answers:
            run.expect(r"Safe password for ABCD1234[^\n]*: ?$")
            run.send(answer)
        assert run.finish() == code, run.text
        assert bool(status(pushed).get("password_proven_at")) == (code == 0)


def test_password_is_needed_where_it_is_to_be_proven(pushed):
    pushed.keytool.fails(16, "safe", "check", "--with-password")
    pushed.keytool.fails(16, "safe", "check", "--with-password", "--no-input")


def test_password_at_the_prompt(pushed, terminal):
    run = terminal("safe", "check", "--with-password")
    run.expect(r"Safe password for ABCD1234[^\n]*: ?$")
    assert not run.echo
    run.send(SAFE_PASSWORD.decode())
    assert run.finish() == 0, run.text
    assert SAFE_PASSWORD.decode() not in run.text
    assert status(pushed)["password_proven_at"]


# The server's address


def test_a_quiet_change_of_the_server(pushed, tmp_path):
    (tmp_path / "link").symlink_to(pushed.directory.path)
    quiet = pushed.keytool.ok("safe", "server", "--server", f"file://{tmp_path}/link", "-q")
    assert (quiet.out, quiet.err) == ("", "")
    # What is shown without a change is the result.
    assert f"file://{tmp_path}/link" in pushed.keytool.ok("safe", "server", "-q").out
    assert "changed     address" in pushed.keytool.ok("safe", "server", "--server", pushed.directory.url).out


# From cron


def test_all(pushed, tmp_path, safe_password):
    keytool = pushed.keytool
    keytool.ok("id", "create", "--id", "OTHER123")
    other = tmp_path / "other"
    keytool.ok("safe", "setup", "OTHER123", "--create", "--server", f"file://{other}", *safe_password)
    keytool.ok("safe", "push", "OTHER123")
    assert keytool.ok("safe", "check", "--all").out.splitlines() == [
        f"{id}: the Safe backup opens and equals the last upload" for id in ("ABCD1234", "OTHER123")]
    found = keytool.json("safe", "check", "--all")["results"]
    assert [(each["id"], each["same"]) for each in found] == [("ABCD1234", True), ("OTHER123", True)]
    next((other / "backups").iterdir()).unlink()
    result = keytool("safe", "check", "--all")
    assert result.code == 10 and "ABCD1234: the Safe backup opens" in result.out
    for more in (["ABCD1234"], ["--name", "main"], ["--with-password"]):
        keytool.fails(64, "safe", "check", "--all", *more)


@pytest.mark.parametrize("order, code", [
    (["away", "missing", "damaged"], 10), (["away", "damaged", "missing"], 65), (["away", "away", "sound"], 75),
    (["sound", "away", "damaged"], 65)])
def test_the_first_failure_that_is_not_temporary_counts(keytool, tmp_path, safe_password, order, code):
    for number, state in enumerate(order):
        id, place = f"ABCD000{number}", tmp_path / f"safe{number}"
        keytool.ok("id", "create", "--id", id)
        keytool.ok("safe", "setup", id, "--create", "--server", f"file://{place}", *safe_password)
        keytool.ok("safe", "push", id)
        backup = next((place / "backups").iterdir())
        if state == "away":
            place.rename(tmp_path / f"away{number}")
        elif state == "missing":
            backup.unlink()
        elif state == "damaged":
            backup.write_bytes(backup.read_bytes()[:-1])
    for verb in (["check"], ["status", "--remote"]):
        assert keytool("safe", *verb, "--all").code == code, verb


def test_metrics(pushed, tmp_path):
    """A file of their own: those of a push alert after three days."""
    file = tmp_path / "check.prom"

    def values():
        return dict(line.rsplit(" ", 1) for line in file.read_text().splitlines() if not line.startswith("#"))

    options = ("--all", "-q", "--metrics-file", file, "--alias", "home")
    pushed.keytool.ok("safe", "check", *options)
    first = values()
    assert first.keys() == {f'keytool_safe_check_{name}{{alias="home"}}' for name in (
        "last_success_timestamp_seconds", "last_attempt_timestamp_seconds", "last_exit_code")}
    assert first['keytool_safe_check_last_exit_code{alias="home"}'] == "0"
    pushed.directory.backup(pushed.keys).unlink()
    assert pushed.keytool("safe", "check", *options).code == 10
    assert values()['keytool_safe_check_last_exit_code{alias="home"}'] == "10"
    success = 'keytool_safe_check_last_success_timestamp_seconds{alias="home"}'
    assert values()[success] == first[success]
    # A push does not write to it.
    assert "was not written by --metrics-file of this command" in pushed.keytool("safe", "push", "--metrics-file", file).err
