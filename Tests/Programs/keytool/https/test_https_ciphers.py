"""Only TLS with forward secrecy and authenticated encryption, and what is said of a server that does not offer it."""

import pytest

from kit.runner import snapshot
from kit.servers.webservers import ANNA, Nginx

SENTENCE = ("offers no forward secrecy of the kind that keytool requires: TLS 1.3, or TLS 1.2 with ECDHE and AES-GCM or "
            "ChaCha20-Poly1305")


def tls(version, ciphers=None):
    return f"ssl_protocols {version};" + (f" ssl_ciphers {ciphers};" if ciphers else "")


@pytest.fixture
def server(web_server, certificates):
    return web_server(Nginx, ANNA, certificates.rsa).prepare()


@pytest.mark.parametrize("settings", [
    "", tls("TLSv1.2"), tls("TLSv1.3"), tls("TLSv1.2", "ECDHE-RSA-AES128-GCM-SHA256"),
    tls("TLSv1.2", "ECDHE-RSA-CHACHA20-POLY1305"), tls("TLSv1.2", "AES128-SHA:ECDHE-RSA-AES256-GCM-SHA384")],
    ids=["defaults", "1.2", "1.3", "GCM", "ChaCha20", "one of two"])
def test_forward_secrecy(owner, server, way, safe_password, settings):
    server.restart(tls=settings)
    owner.ok("safe", "setup", *way(server), *safe_password)
    assert owner.json("safe", "push")["result"] == "uploaded"


@pytest.mark.parametrize("ciphers", ["AES128-SHA", "AES128-GCM-SHA256", "ECDHE-RSA-AES128-SHA", "AES256-SHA256"])
def test_no_forward_secrecy_or_no_aead(owner, server, way, safe_password, ciphers):
    server.restart(tls=tls("TLSv1.2", ciphers))
    before = snapshot(owner.keystore)
    result = owner.fails(21, "safe", "setup", *way(server), *safe_password)
    assert f"{server.url}/ {SENTENCE}\n" in result.err and "nothing was sent" in result.err, result
    assert owner.fails(21, "safe", "setup", *way(server), *safe_password, "--json").error["name"] == "untrusted_server"
    assert (server.requests(), snapshot(owner.keystore)) == ([], before)


def test_a_server_that_has_given_it_up(owner, server, way, safe_password):
    owner.ok("safe", "setup", *way(server), *safe_password)
    owner.ok("safe", "push")
    server.restart(tls=tls("TLSv1.2", "AES128-SHA"))
    for command in (["push", "--force"], ["check"], ["pull"]):
        assert SENTENCE in owner.fails(21, "safe", *command).err
    result = owner("doctor")
    assert result.code == 21 and f"its server {SENTENCE}\n" in result.out, result
    assert "localhost" not in result.out + result.err
    assert server.requests() == []

