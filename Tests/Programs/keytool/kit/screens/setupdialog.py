"""The questions of safe setup on a terminal, and how a person answers them."""

import functools

import pytest

from kit.known import SAFE_PASSWORD
from kit.servers.httpsmachine import ID, SERVER_PASSWORD, USER

SERVER = r"Safe server \(https://…, file:///DIR, or threema\): $"
PREPARE = r"is not prepared as a Safe. Make backups/ and config there\? \[y/N\] $"
MAKE = r"does not exist. Make it, with backups/ and config\? \[y/N\] $"
TRUST = r"Trust this certificate \(t\), trust it and pin its key \(p\), or refuse it \(Enter\)\? $"
CHOICE = rf"Safe password for {ID} \(Enter for a random one\): $"
PUSH = r"Upload the first backup now\? \[y/N\] $"
CARD = r"Recovery card to print \(FILE.pdf or FILE.svg, Enter for none\): $"
PASSWORD = SAFE_PASSWORD.decode()


@pytest.fixture
def terminal(terminal):
    """So wide that no sentence is broken."""
    return functools.partial(terminal, columns=300)


@pytest.fixture
def trusting(bare):
    """The runner of the bare machine, which trusts the fault server."""
    authority = bare.world.approach[bare.world.approach.index("--ca-file") + 1]
    return bare.keytool.with_environment(SSL_CERT_FILE=authority)


def user(host="localhost"):
    return rf"User on {host} \(Enter for none\): $"


def again(refused):
    return rf"password of {refused} on localhost, again \(Enter for another user\): $"


def answer_login(run, name=USER, password=SERVER_PASSWORD.decode(), refused=None):
    """Answers what is asked, after a refused user the password first; no name: of that user."""
    if refused:
        run.expect(again(refused))
        assert not run.echo
        run.send("" if name else password)
    if name:
        run.expect(user())
        run.send(name)
        run.expect(f"password of {name} on localhost: $")
        assert not run.echo
        run.send(password)


def log_in(run, url):
    run.expect(SERVER)
    run.send(url)
    answer_login(run)


def choose_password(run):
    run.expect(CHOICE)
    assert not run.echo
    run.send(PASSWORD)
    run.expect("again: $")
    run.send(PASSWORD)


def decline_push(run):
    run.expect(PUSH)
    run.send("")
    decline_card(run)


def decline_card(run):
    run.expect(CARD)
    run.send("")
