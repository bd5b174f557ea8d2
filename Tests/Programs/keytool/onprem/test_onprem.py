"""onprem import, show and forget: what is stored, and what is refused."""

import re

import pytest

from kit.archives import IDENTITY, RECIPIENT
from kit.runner import snapshot
from kit.servers.onpremserver import LOGIN, OTHER_SEED, PASSWORD, PATH, key, pins, signed


def record(keytool, name):
    return keytool.keystore / "identities/onprem/localhost" / name


@pytest.fixture
def imported(bare, write):
    """imported(file, *options): the arguments that import these bytes."""
    return lambda file, *options: ["onprem", "import", write("config.oppf", file), "--key", key(), *options]


def test_import_from_a_server(bare, company, licence):
    made = bare.json("onprem", "import", company.url, "--key", key(), *licence)
    assert (made["result"], made["name"], made["url"]) == ("stored", "localhost", company.url + PATH)
    assert made["directory"] == {"url": company.directory.url, "pins": [company.pin]}
    assert made["safe"] == {"url": company.safe.url, "pins": [company.pin]}
    assert made["license"] == {"id": "ACME", "count": 25, "expires": "2099-12-31"}
    assert made["chat"]["ports"] == [5222, 443] and made["media"]["upload"] == "https://media.example/upload"
    [request] = company.provisioning.requests
    assert (request.method, request.path, request.login) == ("GET", PATH, LOGIN)
    assert request.header("user-agent") == ["Threema"]
    shown = bare.json("onprem", "show", "localhost")
    del made["result"]
    assert {**shown, "command": None} == {**made, "command": None, "used_by": []}
    assert bare.json("onprem", "import", company.url, "--key", key(), *licence)["result"] == "unchanged"


def test_import_from_a_file(bare, company, imported):
    made = bare.json(*imported(company.file(), "--name", "acme"))
    assert made["name"] == "acme" and "url" not in made and "user" not in made and "fetched_at" not in made
    assert bare.json("onprem", "import", "-", "--key", key(), "--name", "acme", stdin=company.file())["result"] == "unchanged"
    assert company.fetched == 0


def test_words(owner, company):
    shown = owner.ok("onprem", "show").out
    assert f"directory   {company.directory.url}" in shown and shown.count(company.pin) == 2
    assert "licence     ACME, for 25, until 2099-12-31" in shown and "used by     nobody" in shown
    # It is no identity.
    assert owner.ok("id", "list").out == "" and owner.json("key", "status")["identities"] == {}
    assert "onprem" in owner.ok("doctor", "--no-input").out


def test_what_is_not_signed_stores_nothing(bare, company, imported):
    before = snapshot(bare.keystore)
    good = company.file()
    for file, reason in ((company.file(OTHER_SEED), "bad_signature"), (good.replace(b"25", b"26"), "bad_signature"),
                         (good + b"\n", "bad_data"), (b"", "bad_data"),
                         (signed(company.document(safe={"url": "http://x"})), "bad_data"),
                         (company.file(**pins()), "bad_data"), (signed(b"{}"), "bad_data")):
        assert bare.fails(65, *imported(file), "--json").error["reason"] == reason
    assert snapshot(bare.keystore) == before


def test_usage(bare, company, imported, licence):
    before = snapshot(bare.keystore)
    file = imported(company.file())
    for arguments in (["onprem", "import", "x"], [*file[:3], "--key", "AAAA"], [*file, "--name", "a_b"], [*file, *licence[2:]],
                      [*file, "--onprem-user", "a:b"], ["onprem", "import", "http://localhost/x.oppf", "--key", key()],
                      ["onprem", "import", "https://u:p@localhost/x.oppf", "--key", key()], ["onprem", "forget"]):
        bare.fails(64, *arguments)
    bare.fails(16, *file, "--onprem-user", "alice")
    bare.fails(66, "onprem", "import", "nowhere", "--key", key())
    bare.fails(10, "onprem", "show")
    bare.fails(10, "onprem", "forget", "acme")
    assert snapshot(bare.keystore) == before and company.fetched == 0


def test_fetching_fails(bare, company, licence, write, certificates):
    get = ["onprem", "import", company.url, "--key", key()]
    bare.fails(13, *get)
    bare.fails(13, *get, *licence[:2], "--onprem-password-file", write("other", "other"))
    bare.fails(10, "onprem", "import", company.url + "/other.oppf", "--key", key(), *licence)
    bare.with_environment(SSL_CERT_FILE=certificates.stranger.path).fails(21, *get, *licence)
    company.publish(b"x" * (64 * 1024 + 1))
    bare.fails(65, *get, *licence)
    company.provisioning.close()
    bare.fails(75, *get, *licence)
    bare.fails(10, "onprem", "show")


# Time does not run backwards


