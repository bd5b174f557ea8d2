"""Archives of all identities: what is in them, what opens them, and what an import does."""

import base64
import fcntl
import hmac
import json
import shutil
import subprocess
import tarfile
import time

import pytest

from kit import agefile, archives, identityfiles, mainkeys, oracle, sophax
from kit.archives import IDENTITY, PASSPHRASE, RECIPIENT, archive, threema
from kit.known import SAFE_PASSWORD
from kit.processes import injection
from kit.runner import REPOSITORY, snapshot

ID, OTHER = "ABCD1234", "WXYZ9876"
KEY = bytes(range(1, 33))
TO = ("--recipient", RECIPIENT)


@pytest.fixture
def with_key(write):
    return ("--identity", write("agekey", "# comment\n" + IDENTITY + "\n"))


@pytest.fixture
def passphrase(write):
    return ("--archive-passphrase-file", write("archive-passphrase", PASSPHRASE + b"\n"))


@pytest.fixture
def full(keytool, directory, safe_password):
    """Two identities; one with two Safe places, histories and everything else that stands in a keystore."""
    keytool.ok("id", "create", "--id", ID)
    keytool.ok("id", "create", "--id", OTHER)
    keytool.ok("safe", "setup", ID, "--create", "--server", directory.url, *safe_password)
    keytool.ok("safe", "push", ID)
    second = directory.path.with_name("second")
    second.mkdir()
    keytool.ok("safe", "setup", ID, "--name", "second", "--create", "--server", f"file://{second}", "--same-password")
    keytool.ok("safe", "push", ID)
    keytool.ok("profile", "set", ID, "--nickname", "Zoë")
    keytool.ok("safe", "push", ID, "--force")
    keytool.ok("safe", "mirror", ID, "--name", "main")
    return keytool


@pytest.fixture
def exported(full, tmp_path):
    path = tmp_path / "a.age"
    full.ok("archive", "export", "-o", path, *TO)
    return path


def test_every_record_and_nothing_else(full, exported):
    found = archives.opened(exported)
    readme, version = found.pop("README.txt").decode(), found.pop("keytool-archive")
    assert version == b"1\n" and found == archives.records(full)
    assert set(found) == {f"threema/{ID}/identity", f"threema/{ID}/profile.json", f"threema/{ID}/places/main/safe",
                          f"threema/{ID}/places/second/safe", f"threema/{OTHER}/identity",
                          f"threema/{OTHER}/profile.json"}
    assert readme.isascii() and all(len(line) <= 80 for line in readme.splitlines())
    assert exported.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("verb", ["import", "check"])
def test_backup_names_the_verb_for_an_archive(keytool, exported, write, verb):
    for file in (exported, write("large.age", exported.read_bytes() + bytes(20_000))):
        assert f"hint: keytool archive {verb} {file}\n" in keytool.fails(64, "backup", verb, file).err


