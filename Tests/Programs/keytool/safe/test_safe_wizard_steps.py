"""safe setup on a terminal: a step that fails is asked again by itself, and nothing else is."""

import json
import re
import time

import pytest

from kit.runner import snapshot
from kit.screens.setupdialog import (  # fixtures among them
    MAKE, PREPARE, PUSH, SERVER, TRUST, again, answer_login, choose_password, decline_card, decline_push, log_in, terminal,
    trusting, user)
from kit.servers import faults as f
from kit.servers.certificates import openssl
from kit.servers.httpsmachine import ID, LOGIN, USER, bare  # a fixture
from kit.servers.webservers import ANNA, Apache, Nginx

ERROR = "keytool: error: .*"


def ends_well(run):
    choose_password(run)
    decline_push(run)
    assert run.finish() == 0, run.text


def count(run, question):
    return len(re.findall(question.rstrip("$"), run.text))


# The address


def test_text_that_is_no_address(keytool, directory, terminal):
    directory.prepare()
    keytool.ok("id", "create", "--id", ID)
    run = terminal("safe", "setup")
    for address in ("localhost", "http://localhost/", "https://anna:hunter2@localhost/", "file://host/x", "\x0b"):
        run.expect(SERVER)
        run.send(address)
        run.expect(ERROR)
    run.expect(SERVER)
    run.send(str(directory.path))
    run.expect(f"keytool: hint: {directory.url}\n")
    run.expect(SERVER)
    run.send(directory.url)
    ends_well(run)


def test_a_file_that_is_missing_is_told_before_a_question(keytool, terminal, tmp_path):
    keytool.ok("id", "create", "--id", ID)
    run = terminal("safe", "setup", "--server", "https://localhost:1/", "--server-user", USER,
                   "--ca-file", str(tmp_path / "absent.pem"))
    assert run.finish() == 66 and "password of" not in run.text, run.text


def test_path_for_an_address(keytool, directory, safe_password):
    keytool.ok("id", "create", "--id", ID)
    refused = keytool.fails(64, "safe", "setup", "--server", directory.path, *safe_password)
    assert f"hint: {directory.url}\n" in refused.err


@pytest.mark.parametrize("fault", [
    f.status(405), f.constant(f.HTML), f.redirect("https://localhost:1/"), f.status(511)],
    ids=["405", "HTML", "redirect", "511"])
def test_address_of_no_safe_server(bare, trusting, terminal, fault):
    """The login was answered, and is not asked again."""
    bare.server.fault("config", fault, times=1)
    run = terminal("safe", "setup", runner=trusting)
    log_in(run, bare.server.url)
    run.expect(ERROR)
    run.expect(SERVER)
    run.send(bare.server.url)
    ends_well(run)
    assert count(run, "User on") == count(run, "password of") == 1
    assert {request.login for request in bare.server.requests} == {LOGIN}


@pytest.mark.parametrize("address", ["https://localhost:1/safe/", "https://keytool.invalid/safe/"])
def test_address_of_nobody(bare, trusting, terminal, address):
    run = terminal("safe", "setup", "--server", address, *bare.world.approach, runner=trusting)
    run.expect(ERROR)
    run.expect(SERVER)
    run.send(bare.server.url)
    ends_well(run)
    assert trusting.json("safe", "push")["result"] == "uploaded"


@pytest.mark.parametrize("key", [b"\r", b"\x04"], ids=["nothing", "Ctrl-D"])
def test_no_other_address(bare, trusting, terminal, key):
    """Then the error that was shown is the end: it is not said twice."""
    before = snapshot(bare.keytool.keystore)
    run = terminal("safe", "setup", "--server", "https://localhost:1/", *bare.world.approach, runner=trusting)
    run.expect(SERVER)
    run.press(key)
    assert run.finish() == 75 and run.text.count("keytool: error: ") == 1, run.text
    assert snapshot(bare.keytool.keystore) == before


def test_slow_answers_are_not_the_servers_time(bare, trusting, terminal):
    """--retry-max-time is for the server: after each answer it begins anew."""
    bare.server.fault("config", f.status(405), times=1)
    run = terminal("safe", "setup", "--retry-max-time", "2s", runner=trusting)
    log_in(run, bare.server.url)
    run.expect(SERVER)
    time.sleep(2.5)
    run.send(bare.server.url)
    time.sleep(2.5)
    choose_password(run)
    run.expect(PUSH)
    time.sleep(2.5)
    run.send("y")
    decline_card(run)
    assert run.finish() == 0 and bare.document, run.text


