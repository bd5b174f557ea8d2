"""The directory of an identity of a company: what it is, after the identity has come back, and which one is not."""

import base64

from kit.screens import helvetica, pictures
from kit.screens.follower import Paper
from kit.screens.printed import texts
from kit.servers.directoryserver import DirectoryServer
from kit.servers.onpremserver import LOGIN, USER, CompanyDirectory, key

OTHER_PIN = "sha256//" + base64.b64encode(bytes(range(32))).decode()


def test_another_directory_that_is_named_is_not_remembered(member, company, certificates, remembered):
    """It would cut the identity off its company."""
    other = DirectoryServer(certificates.good)
    friend = bytes(range(32))
    other.add("FRIEND01", friend)
    elsewhere, before = ["--directory", other.url], remembered(member)
    member.ok("contact", "add", f"3mid:FRIEND01,{friend.hex()}", *elsewhere)
    assert member("contact", "check", "--all", *elsewhere).code == 19
    assert remembered(member) == before
    other.add(member.id, bytes.fromhex(member.json("id", "show")["public_key"]))
    member.ok("contact", "check", "--all", *elsewhere)
    assert remembered(member) == before
    assert member.json("onprem", "show")["used_by"] == [member.id]
    company.forget()
    member.ok("revoke", "check")
    assert company.directory.requests and all(request.login == LOGIN for request in company.directory.requests)
    # It leaves the company if it proves itself elsewhere.
    member.ok("revoke", "check", *elsewhere)
    assert remembered(member) == {"url": other.url}
    # A proof at the company's directory brings it back.
    member.ok("revoke", "check", "--directory", company.directory.url)
    assert remembered(member) == before
    other.close()


def test_a_code_is_used_where_the_file_has_moved_the_directory(member, company, due, certificates):
    second, other = CompanyDirectory(certificates.good), DirectoryServer(certificates.good)
    second.identities, second.codes = company.directory.identities, company.directory.codes
    member.ok("id", "link", "mobile", "+41 79 123 45 67")
    [(code, *_)] = company.directory.codes.values()
    company.publish(directory={"url": second.url})
    due(member)
    company.forget()
    # Another directory gets no code, and no advice leads back to here.
    error = member.fails(64, "id", "link", "mobile", "--code", code, "--directory", other.url, "--json").error
    assert error["reason"] == "other_directory" and "--directory" not in error["hint"] and not other.requests
    assert f"keytool id link mobile NUMBER --identity {member.id}" in error["hint"]
    assert member.json("id", "link", "mobile", "--code", code)["result"] == "linked"
    assert second.asked == [("identity/link_mobileno", 1)] and not company.directory.requests
    second.close()
    other.close()


def test_a_safe_at_a_company_makes_no_member(owner, company, safe_password):
    """The company is asked for the identity's own key, by the verb that brings it back, and learns of no contact."""
    id = owner.json("id", "create", "--id", "ABCD1234")["id"]
    owner.ok("contact", "add", "FRIEND01", "5e" * 32)
    owner.ok("safe", "setup", "--onprem", "localhost", *safe_password)
    owner.ok("safe", "push")
    company.forget()
    for command in (["contact", "check"], ["contact", "check", "--all"], ["revoke", "check"]):
        assert "no directory was given" in owner.fails(64, *command).err
    assert not company.directory.requests
    owner.ok("id", "remove", id, "--yes")
    pulled = owner.ok("safe", "pull", "--id", id, "--onprem", "localhost", *safe_password)
    assert f"the directory of localhost does not have {id} with this key" in pulled.err
    assert [path for path, _ in company.directory.asked] == ["identity/fetch_bulk"]
    assert b"FRIEND01" not in b"".join(request.body for request in company.directory.requests)
    assert "no directory was given" in owner.fails(64, "contact", "check").err


