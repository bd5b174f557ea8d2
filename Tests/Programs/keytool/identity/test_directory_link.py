"""id link: e-mail addresses by the link in a mail, phone numbers by a code, and what is remembered in between."""

import json

import pytest

from kit import identityfiles, masterkey
from kit.damage import flip

NUMBER, DIGITS = "+41 79 123 45 67", "41791234567"


@pytest.fixture
def registered(keytool, at):
    return keytool.json("id", "create", *at)["id"]


def linking(keytool, id):
    """The record of the phone number that waits; None without one."""
    path = identityfiles.path(keytool.keystore, id, "linking")
    return json.loads(identityfiles.opened(path, masterkey.read(keytool))) if path.exists() else None


def the_code(id_directory):
    [(verification, (code, *_))] = id_directory.codes.items()
    return verification, code


def test_nothing_is_linked(keytool, registered):
    assert keytool.ok("id", "link").out == "email   not linked\nmobile  not linked\n"
    assert keytool.json("id", "link") == {
        "schema": "keytool/1", "command": "id link", "id": registered, "email": None, "mobile": None}
    assert keytool.ok("id", "link", "email").out == "email   not linked\n"
    for kind in ("email", "mobile"):
        assert keytool.json("id", "link", kind) == {
            "schema": "keytool/1", "command": "id link", "id": registered, kind: None}


def test_email(keytool, id_directory, registered):
    result = keytool.ok("id", "link", "email", "  Ann@Example.ORG")
    assert result.out == "the directory sends an e-mail to ann@example.org\n" and "follow the link" in result.err
    assert id_directory.mails == [("ann@example.org", registered)]
    assert keytool.json("id", "link")["email"] is None
    id_directory.confirm_mails()
    assert keytool.ok("id", "link", "email").out == "email   ann@example.org\n"
    again = keytool.json("id", "link", "email", "ann@example.org")
    assert again == {"schema": "keytool/1", "command": "id link", "id": registered, "kind": "email",
                     "address": "ann@example.org", "result": "already_linked"}
    out = keytool.ok("id", "link", "email", "--remove").out
    assert out == f"ann@example.org is no longer linked to {registered}\n"
    assert keytool.ok("id", "link", "email", "--remove").out == f"no e-mail address was linked to {registered}\n"
    assert id_directory.identities[registered].email is None


def test_phone_number(keytool, id_directory, registered):
    result = keytool.ok("id", "link", "mobile", NUMBER)
    assert result.out == f"the directory sends a code to +{DIGITS}\n" and f"--code CODE --identity {registered}" in result.err
    verification, code = the_code(id_directory)
    assert linking(keytool, registered) == {
        "verification": verification, "number": DIGITS, "directory": id_directory.url}
    assert f"+{DIGITS} waits for its code" in keytool.ok("id", "link").out
    assert keytool.json("id", "link", "mobile")["waiting"] == "+" + DIGITS
    wrong = "000000" if code != "000000" else "111111"
    assert "Wrong code" in keytool.fails(1, "id", "link", "mobile", "--code", wrong).err
    assert linking(keytool, registered)
    linked = keytool.json("id", "link", "mobile", "--code", code)
    assert (linked["result"], linked["address"]) == ("linked", "+" + DIGITS)
    assert id_directory.identities[registered].mobile == DIGITS and linking(keytool, registered) is None
    assert keytool.ok("id", "link", "mobile").out == f"mobile  +{DIGITS}\n"
    assert keytool.json("id", "link")["mobile"] == "+" + DIGITS
    unlinked = keytool.json("id", "link", "mobile", "--remove")
    assert (unlinked["result"], unlinked["address"]) == ("unlinked", "+" + DIGITS)
    assert id_directory.identities[registered].mobile is None


def links(keytool):
    """What the profile, and so the next Safe backup, says of linked addresses."""
    return {link["type"]: link["value"] for link in keytool.json("profile", "show").get("links", [])}


def test_linked_addresses_are_noted_in_the_profile(keytool, id_directory, registered):
    keytool.ok("id", "link", "email", "Ann@Example.ORG")
    keytool.ok("id", "link", "mobile", NUMBER)
    assert links(keytool) == {}
    keytool.ok("id", "link", "mobile", "--code", the_code(id_directory)[1])
    assert links(keytool) == {"mobile": DIGITS}
    id_directory.confirm_mails()
    keytool.ok("id", "link")
    assert links(keytool) == {"mobile": DIGITS, "email": "ann@example.org"}
    keytool.ok("id", "link", "mobile", "--remove")
    assert links(keytool) == {"email": "ann@example.org"}
    keytool.ok("id", "link", "email", "--remove")
    assert links(keytool) == {}