# The login


def test_wrong_login(bare, trusting, terminal):
    """The password is asked for first; the address is not asked again."""
    run = terminal("safe", "setup", runner=trusting)
    run.expect(SERVER)
    run.send(bare.server.url)
    answer_login(run, password="not this one")
    run.expect("does not accept this user name and password")
    answer_login(run, "nobody", refused=USER)
    run.expect("does not accept this user name and password")
    answer_login(run, USER, refused="nobody")
    ends_well(run)
    assert count(run, SERVER) == 1


def test_wrong_password_is_typed_again_without_the_name(bare, trusting, terminal):
    run = terminal("safe", "setup", "--server", bare.server.url, "--server-user", USER, runner=trusting)
    run.expect(f"password of {USER} on localhost: $")
    run.send("not this one")
    answer_login(run, "", refused=USER)
    ends_well(run)


def test_login_that_was_not_expected(bare, trusting, terminal):
    run = terminal("safe", "setup", runner=trusting)
    run.expect(SERVER)
    run.send(bare.server.url)
    run.expect(user())
    run.send("")
    run.expect("requires a user name and password")
    answer_login(run)
    ends_well(run)


def test_wrong_password_from_a_file_is_typed(bare, trusting, terminal, given):
    run = terminal("safe", "setup", "--server", bare.server.url, "--server-user", USER,
                   *given("server-password", b"not this one"), runner=trusting)
    answer_login(run, "", refused=USER)
    ends_well(run)


def test_name_that_is_none(bare, trusting, terminal):
    run = terminal("safe", "setup", runner=trusting)
    run.expect(SERVER)
    run.send(bare.server.url)
    run.expect(user())
    run.send("some:body")
    run.expect("that is not a valid user name")
    answer_login(run)
    ends_well(run)


def test_no_other_login(bare, trusting, terminal):
    run = terminal("safe", "setup", runner=trusting)
    run.expect(SERVER)
    run.send(bare.server.url)
    answer_login(run, password="not this one")
    run.expect(again(USER))
    run.press(b"\x04")
    assert run.finish() == 13 and run.text.count("keytool: error: ") == 1, run.text


# A bare place


def test_server_that_is_not_prepared(owner, web_server, certificates, terminal):
    server = web_server(Nginx, ANNA)
    trusting = owner.with_environment(SSL_CERT_FILE=certificates.authority.path)
    for answer, code in (("", 15), ("y", 0)):
        run = terminal("safe", "setup", "--server", server.url, "--server-user", ANNA.user, runner=trusting)
        run.expect("on localhost: $")
        run.send(ANNA.password.decode())
        run.expect(PREPARE)
        assert not server.path.exists()
        run.send(answer)
        if code == 0:
            choose_password(run)
            decline_push(run)
        assert run.finish() == code, run.text
    assert trusting.json("safe", "push")["result"] == "uploaded"


@pytest.mark.parametrize("is_there", [True, False])
def test_new_directory(keytool, directory, terminal, is_there):
    keytool.ok("id", "create", "--id", ID)
    if not is_there:
        directory.path.rmdir()
    run = terminal("safe", "setup")
    run.expect(SERVER)
    run.send(directory.url)
    run.expect(PREPARE if is_there else MAKE)
    assert is_there == ("error" in run.text), "what does not exist yet is no failure"
    assert not directory.config.exists()
    run.send("yes")
    ends_well(run)
    assert json.loads(directory.config.read_text())["maxBackupBytes"] == 524288


def test_nothing_is_prepared_for_reading(keytool, directory, terminal):
    keytool.ok("id", "create", "--id", ID)
    for _ in "there", "gone":
        run = terminal("safe", "setup", "--read-only", "--server", directory.url)
        run.expect(ERROR)
        run.expect(SERVER)
        run.send("")
        assert run.finish() == (15 if directory.path.exists() else 75) and "[y/N]" not in run.text, run.text
        if directory.path.exists():
            assert not list(directory.path.iterdir())
            directory.path.rmdir()


