"""safe setup on a terminal, with nothing given: it asks for all it needs."""

import json

import pytest

import oracle
from httpsmachine import ID, KEYS, SERVER_PASSWORD, USER, bare  # a fixture
from known import SAFE_PASSWORD
from runner import snapshot
from safefolder import SafeFolder
from webservers import ANNA, Nginx

SERVER = r"Safe server \(https://…, file:///DIR, or threema\): $"
PASSWORD = SAFE_PASSWORD.decode()


def choose_password(run):
    run.expect(rf"Safe password for {ID} \(nothing for a random one\): $")
    assert not run.echo
    run.send(PASSWORD)
    run.expect("again: $")
    run.send(PASSWORD)


@pytest.fixture
def trusting(bare):
    authority = bare.world.approach[bare.world.approach.index("--ca-file") + 1]
    return bare.keytool.with_environment(SSL_CERT_FILE=authority)


def test_server_with_a_login(bare, trusting, terminal):
    run = terminal("safe", "setup", runner=trusting)
    run.expect(SERVER)
    run.send(bare.server.url)
    run.expect(r"User on localhost \(nothing for none\): $")
    run.send(USER)
    run.expect(f"password of {USER} on localhost: $")
    assert not run.echo
    run.send(SERVER_PASSWORD.decode())
    choose_password(run)
    assert run.finish() == 0, run.text
    assert PASSWORD not in run.text and SERVER_PASSWORD.decode() not in run.text
    assert trusting.json("safe", "push")["result"] == "uploaded"
    assert list(bare.server.stored)[0].endswith(KEYS.backup_id)


def test_server_that_is_not_prepared(owner, web_server, certificates, terminal):
    server = web_server(Nginx, ANNA)
    trusting = owner.with_environment(SSL_CERT_FILE=certificates.authority.path)
    for answer, code in (("", 15), ("y", 0)):
        run = terminal("safe", "setup", "--server", server.url, "--server-user", ANNA.user, runner=trusting)
        run.expect("on localhost: $")
        run.send(ANNA.password.decode())
        choose_password(run)
        run.expect(r"is not prepared as a Safe. Make backups/ and config there\? \[y/N\] $")
        run.send(answer)
        assert run.finish() == code, run.text
    assert trusting.json("safe", "push")["result"] == "uploaded"


def test_new_folder(keytool, folder, terminal):
    keytool.ok("id", "create", "--id", ID)
    run = terminal("safe", "setup")
    run.expect(SERVER)
    run.send(folder.url)
    choose_password(run)
    run.expect(r"\[y/N\] $")
    run.send("yes")
    assert run.finish() == 0, run.text
    assert json.loads(folder.config.read_text())["maxBackupBytes"] == 524288


def test_own_authority_is_given_and_the_rest_asked(bare, terminal):
    run = terminal("safe", "setup", *bare.world.approach[4:], runner=bare.keytool)
    run.expect(SERVER)
    run.send(bare.server.url)
    run.expect(r"User on localhost \(nothing for none\): $")
    run.send(USER)
    run.expect("on localhost: $")
    run.send(SERVER_PASSWORD.decode())
    choose_password(run)
    assert run.finish() == 0, run.text


def test_address_that_is_none_is_asked_for_again(keytool, folder, terminal):
    folder.prepare()
    keytool.ok("id", "create", "--id", ID)
    run = terminal("safe", "setup")
    for address in ("localhost", "http://localhost/", "https://anna:hunter2@localhost/", "file://host/x", "\x0b"):
        run.expect(SERVER)
        run.send(address)
        run.expect("keytool: error: ")
    run.expect(SERVER)
    run.send(folder.url)
    choose_password(run)
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
    assert "let me in" not in status.out and USER not in status.out


def test_pull_and_move_by_a_file(bare, trusting, write, at, safe_password, other_keytool, folder):
    file = write("server", at(RIGHT))
    trusting.ok("safe", "setup", "--server-file", file, *safe_password)
    trusting.ok("safe", "push")
    elsewhere = other_keytool.with_environment(SSL_CERT_FILE=trusting.environment["SSL_CERT_FILE"])
    elsewhere.ok("safe", "pull", "--id", ID, "--server-file", file, *safe_password)
    assert elsewhere.json("id", "list")["identities"][0]["id"] == ID
    folder.prepare()
    elsewhere.ok("safe", "passwd", "--same-password", "--server", folder.url)
    elsewhere.ok("safe", "passwd", "--same-password", "--server-file", file)
    assert elsewhere.json("safe", "check")["id"] == ID and folder.names() == []


def test_file_without_a_login(keytool, folder, write, safe_password):
    folder.prepare()
    keytool.ok("id", "create", "--id", ID)
    keytool.ok("safe", "setup", "--server-file", write("server", folder.url + "\n"), *safe_password)
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