def test_addresses_that_the_directory_does_not_show_in_full_are_not_noted(keytool, id_directory, registered):
    keytool.ok("id", "link", "email", "ann@example.org")
    id_directory.confirm_mails()
    shown = json.dumps({"success": True, "serverGroup": "0a", "email": "a**@e*****e.org", "mobileNo": "41*******67"})
    id_directory.script("identity/fetch_priv", id_directory.status(200, shown.encode()), phase=2)
    assert "a**@e*****e.org" in keytool.ok("id", "link").out
    assert links(keytool) == {}
    # Asking for it again tells that it is linked.
    assert keytool.json("id", "link", "email", "ann@example.org")["result"] == "already_linked"
    assert links(keytool) == {"email": "ann@example.org"}


def test_a_profile_that_cannot_be_changed_does_not_hide_the_link(keytool, id_directory, registered):
    keytool.ok("id", "link", "mobile", NUMBER)
    path = identityfiles.path(keytool.keystore, registered, "profile")

    def damaged(call, outcome):
        flip(path)
        call.answer(*outcome())

    id_directory.script("identity/link_mobileno", damaged)
    result = keytool.ok("id", "link", "mobile", "--code", the_code(id_directory)[1])
    assert "the profile could not be changed" in result.err and linking(keytool, registered) is None


def test_the_directory_calls(keytool, id_directory, registered):
    id_directory.asked.clear()
    assert keytool.fails(10, "id", "link", "mobile", "--call", "--json").error["reason"] == "no_linking"
    assert not id_directory.asked
    keytool.ok("id", "link", "mobile", NUMBER)
    before = linking(keytool, registered)
    result = keytool.ok("id", "link", "mobile", "--call")
    assert result.out == f"the directory calls +{DIGITS} and says the code\n" and "--code CODE" in result.err
    assert keytool.json("id", "link", "mobile", "--call")["result"] == "called"
    assert json.loads(id_directory.requests[-1].body) == {"verificationId": before["verification"]}
    assert id_directory.asked[-1] == ("identity/link_mobileno_call", 1) and linking(keytool, registered) == before
    id_directory.script("identity/link_mobileno_call", id_directory.refuse("Wait ten minutes"))
    assert "Wait ten minutes" in keytool.fails(1, "id", "link", "mobile", "--call").err
    # The call may have been made, so it is not asked for twice.
    id_directory.asked.clear()
    id_directory.script("identity/link_mobileno_call", id_directory.lose, times=9)
    keytool.fails(75, "id", "link", "mobile", "--call")
    assert len(id_directory.asked) == 1
    keytool.ok("id", "link", "mobile", "--code", the_code(id_directory)[1])


def test_a_code_without_a_request(keytool, id_directory, registered):
    id_directory.asked.clear()
    result = keytool.fails(10, "id", "link", "mobile", "--code", "123456", "--json")
    assert result.error["reason"] == "no_linking" and not id_directory.asked
    assert f"keytool id link mobile NUMBER --identity {registered}" in result.error["hint"]


def test_a_code_goes_to_its_own_directory_only(keytool, id_directory, at, registered):
    keytool.ok("id", "link", "mobile", NUMBER)
    verification, code = the_code(id_directory)
    before = linking(keytool, registered)
    id_directory.asked.clear()
    alias = id_directory.url.replace("localhost", "127.0.0.1")
    result = keytool.fails(64, "id", "link", "mobile", "--code", code, "--directory", alias, *at[2:], "--json")
    assert result.error["reason"] == "other_directory" and f"--directory {id_directory.url}" in result.error["hint"]
    assert f"keytool id link mobile NUMBER --identity {registered}" in result.error["hint"]
    assert not id_directory.asked and linking(keytool, registered) == before
    keytool.ok("id", "link", "mobile", "--code", code)


