"""safe setup: what it prepares, tests and refuses."""

import json
import os
import urllib.parse

import pytest

from kit import identityfiles
from kit.known import SAFE_PASSWORD
from kit.processes.injection import Prefixed
from kit.runner import snapshot
from kit.servers.safedirectory import SafeDirectory


@pytest.fixture
def owner(keytool):
    """A keystore with an identity that has no Safe yet."""
    keytool.ok("id", "create", "--id", "ABCD1234")
    return keytool


def setting_up(directory, *options):
    return ["safe", "setup", "--server", directory.url, *options]


def test_create_prepares_a_bare_directory(owner, directory, safe_password):
    done = owner.json(*setting_up(directory, "--create", *safe_password))
    assert done["command"] == "safe setup"
    assert json.loads(directory.config.read_bytes()) == {
        "maxBackupBytes": 524288, "retentionDays": 180}
    assert directory.names() == [], "the probe is taken away again"
    assert owner.json("id", "list")["identities"][0]["safe"] is True


def refuses_before_preparing(owner, tmp_path, below, *command):
    """The lock can be taken, but no file can be created in one of the identity's directories."""
    home = identityfiles.directory(owner.keystore, "ABCD1234")
    for path in (home / below, *(home / below).parents):
        if home in path.parents:
            path.mkdir(mode=0o700, exist_ok=True, parents=True)
            path.chmod(0o700)
    (home / "lock").touch(0o600)
    (home / below).chmod(0o500)
    there = Prefixed(owner, *(["setpriv", "--bounding-set=-all"] if os.geteuid() == 0 else []))
    new = tmp_path / "new"
    result = there("safe", *command, "--create", "--server", f"file://{new}")
    (home / below).chmod(0o700)
    assert result.code == 77 and not new.exists(), result


@pytest.mark.parametrize("below", ["", "places", "places/main", "places/main/history"])
def test_nothing_is_prepared_if_nothing_can_be_stored(owner, safe_password, tmp_path, below):
    refuses_before_preparing(owner, tmp_path, below, "setup", *safe_password)


@pytest.mark.parametrize("below", ["", "places/main", "places/main/history"])
def test_nothing_is_prepared_for_a_move_if_nothing_can_be_stored(owner, directory, safe_password, tmp_path, below):
    owner.ok(*setting_up(directory, "--create", *safe_password))
    refuses_before_preparing(owner, tmp_path, below, "move")


def test_prepared_directory_needs_no_create(owner, directory, safe_password):
    owner.ok(*setting_up(directory.prepare(), *safe_password))
    assert directory.names() == []


def test_create_leaves_a_prepared_directory_alone(owner, directory, safe_password):
    directory.prepare(max_backup_bytes=2097152, retention_days=30)
    before = snapshot(directory.path)
    owner.ok(*setting_up(directory, "--create", *safe_password))
    assert snapshot(directory.path) == before


@pytest.mark.parametrize("made", [["file"], ["backups/", "file"], ["config", "file"], ["a/"]], ids=" ".join)
@pytest.mark.parametrize("verb", ["setup", "move"])
def test_create_fills_no_directory_of_others(safe, other_keytool, tmp_path, safe_password, verb, made):
    path = tmp_path / "others"
    path.mkdir()
    for name in made:
        (path / name).mkdir() if name.endswith("/") else (path / name).write_text("hi")
    if verb == "setup":
        other_keytool.ok("id", "create")
        keytool, *command = other_keytool, "safe", "setup", *safe_password
    else:
        safe.push()
        keytool, *command = safe.keytool, "safe", "move"
    before = snapshot(path), snapshot(keytool.keystore)
    error = keytool.fails(17, *command, "--create", "--server", f"file://{path}", "--json").error
    assert error["reason"] == "directory_not_empty" and f"file://{path}/keytool" in error["hint"], error
    assert (snapshot(path), snapshot(keytool.keystore)) == before
    # What the hint says.
    keytool.ok(*command, "--create", "--server", f"file://{path}/keytool")
    keytool.ok("safe", "push")


@pytest.mark.parametrize("config", [b"", b"{}", b"<html>"], ids=["empty", "no members", "page"])
@pytest.mark.parametrize("verb", ["setup", "move"])
def test_create_leaves_a_directory_with_a_bad_config_alone(safe, other_keytool, tmp_path, safe_password, verb, config):
    path = tmp_path / "bad"
    path.mkdir()
    (path / "config").write_bytes(config)
    if verb == "setup":
        other_keytool.ok("id", "create")
        keytool, *command = other_keytool, "safe", "setup", *safe_password
    else:
        safe.push()
        keytool, *command = safe.keytool, "safe", "move"
    before = snapshot(path)
    keytool.fails(15, *command, "--create", "--server", f"file://{path}")
    assert snapshot(path) == before
    # What is missing beside a good one is made.
    SafeDirectory(path).prepare()
    (path / "backups").rmdir()
    keytool.ok(*command, "--create", "--server", f"file://{path}")


