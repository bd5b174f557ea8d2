"""Identities at the servers of a company: their login, their pins, and the file that is fetched again before a request
that a verb makes anyway."""

import base64
import json
import shutil
from datetime import datetime, timedelta, timezone

import pytest

from kit import oracle
from kit.known import SAFE_PASSWORD
from kit.processes.clock import Clocked
from kit.screens.follower import Paper
from kit.servers import onpremserver
from kit.servers.faultserver import FaultServer
from kit.servers.onpremserver import LOGIN, OTHER_SEED, PASSWORD, PATH, USER, key, pins

CREATE = "identity/create"
OTHER_PIN = "sha256//" + base64.b64encode(bytes(range(32))).decode()


def backup(keytool, company):
    """The one that is on the company's server, opened."""
    keys = oracle.safe_keys(SAFE_PASSWORD, keytool.id)
    return oracle.open_safe(company.safe.stored[f"/safe/backups/{keys.backup_id}"], keys)


def test_create(owner, company, remembered):
    made = owner.json("id", "create", "--onprem", "localhost")
    assert made["registered"] is True and made["directory"] == company.directory.url
    assert made["id"] in company.directory.identities and company.directory.asked == [(CREATE, 1), (CREATE, 2)]
    first, second = company.directory.requests
    assert first.login == second.login == LOGIN
    # The licence goes along with the proof, and not before.
    assert set(json.loads(first.body)) == {"publicKey"}
    assert json.loads(second.body)["licensePassword"] == PASSWORD.decode()
    owner.id = made["id"]
    assert remembered(owner) == {"url": company.directory.url, "pins": [company.pin], "onprem": "localhost"}
    # It needs no option from now on.
    assert owner.json("id", "fetch", owner.id)["identities"][0]["matches"] is True
    owner.ok("id", "link", "email", "alice@example.net")
    assert all(request.login == LOGIN for request in company.directory.requests)


@pytest.mark.parametrize("password", ['"\\\x08\u00e9\U0001f511', "a" * 4096])
def test_licence_passwords(bare, company, given, password, monkeypatch):
    """As JSON and a header have them."""
    monkeypatch.setattr(onpremserver, "PASSWORD", password.encode())
    monkeypatch.setattr(onpremserver, "LOGIN", USER.encode() + b":" + password.encode())
    bare.ok("onprem", "import", "-", "--key", key(), "--onprem-user", USER,
            *given("onprem-password", password.encode()), stdin=company.file())
    made = bare.json("id", "create", "--onprem", "localhost")
    assert made["id"] in company.directory.identities


def test_refused_licence(bare, company, given):
    bare.ok("onprem", "import", "-", "--key", key(), stdin=company.file())
    before = company.directory.identities.copy()
    bare.fails(13, "id", "create", "--onprem", "localhost")
    bare.ok("onprem", "import", "-", "--key", key(), "--onprem-user", USER, *given("onprem-password", b"x"), stdin=company.file())
    bare.fails(13, "id", "create", "--onprem", "localhost")
    assert company.directory.identities == before and bare.ok("id", "list").out == ""


def test_usage(owner, company, tmp_path, safe_password):
    for options in (["--id", "ABCD1234"], ["--directory", company.directory.url], ["--directory-pin", company.pin],
                    ["--resume"]):
        owner.fails(64, "id", "create", "--onprem", "localhost", *options)
    owner.fails(10, "id", "create", "--onprem", "elsewhere")
    owner.ok("id", "create", "--id", "ABCD1234")
    for options in (["--server", company.safe.url], ["--pin", company.pin]):
        owner.fails(64, "safe", "setup", "--onprem", "localhost", *options, *safe_password)
    owner.fails(10, "safe", "setup", "--onprem", "elsewhere", *safe_password)
    assert not company.directory.requests and not company.safe.requests and not company.fetched
    empty = owner.with_keystore(tmp_path / "none")
    empty.fails(10, "id", "create", "--onprem", "localhost")
    assert not empty.keystore.exists()


def test_setup_at_a_server_with_another_key(owner, company, certificates, safe_password):
    owner.ok("id", "create", "--id", "ABCD1234")
    company.safe.context.load_cert_chain(certificates.renewed.chain.path, certificates.renewed.key)
    err = owner.fails(22, "safe", "setup", "--onprem", "localhost", *safe_password).err
    assert f"{certificates.renewed.pin}, not {company.pin}" in err
    # That would be refused beside --onprem.
    assert "--pin" not in err and "keytool onprem import" in err


def test_lost_answer(owner, company, remembered):
    """The key that waits for its registration names the company."""
    company.directory.script(CREATE, company.directory.lose, phase=2)
    owner.fails(75, "id", "create", "--onprem", "localhost")
    assert owner.fails(17, "onprem", "forget", "localhost", "--json").error["reason"] == "in_use"
    owner.id = owner.json("id", "create", "--resume")["id"]
    assert remembered(owner)["onprem"] == "localhost"


