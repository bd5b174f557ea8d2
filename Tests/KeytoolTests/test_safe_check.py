"""safe check: that the backup on the server opens and holds what the keystore holds."""

import base64

import pytest

import oracle
from known import SAFE_PASSWORD
from runner import snapshot
from secondserver import SecondServer


@pytest.fixture
def pushed(safe):
    safe.push()
    return safe


@pytest.fixture
def give_contacts(safe, tmp_path, safe_password):
    """give_contacts("ECHOECHO", ...): a profile that was not pushed."""
    return SecondServer(safe, tmp_path / "second-server", safe_password).give_contacts


def status(safe):
    return safe.keytool.json("safe", "status")


def state_of(safe):
    """Everything but what `check` may remember."""
    found = snapshot(safe.keytool.keystore, without=("lock", "state.json"))
    return found, snapshot(safe.folder.path)


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


def test_counts_the_contacts(pushed, give_contacts):
    give_contacts("ECHOECHO", "ZZZZ9999")
    pushed.push("--force")
    assert pushed.keytool.json("safe", "check")["contacts"] == 2


def test_profile_that_differs(pushed, give_contacts):
    give_contacts("ECHOECHO")
    before = snapshot(pushed.keytool.keystore), snapshot(pushed.folder.path)
    result = pushed.keytool.fails(19, "safe", "check")
    assert "push" in result.err and "pull" in result.err, "both ways out"
    assert (snapshot(pushed.keytool.keystore), snapshot(pushed.folder.path)) == before
    assert pushed.keytool.fails(19, "safe", "check", "--json").error["name"] == "verify_failed"
    pushed.push("--force")
    pushed.keytool.ok("safe", "check")


def test_backup_of_an_app_that_differs(pushed):
    key = base64.b64decode(pushed.document["user"]["privatekey"])
    document = oracle.safe_document(key, contacts=[{"identity": "ECHOECHO", "verification": 2}])
    pushed.folder.put(pushed.keys, oracle.seal_safe(document, pushed.keys))
    pushed.keytool.fails(19, "safe", "check")


def test_backup_of_another_private_key(pushed):
    key = base64.b64encode(bytes(range(32))).decode()
    document = {**pushed.document, "user": {"privatekey": key}}
    pushed.folder.put(pushed.keys, oracle.seal_safe(document, pushed.keys))
    result = pushed.keytool.fails(19, "safe", "check")
    assert "private key" in result.err


def test_missing(safe):
    safe.keytool.fails(10, "safe", "check")
    safe.push()
    safe.folder.backup(safe.keys).unlink()
    result = safe.keytool.fails(10, "safe", "check")
    assert "wrong Safe password" not in result.err, "none was asked for"


def test_damaged(pushed):
    whole = pushed.blob
    before = snapshot(pushed.keytool.keystore)
    for damaged in (whole[:-1], whole[:39], b"", whole + b"\0",
                    bytes([whole[0] ^ 1]) + whole[1:], whole[:-1] + bytes([whole[-1] ^ 0x80])):
        pushed.folder.put(pushed.keys, damaged)
        pushed.keytool.fails(65, "safe", "check")
        assert pushed.blob == damaged, "a check repairs nothing"
    assert snapshot(pushed.keytool.keystore) == before


def test_authentic_but_no_document(pushed):
    for content in (oracle.seal_box(b"not gzip", pushed.keys), oracle.seal_safe("{", pushed.keys)):
        pushed.folder.put(pushed.keys, content)
        pushed.keytool.fails(65, "safe", "check")


def test_folder_away(pushed):
    pushed.folder.go_away()
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
    before = snapshot(pushed.keytool.keystore), snapshot(pushed.folder.path)
    result = pushed.keytool.fails(10, "safe", "check", "--with-password",
                                  *given("safe-password", b"battery staple 4"))
    assert "password" in result.err, "the hint: it looks as if there were no backup"
    assert "push" not in result.err, "an upload would not help"
    assert status(pushed).get("password_proven_at") is None
    assert (snapshot(pushed.keytool.keystore), snapshot(pushed.folder.path)) == before


def test_password_does_not_make_damage_look_like_absence(pushed, safe_password):
    pushed.folder.put(pushed.keys, pushed.blob[:-1])
    pushed.keytool.fails(65, "safe", "check", "--with-password", *safe_password)
    assert status(pushed).get("password_proven_at") is None


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
