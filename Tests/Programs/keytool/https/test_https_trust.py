"""Which web servers are trusted: certificates, authorities, and pins."""

import re
import shlex
from urllib.parse import quote

import pytest

from kit import oracle
from kit.known import SAFE_PASSWORD
from kit.runner import snapshot
from kit.servers.certificates import openssl
from kit.servers.safedirectory import SafeSetup
from kit.servers.webservers import ANNA, Apache, Nginx

KINDS = {"nginx": Nginx, "apache": Apache}
each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


@pytest.fixture
def setting_up(way, safe_password):
    return lambda server, *options: ["safe", "setup", *way(server), *safe_password, *options]


@pytest.fixture
def pushed(owner, web_server, setting_up):
    """A Safe on nginx, trusted by --ca-file, with one backup."""
    server = web_server(Nginx, ANNA).prepare()
    owner.ok(*setting_up(server))
    owner.ok("safe", "push")
    return SafeSetup(owner, server, "ABCD1234", SAFE_PASSWORD)


# Bad certificates


def day(moment):
    """However a day is written."""
    return rf"{moment:%Y-%m-%d}|{moment:%b} +{moment.day} .*{moment:%Y}"


CAUSES = {
    "expired": lambda certificate: f"expired.*({day(certificate.ends)})",
    "not_yet_valid": lambda certificate: f"not valid before.*({day(certificate.begins)})",
    "wrong_host": lambda _: r"issued for.*safe\.example\.invalid",
    "no_san": lambda _: "issued for",
    "other_authority": lambda _: "issuer.*Unrelated test authority",
    "self_signed": lambda _: "self-signed",
}


@each_kind
@pytest.mark.parametrize("name", CAUSES)
def test_bad_certificate_at_setup(owner, web_server, certificates, setting_up, kind, name):
    certificate = getattr(certificates, name)
    server = web_server(kind, ANNA, certificate).prepare()
    before = snapshot(owner.keystore)
    for create in ([], ["--create"]):
        result = owner.fails(21, *setting_up(server, *create))
        assert re.search(CAUSES[name](certificate), result.err.splitlines()[0]), result
        assert "nothing was sent" in result.err, result
    assert owner.fails(21, *setting_up(server), "--json").error["name"] == "untrusted_server"
    assert server.requests() == []
    assert snapshot(owner.keystore) == before


@pytest.mark.parametrize("name", CAUSES)
def test_bad_certificate_later(pushed, certificates, name):
    """As behind a hotel's login page; it is nothing to wait for, nor to try again."""
    server = pushed.directory.restart(certificate=getattr(certificates, name))
    for command in (["push", "--force"], ["push", "--force", "--tolerate", "3d"], ["pull"],
                    ["check"]):
        result = pushed.keytool.fails(21, "safe", *command)
        assert "nothing was sent" in result.err, result
    assert server.requests() == []
    server.restart(certificate=certificates.good)
    assert pushed.push()["result"] == "uploaded", "the last push has failed"


def test_delete_behind_a_bad_certificate(pushed, certificates):
    server = pushed.directory.restart(certificate=certificates.expired)
    pushed.keytool.fails(21, "safe", "delete", "--yes")
    assert (server.requests(), server.names()) == ([], [pushed.keys.backup_id])
    server.restart(certificate=certificates.good)
    pushed.keytool.ok("safe", "delete", "--yes")
    assert server.names() == []


def test_certificate_is_renewed(pushed, certificates):
    """By the same authority, for another key: nobody is asked."""
    pushed.directory.restart(certificate=certificates.renewed)
    assert pushed.push("--force")["result"] == "uploaded"


def test_host_by_number(owner, web_server, setting_up):
    server = web_server(Nginx).prepare()
    server.host = "127.0.0.1"
    owner.ok(*setting_up(server))


# Authorities