def test_safe(member, company, other_keytool, licence, safe_password, remembered):
    assert backup(member, company)["user"]["privatekey"]
    assert member.json("safe", "check")["same"] is True
    shown = member.json("safe", "server")
    assert shown["onprem"] == "localhost" and shown["pins"] == [company.pin]
    # On a new machine.
    other = other_keytool.with_environment(**company.environment)
    other.ok("onprem", "import", company.url, "--key", key(), *licence)
    pulled = other.json("safe", "pull", "--id", member.id, "--onprem", "localhost", *safe_password)
    assert pulled["stored"] is True and other.json("safe", "server")["onprem"] == "localhost"
    other.ok("safe", "push", "--force")
    # The directory is that of the company that has the Safe.
    other.ok("id", "link", "email", "alice@example.net")
    other.id = member.id
    assert remembered(other) == remembered(member)
    assert "--onprem requires --id" in other.fails(64, "safe", "pull", "--onprem", "localhost", *safe_password).err


def test_move_away_and_back(member, company, directory):
    directory.prepare()
    member.ok("safe", "move", "--server", directory.url)
    assert "onprem" not in member.json("safe", "server")
    member.ok("safe", "move", "--onprem", "localhost")
    assert member.json("safe", "server")["onprem"] == "localhost" and backup(member, company)


def test_pins_are_those_of_the_file(member, company):
    for options in (["--pin", company.pin], ["--no-pins"]):
        result = member.fails(64, "safe", "server", *options)
        assert "keytool onprem show localhost" in result.err


def test_pins_from_before_do_not_stay(bare, company, safe_password):
    """Requests go by the file, which has none; nor do they come back if the file is lost."""
    bare.ok("onprem", "import", "-", "--key", key(), stdin=company.file(domains={"rules": []}))
    bare.ok("id", "create", "--id", "ABCD1234")
    bare.ok("safe", "setup", "--server", company.safe.url, "--pin", company.pin, *safe_password)
    bare.ok("safe", "server", "--onprem", "localhost")
    assert bare.json("safe", "server")["onprem"] == "localhost" and bare.json("safe", "server")["pins"] == []
    shutil.rmtree(bare.keystore / "identities" / "onprem" / "localhost")
    assert bare.json("safe", "server")["pins"] == []


# Fetched again


def test_not_before_it_is_due(member, company, due):
    member.ok("safe", "push", "--force")
    member.ok("id", "fetch", member.id)
    assert company.fetched == 0
    # No request, no file.
    due(member)
    assert member.json("safe", "push")["result"] == "unchanged"
    member.ok("safe", "status")
    member.ok("onprem", "show")
    assert company.fetched == 0
    member.ok("safe", "push", "--force")
    assert company.fetched == 1 and company.provisioning.requests[0].login == LOGIN
    member.ok("safe", "push", "--force")
    member.ok("id", "fetch", member.id)
    assert company.fetched == 1


def test_after_a_day(member, company):
    now = datetime.now(timezone.utc)
    for hours, fetched in ((23, 0), (25, 1), (47, 1), (50, 2)):
        Clocked(member, now + timedelta(hours=hours)).ok("safe", "push", "--force")
        assert company.fetched == fetched, hours


def test_the_same_file(member, company, due, held):
    before = held(member)
    due(member)
    assert "provisioning file" not in member.ok("safe", "push", "--force").err
    assert company.fetched == 1 and held(member) == before


def test_new_pins(member, company, due, held, certificates):
    """The Safe has a new key, and the file says so."""
    company.safe.context.load_cert_chain(certificates.renewed.chain.path, certificates.renewed.key)
    company.directory.context.load_cert_chain(certificates.renewed.chain.path, certificates.renewed.key)
    member.fails(22, "safe", "push", "--force")
    member.fails(22, "id", "fetch", member.id)
    assert not company.safe.requests and not company.directory.requests
    new = company.publish(**pins(certificates.renewed.pin, company.pin))
    due(member)
    result = member.ok("safe", "push", "--force")
    assert "a new provisioning file of localhost is stored" in result.err and held(member) == new
    member.ok("id", "fetch", member.id)


def test_what_is_written_down_has_the_pins_of_the_new_file(member, company, due, certificates, backup_password, tmp_path):
    """A kit is read where no keystore is, and the server refuses the keys from before."""
    kit = ["backup", "kit", *backup_password, "--force", "-o", tmp_path / "kit.pdf"]
    member.ok(*kit)
    assert company.pin in Paper(tmp_path / "kit.pdf").words
    assert member.json("safe", "status")["kit"]["outdated"] is False
    company.safe.context.load_cert_chain(certificates.renewed.chain.path, certificates.renewed.key)
    company.publish(**pins(certificates.renewed.pin, company.pin))
    due(member)
    member.ok("safe", "push", "--force")
    assert member.json("safe", "server")["pins"] == [certificates.renewed.pin, company.pin]
    assert member.json("safe", "status")["kit"]["outdated"] is True
    member.ok(*kit)
    assert certificates.renewed.pin in Paper(tmp_path / "kit.pdf").words
    assert member.json("safe", "status")["kit"]["outdated"] is False