def test_older_files(bare, company, imported):
    first, second = company.file(), company.file(refresh=3600)
    bare.ok(*imported(first))
    assert bare.json(*imported(second))["result"] == "updated"
    held = snapshot(bare.keystore)
    refused = bare.fails(19, *imported(first), "--json").error
    assert refused["reason"] == "replaced_before"
    earlier = bare.fails(19, *imported(company.file(expires="2099-12-30")), "--json").error
    assert earlier["reason"] == "license_ends_earlier" and "2099-12-30" in earlier["message"]
    other = company.file(OTHER_SEED)
    arguments = [part if part != key() else key(OTHER_SEED) for part in imported(other)]
    assert bare.fails(17, *arguments, "--json").error["reason"] == "other_key"
    assert snapshot(bare.keystore) == held
    assert bare.json(*imported(first), "--replace")["result"] == "replaced"
    # What it has replaced counts as old now.
    bare.fails(19, *imported(second))
    assert bare.json(*arguments[:2], imported(other)[2], *arguments[3:], "--replace")["result"] == "replaced"
    assert bare.json("onprem", "show")["key"] == key(OTHER_SEED)


def test_login_and_address_stay(owner, company, imported, held):
    newer = company.file(refresh=3600)
    assert owner.json(*imported(newer))["result"] == "updated"
    shown = owner.json("onprem", "show")
    assert shown["url"] == company.url + PATH and shown["user"] and "fetched_at" not in shown and held(owner) == newer


def test_login_and_address_go_with_the_key(owner, company, imported):
    """The password is for the company alone, and the new key may be anybody's."""
    arguments = [part if part != key() else key(OTHER_SEED) for part in imported(company.file(OTHER_SEED))]
    assert owner.json(*arguments, "--replace")["result"] == "replaced"
    shown = owner.json("onprem", "show")
    assert shown["key"] == key(OTHER_SEED) and not shown.get("url") and not shown.get("user")


def test_licence_that_ends(bare, company, imported):
    result = bare.ok(*imported(company.file(expires="2020-01-01")))
    assert "the licence of localhost ended on 2020-01-01" in result.err
    assert "the licence of localhost ended" in bare.ok("onprem", "show").err
    bare.ok(*imported(company.file(), "--name", "acme"))
    assert "the licence of localhost ended" in bare.ok("onprem", "show").err


# Who names it


def test_forget(member):
    refused = member.fails(17, "onprem", "forget", "localhost", "--json").error
    assert refused["reason"] == "in_use" and member.id in refused["message"]
    assert member.json("onprem", "show")["used_by"] == [member.id]
    member.fails(17, "id", "remove", "onprem/localhost", "--yes")
    member.ok("id", "remove", member.id, "--yes")
    refused = member.fails(64, "onprem", "forget", "localhost")
    assert "--yes" in refused.err and member.json("onprem", "show")["user"]
    assert member.json("onprem", "forget", "localhost", "--yes")["removed"] is True
    member.fails(10, "onprem", "show")


@pytest.mark.parametrize("answer, code", [("n", 64), ("y", 0)])
def test_forget_asks(owner, terminal, answer, code):
    run = terminal("onprem", "forget", "localhost", runner=owner)
    run.expect("Remove the provisioning file localhost and its licence password")
    run.send(answer)
    assert run.finish() == code
    assert owner("onprem", "show").code == (10 if code == 0 else 0)


def test_an_unfinished_move_names_it(owner, company, directory, safe_password):
    """The new server, and the old one on which the backup is still to be deleted."""
    owner.ok("id", "create", "--id", "ABCD1234")
    owner.ok("safe", "setup", "--create", "--server", directory.url, *safe_password)
    owner.ok("safe", "push")
    # The test of the new server comes first.
    company.safe.fault("PUT", lambda call: call.abort(), after="DELETE")
    owner.fails(75, "safe", "move", "--onprem", "localhost", "--retry-max-time", "1s")
    assert owner.json("onprem", "show")["used_by"] == ["ABCD1234"]
    owner.fails(17, "onprem", "forget", "localhost", "--yes")
    # A damaged record may name it.
    setup = owner.keystore / "identities/threema/ABCD1234/places/main/safe"
    content = setup.read_bytes()
    setup.write_bytes(content[:-1])
    owner.fails(17, "onprem", "forget", "localhost", "--yes")
    setup.write_bytes(content)
    company.safe.heal()
    owner.ok("safe", "push")
    company.safe.fault("DELETE", lambda call: call.answer(403))
    other = directory.path.parent / "other"
    owner.ok("safe", "move", "--create", "--server", f"file://{other}")
    assert owner.json("onprem", "show")["used_by"] == ["ABCD1234"]
    company.safe.heal()
    owner.ok("safe", "push")
    assert owner.json("onprem", "show")["used_by"] == []
    owner.ok("onprem", "forget", "localhost", "--yes")


def test_archive(member, other_keytool, company, write, tmp_path, held):
    other = other_keytool.with_environment(**company.environment)
    member.ok("archive", "export", "-o", tmp_path / "all.age", "--recipient", RECIPIENT)
    identity = write("identity", IDENTITY)
    listed = other.json("archive", "list", tmp_path / "all.age", "--identity", identity)
    assert {"onprem", "threema"} <= {one["messenger"] for one in listed["identities"]}
    other.ok("archive", "import", tmp_path / "all.age", "--identity", identity)
    assert held(other) == held(member)
    assert other.json("archive", "check", tmp_path / "all.age", "--identity", identity)
    other.ok("safe", "push", "--force")
    assert other.json("id", "fetch", member.id)["identities"][0]["matches"] is True