def test_a_request_that_cannot_be_stored(keytool, id_directory, registered):
    path = identityfiles.path(keytool.keystore, registered, "linking")

    def unstorable(call, outcome):
        (path / "in the way").mkdir(parents=True)
        call.answer(*outcome())

    id_directory.script("identity/link_mobileno", unstorable, phase=2)
    result = keytool("id", "link", "mobile", NUMBER)
    assert result.code == 77 and "the code that the directory sends now cannot be used" in result.err


def test_removing_forgets_the_number_that_waits(keytool, registered):
    keytool.ok("id", "link", "mobile", NUMBER)
    out = keytool.ok("id", "link", "mobile", "--remove").out
    assert out == f"no phone number was linked to {registered}\n+{DIGITS} no longer waits for its code\n"
    assert linking(keytool, registered) is None
    assert "address" not in keytool.json("id", "link", "mobile", "--remove")


def test_a_second_request_replaces_the_first(keytool, id_directory, registered):
    keytool.ok("id", "link", "mobile", NUMBER)
    id_directory.codes.clear()
    keytool.ok("id", "link", "mobile", "0041 79 000 00 00")
    verification, code = the_code(id_directory)
    assert linking(keytool, registered) == {
        "verification": verification, "number": "41790000000", "directory": id_directory.url}
    keytool.ok("id", "link", "mobile", "--code", code)


def test_one_of_several_identities(keytool, id_directory, at, registered):
    other = keytool.json("id", "create", *at)["id"]
    keytool.fails(64, "id", "link")
    keytool.ok("id", "link", "mobile", NUMBER, "--identity", other)
    assert linking(keytool, other) and not linking(keytool, registered)
    keytool.fails(10, "id", "link", "mobile", "--code", the_code(id_directory)[1], "--identity", registered)


def test_language(keytool, id_directory, registered):
    keytool.ok("id", "link", "email", "ann@example.org", "--language", "de")
    assert json.loads(id_directory.requests[-1].body)["lang"] == "de"
    keytool.fails(64, "id", "link", "email", "ann@example.org", "--language", "deu")


@pytest.mark.parametrize("arguments", [
    ["email", "nobody"], ["email", "ä@example.org"], ["mobile", "079 123 45 67"], ["mobile", "+41x"],
    ["mobile", "ann@example.org"], ["email", "--code", "1"], ["--code", "1"], ["--remove"], ["fax", "1"],
    ["mobile", NUMBER, "--code", "1"], ["mobile", NUMBER, "--remove"], ["mobile", "--code", ""],
    ["mobile", "--code", "1" * 65], ["email", "--call"], ["--call"], ["mobile", NUMBER, "--call"],
    ["mobile", "--call", "--code", "1"], ["mobile", "--call", "--remove"]], ids=str)
def test_usage(keytool, id_directory, registered, arguments):
    id_directory.asked.clear()
    keytool.fails(64, "id", "link", *arguments)
    assert not id_directory.asked


def test_nothing_to_unlink_answers_at_once(keytool, id_directory, registered):
    """A directory that says so in its first reply, instead of asking for a proof."""
    for path, kind in (("link_email", "email"), ("link_mobileno", "mobile")):
        id_directory.script("identity/" + path, lambda call, outcome: call.answer(200, b'{"linked":true}'))
        assert keytool.json("id", "link", kind, "--remove")["result"] == "unlinked"


@pytest.mark.parametrize("arguments, path", [
    (["email", "ann@example.org"], "link_email"), (["mobile", NUMBER], "link_mobileno"), ([], "fetch_priv"),
    (["email", "--remove"], "link_email")], ids=str)
def test_failures(keytool, id_directory, registered, arguments, path):
    for act, code in ((id_directory.status(401), 13), (id_directory.status(429), 75),
                      (id_directory.refuse("Too many"), 1), (id_directory.lose, 75)):
        for phase in (1, 2):
            id_directory.script("identity/" + path, act, phase=phase, times=9)
            keytool.fails(code, "id", "link", *arguments, "--retry-max-time", "3s")
            id_directory.scripts.clear()
    assert linking(keytool, registered) is None


def test_damaged_record(keytool, registered):
    keytool.ok("id", "link", "mobile", NUMBER)
    path = identityfiles.path(keytool.keystore, registered, "linking")
    flip(path)
    assert "linking" in keytool.fails(65, "id", "link", "mobile", "--code", "1").err
    keytool.ok("id", "link", "mobile", NUMBER)
    assert keytool.json("id", "link")["waiting"] == "+" + DIGITS
