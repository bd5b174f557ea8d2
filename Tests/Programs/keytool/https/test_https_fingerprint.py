"""--ca-fingerprint: trusts one certificate of those that the server sends, and stores it."""

import pytest

from kit.runner import snapshot
from kit.servers.certificates import Chain
from kit.servers.httpsmachine import ID
from kit.servers.webservers import Nginx


@pytest.fixture
def server(web_server, certificates):
    """Self-signed, as a family's server may be."""
    return web_server(Nginx, None, certificates.self_signed).prepare()


@pytest.fixture
def setup(safe_password):
    return lambda server, *options: ["safe", "setup", "--server", server.url, *safe_password, *options]


def colons(digits):
    return ":".join(digits[n:n + 2] for n in range(0, len(digits), 2)).upper()


@pytest.mark.parametrize("spelled", [str, str.upper, colons], ids=["as it is", "upper case", "colons"])
def test_self_signed_certificate(owner, server, setup, certificates, spelled):
    """Once it is stored, no option is needed."""
    owner.ok(*setup(server, "--ca-fingerprint", spelled(certificates.self_signed.fingerprint)))
    assert owner.json("safe", "server")["own_authority"] is True
    assert owner.json("safe", "push")["result"] == "uploaded"
    server.restart(certificate=certificates.good)
    owner.fails(21, "safe", "push", "--force")


def test_authority_that_the_server_sends(owner, web_server, setup, certificates):
    """It may issue another certificate later."""
    server = web_server(Nginx, None, certificates.good.chain).prepare()
    owner.ok(*setup(server, "--ca-fingerprint", certificates.authority.fingerprint))
    assert owner.json("safe", "push")["result"] == "uploaded"
    server.restart(certificate=certificates.renewed)
    assert owner.json("safe", "push", "--force")["result"] == "uploaded"
    server.restart(certificate=certificates.other_authority)
    owner.fails(21, "safe", "push", "--force")


def test_one_of_several(owner, server, setup, certificates):
    owner.ok(*setup(server, "--ca-fingerprint", certificates.stranger.fingerprint,
                    "--ca-fingerprint", certificates.self_signed.fingerprint))


@pytest.fixture
def refused(owner):
    """refused(server, command): why, where nothing is sent and nothing stored."""

    def refused(server, *command, code=21, runner=owner):
        before = snapshot(runner.keystore)
        result = runner.fails(code, *command)
        assert (server.requests(), snapshot(runner.keystore)) == ([], before)
        return result.err

    return refused


def test_fingerprint_of_another_certificate(server, setup, certificates, refused):
    said = refused(server, *setup(server, "--ca-fingerprint", certificates.good.fingerprint))
    assert f"{server.url}/ does not send a certificate with this --ca-fingerprint\n" in said
    assert certificates.self_signed.fingerprint in said.replace(":", "").lower(), "what it sends is named"
    assert "nothing was sent" in said


def test_authority_that_the_server_does_not_send(web_server, setup, certificates, refused):
    server = web_server(Nginx).prepare()
    said = refused(server, *setup(server, "--ca-fingerprint", certificates.authority.fingerprint))
    assert "does not send a certificate with this --ca-fingerprint" in said and "--ca-file" in said


def test_authority_that_has_not_issued_the_certificate(web_server, setup, certificates, refused, tmp_path):
    """Everybody can send a certificate of somebody else."""
    chain = tmp_path / "forged.chain"
    chain.write_bytes(certificates.self_signed.path.read_bytes() + certificates.authority.path.read_bytes())
    server = web_server(Nginx, None, Chain(chain, certificates.self_signed.key)).prepare()
    said = refused(server, *setup(server, "--ca-fingerprint", certificates.authority.fingerprint))
    assert "is not accepted" in said


@pytest.mark.parametrize("name, words", [("expired", "it expired on"), ("wrong_host", "it was issued for")])
def test_fingerprint_replaces_no_other_check(web_server, setup, certificates, refused, name, words):
    server = web_server(Nginx, None, getattr(certificates, name)).prepare()
    assert words in refused(server, *setup(server, "--ca-fingerprint", getattr(certificates, name).fingerprint))


