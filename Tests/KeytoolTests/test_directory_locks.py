"""The directory's verbs while another process holds the identity's lock: what a directory has done is reported as done,
and nothing is sent if its answer could not be stored."""

import time

import pytest

from kit import identityfiles
from kit.directoryrequests import INVALID
from kit.locks import Held

NUMBER, DIGITS = "+41 79 123 45 67", "41791234567"


@pytest.fixture
def registered(keytool, at):
    return keytool.json("id", "create", *at)["id"]


@pytest.fixture
def elsewhere(id_directory, at, registered):
    """The options for another address of the directory, which has to be remembered then."""
    id_directory.asked.clear()
    return ["--directory", id_directory.url.replace("localhost", "127.0.0.1"), *at[2:]]


@pytest.fixture
def held(keytool, registered):
    with Held(identityfiles.path(keytool.keystore, registered, "lock")) as lock:
        yield lock


def warns(result, words):
    """One warning, with the reason."""
    [line] = [line for line in result.err.splitlines() if "warning: " in line]
    return words in line and "another keytool process is running" in line


def test_a_revocation_is_reported(keytool, id_directory, registered, elsewhere, held):
    result = keytool.ok("id", "revoke", "--yes", *elsewhere)
    assert result.out == f"revoked {registered}\n" and warns(result, "the directory's address could not be stored")
    assert id_directory.identities[registered].state == INVALID


def test_a_mail_is_reported(keytool, id_directory, elsewhere, held):
    result = keytool.ok("id", "link", "email", "ann@example.org", *elsewhere)
    assert "sends an e-mail" in result.out and warns(result, "the directory's address could not be stored")
    assert id_directory.mails


def test_found_contacts_are_shown(keytool, id_directory, elsewhere, held):
    id_directory.add("BOBBOBBO", bytes(32), mobile=DIGITS)
    result = keytool.ok("contact", "match", "-", *elsewhere, stdin=NUMBER)
    assert result.out.startswith(f"+{DIGITS}  BOBBOBBO  ") and warns(result, "the token for the next search could not be")


def test_the_remembered_directory_needs_no_lock(keytool, registered, held):
    result = keytool.ok("revoke", "check")
    assert "warning" not in result.err


@pytest.mark.parametrize("arguments", [[NUMBER], ["--code"], ["--remove"]], ids=lambda arguments: arguments[0])
def test_a_phone_number_waits_for_the_lock(keytool, id_directory, registered, arguments):
    if arguments == ["--code"]:
        keytool.ok("id", "link", "mobile", NUMBER)
        arguments = ["--code", *(code for code, *_ in id_directory.codes.values())]
    id_directory.asked.clear()
    with Held(identityfiles.path(keytool.keystore, registered, "lock")):
        running = keytool.start("id", "link", "mobile", *arguments)
        time.sleep(2)
        assert running.poll() is None and not id_directory.asked
    assert keytool.finish(running).code == 0 and id_directory.asked
    waits = "waits for its code" in keytool.ok("id", "link", "mobile").out
    assert waits == (arguments == [NUMBER])
