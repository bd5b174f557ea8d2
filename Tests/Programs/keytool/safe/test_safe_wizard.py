"""safe setup on a terminal, with nothing given: it asks for all it needs."""

import re

import pytest

from kit import oracle
from kit.runner import snapshot
from kit.screens.setupdialog import (  # fixtures among them
    PASSWORD, PUSH, SERVER, choose_password, decline_card, decline_push, log_in, terminal, trusting)
from kit.servers import faults as f
from kit.servers.httpsmachine import ID, KEYS, PLACE, SERVER_PASSWORD, USER, bare  # a fixture


def test_server_with_a_login(bare, trusting, terminal):
    run = terminal("safe", "setup", runner=trusting)
    log_in(run, bare.server.url)
    choose_password(run)
    decline_push(run)
    assert run.finish() == 0, run.text
    assert PASSWORD not in run.text and SERVER_PASSWORD.decode() not in run.text
    assert bare.server.stored == {} and "upload it now: keytool safe push ABCD1234" in run.text
    assert trusting.json("safe", "push")["result"] == "uploaded"
    assert list(bare.server.stored) == [PLACE]


def test_first_push(bare, trusting, terminal):
    run = terminal("safe", "setup", runner=trusting)
    log_in(run, bare.server.url)
    choose_password(run)
    run.expect(PUSH)
    assert bare.server.stored == {}
    run.send("y")
    decline_card(run)
    assert run.finish() == 0, run.text
    assert re.search(r"uploaded [0-9].* to localhost, verified", run.text)
    assert bare.document and trusting.json("safe", "push")["result"] == "unchanged"


def test_first_push_that_fails(bare, trusting, terminal):
    """The setup stands, and the exit code is the push's."""
    run = terminal("safe", "setup", runner=trusting)
    log_in(run, bare.server.url)
    choose_password(run)
    run.expect(PUSH)
    bare.server.fault("PUT", f.status(507))
    run.send("y")
    assert run.finish() == 14, run.text
    bare.server.heal()
    assert trusting.json("safe", "push")["result"] == "uploaded"


def test_backup_that_is_there_already_is_not_overwritten(bare, trusting, terminal):
    """A phone's, perhaps: nothing is offered, and the words say how to take it over."""
    bare.server.stored[PLACE] = kept = oracle.seal_safe(oracle.safe_document(bytes(32)), KEYS)
    run = terminal("safe", "setup", runner=trusting)
    log_in(run, bare.server.url)
    choose_password(run)
    decline_card(run)
    assert run.finish() == 0 and "keytool safe pull" in run.text, run.text
    assert "Upload" not in run.text and bare.blob == kept


@pytest.mark.parametrize("source", ["option", "environment"])
def test_password_that_is_given_asks_nothing(bare, trusting, terminal, source):
    """Whoever gives it has written a script."""
    runner, options = trusting, bare.world.by_password
    if source == "environment":
        runner = trusting.with_environment(KEYTOOL_SAFE_PASSWORD_FILE=options[-1])
        options = options[:-2]
    run = terminal("safe", "setup", *options, runner=runner)
    assert run.finish() == 0 and "[y/N]" not in run.text, run.text


def test_own_authority_is_given_and_the_rest_asked(bare, terminal):
    run = terminal("safe", "setup", *bare.world.approach[4:], runner=bare.keytool)
    log_in(run, bare.server.url)
    choose_password(run)
    decline_push(run)
    assert run.finish() == 0, run.text


@pytest.mark.parametrize("key", [b"\r", b"\x04"], ids=["nothing", "Ctrl-D"])
def test_no_answer(keytool, terminal, key):
    keytool.ok("id", "create", "--id", ID)
    before = snapshot(keytool.keystore)
    run = terminal("safe", "setup")
    run.expect(SERVER)
    run.press(key)
    assert run.finish() == 64, run.text
    assert snapshot(keytool.keystore) == before


def test_nobody_to_ask(keytool):
    keytool.ok("id", "create", "--id", ID)
    assert "--server" in keytool.fails(64, "safe", "setup").err
    assert "--server" in keytool.fails(64, "safe", "setup", "--no-input").err