def test_pin_is_checked_too(owner, server, setup, certificates, refused):
    trusting = setup(server, "--ca-fingerprint", certificates.self_signed.fingerprint)
    refused(server, *trusting, "--pin", certificates.good.pin, code=22)
    owner.ok(*trusting, "--pin", certificates.self_signed.pin)


def test_server_that_is_away(owner, server, setup, certificates):
    server.stop()
    owner.fails(75, *setup(server, "--ca-fingerprint", certificates.self_signed.fingerprint, "--timeout", "2s"))


def test_untested_setup(owner, server, setup, certificates, refused):
    """The certificate has to be found all the same."""
    refused(server, *setup(server, "--no-test", "--ca-fingerprint", certificates.good.fingerprint))
    owner.ok(*setup(server, "--no-test", "--ca-fingerprint", certificates.self_signed.fingerprint))
    assert owner.json("safe", "push")["result"] == "uploaded"


@pytest.mark.parametrize("option", [
    "", "ab", "zz" * 32, "ab" * 31, "ab" * 33, "sha256//" + "A" * 43 + "=", "٠" * 64])
def test_fingerprints_that_are_none(server, setup, refused, option):
    refused(server, *setup(server, f"--ca-fingerprint={option}"), code=64)


def test_options_that_exclude_each_other(owner, server, setup, certificates, directory, safe_password, refused):
    one = ["--ca-fingerprint", certificates.self_signed.fingerprint]
    refused(server, *setup(server, *one, "--ca-file", certificates.authority.path), code=64)
    owner.fails(64, "safe", "setup", "--create", "--server", directory.url, *one, *safe_password)
    owner.fails(64, "safe", "server", "--no-ca", *one)


def test_later(owner, server, setup, certificates, web_server, refused):
    """With safe server and safe move."""
    owner.ok(*setup(server, "--ca-fingerprint", certificates.self_signed.fingerprint))
    owner.ok("safe", "push")
    server.restart(certificate=certificates.good.chain)
    refused(server, "safe", "server", "--ca-fingerprint", certificates.stranger.fingerprint)
    assert "certificate authorities" in owner.ok(
        "safe", "server", "--ca-fingerprint", certificates.authority.fingerprint).out
    assert owner.json("safe", "push", "--force")["result"] == "uploaded"
    other = web_server(Nginx, None, certificates.self_signed).prepare()
    refused(other, "safe", "move", "--server", other.url, "--ca-fingerprint", certificates.good.fingerprint)
    owner.ok("safe", "move", "--server", other.url, "--ca-fingerprint", certificates.self_signed.fingerprint)
    assert owner.json("safe", "push", "--force")["result"] == "uploaded"


def test_pull(owner, other_keytool, server, setup, certificates, safe_password, refused):
    owner.ok(*setup(server, "--ca-fingerprint", certificates.self_signed.fingerprint))
    owner.ok("safe", "push")
    server.requests()
    pull = ["safe", "pull", "--no-passphrase", "--id", ID, "--server", server.url, *safe_password, "--ca-fingerprint"]
    refused(server, *pull, certificates.good.fingerprint, runner=other_keytool)
    other_keytool.ok(*pull, certificates.self_signed.fingerprint)
    assert other_keytool.json("safe", "push", "--force")["result"] == "uploaded"


@pytest.mark.parametrize("command", [["setup"], ["pull", "--no-passphrase", "--id", ID]], ids=["setup", "pull"])
def test_nobody_is_asked_to_trust_another_certificate(owner, other_keytool, terminal, server, certificates, command):
    runner = owner if command[0] == "setup" else other_keytool
    run = terminal("safe", *command, "--server", server.url, "--ca-fingerprint", certificates.good.fingerprint,
                   runner=runner, columns=300)
    assert run.finish() == 21 and "Trust this" not in run.text and "assword" not in run.text, run.text
    assert server.requests() == []
