"""safe pull with --id and with --from beside setups that are there."""

from kit import oracle
from kit.known import SAFE_PASSWORD
from kit.servers.safedirectory import SafeDirectory

ID = "ABCD1234"


def test_a_ninth_place(safe, tmp_path, safe_password):
    """Neither of the two ways to set one up passes the limit; an archive could not be made any more."""
    for number in range(2, 9):
        safe.keytool.ok("safe", "setup", "--name", f"place{number}", "--same-password", "--create",
                        "--server", f"file://{tmp_path}/place{number}")
    safe.push()
    other = SafeDirectory(tmp_path / "other")
    other.path.mkdir(mode=0o700)
    other.prepare().put(safe.keys, safe.blob)
    pull = ["safe", "pull", "--id", ID, "--name", "ninth", "--server", other.url, *safe_password]
    assert "already has 8 Safe places" in safe.keytool.fails(64, *pull).err
    safe.keytool.ok(*pull, "--no-setup")
    assert len(safe.keytool.json("id", "list")["identities"][0]["places"]) == 8


def test_each_form_of_a_pull_names_its_place(safe, other_keytool, tmp_path, safe_password):
    safe.push()
    safe.push("--force")
    for more in ([], ["--show"], ["-o", tmp_path / "document"], ["--raw", "-o", tmp_path / "blob"], ["--from", "1"]):
        assert safe.keytool.json("safe", "pull", *more)["place"] == "main", more
    pull = ["safe", "pull", "--id", ID, "--server", safe.directory.url, *safe_password]
    assert "place" not in other_keytool.json(*pull, "--no-setup")
    assert other_keytool.json(*pull, "--name", "nas")["place"] == "nas"
    assert other_keytool.json(*pull)["place"] == "nas", "that of this server and password"


def test_an_earlier_backup_with_a_server_in_the_environment(safe, tmp_path):
    """KEYTOOL_SERVER is for a command that needs a server."""
    safe.push()
    blob = tmp_path / "blob"
    safe.keytool.ok("safe", "pull", "--raw", "-o", blob)
    keytool = safe.keytool.with_environment(KEYTOOL_SERVER=safe.directory.url)
    keytool.ok("safe", "pull", "--from", blob)
    assert "--server" in keytool.fails(64, "safe", "pull", "--from", blob, "--server", safe.directory.url).err


def test_an_earlier_backup_with_another_key(safe, given, tmp_path):
    """What was known of the place is about the key that is gone: no push replaces the backup of that key unasked."""
    safe.push()
    blob, before = tmp_path / "blob", safe.blob
    blob.write_bytes(oracle.seal_safe(oracle.safe_document(bytes(range(32))), safe.keys))
    safe.keytool.ok("safe", "pull", "--from", blob, "--id", ID, "--replace-key", ID, *given("safe-password", SAFE_PASSWORD))
    assert safe.keytool.fails(20, "safe", "check", "--json").error["reason"] == "other_key"
    assert safe.keytool.fails(20, "safe", "push", "--json").error["reason"] == "other_key"
    assert safe.blob == before
    safe.keytool.ok("safe", "push", "--overwrite")
    assert safe.blob != before