@pytest.mark.parametrize("left", [["backups/"], [".config.1-1.abc.new", "backups/"], ["lost+found/"], [".snapshot/"]],
                         ids=" ".join)
def test_create_goes_on_after_itself(owner, directory, safe_password, left):
    """Or in what a new file system and a NAS put there."""
    for name in left:
        (directory.path / name).mkdir() if name.endswith("/") else (directory.path / name).write_text("")
    owner.ok(*setting_up(directory, "--create", *safe_password))
    assert directory.names() == [] and directory.config.exists()


def test_prepared_directory_may_hold_other_files(owner, directory, safe_password):
    (directory.prepare().path / "README").write_text("hi")
    owner.ok(*setting_up(directory, "--create", *safe_password))


def test_without_create_nothing_is_created(owner, directory, safe_password):
    before = snapshot(owner.keystore), snapshot(directory.path)
    owner.fails(15, *setting_up(directory, *safe_password))
    assert (snapshot(owner.keystore), snapshot(directory.path)) == before


def test_directory_away(owner, directory, safe_password):
    directory.path.rmdir()
    before = snapshot(owner.keystore)
    owner.fails(75, *setting_up(directory, *safe_password))
    assert snapshot(owner.keystore) == before
    assert not directory.path.exists()


CONFIGS = {
    "empty": "",
    "not JSON": "<html>hotel wifi</html>",
    "cut off": '{"maxBackupBytes":524288,"retentionDays":180',
    "a list": "[524288,180]",
    "no size": '{"retentionDays":180}',
    "no days": '{"maxBackupBytes":524288}',
    "size as text": '{"maxBackupBytes":"524288","retentionDays":180}',
    "days as text": '{"maxBackupBytes":524288,"retentionDays":"180"}',
    "fraction": '{"maxBackupBytes":524288.5,"retentionDays":180}',
    "size 0": '{"maxBackupBytes":0,"retentionDays":180}',
    "negative size": '{"maxBackupBytes":-1,"retentionDays":180}',
    "size over 2^31": '{"maxBackupBytes":2147483649,"retentionDays":180}',
    "size over 2^64": '{"maxBackupBytes":18446744073709551617,"retentionDays":180}',
    "null": '{"maxBackupBytes":null,"retentionDays":180}',
    "a key twice": '{"maxBackupBytes":1,"maxBackupBytes":524288,"retentionDays":180}',
    "two documents": '{"maxBackupBytes":524288,"retentionDays":180}{}',
}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_config_that_is_not_a_safe_servers(owner, directory, safe_password, config):
    directory.prepare().config.write_text(config)
    before = snapshot(owner.keystore), snapshot(directory.path)
    owner.fails(15, *setting_up(directory, *safe_password))
    assert (snapshot(owner.keystore), snapshot(directory.path)) == before


@pytest.mark.parametrize("config", [
    '{"maxBackupBytes":2097152,"retentionDays":180}',
    '{"maxBackupBytes":524288,"retentionDays":0}',
    '{"maxBackupBytes":524288,"retentionDays":-5}',
    '{"maxBackupBytes":524288,"retentionDays":999999}',
    ' {\n "retentionDays" : 180 , "maxBackupBytes" : 2147483648, "unknown": [1.5, {}] }\n',
])
def test_config_that_is_taken(owner, directory, safe_password, config):
    directory.prepare().config.write_text(config)
    owner.ok(*setting_up(directory, *safe_password))


def test_existing_setup_is_kept(safe, safe_password, tmp_path):
    before = snapshot(safe.keytool.keystore)
    result = safe.keytool.fails(17, *setting_up(safe.directory, *safe_password))
    assert "safe passwd" in result.err or "safe delete" in result.err
    assert snapshot(safe.keytool.keystore) == before
    safe.push()


@pytest.mark.parametrize("url", [
    "http://safe.example.net/", "ftp://safe.example.net/", "file://relative/path", "", "file://",
    "{path}", "file://{path}/../elsewhere", "file://{path}/%zz", "file://{path}/%00"])
def test_addresses_that_are_none(owner, directory, safe_password, url):
    url = url.format(path=directory.path)
    owner.fails(64, "safe", "setup", "--create", "--server", url, *safe_password)
    assert list(directory.path.iterdir()) == []


def test_server_that_is_a_file(owner, tmp_path, safe_password):
    (tmp_path / "code.txt").write_text("a file\n")
    for create in ([], ["--create"]):
        result = owner.fails(74, "safe", "setup", *create, "--server", f"file://{tmp_path}/code.txt", *safe_password)
        assert "not a directory" in result.err.lower()
    assert (tmp_path / "code.txt").read_text() == "a file\n"