def test_system_does_not_know_our_authority(owner, web_server, safe_password):
    server = web_server(Nginx).prepare()
    result = owner.fails(21, "safe", "setup", "--server", server.url, *safe_password)
    assert "Loopback test authority" in result.err, "the issuer is named"
    assert "--ca-file" in result.err


def test_authority_is_kept(owner, web_server, certificates, safe_password, write):
    server = web_server(Nginx).prepare()
    file = write("authority.pem", certificates.authority.path.read_bytes())
    owner.ok("safe", "setup", "--server", server.url, "--ca-file", file, *safe_password)
    file.unlink()
    assert owner.json("safe", "push")["result"] == "uploaded"


def test_file_of_authorities_may_hold_several(
        owner, web_server, certificates, safe_password, write):
    server = web_server(Nginx).prepare()
    file = write("authorities.pem", b"Some words first.\n" + b"".join(
        one.path.read_bytes() for one in (certificates.stranger, certificates.authority)))
    owner.ok("safe", "setup", "--server", server.url, "--ca-file", file, *safe_password)


@pytest.mark.parametrize("content, code", [
    (b"", 65), (b"no certificate\n", 65), (None, 66),
    (b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", 65)],
    ids=["empty", "text", "missing", "damaged"])
def test_file_without_authorities(
        owner, web_server, safe_password, write, tmp_path, content, code):
    server = web_server(Nginx).prepare()
    file = tmp_path / "missing" if content is None else write("authority.pem", content)
    before = snapshot(owner.keystore)
    owner.fails(code, "safe", "setup", "--server", server.url, "--ca-file", file, *safe_password)
    assert (server.requests(), snapshot(owner.keystore)) == ([], before)


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "SSL_CERT_DIR"])
def test_authority_from_the_environment(
        owner, web_server, certificates, safe_password, tmp_path, variable):
    server = web_server(Nginx).prepare()
    trusted = certificates.authority.path
    if variable == "SSL_CERT_DIR":
        trusted = certificates.hashed_directory(tmp_path / "trusted")
    trusting = owner.with_environment(**{variable: trusted})
    trusting.ok("safe", "setup", "--server", server.url, *safe_password)
    assert trusting.json("safe", "push")["result"] == "uploaded"
    server.requests()
    owner.fails(21, "safe", "push", "--force")
    owner.with_environment(**{variable: ""}).fails(21, "safe", "push", "--force")
    assert server.requests() == []


def test_file_of_authorities_counts_more_than_the_environment(
        owner, web_server, certificates, setting_up, safe_password):
    server = web_server(Nginx).prepare()
    trusting = owner.with_environment(SSL_CERT_FILE=certificates.authority.path)
    trusting.fails(21, "safe", "setup", "--server", server.url, "--ca-file",
                   certificates.stranger.path, *safe_password)
    assert server.requests() == []
    owner.with_environment(SSL_CERT_FILE=certificates.stranger.path).ok(*setting_up(server))


# Pins


@each_kind
def test_pin(owner, web_server, certificates, setting_up, kind):
    server = web_server(kind, ANNA).prepare()
    before = snapshot(owner.keystore)
    result = owner.fails(22, *setting_up(server, "--pin", certificates.renewed.pin))
    assert certificates.renewed.pin in result.err, "what was expected"
    assert f"to accept the new key: --pin {certificates.good.pin}\n" in result.err, "what is offered"
    assert server.requests() == [], "nothing was sent"
    assert snapshot(owner.keystore) == before
    owner.ok(*setting_up(server, "--pin", certificates.good.pin))
    assert owner.json("safe", "push")["result"] == "uploaded"


def test_one_of_several_pins(owner, web_server, certificates, setting_up):
    """The next key is pinned before it is used."""
    server = web_server(Nginx).prepare()
    owner.ok(*setting_up(
        server, "--pin", certificates.good.pin, "--pin", certificates.renewed.pin))
    server.restart(certificate=certificates.renewed)
    assert owner.json("safe", "push")["result"] == "uploaded"
    server.restart(certificate=certificates.wrong_host)
    owner.fails({21, 22}, "safe", "push", "--force")


