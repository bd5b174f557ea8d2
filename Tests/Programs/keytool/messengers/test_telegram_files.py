"""telegram protect, passwd, unprotect, verify: files with a key or an account, both ways with the program age."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kit import agefile, telegram
from kit.runner import REPOSITORY, snapshot
from kit.telegram import KEYS, key_id
from test_telegram import PASSPHRASE, sealed

NEW = b"Velvet-Harbour-28"
ACCOUNT = {2: KEYS[0], 4: KEYS[1]}
TEXT = telegram.account_text(ACCOUNT, 2, 5, lost=[4])
AGE_TERMINAL = REPOSITORY / "Tests/Programs/keytool/kit/ageterminal.py"


@pytest.fixture
def old(given):
    return given("file-passphrase", PASSPHRASE)


@pytest.fixture
def new(given):
    return given("new-file-passphrase", NEW)


SECRET = bytes(range(50, 82))


@pytest.fixture
def to():
    """For a recipient: where the passphrase of the new file is not the point, its key need not be derived."""
    return ["--recipient", agefile.recipient_text(SECRET)]


def age(passphrase, *arguments):
    subprocess.run([sys.executable, AGE_TERMINAL, passphrase.decode(), *map(str, arguments)], check=True,
                   capture_output=True, timeout=60)


@pytest.mark.parametrize("form", telegram.FORMS)
def test_verify(keytool, write, given, form):
    file = write("file", telegram.FORMS[form](KEYS[0], PASSPHRASE))
    is_protected = form not in ("raw", "hashed")
    before = snapshot(keytool.home.parent, without=())
    done = keytool.ok("telegram", "verify", file, *given("file-passphrase", PASSPHRASE)) if is_protected else \
        keytool.ok("telegram", "verify", file)
    assert key_id(KEYS[0]) in done.out and "warning" in done.err
    assert ("telegram passwd" if is_protected else "telegram protect") in done.err
    if is_protected:
        assert "or it is damaged" in keytool.fails(
            12, "telegram", "verify", file, *given("file-passphrase", b"x")).err
    else:
        assert snapshot(keytool.home.parent, without=()) == before, "nothing is written"


def test_blank_lines_before_an_armored_file(keytool, write, old, tmp_path):
    file = write("plain.age", sealed(TEXT))
    armored = agefile.armored(sealed(TEXT))
    assert keytool.json("telegram", "verify", file, *old)["form"] == "age"
    for blanks in (b"", b"\n", b" \t\r\n", b"\v\f\n"):
        assert keytool.json("telegram", "verify", write("armored", blanks + armored), *old)["form"] == "age"


def test_verify_damaged(keytool, write, old):
    keytool.fails(65, "telegram", "verify", write("hashed", telegram.hashed(KEYS[0])[:-1] + b"x"))
    keytool.fails(65, "telegram", "verify", write("short", KEYS[0][:-1]))
    keytool.fails(65, "telegram", "verify", write("empty", b""))
    keytool.fails(65, "telegram", "verify", write("long", bytes(600_000)))
    keytool.fails(66, "telegram", "verify", keytool.home / "absent")
    file = sealed(TEXT)
    for damaged in (file[:-1], file + b"x", file[:100], file.replace(b"scrypt", b"scripT"),
                    file.replace(b"org/v1", b"org/v9")):
        keytool.fails(65, "telegram", "verify", write("damaged", damaged), *old)


@pytest.mark.parametrize("work_factor, code", [(10, 0), (13, 0), (14, 0), (21, 65), (40, 65)])
def test_work_factors(keytool, write, old, work_factor, code):
    """A cheap one is told; one that would cost too much is refused before any work."""
    file = sealed(TEXT, work_factor=min(work_factor, 14))
    file = write("file", file.replace(b" 14\n", b" %d\n" % work_factor) if work_factor > 14 else file)
    result = keytool("telegram", "verify", file, *old)
    assert result.code == code, result
    assert (f"work factor {work_factor}" in result.err) == (work_factor != 14)


@pytest.mark.parametrize("kind, words", [
    (b"ssh-ed25519 abc def", "ssh"), (b"mlkem768x25519 abc", "post-quantum"), (b"p256tag abc", "hardware"),
    (b"piv-p256 abc", "piv-p256")])
def test_kinds_of_recipients_that_are_not_read(keytool, write, kind, words):
    file = agefile.seal(TEXT, [(kind.split(), b"x" * 32)], b"0123456789abcdef", bytes(16))
    refused = keytool.fails(65, "telegram", "verify", write("file", file), "--json").error
    assert words in refused["message"] and refused["reason"] == "unsupported_recipient"


@pytest.mark.parametrize("content, code, words", [
    ("", 65, "contains no key"), ("hello\n", 65, "line 1"), ("# x\n\nage1xyz\n", 65, "line 3"),
    ("AGE-PLUGIN-YUBIKEY-1QQQQ\n", 65, "line 1"), ("age-encryption.org/v1\n", 65, "encrypted itself"),
    ("-----BEGIN AGE ENCRYPTED FILE-----\n", 65, "encrypted itself"), (None, 66, "cannot read")])
def test_identity_files(keytool, write, content, code, words):
    secret = bytes(range(32))
    file = agefile.seal(TEXT, [agefile.x25519_stanza(b"0123456789abcdef", agefile.public_key(
        agefile.X25519PrivateKey.from_private_bytes(secret)), bytes(range(32, 64)))], b"0123456789abcdef", bytes(16))
    key = keytool.home / "absent" if content is None else write("key.txt", content)
    refused = keytool.fails(code, "telegram", "verify", write("file", file), "--identity", key)
    assert words in refused.err
    whole = write("whole.txt", (content or "") + agefile.identity_text(secret))
    if code == 65 and not content:
        assert keytool.ok("telegram", "verify", file := write("f", file), "--identity", whole)
        whole.chmod(0o644)
        assert "can be read by others" in keytool.ok("telegram", "verify", file, "--identity", whole).err


@pytest.mark.parametrize("recipient, words", [
    ("age1xyz", "recipient 1"), ("ssh-ed25519 AAAA", "ssh"), ("AGE-SECRET-KEY-1", "recipient 1"), ("", "recipient 1")])
def test_recipients_that_are_none(keytool, write, recipient, words):
    file = write("key", KEYS[0])
    refused = keytool.fails(64, "telegram", "protect", file, "--recipient", recipient)
    assert words in refused.err
    secret = agefile.identity_text(bytes(range(32)))
    leaked = keytool.fails(64, "telegram", "protect", file, "--recipient", secret)
    assert secret[20:] not in leaked.err and "secret key" in leaked.err
    assert not Path(f"{file}.age").exists()


@pytest.mark.parametrize("form", telegram.FORMS)
def test_protect(keytool, write, old, to, form):
    file = write("file", telegram.FORMS[form](KEYS[0], PASSPHRASE))
    done = keytool.json("telegram", "protect", file, *to, *(old if form not in ("raw", "hashed") else []))
    made = Path(f"{file}.age")
    assert done["file"] == str(made) and done["form"] == form and done["key_id"] == key_id(KEYS[0])
    assert made.stat().st_mode & 0o7777 == 0o600
    assert agefile.open_file(made.read_bytes(), identity=SECRET) == telegram.hashed(KEYS[0])
    assert file.read_bytes() == telegram.FORMS[form](KEYS[0], PASSPHRASE), "it stays"
    keytool.fails(17, "telegram", "protect", file, *to, *(old if form not in ("raw", "hashed") else []))


def test_age_opens_what_was_protected_and_the_other_way_round(keytool, write, new, old, tmp_path):
    keytool.ok("telegram", "protect", write("key", KEYS[0]), *new)
    age(NEW, "-d", "-o", tmp_path / "plain", tmp_path / "key.age")
    assert (tmp_path / "plain").read_bytes() == telegram.hashed(KEYS[0])
    age(PASSPHRASE, "-p", "-a", "-o", tmp_path / "made.age", write("text", TEXT))
    opened = keytool.json("telegram", "verify", tmp_path / "made.age", *old)
    assert (opened["user_id"], opened["weak"], opened["form"]) == ("5", False, "age")
    made = subprocess.run(["age-keygen", "-o", tmp_path / "identity"], capture_output=True, check=True, text=True)
    recipient = made.stderr.split()[-1]
    keytool.ok("telegram", "protect", tmp_path / "key", "-o", tmp_path / "to.age", "--recipient", recipient)
    subprocess.run(["age", "-d", "-i", tmp_path / "identity", "-o", tmp_path / "again", tmp_path / "to.age"], check=True)
    assert (tmp_path / "again").read_bytes() == telegram.hashed(KEYS[0])
    subprocess.run(["age", "-r", recipient, "-o", tmp_path / "from.age", tmp_path / "text"], check=True)
    assert keytool.json("telegram", "verify", tmp_path / "from.age", "--identity", tmp_path / "identity")["protected"]


@pytest.mark.parametrize("content", [telegram.FORMS["pem"](KEYS[0], PASSPHRASE), sealed(TEXT)], ids=["pem", "age"])
def test_passwd(keytool, write, old, new, content):
    file = write("file", content)
    done = keytool.ok("telegram", "passwd", file, *old, *new)
    assert "older copies" in done.err
    made = file.read_bytes()
    assert b" 18\n" in made[:80] and file.stat().st_mode & 0o7777 == 0o600
    expected = TEXT if content.startswith(b"age") else telegram.hashed(KEYS[0])
    assert agefile.open_file(made, passphrase=NEW) == expected
    assert not list(file.parent.glob(".*"))
    keytool.fails(12, "telegram", "passwd", file, *old, *new)
    assert file.read_bytes() == made


def test_an_identity_for_a_file_under_a_passphrase(keytool, write):
    key = write("key.txt", agefile.identity_text(bytes(range(32))))
    refused = keytool.fails(64, "telegram", "verify", write("file", sealed(TEXT)), "--identity", key)
    assert "leave --identity out" in refused.err
    keytool.fails(64, "telegram", "verify", write("raw", KEYS[0]), "--identity", key)


def test_passwd_refuses(keytool, write, old, new, tmp_path):
    raw = write("raw", KEYS[0])
    keytool.fails(10, "telegram", "passwd", raw, *new)
    assert raw.read_bytes() == KEYS[0]
    file = write("file", sealed(TEXT))
    (tmp_path / "link").symlink_to(file)
    keytool.fails(73, "telegram", "passwd", tmp_path / "link", *old, *new)
    keytool.fails(64, "telegram", "passwd", "-", *old, *new)
    keytool.fails(16, "telegram", "passwd", file, *old)
    assert file.read_bytes() == sealed(TEXT)


@pytest.mark.parametrize("way", ["mv", "cp"])
def test_passwd_replaces_the_file_that_it_has_read(keytool, write, old, way):
    """Another file may come to its place while the new passphrase is asked for, or another content into it."""
    file, other = write("file", sealed(TEXT)), write("other", sealed(telegram.hashed(KEYS[0])))
    content = other.read_bytes()
    command = f"{way} {other} {file}; echo {NEW if isinstance(NEW, str) else NEW.decode()}"
    refused = keytool.fails(17, "telegram", "passwd", file, *old, "--new-file-passphrase-command", command)
    assert "meanwhile" in refused.err and file.read_bytes() == content
    assert not list(file.parent.glob(".*"))


@pytest.mark.parametrize("verb", [("verify",), ("unprotect", "-o", "out", "--yes")])
def test_a_passphrase_for_a_file_that_has_none(keytool, write, old, verb, tmp_path):
    """Somebody may have replaced the file."""
    raw = write("raw", KEYS[0])
    verb = [tmp_path / "out" if word == "out" else word for word in verb]
    keytool.fails(12, "telegram", verb[0], raw, *verb[1:], *old)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("call", ["write", "fsync", "rename"])
def test_passwd_on_a_failing_disk(keytool, write, old, to, call):
    """The old file stays, and nothing else."""
    from kit.processes import injection
    injection.require_tracing()
    file = write("file", sealed(TEXT))
    before = {path.name for path in file.parent.iterdir()}
    points = [point for point in injection.points(keytool, "telegram", "passwd", file, *old, *to)
              if point.call.startswith(call)]
    assert points
    for point in points:
        file.write_bytes(sealed(TEXT))
        result = injection.fail(keytool, point, "EIO", "telegram", "passwd", file, *old, *to)
        now = file.read_bytes()
        assert now == sealed(TEXT) or agefile.open_file(now, identity=SECRET) == TEXT, result
        assert result.code != 0, f"a failed {call} went unnoticed: {result}"
        assert {path.name for path in file.parent.iterdir()} == before


def test_unprotect(keytool, write, old, tmp_path):
    file, out = write("file", sealed(TEXT)), tmp_path / "raw"
    keytool.fails(64, "telegram", "unprotect", file, "-o", out, *old)
    several = keytool.fails(64, "telegram", "unprotect", file, "-o", out, "--yes", *old)
    assert "--dc 2 or 4" in several.err and not out.exists()
    done = keytool.ok("telegram", "unprotect", file, "-o", out, "--yes", "--dc", "4", *old)
    assert "marked as lost" in done.err
    assert out.read_bytes() == KEYS[1] and out.stat().st_mode & 0o7777 == 0o600
    keytool.fails(17, "telegram", "unprotect", file, "-o", out, "--yes", "--dc", "2", *old)
    keytool.fails(10, "telegram", "unprotect", file, "-o", tmp_path / "x", "--yes", "--dc", "3", *old)
    keytool.ok("telegram", "unprotect", file, "-o", out, "--force", "--yes", "--dc", "2", *old)
    assert out.read_bytes() == KEYS[0]
    assert f"the other keys of {file} are not in the new file" in done.err
    before = file.read_bytes()
    keytool.fails(64, "telegram", "unprotect", file, "-o", file, "--force", "--yes", "--dc", "2", *old)
    assert file.read_bytes() == before
    pem = write("pem", telegram.FORMS["pem"](KEYS[2], PASSPHRASE))
    assert keytool.ok("telegram", "unprotect", pem, "-o", "-", "--yes", *old).out_bytes == KEYS[2]


def test_stdin(keytool, old, to, tmp_path):
    assert key_id(KEYS[0]) in keytool.ok("telegram", "verify", "-", stdin=KEYS[0]).out
    keytool.fails(64, "telegram", "protect", "-", *to, stdin=KEYS[0])
    done = keytool.ok("telegram", "protect", "-", "-o", "-", *to, stdin=KEYS[0])
    assert agefile.open_file(done.out_bytes, identity=SECRET) == telegram.hashed(KEYS[0])


def test_a_result_in_the_place_of_its_file(keytool, write, to, tmp_path):
    """It is the only copy, and protected. Another name of the old file still leads to that."""
    file, link, second = write("key", KEYS[0]), tmp_path / "link", tmp_path / "second"
    link.symlink_to(file)
    for source in (file, link):
        file.write_bytes(KEYS[0])
        done = keytool.ok("telegram", "protect", source, "-o", file, "--force", *to)
        assert "still there" not in done.err, done
        assert agefile.open_file(file.read_bytes(), identity=SECRET) == telegram.hashed(KEYS[0])
    file.write_bytes(KEYS[0])
    os.link(file, second)
    for source, out in ((file, tmp_path / "new.age"), (second, file)):
        done = keytool.ok("telegram", "protect", source, "-o", out, "--force", *to)
        assert f"{source} is still there, and not protected" in done.err and source.read_bytes() == KEYS[0], done


def test_hints_can_be_typed(keytool, write, old):
    """A path with a blank, and standard input."""
    raw, weak = write("my key", KEYS[0]), write("my account", sealed(TEXT))
    assert f"keytool telegram protect '{raw}' writes" in keytool.ok("telegram", "verify", raw).err
    assert f"keytool telegram protect '{raw}'\n" in keytool.fails(10, "telegram", "passwd", raw).err
    assert f"keytool telegram passwd '{weak}' raises" in keytool.ok("telegram", "verify", weak, *old).err
    for content, options in ((KEYS[0], []), (sealed(TEXT), old)):
        said = keytool.ok("telegram", "verify", "-", *options, stdin=content).err
        assert "keytool telegram protect - -o FILE writes" in said and "telegram passwd" not in said, said
