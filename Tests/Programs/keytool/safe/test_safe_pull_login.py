"""safe pull on a new machine, where the login is mistyped: it is asked again, and the Safe password is not."""

import pytest

from kit.screens.setupdialog import PASSWORD, again, answer_login, terminal  # fixtures among them
from kit.servers.httpsmachine import ID, LOGIN, SERVER_PASSWORD, USER, pushed  # a fixture

SAFE = f"Safe password for {ID}: $"
SERVER_PROMPT = f"password of {USER} on localhost: $"
REFUSED = "error: [^\n]*does not accept this user name and password"


@pytest.fixture
def machine(pushed):
    return pushed.on_an_empty_machine()


@pytest.fixture
def pull(machine, terminal):
    """pull(*options): a run with a wrong login, at the question that follows the refusal."""

    def pull(*options):
        authority = machine.world.approach[machine.world.approach.index("--ca-file") + 1]
        run = terminal("safe", "pull", "--no-passphrase", "--id", ID, "--server", machine.server.url, "--ca-file",
                       authority, "--server-user", USER, *options, runner=machine.keytool)
        run.expect(SERVER_PROMPT)
        run.send("mistyped")
        run.expect(SAFE)
        run.send(PASSWORD)
        run.expect(REFUSED)
        return run

    return pull


@pytest.mark.parametrize("name", ["", USER], ids=["the same user", "as another user"])
def test_login_is_asked_again(machine, pull, name):
    run = pull()
    answer_login(run, name, refused=USER)
    assert run.finish() == 0, run.text
    assert run.text.count("Safe password for") == 1, run.text
    assert machine.server.requests[-1].login == LOGIN
    machine.server.forget()
    assert machine.keytool.json("safe", "push", "--force")["result"] == "uploaded", "the right login is stored"
    assert {request.login for request in machine.server.requests} == {LOGIN}


@pytest.mark.parametrize("options", [["--show"], ["--output", "@file"], ["--raw", "--output", "@file"]], ids=" ".join)
def test_where_nothing_is_stored(machine, pull, tmp_path, options):
    run = pull(*[str(tmp_path / "file") if word == "@file" else word for word in options])
    answer_login(run, refused=USER)
    assert run.finish() == 0 and not list(machine.keytool.keystore.iterdir()), run.text


def test_three_tries(machine, pull):
    run = pull()
    answer_login(run, password="mistyped again", refused=USER)
    run.expect(REFUSED)
    answer_login(run, "somebody-else", "and again", refused=USER)
    assert run.finish() == 13 and run.text.count("does not accept this user name") == 3, run.text
    assert run.text.count("Safe password for") == 1 and not list(machine.keytool.keystore.iterdir())


def test_no_answer(machine, pull):
    run = pull()
    run.expect(again(USER))
    run.press(b"\x04")
    assert run.finish() == 13 and run.text.count("does not accept this user name") == 1, run.text


def test_login_that_was_not_given(machine, terminal):
    """The server wants one: a person is asked for it."""
    authority = machine.world.approach[machine.world.approach.index("--ca-file") + 1]
    run = terminal("safe", "pull", "--no-passphrase", "--id", ID, "--server", machine.server.url, "--ca-file", authority,
                   runner=machine.keytool)
    run.expect(SAFE)
    run.send(PASSWORD)
    run.expect("requires a user name and password")
    answer_login(run, USER, SERVER_PASSWORD.decode())
    assert run.finish() == 0, run.text


@pytest.mark.parametrize("options", [[], ["--no-input"]], ids=["no terminal", "no input"])
def test_nobody_to_ask(machine, given, options):
    wrong = given("server-password", b"mistyped")
    machine.fails(13, "safe", "pull", "--id", ID, *machine.world.by_password[:4], *wrong, *options,
                  "--ca-file", machine.world.approach[-1], "--safe-password-file", machine.world.passwords["safe"])