def test_new_pins_on_a_new_machine(member, company, due, other_keytool, licence, certificates, safe_password, terminal):
    """On a terminal a pull asks the server for its config first: by the new file, too."""
    other = other_keytool.with_environment(**company.environment)
    other.ok("onprem", "import", company.url, "--key", key(), *licence)
    company.safe.context.load_cert_chain(certificates.renewed.chain.path, certificates.renewed.key)
    company.publish(**pins(certificates.renewed.pin, company.pin))
    due(other)
    run = terminal("safe", "pull", "--id", member.id, "--onprem", "localhost", *safe_password, runner=other)
    assert run.finish() == 0, run.text
    assert other.json("id", "show")["public_key"] == member.json("id", "show")["public_key"]


def test_wrong_pin(member, company, due):
    company.publish(**pins(OTHER_PIN))
    due(member)
    # The file is from a server that shows another key than the new file accepts: that counts from now on.
    for command in (["safe", "push", "--force"], ["safe", "check"], ["id", "fetch", member.id]):
        # Both are named: the key that was shown, and the one that the new file accepts.
        err = member.fails(22, *command).err
        assert f"{company.pin}, not {OTHER_PIN}" in err
        # Nobody types these pins: `safe server --pin` would be refused.
        assert "keytool onprem import" in err and "--pin" not in err
    assert not company.safe.requests and not company.directory.requests


def test_no_key_is_accepted(member, company, due, held):
    before = held(member)
    company.publish(**pins())
    due(member)
    assert "the present one stays" in member.ok("safe", "push", "--force", "--quiet").err
    assert held(member) == before


@pytest.mark.parametrize("new", [
    lambda company, old: company.file(OTHER_SEED), lambda company, old: old[:-1] + b"A",
    lambda company, old: company.file(expires="2098-01-01"), lambda company, old: b"Unauthorized!",
])
def test_what_is_refused_keeps_the_last_good_one(member, company, due, held, new):
    before = held(member)
    company.publish(new(company, before))
    due(member)
    result = member.ok("safe", "push", "--force", "--quiet")
    assert "the new provisioning file of localhost is not used, the present one stays" in result.err
    assert held(member) == before and backup(member, company)


def test_replay(member, company, due, held):
    old = held(member)
    new = company.publish(refresh=3600)
    due(member)
    member.ok("safe", "push", "--force")
    company.publish(old)
    due(member)
    assert "a later file of localhost has replaced this one" in member.ok("safe", "push", "--force", "--quiet").err
    assert held(member) == new


@pytest.mark.parametrize("fault", ["away", "unauthorized", "status"])
def test_not_fetched(member, company, due, held, fault):
    before = held(member)
    if fault == "away":
        company.provisioning.close()
    elif fault == "unauthorized":
        company.provisioning.login = b"other:login"
    else:
        company.provisioning.fault("GET", lambda call: call.answer(503))
    due(member)
    assert "was not fetched again" in member.ok("safe", "push", "--force").err
    assert member.ok("safe", "push", "--force", "--quiet").err == ""
    assert held(member) == before


def test_a_server_that_may_not_be_the_companys_is_a_warning(member, company, due):
    """A note would be silent in cron's mail."""
    company.publish(**pins(OTHER_PIN))
    due(member)
    member.fails(22, "safe", "check")
    due(member)
    assert "was not fetched again" in member.fails(22, "safe", "check", "--quiet").err


def test_another_safe_server(member, company, due):
    """It is told and not followed: a backup moves when its owner wants it."""
    company.publish(safe={"url": "https://127.0.0.1:9/safe/"}, **pins(company.pin))
    due(member)
    result = member.ok("safe", "push", "--force")
    assert "keytool safe move --onprem localhost" in result.err and backup(member, company)


def test_a_move_does_not_tell_to_move(member, company, certificates):
    """What the file says is just being done."""
    second = FaultServer(certificates.good)
    company.publish(safe={"url": second.url})
    member.ok("onprem", "import", "-", "--key", key(), "--name", "localhost", stdin=company.provisioning.stored[PATH])
    result = member.ok("safe", "move", "--onprem", "localhost")
    assert "another Safe server" not in result.err and second.stored
    assert "another Safe server" not in member.ok("safe", "push", "--force").err
    second.close()


def test_another_directory(member, company, due, certificates):
    """It is followed: the company says where its directory is."""
    second = onpremserver.CompanyDirectory(certificates.good)
    second.identities = company.directory.identities
    company.publish(directory={"url": second.url})
    due(member)
    company.forget()
    assert member.json("id", "fetch", member.id)["identities"][0]["matches"] is True
    assert len(second.requests) == 1 and not company.directory.requests
    # Messages name the one that was asked.
    second.identities = {}
    for code, command in ((10, ["revoke", "check"]), (19, ["contact", "check"]), (10, ["id", "fetch", member.id])):
        result = member(*command)
        assert result.code == code and second.url in result.err and company.directory.url not in result.out + result.err
    second.close()


def test_file_is_gone(member, company):
    """Nobody can remove it; if its records are lost, the server is asked as it was remembered."""
    shutil.rmtree(member.keystore / "identities" / "onprem" / "localhost")
    result = member.ok("safe", "push", "--force")
    assert "its server is asked as it was remembered" in result.err
    assert "licence" not in member.fails(13, "id", "fetch", member.id).out