# A file with the address


@pytest.fixture
def at(bare):
    """at(login) -> the server's address with this login in it."""
    return lambda login: bare.server.url.replace("://", f"://{login}@")


RIGHT = f"{USER}:" + "".join(f"%{byte:02x}" for byte in SERVER_PASSWORD)


@pytest.mark.parametrize("login", [RIGHT, f"{USER}:let%20me%20in:%205", f"{USER}:let me in: 5"],
                         ids=["encoded", "as needed", "not at all"])
@pytest.mark.parametrize("ending", ["", "\n", "\r\n"], ids=["", "LF", "CRLF"])
def test_login_in_the_file(bare, trusting, write, at, safe_password, login, ending):
    file = write("server", at(login) + ending)
    trusting.ok("safe", "setup", "--server-file", file, *safe_password)
    assert trusting.json("safe", "push")["result"] == "uploaded"
    status = trusting.ok("safe", "status")
    assert "let me in" not in status.out and USER in status.out


def test_pull_and_move_by_a_file(bare, trusting, write, at, safe_password, other_keytool, directory):
    file = write("server", at(RIGHT))
    trusting.ok("safe", "setup", "--server-file", file, *safe_password)
    trusting.ok("safe", "push")
    elsewhere = other_keytool.with_environment(SSL_CERT_FILE=trusting.environment["SSL_CERT_FILE"])
    elsewhere.ok("safe", "pull", "--id", ID, "--server-file", file, *safe_password)
    assert elsewhere.json("id", "list")["identities"][0]["id"] == ID
    directory.prepare()
    elsewhere.ok("safe", "move", "--server", directory.url)
    elsewhere.ok("safe", "move", "--server-file", file)
    assert elsewhere.json("safe", "check")["id"] == ID and directory.names() == []


def test_file_without_a_login(keytool, directory, write, safe_password):
    directory.prepare()
    keytool.ok("id", "create", "--id", ID)
    keytool.ok("safe", "setup", "--server-file", write("server", directory.url + "\n"), *safe_password)
    assert keytool.json("safe", "push")["result"] == "uploaded"


def test_wrong_login_in_the_file(bare, trusting, write, at, safe_password):
    result = trusting.fails(13, "safe", "setup", "--server-file", write("server", at("x:hunter2")), *safe_password)
    assert "hunter2" not in result.err


@pytest.mark.parametrize("login", ["anna", "anna:", ":hunter2", "an%3ana:hunter2", "anna:hunter2%", "anna:hunter2%0",
                                   "anna:hunter2%zz", "anna:hunter2%00"])
def test_login_that_is_none(bare, trusting, write, at, safe_password, login):
    before = bare.records()
    result = trusting.fails(64, "safe", "setup", "--server-file", write("server", at(login)), *safe_password)
    assert "hunter2" not in result.err and bare.records() == before and bare.server.requests == []


@pytest.mark.parametrize("content, code", [("", 65), ("a\nb\n", 65), ("http://x:hunter2@localhost/", 64),
                                           ("https://x:hunter2@/", 64), ("hunter2", 64),
                                           ("https://x:5/hunter2@localhost/", 64)])
def test_file_without_an_address(bare, trusting, write, safe_password, content, code):
    result = trusting.fails(code, "safe", "setup", "--server-file", write("server", content), *safe_password)
    assert "hunter2" not in result.err


def test_file_and_option_exclude_each_other(bare, trusting, write, at, safe_password):
    file = write("server", at(RIGHT))
    trusting.fails(64, "safe", "setup", "--server-file", file, "--server", bare.server.url, *safe_password)
    trusting.fails(64, "safe", "setup", "--server-file", file, "--server-user", "x", *safe_password)


def test_file_that_others_can_read_is_a_warning(bare, trusting, write, at, safe_password):
    result = trusting.ok("safe", "setup", "--server-file", write("server", at(RIGHT), 0o644), *safe_password)
    assert "can be read by others" in result.err