def test_a_member_that_a_safe_brings_back(member, company, other_keytool, licence, safe_password, backup_password, tmp_path):
    """What checks all knows its directory, and so does its paper; also if the directory was away then."""
    other = other_keytool.with_environment(**company.environment)
    other.ok("onprem", "import", company.url, "--key", key(), *licence)
    pull = ["safe", "pull", "--id", member.id, "--onprem", "localhost", *safe_password]
    company.directory.script("identity/fetch_bulk", DirectoryServer.status(503), times=9)
    assert "could not be asked" in other.ok(*pull).err and company.directory.scripts[0][3] == 8, "it is asked once"
    company.directory.scripts.clear()
    for again in (["contact", "check", "--identity", member.id, "--directory", company.directory.url], pull):
        other.ok(*again)
        other.ok("contact", "check", "--all")
        other.ok("backup", "kit", *backup_password, "-o", tmp_path / "kit.pdf", "--force")
        assert company.directory.url in Paper(tmp_path / "kit.pdf").words
        other.ok("id", "remove", member.id, "--yes")


def test_an_identity_that_comes_back_finds_its_directory(member, company, other_keytool, backup_password, licence, given, remembered,
                                                         tmp_path):
    """By its address: the provisioning file that has it gives login and pins."""
    code = tmp_path / "code"
    member.ok("backup", "export", "-o", code, *backup_password)
    shares = member.json("backup", "split", "--shares", "2/2", "--reveal-shares")["shares"]
    files = [tmp_path / f"share{number}" for number in range(2)]
    for file, share in zip(files, shares):
        file.write_text(share["words"] if isinstance(share, dict) else share)
        file.chmod(0o600)
    other = other_keytool.with_environment(**company.environment)
    other.id = member.id
    other.ok("onprem", "import", company.url, "--key", key(), *licence)
    there = ["--directory", company.directory.url.rstrip("/")]
    company.forget()
    # From an empty keystore, also by the revocation password alone.
    assert other.json("id", "fetch", other.id, *there)["identities"][0]["state"] == "active"
    other.ok("backup", "join", *files, "--id", other.id, *there)
    other.ok("id", "remove", other.id, "--yes")
    other.ok("backup", "import", code, *backup_password)
    assert "keytool onprem show" in other.fails(64, "revoke", "check").err
    other.fails(64, "revoke", "check", *there, "--directory-pin", OTHER_PIN)
    other.ok("revoke", "set", *there, *given("revocation-password", b"Granite-77-harbour"))
    assert remembered(other) == remembered(member)
    other.ok("revoke", "check")
    other.ok("id", "remove", other.id, "--yes")
    other.ok("id", "revoke", other.id, "--yes", *there, *given("revocation-password", b"Granite-77-harbour"))
    assert company.directory.requests and all(request.login == LOGIN for request in company.directory.requests)


def test_paper_says_where_the_company_is(member, company, backup_password, tmp_path):
    """A reader cannot revoke the identity without its servers, and no other app takes it."""
    for language, app, licence in (("en", "Threema app", "Licence password"), ("de", "Threema-App", "Lizenz-Passwort")):
        member.ok("backup", "kit", *backup_password, "-o", tmp_path / "kit.pdf", "--force", "--language", language)
        kit = Paper(tmp_path / "kit.pdf").words
        assert all(word in kit for word in (company.directory.url, company.url + "/prov/config.oppf", key(), USER, licence))
        assert app not in kit and helvetica.overlong(tmp_path / "kit.pdf") == []
        member.ok("safe", "card", tmp_path / f"{language}.pdf", "--language", language)
        assert app not in " ".join(texts(tmp_path / f"{language}.pdf"))
        member.ok("backup", "export", *backup_password, "--sheet", tmp_path / f"sheet-{language}.pdf", "--language", language)
        assert app not in " ".join(texts(tmp_path / f"sheet-{language}.pdf"))
        member.ok("backup", "split", "--shares", "2/2", "--sheet", tmp_path / language, "--language", language)
        for page in (tmp_path / language).iterdir():
            share = " ".join(texts(page))
            assert all(word in share for word in (company.directory.url, company.url + "/prov/config.oppf", key()))
            assert helvetica.overlong(page) == [] and pictures.fits(pictures.ink(pictures.printed(page, 100)))