def test_directory_that_cannot_be_prepared(keytool, directory, terminal, tmp_path):
    """Its parent is not there: another address is asked for, and nothing is prepared there without a word."""
    keytool.ok("id", "create", "--id", ID)
    run = terminal("safe", "setup")
    run.expect(SERVER)
    run.send(f"file://{tmp_path}/absent/safe")
    run.expect(f"error: the directory {tmp_path}/absent does not exist; check that the disk is mounted\n")
    run.expect(SERVER)
    run.send(directory.url)
    run.expect(PREPARE)
    run.send("y")
    ends_well(run)
    assert not (tmp_path / "absent").exists()


def test_new_directory_that_is_not_to_be_made(keytool, directory, terminal):
    keytool.ok("id", "create", "--id", ID)
    run = terminal("safe", "setup", "--server", directory.url + "/new")
    run.expect(MAKE)
    run.send("")
    assert run.finish() == 75 and "is not available" in run.text and not (directory.path / "new").exists(), run.text


def test_server_with_a_config_and_no_backups(owner, web_server, certificates, terminal):
    """As a bare place: what was typed so far is not lost."""
    server = web_server(Apache, ANNA).prepare()
    (server.path / "backups").rmdir()
    trusting = owner.with_environment(SSL_CERT_FILE=certificates.authority.path)
    run = terminal("safe", "setup", "--server", server.url, "--server-user", ANNA.user, runner=trusting)
    run.expect("on localhost: $")
    run.send(ANNA.password.decode())
    run.expect(PREPARE)
    run.send("y")
    ends_well(run)
    assert trusting.json("safe", "push")["result"] == "uploaded"


def test_create_is_named_where_nobody_can_be_asked(keytool, directory, safe_password):
    keytool.ok("id", "create", "--id", ID)
    for url, code in ((directory.url, 15), (directory.url + "/absent", 75)):
        assert "--create" in keytool.fails(code, "safe", "setup", "--server", url, *safe_password).err


# The certificate


def fingerprint(certificate):
    said = openssl("x509", "-in", certificate.path, "-noout", "-fingerprint", "-sha256").decode()
    return said.strip().split("=")[1]


def shown(run):
    """What is said of the certificate, by its names."""
    lines = re.findall(r"^  (\w[\w -]*?)? {2,}(\S.*)$", run.text, re.M)
    return {name: " ".join(text.split()) for name, text in lines if name}


@pytest.fixture
def meet(owner, web_server, terminal):
    """meet(certificate) -> the dialog, at its question about this certificate, and the server."""

    def meet(certificate, *options):
        server = web_server(Nginx, ANNA, certificate).prepare()
        run = terminal("safe", "setup", *options)
        run.expect(SERVER)
        run.send(server.url)
        answer_login(run, ANNA.user, ANNA.password.decode())
        run.expect("is not accepted: ")
        return run, server

    return meet


UNKNOWN = ["self_signed", "other_authority", "good"]


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown_certificate_is_shown(meet, certificates, name):
    certificate = getattr(certificates, name)
    run, server = meet(certificate)
    run.expect(TRUST)
    assert server.requests() == [], "nothing was sent"
    said = shown(run)
    issuer = {"self_signed": "localhost", "other_authority": "Unrelated test authority",
              "good": "Loopback test authority"}[name]
    assert said["issuer"].endswith(issuer)
    assert said["subject"].endswith({"self_signed": "localhost"}.get(name, name.replace("_", "-")))
    assert f"{certificate.begins:%Y}" in said["valid from"] and f"{certificate.ends:%Y}" in said["valid until"]
    assert f"{certificate.ends:%b}" in said["valid until"] or f"{certificate.ends:%Y-%m}" in said["valid until"]
    assert said["public key"] == certificate.pin
    assert fingerprint(certificate) in re.sub(r"\s+", ":", run.text)
    run.send("")
    assert run.finish() == 21 and run.text.count("keytool: error: ") == 1, run.text
    assert server.requests() == []