def differences(keytool, archive, identity):
    result = keytool("archive", "check", archive, "--identity", identity)
    assert result.code == 19
    return result.out


def test_a_file_that_is_fetched_again_is_no_difference(owner, company, due, write, tmp_path):
    archive, identity = tmp_path / "all.age", write("identity", IDENTITY)
    owner.ok("archive", "export", "-o", archive, "--recipient", RECIPIENT)
    company.publish(refresh=3600)
    due(owner)
    owner.ok("id", "create", "--onprem", "localhost")
    created = differences(owner, archive, identity)
    assert "same onprem/localhost" in created and "not in the archive: threema/" in created
    # A damaged record is said, and so is another key.
    trust = record(owner, "trust")
    content = trust.read_bytes()
    trust.write_bytes(content[:-1])
    assert ", trust (damaged in the keystore)" in differences(owner, archive, identity)
    trust.write_bytes(content)
    owner.ok("onprem", "import", "-", "--key", key(OTHER_SEED), "--replace", "--name", "localhost",
             stdin=company.file(OTHER_SEED))
    assert "trust" in differences(owner, archive, identity)


def test_an_identity_does_not_join_another_company(member, company, other_keytool, write, tmp_path, safe_password):
    """The file of the same name is signed by somebody else: requests of the identity would have that company's login."""
    archive, identity = tmp_path / "all.age", write("identity", IDENTITY)
    member.ok("archive", "export", "-o", archive, "--recipient", RECIPIENT)
    other = other_keytool.with_environment(**company.environment)
    other.ok("onprem", "import", "-", "--key", key(OTHER_SEED), "--name", "localhost", stdin=company.file(OTHER_SEED))
    run = other("archive", "import", archive, "--identity", identity, "--json")
    results = {each["messenger"]: each for each in run.json["results"]}
    assert run.code == 17 and results["threema"]["result"] == "refused"
    assert results["threema"]["error"]["reason"] == "other_company" and other.ok("id", "list").out == ""
    # Who else would have that file then.
    own = other.json("id", "create", "--id", "ABCD1234")["id"]
    other.ok("safe", "setup", "--onprem", "localhost", *safe_password)
    assert f"takes the file of the archive, also for {own}" in other("archive", "import", archive, "--identity", identity).err
    other.ok("archive", "import", archive, "--identity", identity, "--replace", "onprem/localhost")
    assert other.json("id", "fetch", member.id)["identities"][0]["matches"] is True


def test_a_file_that_only_differs_is_the_same_company(member, company, other_keytool, imported, write, tmp_path):
    archive, identity = tmp_path / "all.age", write("identity", IDENTITY)
    member.ok("archive", "export", "-o", archive, "--recipient", RECIPIENT)
    other = other_keytool.with_environment(**company.environment)
    other.ok(*imported(company.file(refresh=3600)), "--name", "localhost")
    assert other("archive", "import", archive, "--identity", identity).code == 17
    assert member.id in other.ok("id", "list").out


def test_a_file_that_is_not_fetched_is_compared(bare, company, imported, write, tmp_path):
    bare.ok(*imported(company.file()))
    archive, identity = tmp_path / "all.age", write("identity", IDENTITY)
    bare.ok("archive", "export", "-o", archive, "--recipient", RECIPIENT)
    bare.ok("archive", "check", archive, "--identity", identity)
    bare.ok(*imported(company.file(refresh=3600)))
    assert "differs onprem/localhost: file, trust" in differences(bare, archive, identity)


def test_nothing_says_the_password(bare, company, licence, write):
    other = write("other", PASSWORD + b"x")
    said = ""
    for loud in ((), ("-v",), ("--json",)):
        for command in (["onprem", "import", company.url, "--key", key(), *licence, "--replace"], ["onprem", "show"],
                        ["id", "create", "--onprem", "localhost"], ["doctor", "--no-input"],
                        ["onprem", "import", company.url, "--key", key(), *licence[:2],
                         "--onprem-password-file", other], ["onprem", "forget", "localhost", "--yes"]):
            result = bare(*command, *loud)
            said += result.out + result.err
    assert PASSWORD.decode() not in said and "acme-licence" in said


@pytest.mark.parametrize("name", ["trust", "file", "source", "password"])
def test_a_damaged_record_is_written_again(owner, company, licence, name):
    path = record(owner, name)
    path.write_bytes(path.read_bytes()[:-1])
    said = owner.fails(65, "onprem", "show", "localhost").err
    command = re.search(r"keytool (onprem import SOURCE --key BASE64 --name localhost --replace) ", said)[1].split()
    values = {"SOURCE": company.url, "BASE64": key()}
    owner.ok(*[values.get(word, word) for word in command], *licence)
    assert owner.json("onprem", "show", "localhost")["user"] == "acme-licence"
