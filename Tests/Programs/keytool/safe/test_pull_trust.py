"""safe pull on a new machine, from a server whose certificate was trusted on the old one by looking at it."""

import functools

import pytest

from kit.screens.setupdialog import PASSWORD, TRUST
from kit.servers.httpsmachine import ID
from kit.servers.webservers import Nginx

ASKED = f"Safe password for {ID}: $"


@pytest.fixture
def terminal(terminal, other_keytool):
    """On the new machine; so wide that no sentence is broken."""
    return functools.partial(terminal, runner=other_keytool, columns=300)


@pytest.fixture
def server(owner, web_server, certificates, safe_password):
    server = web_server(Nginx, None, certificates.self_signed).prepare()
    owner.ok("safe", "setup", "--server", server.url, "--ca-file", certificates.self_signed.path, *safe_password)
    owner.ok("safe", "push")
    server.requests()
    return server


@pytest.mark.parametrize("key", ["t", "p"])
def test_certificate_that_is_trusted(server, terminal, other_keytool, certificates, key):
    run = terminal("safe", "pull", "--no-passphrase", "--id", ID, "--server", server.url)
    run.expect("is not accepted: ")
    run.expect(TRUST)
    assert server.requests() == [], "nothing was sent"
    run.send(key)
    run.expect(ASKED)
    run.send(PASSWORD)
    assert run.finish() == 0, run.text
    told = other_keytool.json("safe", "server")
    assert (told["own_authority"], told["pins"]) == (True, [certificates.self_signed.pin] if key == "p" else [])
    assert other_keytool.json("safe", "push", "--force")["result"] == "uploaded"


def test_certificate_that_is_refused(server, terminal):
    run = terminal("safe", "pull", "--no-passphrase", "--id", ID, "--server", server.url)
    run.expect(TRUST)
    run.send("")
    assert run.finish() == 21 and run.text.count("keytool: error: ") == 1 and "password" not in run.text, run.text
    assert server.requests() == []


def test_certificate_that_has_expired(server, terminal, certificates):
    """Trust would not mend it."""
    server.restart(certificate=certificates.expired)
    run = terminal("safe", "pull", "--no-passphrase", "--id", ID, "--server", server.url)
    assert run.finish() == 21 and "it expired on" in run.text, run.text
    assert "Trust this" not in run.text and "password" not in run.text


@pytest.mark.parametrize("options", [[], ["--no-input"]], ids=["no terminal", "no input"])
def test_nobody_to_ask(server, other_keytool, safe_password, options):
    other_keytool.fails(21, "safe", "pull", "--id", ID, "--server", server.url, *safe_password, *options)
    assert server.requests() == []
