"""The directory of an identity of a company: what it is, after the identity has come back, and which one is not."""

from kit.servers.directoryserver import DirectoryServer
from kit.servers.onpremserver import LOGIN


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
    member.ok("revoke", "check", *elsewhere)
    assert remembered(member) == before
    assert member.json("onprem", "show")["used_by"] == [member.id]
    company.forget()
    member.ok("revoke", "check")
    assert company.directory.requests and all(request.login == LOGIN for request in company.directory.requests)
    other.close()
