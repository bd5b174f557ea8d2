"""Sessions that programs on the libraries keep in a keystore: in archives, and out of them."""

import base64
import fcntl
import time

import pytest

from kit import archives, identityfiles, masterkey, sessions
from kit.archives import RECIPIENT, archive, threema
from kit.processes.locks import Held
from kit.runner import snapshot

ID, OTHER = "ABCD1234", "WXYZ9876"
KEY = bytes(range(1, 33))
TO = ("--recipient", RECIPIENT)
VALUES = {("session", b"ECHOECHO"): b"a chain key of 32 bytes, or so it", ("nonce", bytes(range(32))): b"",
          ("queue", b"1"): bytes(range(256)) * 300, ("session", b"ECHOECH"): b"x"}
FILE = f"threema/{ID}/sessions.values"
TWICE = "uses keys twice"


@pytest.fixture
def with_key(write):
    return ("--identity", write("agekey", archives.IDENTITY + "\n"))


@pytest.fixture
def held(keytool):
    """Two identities, one with sessions."""
    for id in (ID, OTHER):
        keytool.ok("id", "create", "--id", id)
    sessions.create(keytool.keystore, masterkey.read(keytool), "threema", ID, VALUES)
    return keytool


@pytest.fixture
def exported(held, tmp_path):
    path = tmp_path / "a.age"
    held.ok("archive", "export", "-o", path, "--with-sessions", *TO)
    return path


def stored(keytool, id=ID):
    found = sessions.values(keytool.keystore, masterkey.read(keytool), "threema", id)
    place = found.pop(("store", b"place"))
    return found, place


def hostile(values, id=ID):
    return archive(*threema(id, KEY), (f"threema/{id}/sessions.values", values))


def test_removal_says_that_sessions_go(held):
    """An import brings back the keys, and not them."""
    assert "sessions" not in held.ok("id", "remove", OTHER, "--yes").err
    said = held.ok("id", "remove", ID, "--yes").err
    assert "its sessions go, too" in said and "keytool archive export --with-sessions" in said