@pytest.mark.parametrize("name", UNKNOWN)
def test_certificate_that_is_trusted(owner, meet, certificates, name):
    """This one alone, without its issuer."""
    certificate = getattr(certificates, name)
    run, server = meet(certificate)
    run.expect(TRUST)
    run.send("x")
    run.expect("Type t or p, or press Enter")
    run.expect(TRUST)
    run.send("t")
    ends_well(run)
    assert count(run, SERVER) == count(run, "User on") == 1
    assert owner.json("safe", "server")["pins"] == []
    assert owner.json("safe", "push")["result"] == "uploaded"
    server.restart(certificate=certificates.renewed)
    owner.fails(21, "safe", "push", "--force")


@pytest.mark.parametrize("name", UNKNOWN)
def test_certificate_that_is_pinned(owner, meet, certificates, name):
    """Beside the trust: another certificate for the same key would not do, nor another key."""
    certificate = getattr(certificates, name)
    run, server = meet(certificate)
    run.expect(TRUST)
    run.send("p")
    ends_well(run)
    told = owner.json("safe", "server")
    assert (told["pins"], told["own_authority"]) == ([certificate.pin], True)
    assert owner.json("safe", "push")["result"] == "uploaded"
    server.restart(certificate=certificates.renewed)
    owner.fails(21, "safe", "push", "--force")
    owner.fails(22, "safe", "server", "--ca-file", certificates.authority.path)


@pytest.mark.parametrize("name", ["expired", "not_yet_valid", "wrong_host", "no_san"])
@pytest.mark.parametrize("is_known", [True, False], ids=["known", "unknown"])
def test_certificate_that_is_not_offered(owner, meet, certificates, name, is_known):
    """Whoever issued it: trust would not mend it."""
    options = ["--ca-file", certificates.authority.path] if is_known else []
    run, server = meet(getattr(certificates, name), *options)
    run.expect(SERVER)
    words = {"expired": "it expired on", "not_yet_valid": "not valid before"}.get(name, "it was issued for")
    assert words in run.text and "Trust this" not in run.text, run.text
    assert run.text.count("keytool: error: ") == 1 and "issuer" not in run.text, run.text
    run.send("")
    assert run.finish() == 21 and server.requests() == []


def test_trust_is_for_one_machine(meet, certificates):
    """The login that was answered counts at the next address, the certificate that was trusted does not."""
    run, server = meet(certificates.self_signed)
    run.expect(TRUST)
    server.config.write_text("no config")
    run.send("t")
    for path in (server.url + "/there", server.url.replace("localhost", "127.0.0.1")):
        run.expect("its config is not JSON|status 400")
        run.expect(SERVER)
        run.send(path)
    run.expect("self-signed")
    run.expect(TRUST)
    server.prepare()
    run.send("t")
    ends_well(run)
    assert count(run, TRUST) == 2 and count(run, "User on") == 1


@pytest.mark.parametrize("options", [[], ["--no-input"]], ids=["no terminal", "no input"])
def test_nobody_to_ask_about_a_certificate(owner, web_server, certificates, safe_password, options):
    server = web_server(Nginx, None, certificates.self_signed).prepare()
    owner.fails(21, "safe", "setup", "--server", server.url, *safe_password, *options)
    assert server.requests() == []


# All of them, one after the other


def test_everything_goes_wrong_once(owner, web_server, certificates, terminal):
    server = web_server(Nginx, ANNA, certificates.self_signed)
    run = terminal("safe", "setup")
    run.expect(SERVER)
    run.send(server.url.replace("https", "http"))
    run.expect(ERROR)
    run.expect(SERVER)
    run.send("https://localhost:1/safe")
    answer_login(run, ANNA.user, "not this one")
    run.expect("cannot be reached")
    run.expect(SERVER)
    run.send(server.url)
    run.expect("self-signed")
    run.expect(TRUST)
    run.send("p")
    run.expect("does not accept this user name and password")
    answer_login(run, "", ANNA.password.decode(), refused=ANNA.user)
    run.expect(PREPARE)
    run.send("y")
    choose_password(run)
    run.expect(PUSH)
    run.send("y")
    decline_card(run)
    assert run.finish() == 0, run.text
    assert count(run, TRUST) == count(run, PREPARE) == 1 and count(run, SERVER) == 3
    assert count(run, "User on") == 1
    assert owner.json("safe", "push")["result"] == "unchanged"
    assert owner.json("safe", "server")["pins"] == [certificates.self_signed.pin]