def test_the_programs_age_and_tar_restore_every_byte(full, exported, with_key, tmp_path):
    out = tmp_path / "unpacked"
    out.mkdir()
    subprocess.run(f"age -d -i {with_key[1]} {exported} | tar -x -C {out}", shell=True, check=True)
    found = {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert found.pop("README.txt") and found.pop("keytool-archive")
    assert found == archives.records(full)
    # As the text in the archive says.
    key = subprocess.run(f"tail -c 32 threema/{ID}/identity | od -An -v -tx1", shell=True, cwd=out,
                         capture_output=True, check=True).stdout
    assert bytes.fromhex(key.decode()) == found[f"threema/{ID}/identity"][8:]


def test_what_age_and_tar_packed_again_is_imported(full, exported, with_key, other_keytool, tmp_path):
    out, again = tmp_path / "unpacked", tmp_path / "again.age"
    out.mkdir()
    subprocess.run(f"age -d -i {with_key[1]} {exported} | tar -x -C {out}; "
                   f"tar -c -C {out} . | age -r {RECIPIENT} -o {again}", shell=True, check=True)
    other_keytool.ok("archive", "import", again, *with_key)
    assert archives.records(other_keytool) == archives.records(full)


def test_all_messengers(full, with_key, other_keytool, write, tmp_path):
    """A Telegram account and MainKeys, one of them under a PIN, beside Threema's identities."""
    account = full.json("telegram", "import", write("key", bytes(range(256))), "--dc", "2")["id"]
    clear = full.json("mainkey", "init")["id"]
    pin = ("--pin-file", write("pin", "271828\n"))
    # Under a PIN that is derived quickly.
    locked = mainkeys.KEY_ID
    mainkeys.put(full, locked, {mainkeys.AGE_PIN: mainkeys.under_pin(mainkeys.KEY, b"271828")})
    full.ok("mainkey", "timeout", "5", locked)
    path = tmp_path / "all.age"
    full.ok("archive", "export", "-o", path, *TO)
    found = archives.opened(path)
    assert {f"telegram/{account}/account", f"mainkey/{clear}/protections", f"mainkey/{locked}/protections",
            f"mainkey/{locked}/autolock"} < set(found)
    assert all(f"{name}/" in found["README.txt"].decode() for name in ("telegram", "mainkey"))
    # As the text in the archive says.
    keys = {clear: found[f"mainkey/{clear}/protections"][6:],
            locked: agefile.open_file(found[f"mainkey/{locked}/protections"][6:], None, b"271828")}
    for id, key in keys.items():
        assert len(key) == 32 and hmac.digest(key, b"keytool-mainkey-id", "sha256").hex()[:16] == id
    stored = json.loads(found[f"telegram/{account}/account"])
    assert base64.b64decode(stored["keys"][0]["key"]) == bytes(range(256)) and stored["keys"][0]["dc"] == 2
    result = other_keytool.json("archive", "import", path, *with_key)
    assert {one["result"] for one in result["results"]} == {"added"} and len(result["results"]) == 5
    assert archives.records(other_keytool) == archives.records(full)
    assert other_keytool.ok("telegram", "show").out == full.ok("telegram", "show").out
    value = write("value", "secret")
    sealed = tmp_path / "sealed"
    full.ok("mainkey", "seal-value", value, "--id", locked, "--name", "token", "-o", sealed, *pin)
    opened = other_keytool.ok("mainkey", "open-value", sealed, "--id", locked, "--name", "token", *pin)
    assert opened.out.rstrip("\n") == "secret"
    assert other_keytool.json("archive", "check", path, *with_key)["results"]


@pytest.mark.parametrize("owner, records", [
    ("telegram/0123456789abcdef", {"account": b'{"keys":[]}'}), ("telegram/0123456789abcdef", {}),
    ("telegram/0123456789ABCDEF", {"account": b"{}"}), ("telegram/0123456789abcdef", {"identity": b""}),
    ("mainkey/0123456789abcdef", {"protections": b"\1"}), ("mainkey/0123456789abcdef", {"autolock": b"\1"}),
    # A key in the clear with the name of another one.
    ("mainkey/0123456789abcdef", {"protections": b"\1\0\0\0\0\x20" + bytes(32)}),
    (f"sophaxchat/{sophax.peer_id(sophax.ALICE)}", {"identity": sophax.account_text(sophax.BOB)}),
    (f"sophaxchat/{sophax.peer_id(sophax.ALICE)}", {"prekeys": b"\1"}),
    (f"sophaxchat/{sophax.peer_id(sophax.ALICE)}", {
        "identity": sophax.account_text(sophax.ALICE), "prekeys": b"\1"}),
    (f"sophaxchat/{sophax.peer_id(sophax.ALICE)}", {"identity": sophax.account_text(sophax.ALICE), "pin": b"\1"}),
    (f"sophaxchat/{sophax.peer_id(sophax.ALICE)}", {
        "identity": sophax.account_text(sophax.ALICE), "attempts": bytes(12)}),
    *((f"sophaxchat/{sophax.peer_id(sophax.ALICE)}", {"identity": sophax.account_text(sophax.ALICE), name: b""})
      for name in ("changes", "clearings")),
    (f"sophaxchat/{sophax.peer_id(sophax.ALICE)[:16]}", {"identity": sophax.account_text(sophax.ALICE)}),
    ("mainkey/xyz", {"protections": b"\1\0\0\0\0\x20" + bytes(32)}),
])
def test_hostile_records_of_other_messengers(keytool, with_key, write, owner, records):
    entries = [(f"{owner}/{name}", content) for name, content in records.items()]
    path = write("a.age", archive(*threema(ID, KEY), *entries))
    result = keytool("archive", "import", path, *with_key)
    assert result.code == (65 if records else 0), result
    assert not list(keytool.keystore.glob("identities/[tm]*/0*"))
    assert keytool.json("id", "show")["id"] == ID


def test_under_a_passphrase_of_the_program_age(full, passphrase, other_keytool, tmp_path):
    path, out, again = tmp_path / "a.age", tmp_path / "content", tmp_path / "again.age"
    result = full.ok("archive", "export", "-o", path, *passphrase)
    assert "2 identities" in result.out and "verified" in result.out
    terminal = ["/usr/bin/python3", REPOSITORY / "Tests/Programs/keytool/kit/ageterminal.py", PASSPHRASE.decode()]
    subprocess.run([*terminal, "-d", "-o", out, path], check=True)
    subprocess.run([*terminal, "-p", "-o", again, out], check=True)
    other_keytool.ok("archive", "import", again, *passphrase)
    assert archives.records(other_keytool) == archives.records(full)


def test_import_of_an_archive_of_others(keytool, with_key, write):
    """The archive, the records and the age file are of other implementations."""
    path = write("a.age", archive(*threema(ID, KEY), *threema(OTHER, bytes(32))))
    result = keytool.json("archive", "import", path, *with_key)
    assert [(one["messenger"], one["id"], one["result"]) for one in result["results"]] == [
        ("threema", ID, "added"), ("threema", OTHER, "added")]
    assert result["signed"] is False and result["created_at"] == "2030-03-17T17:46:40Z"
    master = (keytool.keystore / "master.key").read_bytes()[12:]
    assert identityfiles.opened(identityfiles.path(keytool.keystore, ID, "identity"), master) == ID.encode() + KEY
    assert keytool.json("id", "show", ID)["public_key"] == oracle.Identity(ID, KEY).public_key
    # Nothing is known of any server.
    assert not list(keytool.keystore.rglob("state.json")) and not list(keytool.keystore.rglob("success"))


def test_a_note_that_nobody_has_signed(keytool, with_key, passphrase, write):
    words = "anyone who knows the recipient can have made it"
    path = write("a.age", archive(*threema(ID, KEY)))
    assert words in keytool.ok("archive", "import", path, *with_key).err
    assert words in keytool.ok("archive", "list", path, *with_key).err
    signed = write("b.age", archive(*threema(ID, KEY), passphrase=PASSPHRASE))
    assert words not in keytool.ok("archive", "list", signed, *passphrase).err
    assert keytool.json("archive", "list", signed, *passphrase)["signed"] is True


def test_list_needs_no_keystore_and_shows_no_secret(full, exported, with_key, home):
    result = full.with_keystore(home / "none").json("archive", "list", exported, *with_key)
    assert not (home / "none").exists()
    first, second = result["identities"]
    assert (first["id"], second["id"]) == (ID, OTHER)
    assert first["public_key"] == full.json("id", "show", ID)["public_key"]
    assert [(one["record"], one.get("place")) for one in first["records"]] == [
        ("identity", None), ("profile", None), ("safe", "main"), ("safe", "second")]
    shown = full.ok("archive", "list", exported, *with_key)
    for content in archives.opened(exported).values():
        assert len(content) < 8 or content[-32:].hex() not in shown.out + shown.err


def test_list_names_an_identity_without_a_public_key(keytool, with_key, tmp_path):
    """By what its own list prints; the others by their public key."""
    key = tmp_path / "key"
    key.write_bytes(bytes(range(256)))
    ids = {"sophaxchat": keytool.json("sophaxchat", "init")["id"],
           "telegram": keytool.json("telegram", "import", str(key), "--dc", "2")["id"]}
    path = tmp_path / "b.age"
    keytool.ok("archive", "export", "-o", path, *TO)
    lines = [line.split("  ")[:2] for line in keytool.ok("archive", "list", path, *with_key).out.splitlines()]
    assert lines == [[f"{messenger}/{id}", id] for messenger, id in sorted(ids.items())]
    assert all("public_key" not in one for one in keytool.json("archive", "list", path, *with_key)["identities"])
    damaged = archives.archive(("sophaxchat/" + "0" * 32 + "/identity", b"{}"))
    path.write_bytes(damaged)
    result = keytool("archive", "list", path, *with_key)
    assert result.code == 65 and result.out.startswith("sophaxchat/" + "0" * 32 + "  -  identity"), result


@pytest.mark.parametrize("record, command", [("pin", "set-pin"), ("prekeys", "refill-prekeys")])
@pytest.mark.parametrize("is_sealed", [True, False])
def test_a_damaged_lock_does_not_keep_its_identity_out(
        keytool, other_keytool, with_key, tmp_path, given, record, command, is_sealed):
    """Its keys matter more; but it is told that the lock is missing."""
    id = keytool.json("sophaxchat", "init")["id"]
    keytool.ok("sophaxchat", "set-pin", *given("new-pin", b"271828"))
    if is_sealed:
        sophax.put(keytool, id, record, bytes(131))
    else:
        (keytool.keystore / "identities/sophaxchat" / id / record).write_bytes(b"KTR2" + bytes(90))
    path = tmp_path / "b.age"
    refused = keytool.fails(65, "archive", "export", "-o", path, *TO)
    assert f"--skip-damaged exports sophaxchat/{id} without its {record}" in refused.err and not path.exists()
    result = keytool("archive", "export", "-o", path, *TO, "--skip-damaged")
    warning = f"warning: sophaxchat/{id} is in the archive without its {record}: after an import it has none"
    assert result.code == 65 and warning in result.err, result
    names = {name.split("/")[2] for name in archives.opened(path) if "/" in name}
    assert names == {"identity", "pin", "prekeys"} - {record}
    result = keytool("archive", "export", "-o", tmp_path / "c.age", *TO, "--skip-damaged", "--json")
    assert result.code == 65 and json.loads(result.out)["identities"][0]["left_out"] == [record]
    other_keytool.ok("archive", "import", path, *with_key)
    shown = other_keytool.json("sophaxchat", "show")
    assert shown["id"] == id and shown["pin"] is (record != "pin")
    other_keytool.ok("sophaxchat", command, *(given("new-pin", b"271828") if record == "pin" else []))


def test_a_damaged_identity_stays_out(keytool, tmp_path):
    id = keytool.json("sophaxchat", "init")["id"]
    keytool.ok("id", "create")
    (keytool.keystore / "identities/sophaxchat" / id / "identity").write_bytes(b"KTR2" + bytes(90))
    path = tmp_path / "b.age"
    result = keytool("archive", "export", "-o", path, *TO, "--skip-damaged")
    assert result.code == 65 and f"sophaxchat/{id} is not in the archive" in result.err
    assert not any(name.startswith("sophaxchat") for name in archives.opened(path))


class TestSequences:
    def test_import_twice(self, exported, other_keytool, with_key):
        other_keytool.ok("archive", "import", exported, *with_key)
        before = snapshot(other_keytool.keystore)
        result = other_keytool.json("archive", "import", exported, *with_key)
        assert {one["result"] for one in result["results"]} == {"unchanged"}
        assert snapshot(other_keytool.keystore) == before

    def test_what_is_held_is_not_changed_and_the_others_are_added(self, full, exported, with_key):
        full.ok("id", "remove", OTHER, "--yes")
        full.ok("profile", "set", ID, "--nickname", "Other")
        before = snapshot(identityfiles.directory(full.keystore, ID))
        result = full("archive", "import", exported, *with_key)
        assert result.code == 17 and f"added threema/{OTHER}" in result.out and "other records: profile" in result.err
        assert snapshot(identityfiles.directory(full.keystore, ID)) == before

    def test_no_place_is_added_to_an_identity_that_is_held(self, full, exported, with_key):
        full.ok("safe", "delete", ID, "--name", "second", "--yes")
        before = snapshot(identityfiles.directory(full.keystore, ID))
        result = full("archive", "import", exported, *with_key, "--json")
        held = result.json["results"][0]
        assert result.code == 17 and held["error"]["reason"] == "identity_differs"
        assert held["differences"] == [{"record": "safe", "place": "second", "difference": "only_in_archive"}]
        assert snapshot(identityfiles.directory(full.keystore, ID)) == before

    def test_replace_takes_exactly_the_one_that_is_named(self, full, exported, with_key):
        expected = archives.records(full)
        for id in (ID, OTHER):
            full.ok("profile", "set", id, "--nickname", "Other")
        others = snapshot(identityfiles.directory(full.keystore, OTHER))
        histories = {path: path.read_bytes() for path in full.keystore.rglob("history/*")}
        assert histories
        result = full("archive", "import", exported, *with_key, "--replace", f"threema/{ID}", "--json")
        assert result.code == 17
        assert [one["result"] for one in result.json["results"]] == ["replaced", "refused"]
        now = archives.records(full)
        assert {name: now[name] for name in now if ID in name} == {
            name: content for name, content in expected.items() if ID in name}
        assert snapshot(identityfiles.directory(full.keystore, OTHER)) == others
        assert {path: path.read_bytes() for path in full.keystore.rglob("history/*")} == histories
        assert full.json("safe", "status", ID)["results"][0].get("last_upload") is None

    def test_replace_goes_on_with_the_numbers_of_the_history(self, full, exported, with_key):
        full.ok("profile", "set", ID, "--nickname", "Other")
        full.ok("safe", "push", ID, "--force")
        full.ok("safe", "mirror", ID, "--name", "main")

        def numbers():
            return [one["number"] for one in full.json("safe", "history", ID, "--name", "main")["backups"]]

        last = max(numbers())
        assert last > 1
        for path in full.keystore.rglob("history/*"):
            path.unlink()
        full.ok("archive", "import", exported, *with_key, "--replace", f"threema/{ID}")
        full.ok("safe", "mirror", ID, "--name", "main")
        assert numbers() == [last + 1]

    def test_replace_names_the_servers_that_it_leaves(self, full, exported, with_key, directory):
        third = directory.path.with_name("third")
        third.mkdir()
        full.ok("safe", "setup", ID, "--name", "third", "--create", "--server", f"file://{third}", "--same-password")
        full.ok("safe", "push", ID)
        result = full.ok("archive", "import", exported, *with_key, "--replace", f"threema/{ID}")
        assert f"stays on file://{third}" in result.err and f"stays on {directory.url}" not in result.err
        assert f"keytool safe status --remote {ID}" in result.err
        assert list((third / "backups").iterdir())

    def test_replace_tells_of_a_later_safe_password(self, full, exported, with_key, given, directory):
        """The newest backup is under that one, and the user may know no other any more."""
        replace = ["archive", "import", exported, *with_key, "--replace", f"threema/{ID}"]
        assert "Safe password" not in full.ok(*replace).err
        full.ok("safe", "passwd", ID, "--name", "main", "--overwrite", *given("new-safe-password", "another-horse-5"))
        full.ok("safe", "setup", ID, "--name", "fourth", "--create", "--server", directory.url,
                *given("safe-password", "a-fourth-horse-6"))
        said = full.ok(*replace).err
        assert f'the Safe place "fourth" of {ID} is not set up any more; its backup stays on its server' in said
        assert f'the Safe place "main" of {ID} has the Safe password of the archive now' in said and '"second"' not in said

    def test_replace_of_an_identity_that_the_archive_has_not(self, full, exported, with_key):
        before = snapshot(full.keystore)
        full.fails(10, "archive", "import", exported, *with_key, "--replace", "threema/ZZZZ9999")
        assert snapshot(full.keystore) == before

    def test_check(self, full, exported, with_key, other_keytool):
        assert full.ok("archive", "check", exported, *with_key).out.count("same threema/") == 2
        before = snapshot(full.keystore)
        full.ok("id", "create", "--id", "ECHOECHO")
        result = full("archive", "check", exported, *with_key)
        assert result.code == 19 and "not in the archive: threema/ECHOECHO" in result.out
        full.ok("id", "remove", "ECHOECHO", "--yes")
        assert snapshot(full.keystore) == before
        full.ok("profile", "set", ID, "--nickname", "Other")
        full.ok("id", "remove", OTHER, "--yes")
        result = full("archive", "check", exported, *with_key, "--json")
        assert result.code == 19
        assert [one["result"] for one in result.json["results"]] == ["differs", "missing"]

    def test_a_check_from_cron(self, full, exported, with_key, write, tmp_path):
        """Metrics and ping have the exit code."""
        metrics, ping = tmp_path / "check.prom", write("ping", "not an address\n")
        for expected in (0, 19):
            result = full("archive", "check", exported, *with_key, "-q", "--no-input", "--metrics-file", metrics,
                          "--ping-url-file", ping)
            assert result.code == expected and "https:// address" in result.err, result
            assert f"\nkeytool_archive_check_last_exit_code {expected}\n" in metrics.read_text()
            full.ok("profile", "set", ID, "--nickname", "Ann")

    def test_check_without_a_keystore(self, full, exported, with_key, other_keytool, passphrase):
        error = other_keytool.fails(10, "archive", "check", exported, *with_key).err
        assert "the archive opens" in error and "keytool archive list" in error and "id create" not in error
        # What is wrong with the archive comes first.
        other_keytool.fails(16, "archive", "check", exported, *passphrase)
        other_keytool.ok("archive", "list", exported, *with_key)

    def test_a_safe_that_others_have_written_is_not_destroyed(self, full, exported, with_key, safe_password, directory):
        """Replaced by an older profile, nothing is known of the server: a push sees a backup that is not its own."""
        full.ok("archive", "import", exported, *with_key)
        full.ok("profile", "set", ID, "--nickname", "Newer")
        full.ok("safe", "push", ID, "--force")
        stored = directory.backup(oracle.safe_keys(SAFE_PASSWORD, ID))
        newer = stored.read_bytes()
        full.ok("archive", "import", exported, *with_key, "--replace", f"threema/{ID}")
        result = full("safe", "push", ID)
        assert result.code == 20 and stored.read_bytes() == newer, result
        full.ok("safe", "pull", ID, "--name", "main", "--replace")
        assert full.json("profile", "show", ID)["nickname"] == "Newer"

    def test_a_new_machine_goes_on_with_the_safe(self, full, exported, with_key, other_keytool):
        other_keytool.ok("archive", "import", exported, *with_key)
        assert "never" in other_keytool.ok("safe", "status", ID).out
        other_keytool.ok("safe", "push", ID)
        other_keytool.ok("safe", "check", ID)

    def test_a_damaged_identity_is_replaced(self, full, exported, with_key):
        expected = archives.records(full)
        identityfiles.path(full.keystore, ID, "profile").write_bytes(b"KTR2" + bytes(60))
        full.fails(65, "archive", "export", "-o", exported.with_name("b.age"), *TO)
        assert not exported.with_name("b.age").exists()
        result = full("archive", "import", exported, *with_key)
        assert result.code == 17 and "profile (damaged in the keystore)" in result.err
        full.ok("archive", "import", exported, *with_key, "--replace", f"threema/{ID}")
        assert archives.records(full) == expected

    def test_skip_damaged(self, full, tmp_path, with_key):
        identityfiles.path(full.keystore, ID, "profile").write_bytes(b"KTR2" + bytes(60))
        path = tmp_path / "b.age"
        result = full("archive", "export", "-o", path, *TO, "--skip-damaged")
        assert result.code == 65 and f"warning: threema/{ID} is not in the archive" in result.err
        assert {name.split("/")[1] for name in archives.opened(path) if "/" in name} == {OTHER}

    def test_skip_damaged_keeps_the_only_good_copy(self, full, exported, with_key):
        before = exported.read_bytes()
        identityfiles.path(full.keystore, ID, "profile").write_bytes(b"KTR2" + bytes(60))
        result = full("archive", "export", "-o", exported, *TO, "--skip-damaged", "--force")
        kept = exported.with_name("a.age.1")
        assert result.code == 65 and f"the old file is now {kept}" in result.err, result
        assert kept.read_bytes() == before != exported.read_bytes()
        full.ok("archive", "import", kept, *with_key, "--replace", f"threema/{ID}")
        full.ok("archive", "check", kept, *with_key)

    def test_a_messenger_that_is_not_known_is_exported_but_not_imported(self, full, tmp_path, with_key, other_keytool):
        master = (full.keystore / "master.key").read_bytes()[12:]
        home = full.keystore / "identities/pigeon/coop-7"
        home.mkdir(parents=True, mode=0o700)
        home.parent.chmod(0o700)
        record = identityfiles.sealed(b"nest", master, "nest", ("pigeon", "coop-7", "", "nest"), bytes(24))
        (home / "nest").write_bytes(record)
        (home / "nest").chmod(0o600)
        path = tmp_path / "b.age"
        assert "cannot check" in full.ok("archive", "export", "-o", path, *TO).err
        assert archives.opened(path)["pigeon/coop-7/nest"] == b"nest"
        result = other_keytool("archive", "import", path, *with_key, "--json")
        assert result.code == 65
        assert [one["result"] for one in result.json["results"]] == ["refused", "added", "added"]
        assert result.json["results"][0]["error"]["reason"] == "unknown_messenger"


class TestExport:
    def test_nothing_to_export(self, keytool, tmp_path):
        keytool.fails(10, "archive", "export", "-o", tmp_path / "a.age", *TO)
        assert not (tmp_path / "a.age").exists()

    def test_a_file_that_is_there_is_not_overwritten(self, full, exported):
        before = exported.read_bytes()
        full.fails(17, "archive", "export", "-o", exported, *TO)
        assert exported.read_bytes() == before
        full.ok("archive", "export", "-o", exported, *TO, "--force")
        assert exported.read_bytes() != before and archives.opened(exported)

    def test_the_archive_of_an_identity_that_was_removed_stays(self, full, exported, with_key):
        """Nothing knows what an old file holds: it stays, under the first name that is free."""
        contents = [exported.read_bytes()]
        full.ok("id", "remove", OTHER, "--yes")
        for number in (1, 2):
            kept = exported.with_name(f"a.age.{number}")
            result = full.ok("archive", "export", "-o", exported, *TO, "--force")
            assert f"wrote 1 identity to {exported}" in result.out and f"the old file is now {kept}\n" in result.err
            assert kept.read_bytes() == contents[-1] and kept.stat().st_nlink == 1
            contents.append(exported.read_bytes())
        exported.with_name("a.age.3").mkdir()
        with open("/dev/full", "wb") as device:
            failed = full("archive", "export", "-o", exported, *TO, "--force", stdout=device)
        assert failed.code == 74 and f"the old file is now {exported}.4\n" in failed.err, failed
        assert full.json("archive", "export", "-o", exported, *TO, "--force")["kept"] == f"{exported}.5"
        new = exported.with_name("new.age")
        result = full.json("archive", "export", "-o", new, *TO, "--force")
        assert "kept" not in result and not new.with_name("new.age.1").exists()
        full.ok("archive", "import", exported.with_name("a.age.1"), *with_key)
        assert [one["id"] for one in full.json("id", "list")["identities"]] == [ID, OTHER]

    def test_without_second_names_the_old_file_is_renamed(self, full, exported):
        """As on a FAT file system; the second link names the new file."""
        injection.require_tracing()
        before = exported.read_bytes()
        log = exported.with_name("trace")
        injection.Prefixed(full, "strace", "-qq", "-o", log, "-e", "trace=linkat", "-e",
                           "inject=linkat:error=EPERM:when=1").ok("archive", "export", "-o", exported, *TO, "--force")
        assert log.read_text().count("INJECTED") == 1
        assert exported.with_name("a.age.1").read_bytes() == before != exported.read_bytes()

    def test_two_at_once_keep_what_each_replaces(self, full, exported):
        """The first one stops between keeping the old file and replacing it."""
        injection.require_tracing()
        before = exported.read_bytes()
        slow = injection.Prefixed(full, "strace", "-qq", "-o", "/dev/null", "-e", "trace=renameat", "-e",
                                  "inject=renameat:delay_enter=3000000")
        command = ("archive", "export", "-o", exported, *TO, "--force")
        first, kept = slow.start(*command), exported.with_name("a.age.1")
        while not kept.exists():
            assert first.poll() is None
            time.sleep(0.01)
        full.ok(*command)
        assert slow.finish(first, command).code == 0
        contents = {each.read_bytes() for each in (exported, kept, exported.with_name("a.age.2"))}
        assert len(contents) == 3 and before in contents

    def test_to_stdout(self, full, tmp_path, with_key):
        result = full.ok("archive", "export", "-o", "-", *TO)
        path = tmp_path / "piped.age"
        path.write_bytes(result.out_bytes)
        assert {name for name in archives.opened(path) if "/" in name} == set(archives.records(full))
        full.ok("archive", "check", "-", *with_key, stdin=result.out_bytes)

    def test_not_to_a_terminal(self, full, terminal):
        process = terminal("archive", "export", "-o", "-", *TO, runner=full)
        assert process.finish() == 64 and "age-encryption" not in process.text

    def test_a_full_disk(self, full):
        with open("/dev/full", "wb") as device:
            assert full("archive", "export", "-o", "-", *TO, stdout=device).code == 74

    @pytest.mark.parametrize("content, code", [(b"short", 64), (b"12345678", 64), (b"", 65), (b"a\0bcdefgh", 65)])
    def test_passphrases(self, full, given, tmp_path, content, code):
        full.fails(code, "archive", "export", "-o", tmp_path / "a.age", *given("archive-passphrase", content))
        assert not (tmp_path / "a.age").exists()

    def test_no_passphrase(self, full, tmp_path):
        full.fails(16, "archive", "export", "-o", tmp_path / "a.age")

    def test_a_recipient_or_a_passphrase(self, full, tmp_path, passphrase):
        error = full.fails(64, "archive", "export", "-o", tmp_path / "a.age", *TO, *passphrase).err
        assert "--recipient cannot be combined with the archive passphrase" in error
        secret = full.fails(64, "archive", "export", "-o", tmp_path / "a.age", "--recipient", IDENTITY)
        assert IDENTITY not in secret.err

    def test_a_generated_passphrase(self, full, terminal, tmp_path):
        path = tmp_path / "a.age"
        process = terminal("archive", "export", "-o", path, runner=full.with_environment(TERM="dumb"))
        process.expect(r"Archive passphrase for the new archive \(Enter for a random one\): $")
        process.send("")
        process.expect(r"type it: $")
        shown = process.text.split("bits): ")[1].split()[0]
        process.send(shown)
        assert process.finish() == 0
        assert archives.opened(path, shown.encode())

    def test_a_link_among_the_records_is_an_error(self, full, tmp_path):
        profile = identityfiles.path(full.keystore, OTHER, "profile")
        profile.rename(tmp_path / "elsewhere")
        profile.symlink_to(tmp_path / "elsewhere")
        assert full("archive", "export", "-o", tmp_path / "b.age", *TO).code == 77
        assert not (tmp_path / "b.age").exists()

    @pytest.mark.parametrize("fault, code", [("retval=0", 70), ("error=EIO", 74)])
    def test_a_result_that_does_not_open_again(self, full, exported, fault, code):
        """The file is read before it has its name; an old one stays as it is."""
        injection.require_tracing()
        before = exported.read_bytes()
        log = exported.with_name("trace")
        injection.Prefixed(full, "strace", "-qq", "-o", log, "-e", "trace=pread64").ok("--version")
        of_loader = len(log.read_text().splitlines())
        faulty = injection.Prefixed(full, "strace", "-qq", "-o", "/dev/null", "-e", "trace=pread64",
                                    "-e", f"inject=pread64:{fault}:when={of_loader + 1}+")
        for path, more in ((exported, ["--force"]), (exported.with_name("new.age"), [])):
            faulty.fails(code, "archive", "export", "-o", path, *TO, *more)
        assert exported.read_bytes() == before and not exported.with_name("new.age").exists()
        assert not list(exported.parent.glob(".*"))

    def test_beside_a_command_that_holds_the_lock(self, full, tmp_path):
        with open(identityfiles.directory(full.keystore, ID) / "lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            full.ok("archive", "export", "-o", tmp_path / "b.age", *TO)

    def test_an_unfinished_commit_counts(self, full, tmp_path):
        """A process that was killed has left its changes in the file `commit`."""
        injection.require_tracing()
        command = ("profile", "set", ID, "--nickname", "Killed")
        shutil.copytree(full.keystore, tmp_path / "kept")
        points = injection.points(full, *command)
        shutil.rmtree(full.keystore)
        shutil.copytree(tmp_path / "kept", full.keystore)
        renamed = [number for number, point in enumerate(points) if point.call.startswith("rename")]
        injection.kill(full, points[renamed[0] + 1], *command)
        full.ok("archive", "export", "-o", tmp_path / "b.age", *TO)
        profile = archives.opened(tmp_path / "b.age")[f"threema/{ID}/profile.json"]
        assert profile == full.ok("profile", "export", ID, "-o", "-").out_bytes

    def test_a_keystore_under_a_passphrase(self, full, exported, given, with_key, tmp_path):
        secret = given("passphrase", b"Quartz-Lantern-61")
        full.ok("key", "protect", *secret)
        full.ok("archive", "export", "-o", tmp_path / "b.age", *TO, *secret)
        assert archives.opened(tmp_path / "b.age")[f"threema/{ID}/identity"] == \
            archives.opened(exported)[f"threema/{ID}/identity"]
        full.fails(16, "archive", "export", "-o", tmp_path / "c.age", *TO)
        full.ok("archive", "check", exported, *with_key, *secret)


class TestRefusals:
    @pytest.fixture
    def refused(self, keytool, with_key, write):
        def refused(content, code=65, *more):
            path = write("bad.age", content)
            for verb in ("import", "list"):
                result = keytool("archive", verb, path, *(more or with_key))
                assert result.code == code and result.err.count("error:") == 1, result
            assert snapshot(keytool.keystore) == {".": "0o40700"}
            return result
        return refused

    def test_no_archive(self, refused):
        refused(b"")
        refused(b"not an age file\n")
        refused(archives.seal(b""))
        refused(archives.seal(b"no tar" * 1000))
        assert "keytool-archive" in refused(archives.seal(archives.tar(threema(ID, KEY)))).err

    def test_another_version(self, refused):
        assert "version 2" in refused(archives.seal(archives.tar([("keytool-archive", b"2\n")]))).err

    def test_a_file_that_ends_early(self, refused):
        whole = archive(*threema(ID, KEY, profile=b'{"pad":"' + b"x" * 200_000 + b'"}'))
        for cut in (len(whole) - 1, len(whole) - 17, 70_000, 300):
            refused(whole[:cut])
        refused(whole + b"x")
        tar = archives.tar([archives.VERSION, *threema(ID, KEY)])
        refused(archives.seal(tar.rstrip(b"\0")))

    @pytest.mark.parametrize("kind", ["link", "symlink", "fifo", "device", "pax", "absolute", "dots", "twice", "unknown"])
    def test_what_no_export_writes(self, refused, kind):
        entry = tarfile.TarInfo(f"threema/{ID}/directory")
        entry.type = {"link": tarfile.LNKTYPE, "symlink": tarfile.SYMTYPE, "fifo": tarfile.FIFOTYPE,
                      "device": tarfile.CHRTYPE}.get(kind, tarfile.REGTYPE)
        if entry.type in (tarfile.LNKTYPE, tarfile.SYMTYPE):
            entry.linkname = "/etc/passwd"
        files = [archives.VERSION, *threema(ID, KEY)]
        names = {"absolute": "/tmp/x", "dots": f"threema/{ID}/../../x", "twice": f"threema/{ID}/identity",
                 "unknown": "notes.txt"}
        if kind == "pax":
            entry.pax_headers = {"path": f"threema/{ID}/directory"}
            entry.name = "x"
        content = archives.tar(files + [(names[kind], b"x") if kind in names else (entry, b"")],
                               tarfile.PAX_FORMAT if kind == "pax" else tarfile.USTAR_FORMAT)
        refused(archives.seal(content))

    @pytest.mark.parametrize("files", [
        threema("abcd1234", KEY), threema(ID, KEY[:-1]), threema(ID, KEY, profile=b"{}"), threema(ID, KEY)[:1],
        [(f"threema/{ID}/identity", OTHER.encode() + KEY), (f"threema/{ID}/profile.json", archives.PROFILE)],
        threema(ID, KEY, places__main__safe=b"\x01"), threema(ID, KEY, linking=b"{}"),
        threema(ID, KEY, devicegroupkey=b"short"), threema(ID, KEY, directory=b'{"url":"http://x/"}'),
        threema(ID, KEY, profile=archives.PROFILE[:-1] + b',"keytool":{"generation":7}}'),
        threema(ID, KEY, shares=b"\x01" + KEY), threema(ID, KEY, shares=b"\x01" + KEY + bytes([0, 7, 2, 1]) + bytes(48)),
        threema(ID, KEY, shares=b"\x01" + KEY + bytes([0, 7, 2, 2]) + bytes(87)),
    ], ids=range(13))
    def test_hostile_records(self, refused, files):
        """Recipients do not sign: anybody may have made them. The identity is named, and no keystore is created."""
        assert files[0][0].split("/")[1] in refused(archive(*files)).err

    def test_the_others_are_imported_beside_a_hostile_one(self, keytool, with_key, write):
        path = write("a.age", archive(*threema(ID, KEY[:-1]), *threema(OTHER, KEY)))
        result = keytool("archive", "import", path, *with_key)
        assert result.code == 65 and f"threema/{ID}" in result.err and f"added threema/{OTHER}" in result.out
        assert [one["id"] for one in keytool.json("id", "list")["identities"]] == [OTHER]

    def test_wrong_keys_and_passphrases(self, keytool, with_key, passphrase, given, write):
        to_key = write("a.age", archive(*threema(ID, KEY)))
        under = write("b.age", archive(*threema(ID, KEY), passphrase=PASSPHRASE))
        wrong = write("wrong", agefile.identity_text(bytes(range(32))) + "\n")
        for command in (("import",), ("check",), ("list",)):
            keytool.fails(12, "archive", *command, to_key, "--identity", wrong)
            keytool.fails(16, "archive", *command, to_key)
            # A secret key where the file's name belongs is not repeated.
            said = keytool.fails(64, "archive", *command, to_key, "--identity", agefile.identity_text(bytes(32))).err
            assert "replace this key" in said and "AGE-SECRET-KEY-1" not in said
            keytool.fails(16, "archive", *command, under)
            keytool.fails(64, "archive", *command, under, *with_key)
            keytool.fails(12, "archive", *command, under, *given("archive-passphrase", b"another one"))
            keytool.fails(64, "archive", *command, under, *with_key, *passphrase)
            keytool.fails(66, "archive", *command, under.with_name("none"), *passphrase)
        assert snapshot(keytool.keystore) == {".": "0o40700"}

    def test_work_factors(self, keytool, passphrase, write):
        """A file may not demand more than 1 GiB without being told; the number is checked before any work."""
        for factor, accepted in ((21, 22), (22, 22), (23, None), (60, None)):
            file = archive(*threema(ID, KEY), passphrase=PASSPHRASE)
            path = write("a.age", file.replace(b" 10\n", b" %d\n" % factor, 1))
            result = keytool.fails(65, "archive", "list", path, *passphrase)
            assert ("--max-work-factor" in result.err) == (accepted is not None), result
        low = write("b.age", archive(*threema(ID, KEY), passphrase=PASSPHRASE, work_factor=11))
        keytool.fails(65, "archive", "list", low, *passphrase, "--max-work-factor", "10")
        keytool.ok("archive", "list", low, *passphrase, "--max-work-factor", "11")
        for number in ("0", "23", "x"):
            keytool.fails(64, "archive", "list", low, *passphrase, "--max-work-factor", number)

    def test_one_stdin(self, keytool, with_key, write):
        path = write("a.age", archive(*threema(ID, KEY)))
        keytool.fails(64, "archive", "list", "-", "--identity", "-", stdin=path.read_bytes())
        keytool.fails(64, "archive", "list", "-", "--archive-passphrase-file", "-", stdin=path.read_bytes())
        keytool.ok("archive", "list", "-", *with_key, stdin=path.read_bytes())
        keytool.ok("archive", "list", path, "--identity", "-", stdin=IDENTITY)
        sealed = keytool.fails(65, "archive", "list", path, "--identity", "-", stdin=path.read_bytes())
        assert "age -d FILE | keytool ... --identity -" in " ".join(sealed.err.split()), sealed

    @pytest.mark.parametrize("name", ["threema", "/", "threema/", "threema/a/b", "Threema/ABCD1234"])
    def test_replace_of_something_else(self, keytool, with_key, write, name):
        path = write("a.age", archive(*threema(ID, KEY)))
        keytool.fails(64, "archive", "import", path, *with_key, "--replace", name)

    def test_a_longer_archive_than_is_read(self, keytool, with_key, write):
        path = write("a.age", archives.seal(bytes(129 << 20)))
        keytool.fails(65, "archive", "list", path, *with_key, timeout=60)


def test_a_keystore_that_is_protected_from_the_start(keytool, with_key, given, write):
    shutil.rmtree(keytool.keystore)
    path = write("a.age", archive(*threema(ID, KEY)))
    secret = given("passphrase", b"Quartz-Lantern-61")
    keytool.ok("archive", "import", path, *with_key, *secret)
    keytool.fails(16, "id", "list")
    keytool.ok("id", "list", *secret)


def test_quiet(full, exported, with_key, tmp_path):
    for command in (("export", "-o", tmp_path / "q.age", *TO), ("import", exported, *with_key),
                    ("check", exported, *with_key)):
        result = full.ok("archive", *command, "-q")
        assert result.out == result.err == "", result


def test_no_secret_is_said(full, passphrase, with_key, other_keytool, write, tmp_path):
    """Whatever the options: no key, passphrase or password, in any spelling."""
    said = ""
    # Its key is derived quickly; an export's would take a second each time.
    quick = write("quick.age", archive(*threema(ID, KEY), passphrase=PASSPHRASE, work_factor=11))
    for loud in ((), ("-v",), ("--json",)):
        path = tmp_path / f"said{len(said)}.age"
        for runner, command in (
                (full, ("export", "-o", path, *TO)), (full, ("list", path, *with_key)),
                (full, ("check", path, *with_key)), (other_keytool, ("import", path, *with_key)),
                (full, ("list", quick, *passphrase)), (full, ("check", quick, *passphrase)),
                (other_keytool, ("import", quick, *passphrase))):
            result = runner("archive", *command, *loud)
            said += result.out + result.err
    result = full("archive", "export", "-o", tmp_path / "under.age", *passphrase, "-v")
    said += result.out + result.err
    records = archives.records(full)
    secrets = [records[f"threema/{id}/identity"][8:] for id in (ID, OTHER)]
    secrets += [oracle.safe_keys(SAFE_PASSWORD, ID).encryption_key, archives.SECRET]
    for secret in secrets:
        assert secret.hex() not in said.lower() and base64.b64encode(secret).decode()[:42] not in said
    assert PASSPHRASE.decode() not in said and SAFE_PASSWORD.decode() not in said and IDENTITY not in said