class TestExport:
    def test_every_value_and_a_warning(self, held, tmp_path):
        path = tmp_path / "a.age"
        result = held.ok("archive", "export", "-o", path, "--with-sessions", *TO)
        assert "warning:" in result.err and TWICE in result.err
        found = archives.opened(path)
        assert found[FILE] == sessions.exported(VALUES)
        assert f"threema/{OTHER}/sessions.values" not in found and b"sessions.values" in found["README.txt"]
        shown = held.json("archive", "export", "-o", tmp_path / "b.age", "--with-sessions", *TO)
        assert shown["identities"] == [
            {"messenger": "threema", "id": ID, "sessions": {"values": 4, "bytes": len(found[FILE])}},
            {"messenger": "threema", "id": OTHER}]

    def test_none_without_the_option(self, held, tmp_path):
        result = held.ok("archive", "export", "-o", tmp_path / "a.age", *TO)
        assert FILE not in archives.opened(tmp_path / "a.age") and "session" not in result.err

    def test_of_identities_without_sessions(self, keytool, tmp_path):
        keytool.ok("id", "create", "--id", ID)
        result = keytool.ok("archive", "export", "-o", tmp_path / "a.age", "--with-sessions", *TO)
        assert "no identity has sessions" in result.err and "warning" not in result.err.replace("passphrase", "")
        assert not sessions.path(keytool.keystore, "threema", ID).exists()

    def test_damaged_sessions(self, held, tmp_path):
        file = sessions.path(held.keystore, "threema", ID)
        for content in (b"A" * 8192, file.read_bytes()[:4096], b"SQLite format 3\0" + bytes(100)):
            file.write_bytes(content)
            path = tmp_path / "a.age"
            error = held.fails(65, "archive", "export", "-o", path, "--with-sessions", *TO).err
            assert "--skip-damaged" in error and not path.exists()
            result = held("archive", "export", "-o", path, "--with-sessions", "--skip-damaged", *TO)
            assert result.code == 65 and f"the sessions of threema/{ID} are not in the archive" in result.err
            found = archives.opened(path)
            assert f"threema/{ID}/identity" in found and FILE not in found
            path.unlink()

    def test_sessions_of_another_identity(self, held, tmp_path):
        sessions.path(held.keystore, "threema", ID).rename(sessions.path(held.keystore, "threema", OTHER))
        held.fails(65, "archive", "export", "-o", tmp_path / "a.age", "--with-sessions", *TO)

    def test_beside_a_command_that_holds_the_lock_of_an_identity_without_sessions(self, held, tmp_path):
        with open(identityfiles.directory(held.keystore, OTHER) / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            held.ok("archive", "export", "-o", tmp_path / "b.age", "--with-sessions", *TO)

    def test_the_wait_for_a_program_is_told(self, held, tmp_path, terminal):
        """As by the verbs of SophaxChat that read sessions."""
        path = tmp_path / "b.age"
        command = ["archive", "export", "-o", path, "--with-sessions", *TO, "--lock-wait"]
        waiting = f"waiting for a program that uses the sessions of threema/{ID}"
        with Held(identityfiles.directory(held.keystore, ID) / "lock"):
            quiet = held.fails(11, *command, "1s").err
            assert waiting not in quiet and f"another program is using the sessions of threema/{ID}" in quiet
            assert "--lock-wait" in quiet and "--skip-damaged" in quiet
            assert held.fails(11, *command, "1s", "-v").err.count(waiting) == 1
            assert waiting not in held.fails(11, *command, "0s", "-v").err
            assert held.fails(11, *command, "0s", "--json").error["reason"] == "locked"
            shown = terminal(*command, "1s", runner=held)
            shown.expect(waiting)
            assert shown.finish() == 11
            assert not path.exists()
            left = held(*command, "0s", "--skip-damaged")
            assert left.code == 11 and f"the sessions of threema/{ID} are not in the archive" in left.err
            assert FILE not in archives.opened(path)

    def test_a_program_that_ends_in_time(self, held, tmp_path):
        lock = Held(identityfiles.directory(held.keystore, ID) / "lock")
        waiting = held.start("archive", "export", "-o", tmp_path / "b.age", "--with-sessions", *TO)
        time.sleep(1)
        lock.__exit__()
        assert held.finish(waiting).code == 0 and FILE in archives.opened(tmp_path / "b.age")

    def test_nothing_is_left_of_reading_them(self, held, tmp_path):
        home = identityfiles.directory(held.keystore, ID)
        before = {path.name for path in home.iterdir()}
        held.ok("archive", "export", "-o", tmp_path / "b.age", "--with-sessions", *TO)
        assert {path.name for path in home.iterdir()} == before
        assert stored(held) == (VALUES, sessions.NOWHERE)


class TestImport:
    def test_an_identity_that_is_added_has_them_sealed_anew(self, held, exported, with_key, other_keytool):
        result = other_keytool.ok("archive", "import", exported, *with_key)
        assert f"added threema/{ID} with sessions (4 values)" in result.out
        assert f"added threema/{OTHER}\n" in result.out and result.err.count(TWICE) == 1
        assert stored(other_keytool) == (VALUES, sessions.NOWHERE)
        file = sessions.path(other_keytool.keystore, "threema", ID)
        assert file.stat().st_mode & 0o777 == 0o600
        assert {path.name for path in file.parent.glob("sessions*")} == {"sessions.db"}
        assert not sessions.path(other_keytool.keystore, "threema", OTHER).exists()
        # Another master key, so nothing of one file is in the other.
        assert masterkey.read(held) != masterkey.read(other_keytool)
        # And they go on from there.
        again = exported.with_name("again.age")
        other_keytool.ok("archive", "export", "-o", again, "--with-sessions", *TO)
        assert archives.opened(again)[FILE] == archives.opened(exported)[FILE]

    def test_json(self, held, exported, with_key, other_keytool):
        results = other_keytool.json("archive", "import", exported, *with_key)["results"]
        assert results[0]["sessions"]["values"] == 4 and "sessions" not in results[1]

    def test_an_identity_that_is_held_gets_none(self, held, exported, with_key):
        file = sessions.path(held.keystore, "threema", ID)
        before = snapshot(held.keystore)
        result = held.ok("archive", "import", exported, *with_key)
        assert f"the sessions of threema/{ID} are not imported" in result.err and TWICE not in result.err
        assert snapshot(held.keystore) == before
        content = file.read_bytes()
        held.ok("profile", "set", ID, "--nickname", "Other")
        held.ok("archive", "import", exported, *with_key, "--replace", f"threema/{ID}")
        assert file.read_bytes() == content
        file.unlink()
        for replace in ((), ("--replace", f"threema/{ID}")):
            held.ok("archive", "import", exported, *with_key, *replace)
            assert not file.exists()

    def test_list_and_check_name_them(self, held, exported, with_key, home):
        listed = held.ok("archive", "list", exported, *with_key)
        assert "identity, profile, sessions (4 values)" in listed.out
        shown = held.with_keystore(home / "none").json("archive", "list", exported, *with_key)["identities"]
        assert shown[0]["sessions"] == {"values": 4, "bytes": len(sessions.exported(VALUES))}
        assert "sessions" not in shown[1]
        checked = held.ok("archive", "check", exported, *with_key)
        assert f"same threema/{ID} with sessions (4 values)" in checked.out and "not compared" in checked.err
        sessions.path(held.keystore, "threema", ID).unlink()
        held.ok("archive", "check", exported, *with_key)

    def test_archives_of_others(self, keytool, with_key, write):
        path = write("a.age", hostile(sessions.exported(VALUES)))
        keytool.ok("archive", "import", path, *with_key)
        assert stored(keytool) == (VALUES, sessions.NOWHERE)

    @pytest.mark.parametrize("content", [
        b"", b"KTV2", b"KTV1\0", sessions.exported(VALUES)[:-1], sessions.exported({("store", b"place"): bytes(33)}),
        sessions.exported({("Session", b"1"): b""}), sessions.exported({("session", b""): b""}),
        sessions.exported({("session", b"1"): bytes((1 << 20) + 1)}),
        sessions.exported(VALUES) + sessions.exported(VALUES)[4:],
    ], ids=range(9))
    def test_hostile_sessions(self, keytool, with_key, write, content):
        path = write("a.age", hostile(content))
        refused = keytool.fails(65, "archive", "import", path, *with_key).err
        assert f"threema/{ID}: the sessions" in refused and "--without-sessions" in refused
        listed = keytool("archive", "list", path, *with_key)
        assert listed.code == 65 and f"threema/{ID}: the sessions" in listed.err
        assert listed.out.startswith(f"threema/{ID}  "), listed
        assert snapshot(keytool.keystore) == {".": "0o40700"}
        keytool.ok("archive", "import", path, *with_key, "--without-sessions")
        assert not sessions.path(keytool.keystore, "threema", ID).exists()
        compared = keytool("archive", "check", path, *with_key)
        assert compared.code == 65 and f"threema/{ID}: the sessions" in compared.err, compared

    def test_hostile_sessions_do_not_keep_others_out(self, keytool, with_key, write):
        files = archive(*threema(ID, KEY), *threema(OTHER, KEY[::-1]), (FILE, b"KTV1\0"),
                        (FILE.replace(ID, OTHER), sessions.exported(VALUES)))
        path = write("a.age", files)
        result = keytool("archive", "import", path, *with_key)
        assert result.code == 65 and f"threema/{ID}: the sessions" in result.err, result
        assert stored(keytool, OTHER) == (VALUES, sessions.NOWHERE)
        assert [one["id"] for one in keytool.json("id", "list")["identities"]] == [OTHER]
        left = keytool.json("archive", "import", path, *with_key, "--without-sessions")["results"]
        assert [(one["id"], one["result"]) for one in left] == [(ID, "added"), (OTHER, "unchanged")]
        assert all("sessions" not in one for one in left)

    def test_sessions_without_an_identity(self, keytool, with_key, write):
        path = write("a.age", archive((FILE, sessions.exported(VALUES))))
        assert "identity is missing" in keytool.fails(65, "archive", "import", path, *with_key).err
        assert snapshot(keytool.keystore) == {".": "0o40700"}

    def test_thousands_of_nonces(self, keytool, with_key, write):
        many = {("nonce", number.to_bytes(32, "big")): b"" for number in range(3000)}
        path = write("a.age", hostile(sessions.exported(many)))
        keytool.ok("archive", "import", path, *with_key, timeout=60)
        again = path.with_name("b.age")
        keytool.ok("archive", "export", "-o", again, "--with-sessions", *TO, timeout=60)
        assert archives.opened(again)[FILE] == sessions.exported(many)


def test_no_secret_is_said(held, exported, with_key, other_keytool, tmp_path):
    said = ""
    for loud in ((), ("-v",), ("--json",)):
        for runner, command in ((held, ("export", "-o", tmp_path / f"b{len(said)}.age", "--with-sessions", *TO)),
                                (held, ("list", exported, *with_key)), (held, ("check", exported, *with_key)),
                                (other_keytool, ("import", exported, *with_key))):
            result = runner("archive", *command, *loud)
            said += result.out + result.err
    for secret in VALUES.values():
        if len(secret) > 10:
            assert secret[:16].hex() not in said and base64.b64encode(secret[:15]).decode() not in said
    # Nor whom the sessions are with.
    assert "ECHOECHO" not in said