def test_pin_is_no_substitute_for_an_authority(owner, web_server, certificates, safe_password):
    server = web_server(Nginx, None, certificates.self_signed).prepare()
    owner.fails(21, "safe", "setup", "--server", server.url, "--pin",
                certificates.self_signed.pin, *safe_password)
    assert server.requests() == []


def test_key_that_is_no_longer_the_pinned_one(owner, web_server, certificates, setting_up):
    """The command that accepts it is shown, and works; the backup is where it was."""
    server = web_server(Nginx, ANNA).prepare()
    safe = SafeSetup(owner, server, "ABCD1234", SAFE_PASSWORD)
    owner.ok(*setting_up(server, "--pin", certificates.good.pin))
    owner.ok("safe", "push")
    server.restart(certificate=certificates.renewed)
    result = owner.fails(22, "safe", "push", "--force")
    assert certificates.good.pin in result.err and certificates.renewed.pin in result.err
    assert server.requests() == []
    command = re.search(r"keytool (safe server .*)", result.err).group(1)
    owner.ok(*shlex.split(command))
    assert server.names() == [safe.keys.backup_id]
    assert safe.push("--force")["result"] == "uploaded"
    server.restart(certificate=certificates.good)
    owner.fails(22, "safe", "push", "--force")


def test_delete_with_a_key_that_is_no_longer_the_pinned_one(
        owner, web_server, certificates, setting_up):
    server = web_server(Nginx, ANNA).prepare()
    owner.ok(*setting_up(server, "--pin", certificates.good.pin))
    owner.ok("safe", "push")
    server.restart(certificate=certificates.renewed)
    result = owner.fails(22, "safe", "delete", "--yes")
    owner.ok(*shlex.split(re.search(r"keytool (safe server .*)", result.err).group(1)))
    owner.ok("safe", "delete", "--yes")
    assert server.names() == []


def test_pin_is_added_later(pushed, certificates):
    change = ["safe", "server", "--pin"]
    pushed.keytool.ok(*change, certificates.good.pin)
    assert pushed.directory.names() == [pushed.keys.backup_id]
    assert pushed.push()["result"] == "unchanged", "the backup is the same"
    pushed.directory.restart(certificate=certificates.renewed)
    pushed.directory.requests()
    pushed.keytool.fails(22, "safe", "push", "--force")
    assert pushed.directory.requests() == []


def test_a_place_for_reading_is_changed_without_a_write(pushed, certificates, way, safe_password):
    """The phone has written since, so that the look finds another backup than the one before."""
    pushed.keytool.ok("safe", "pull", "--read-only", "--id", pushed.id, *way(pushed.directory), *safe_password)
    document = {**pushed.document, "contacts": [{"identity": "ECHOECHO", "verification": 2}]}
    document.pop("keytool", None)
    pushed.directory.put(pushed.keys, oracle.seal_safe(document, pushed.keys))
    pushed.directory.requests()
    assert pushed.keytool.json("safe", "server", "--pin", certificates.good.pin)["pins"] == [certificates.good.pin]
    assert not [each for each in pushed.directory.requests() if each.method != "GET"]
    assert pushed.keytool.json("safe", "status")["read_only"] is True
    assert pushed.keytool.json("safe", "mirror")["result"] == "mirrored"


def test_wrong_pin_that_is_added_later_changes_nothing(pushed, certificates):
    change = ["safe", "server", "--pin"]
    pushed.keytool.fails(22, *change, certificates.renewed.pin)
    pushed.keytool.ok(*change, certificates.good.pin)
    assert pushed.push("--force")["result"] == "uploaded"


def test_pins_are_given_up(pushed, certificates):
    pushed.keytool.ok("safe", "server", "--pin", certificates.good.pin)
    given_up = pushed.keytool.json("safe", "server", "--no-pins")
    assert given_up["pins"] == [] and given_up["changed"] is True
    assert pushed.keytool.json("safe", "server", "--no-pins")["changed"] is False
    pushed.directory.restart(certificate=certificates.renewed)
    assert pushed.push("--force")["result"] == "uploaded"