@pytest.mark.parametrize("path, hint", [
    ("/mnt/nas", "file:///mnt/nas"), ("/" + "a" * 100, "put file:// before the path"),
    ("safe.example.net/alice", "https://safe.example.net/alice"), ("Threema", "threema"),
    ("http://127.0.0.1:8080", "nothing is sent without TLS: keytool-server serve --tls-self-signed NAME")])
def test_hint_for_an_address_of_no_known_kind_is_never_cut(owner, safe_password, path, hint):
    result = owner.fails(64, "safe", "setup", "--server", path, *safe_password)
    assert f"hint: {hint}\n" in result.err


@pytest.mark.parametrize("text", ["nas", "mnt/nas.old", "./safe", "../safe", "alice:secret@safe.example.net"])
def test_no_hint_for_what_may_be_no_host(owner, safe_password, text):
    said = owner.fails(64, "safe", "setup", "--server", text, *safe_password).err
    assert "hint: https://" not in said and "secret" not in said


def test_directory_with_a_name_that_a_url_cannot_hold(owner, tmp_path, safe_password):
    directory = SafeDirectory(tmp_path / "my säfe #1 100%")
    directory.path.mkdir()
    directory.url = f"file://{urllib.parse.quote(str(directory.path))}"
    owner.ok(*setting_up(directory, "--create", *safe_password))
    assert owner.json("safe", "push")["result"] == "uploaded"
    assert len(directory.names()) == 1


def test_without_identity(other_keytool, directory, safe_password):
    other_keytool.fails(10, *setting_up(directory, "--create", *safe_password))
    assert list(directory.path.iterdir()) == []


@pytest.mark.parametrize("password, code", [
    (b"1234567", 64), (b"", 65), (b"\n", 65), (b"zero\0byte", 65), (b"two\nlines", 65),
    (b"caf\xe9 latin1", 65),
])
def test_passwords_that_are_refused(owner, directory, given, password, code):
    before = snapshot(owner.keystore)
    owner.fails(code, *setting_up(directory, "--create", *given("safe-password", password)))
    assert snapshot(owner.keystore) == before
    assert list(directory.path.iterdir()) == []


@pytest.mark.parametrize("password", [b"aaaaaaaa", b"12345678", b"password"])
def test_weak_passwords_need_one_more_word(owner, directory, given, password):
    options = setting_up(directory, "--create", *given("safe-password", password), "--no-input")
    owner.fails(64, *options)
    assert list(directory.path.iterdir()) == []
    owner.ok(*options, "--weak-ok")


def test_password_is_not_kept(safe):
    for path in safe.keytool.keystore.rglob("*"):
        assert not path.is_file() or SAFE_PASSWORD not in path.read_bytes()


@pytest.mark.parametrize("verb", ["push", "pull", "delete"])
def test_verbs_without_setup(owner, verb):
    options = ["--yes"] if verb == "delete" else []
    result = owner.fails(10, "safe", verb, *options)
    assert "safe setup" in result.err


@pytest.mark.parametrize("verb", ["setup", "move"])
def test_create_makes_one_directory_only(safe, other_keytool, tmp_path, safe_password, verb):
    """/mnt/nas, which is not mounted, is not made on the disk below it."""
    url = f"file://{tmp_path}/mnt/nas/keytool"
    if verb == "setup":
        other_keytool.ok("id", "create")
        command = (other_keytool, "safe", "setup", *safe_password)
    else:
        safe.push()
        command = (safe.keytool, "safe", "move")
    keytool, *command = command
    assert "mount" in keytool.fails(75, *command, "--create", "--server", url).err
    (tmp_path / "mnt").mkdir()
    keytool.fails(75, *command, "--create", "--server", url)
    assert not (tmp_path / "mnt/nas").exists()
    (tmp_path / "mnt/nas").mkdir()
    keytool.ok(*command, "--create", "--server", url)
    assert keytool.json("safe", "push", "--force")["result"] == "uploaded"


def test_password_that_is_the_present_one(safe, write):
    same = write("same", safe.password)
    refused = safe.keytool.fails(64, "safe", "passwd", "--new-safe-password-file", same)
    assert "error: the new Safe password of ABCD1234 is the same as the current one\n" in refused.err


def test_move_prepares_a_bare_directory_only_when_told(safe, tmp_path):
    safe.push()
    (tmp_path / "bare").mkdir()
    url = f"file://{tmp_path}/bare"
    assert "--create prepares" in safe.keytool.fails(15, "safe", "move", "--server", url).err
    absent = safe.keytool.fails(75, "safe", "move", "--server", url + "/absent")
    assert "is not available" in absent.err and "--create prepares" in absent.err
    safe.keytool.ok("safe", "move", "--server", url, "--create")
    assert safe.directory.names() == [] and len(SafeDirectory(tmp_path / "bare").names()) == 1