def test_what_has_changed_is_named(pushed, certificates, tmp_path):
    """And authorities by what a person can compare."""
    authority = certificates.authority.path
    shown = pushed.keytool.ok("safe", "server").out
    assert "changed" not in shown and fingerprint(certificates.authority) in re.sub(r"\n +", ":", shown)
    both = tmp_path / "both.pem"
    both.write_bytes(b"Two of them\n" + certificates.stranger.path.read_bytes() + authority.read_bytes())
    for options, named in ((["--pin", certificates.good.pin], "pins"), (["--pin", certificates.good.pin], "nothing"),
                           (["--ca-file", both, "--no-pins"], "certificate authorities, pins")):
        shown = pushed.keytool.ok("safe", "server", *options).out
        assert shown.endswith(f"\nchanged     {named}\n") and "(changed)" not in shown, shown
    shown = re.sub(r"\n +", ":", shown)
    assert fingerprint(certificates.stranger) in shown and fingerprint(certificates.authority) in shown
    pushed.directory.restart(login=None)
    assert pushed.keytool.ok("safe", "server", "--no-login").out.endswith("\nchanged     login\n")


def fingerprint(certificate):
    said = openssl("x509", "-in", certificate.path, "-noout", "-fingerprint", "-sha256").decode()
    return said.strip().split("=")[1]


def test_own_authorities_are_given_up_where_the_system_trusts_the_server(pushed):
    """Here it does not: the test of the new values fails, and nothing changes."""
    pushed.keytool.fails(21, "safe", "server", "--no-ca")
    assert pushed.keytool.json("safe", "server")["own_authority"] is True
    assert pushed.push("--force")["result"] == "uploaded"


def test_login_is_given_up_where_the_server_wants_none(pushed):
    pushed.keytool.fails(13, "safe", "server", "--no-login")
    assert pushed.keytool.json("safe", "server")["user"] == ANNA.user
    pushed.directory.restart(login=None)
    assert pushed.keytool.json("safe", "server", "--no-login").get("user") is None
    assert pushed.push("--force")["result"] == "uploaded"


@pytest.mark.parametrize("options", [["--no-pins", "--pin", "@pin"], ["--no-ca", "--ca-file", "/dev/null"],
                                     ["--no-login", "--server-user", "bert"], ["--no-pins", "--forget-old"]])
def test_options_of_server_that_exclude_each_other(owner, certificates, options):
    owner.fails(64, "safe", "server", *[certificates.good.pin if word == "@pin" else word for word in options])


@pytest.mark.parametrize("pin", ["", "sha256//", "sha256//AAAA", "sha256/" + 43 * "A" + "=",
                                 "sha1//" + 27 * "A" + "=", 43 * "A" + "="])
def test_pins_that_are_none(owner, web_server, setting_up, pin):
    server = web_server(Nginx).prepare()
    owner.fails(64, *setting_up(server, f"--pin={pin}"))
    assert server.requests() == []


@pytest.mark.parametrize("option", ["--server", "--server-file"])
def test_pins_and_authorities_outlive_a_change_of_the_login(pushed, certificates, write, option):
    """Pins and authorities of a setup outlive a change of the login, however the address is given."""
    pushed.keytool.ok("safe", "server", "--pin", certificates.good.pin)
    url = pushed.directory.url
    login = f"{ANNA.user}:{quote(ANNA.password, safe='')}@"
    named = write("url", url.replace("://", f"://{login}")) if option == "--server-file" else url
    result = pushed.keytool("safe", "server", option, named)
    assert result.code in (0, 64), result  # 64: nothing would change
    assert pushed.push("--force")["result"] == "uploaded"
    pushed.directory.restart(certificate=certificates.renewed)
    pushed.keytool.fails(22, "safe", "push", "--force")
