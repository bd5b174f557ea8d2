"""The emergency kit: followed line by line on an empty machine, it gives the identity back; and what is remembered of it."""

import os
import re
import stat
import subprocess
from datetime import UTC, datetime, timedelta

import pytest

from kit import archives, identityfiles, masterkey, oracle
from kit.known import BACKUP_PASSWORD, SAFE_PASSWORD
from kit.processes.clock import Clocked
from kit.runner import snapshot
from kit.screens import helvetica, pictures, pixels
from kit.screens.follower import Follower, Paper
from kit.screens.printed import texts
from kit.servers.directoryserver import DirectoryServer
from kit.servers.webservers import Login, Nginx

ID = "ABCD1234"
SERVER_PASSWORD = b"let me in: 7"
LANGUAGES = ["en", "de"]
ANSWERS = {"Safe password": SAFE_PASSWORD.decode(), "ackup password": BACKUP_PASSWORD.decode(),
           "erver password": SERVER_PASSWORD.decode(), "assword of": SERVER_PASSWORD.decode()}


@pytest.fixture
def page(tmp_path):
    return tmp_path / "kit.pdf"


@pytest.fixture
def made(page, backup_password):
    """made(runner, *options): the paper of a new kit."""
    def made(runner, *options):
        result = runner.ok("backup", "kit", *backup_password, "-o", page, *options)
        assert result.out == f"wrote the emergency kit of {ID} to {page}\n"
        return Paper(page)

    return made


@pytest.fixture
def followed(keytool, tmp_path):
    """followed(paper, *verbs): on an empty machine, the paper gives the identity back."""
    def followed(paper, *verbs, runner=keytool):
        empty = runner.with_keystore(tmp_path / "empty machine")
        person = Follower(paper, tmp_path / "person", empty, ANSWERS)
        for verb in verbs:
            code, text = person.types(verb)
            assert code == 0, text
        code, text = person.types("id show")
        shown = re.search(r"public key +((?:[0-9a-f]{8}\s+){8})", text)[1]
        assert code == 0 and "".join(shown.split()) == paper.public_key, text
        assert paper.public_key == runner.json("id", "show", ID)["public_key"]
        return empty, person

    return followed


# Followed line by line


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_code_is_typed(owner, made, followed, language):
    paper = made(owner, "--language", language)
    assert ("There is no Safe" if language == "en" else "Es gibt keinen Safe") in paper.words
    assert len(paper.commands) == 2 and "safe pull" not in paper.words
    followed(paper, "backup import")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_safe_in_a_directory(safe, keytool, made, followed, language):
    keytool.ok("profile", "set", "--nickname", "Alice")
    keytool.ok("safe", "push")
    empty, _ = followed(made(keytool, "--language", language), "safe pull")
    assert empty.json("profile", "show")["nickname"] == "Alice"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("login", [None, Login("alice", SERVER_PASSWORD)], ids=["", "login"])
def test_a_safe_on_a_server_with_a_public_authority(
        owner, web_server, certificates, given, safe_password, made, followed, login, language):
    server = web_server(Nginx, login).prepare()
    trusting = owner.with_environment(SSL_CERT_FILE=certificates.authority.path)
    user = ["--server-user", "alice", *given("server-password", SERVER_PASSWORD)] if login else []
    trusting.ok("safe", "setup", "--server", server.url, *user, *safe_password)
    trusting.ok("safe", "push")
    paper = made(trusting, "--language", language)
    assert server.url in paper.words and "--ca-fingerprint" not in paper.words
    assert ("alice" in paper.words) == bool(login)
    followed(paper, "safe pull", runner=trusting)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_safe_on_a_self_signed_server(owner, web_server, certificates, safe_password, made, followed, language):
    server = web_server(Nginx, None, certificates.self_signed).prepare()
    owner.ok("safe", "setup", "--server", server.url, "--ca-file", certificates.self_signed.path, *safe_password)
    owner.ok("safe", "push")
    paper = made(owner, "--language", language)
    print_ = certificates.self_signed.fingerprint.upper()
    assert ":".join(re.findall("..", print_[:32])) in paper.words
    followed(paper, "safe pull")


def test_the_code_after_the_safe_is_lost(safe, keytool, made, tmp_path):
    keytool.ok("safe", "push")
    paper = made(keytool)
    for backup in safe.directory.backups.iterdir():
        backup.unlink()
    empty = keytool.with_keystore(tmp_path / "empty machine")
    person = Follower(paper, tmp_path / "person", empty, ANSWERS)
    code, text = person.types("safe pull")
    assert code == 10, text
    code, text = person.types("backup import")
    assert code == 0 and empty.json("id", "show")["public_key"] == paper.public_key, text


def test_several_safes(safe, keytool, made, followed, tmp_path):
    keytool.ok("safe", "setup", "--name", "nas", "--same-password", "--create", "--server", f"file://{tmp_path}/nas")
    keytool.ok("safe", "push")
    paper = made(keytool)
    pulls = [command for command in paper.commands if "safe pull" in command]
    assert len(pulls) == 2 and f"file://{tmp_path}/nas" in pulls[1].replace("\\\n", "")
    assert "Safe password (nas)" in paper.words and "Safe password (main)" in paper.words
    order = ['From the Safe "main": Type', 'Or from the Safe "nas", if another one fails']
    assert [paper.words.count(each) for each in order] == [1, 1] and paper.words.count("at the end of a line") == 1
    assert paper.words.count("The server is a directory, on the writer's computer") == 2


def test_a_directory_comes_last(owner, made, web_server, certificates, safe_password, tmp_path):
    owner.ok("safe", "setup", "--create", "--server", f"file://{tmp_path}/nas", *safe_password)
    server = web_server(Nginx, None, certificates.self_signed).prepare()
    owner.ok("safe", "setup", "--name", "away", "--same-password", "--server", server.url,
             "--ca-file", certificates.self_signed.path)
    paper = made(owner)
    pulls = [command for command in paper.commands if "safe pull" in command]
    assert "https://" in pulls[0] and "file://" in pulls[1]


# The page


def test_content(safe, keytool, made, page):
    keytool.ok("safe", "push")
    paper = made(keytool)
    made_ = keytool.json("id", "show")
    code = "-".join(paper.rows)
    order = [f"Emergency kit for the Threema ID {ID}", "Written on 20", "no password", "Written by",
             "1. Get the program keytool", 'answers "Illegal option", type messenger-keytool instead', "2. Restore from the Safe", safe.directory.url,
             "keytool safe pull", "3. Restore from the backup code", "keytool backup import", paper.rows[3],
             oracle.check_word(code), "4. Compare the public key", f"keytool id show {ID}", "Passwords Write",
             "Backup password"]
    places = [paper.words.find(part) for part in order]
    assert -1 not in places and places == sorted(places), list(zip(order, places))
    assert oracle.open_code(code, BACKUP_PASSWORD).public_key == made_["public_key"] == paper.public_key
    assert paper.words.endswith("Backup password Safe password"), paper.words
    assert BACKUP_PASSWORD not in page.read_bytes() and SAFE_PASSWORD not in page.read_bytes()
    told = subprocess.run(["pdfinfo", page], capture_output=True, text=True, timeout=60).stdout
    assert re.search(r"Pages: +1\n", told) and "(A4)" in told, told


def test_every_qr_code_is_read(safe, keytool, made, page, tmp_path):
    paper = made(keytool)
    image = pictures.printed(page, 200)
    read = subprocess.run(["zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", image],
                          capture_output=True, text=True, timeout=60).stdout.split()
    assert sorted(read) == sorted(["-".join(paper.rows), safe.directory.url])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("user", [None, "alice", "x" * 100], ids=["", "login", "long login"])
@pytest.mark.parametrize("address", ["https://safe.example.net/alice", "https://safe.example.net/" + "a/" * 400], ids=["short", "long"])
def test_every_line_fits(owner, made, page, safe_password, given, user, address, language):
    login = [f"--server-user={user}", *given("server-password", SERVER_PASSWORD)] if user else []
    owner.ok("safe", "setup", "--no-test", "--server", address, *login, *safe_password)
    paper = made(owner, "--language", language)
    assert helvetica.overlong(page) == []
    pages = int(re.search(r"Pages: +(\d)", subprocess.run(
        ["pdfinfo", page], capture_output=True, text=True, timeout=60).stdout)[1])
    assert (pages == 1) == (len(address) < 100 and len(user or "") < 100) and (pages == 1 or "2 of 2" in paper.words or "2 von 2" in paper.words)
    for number in range(1, pages + 1):
        drawn = subprocess.run(["pdftoppm", "-r", "100", "-png", "-f", str(number), "-singlefile", page,
                                page.with_suffix("")], capture_output=True, timeout=60)
        assert drawn.returncode == 0 and pictures.fits(pictures.ink(page.with_suffix(".png")))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_usual_kit_is_one_page(owner, made, page, safe_password, given, certificates, language):
    owner.ok("safe", "setup", "--no-test", "--server", "https://safe.example.net/alice", "--server-user", "alice",
             *given("server-password", SERVER_PASSWORD), "--ca-file", certificates.authority.path, *safe_password)
    made(owner, "--language", language)
    told = subprocess.run(["pdfinfo", page], capture_output=True, text=True, timeout=60).stdout
    assert re.search(r"Pages: +1\n", told) and helvetica.overlong(page) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_long_name_of_a_place_ends_before_the_picture(owner, made, page, safe_password, tmp_path, language):
    for name, password in (("a" + "n" * 31, safe_password), ("b" + "n" * 31, ["--same-password"])):
        owner.ok("safe", "setup", "--name", name, "--create", "--server", f"file://{tmp_path}/{name[0]}", *password)
    made(owner, "--language", language)
    ends = [end for text, _, end in helvetica.lines(page) if 'nn"' in text]
    assert len(ends) == 2 and max(ends) < (195 - 26) * 72 / 25.4 and helvetica.overlong(page) == []


def test_a_safe_that_fits_no_page_is_refused(owner, page, safe_password, given, backup_password):
    owner.ok("safe", "setup", "--no-test", "--server", "https://safe.example.net/" + "a/" * 2000, "--server-user",
             "x" * 256, *given("server-password", SERVER_PASSWORD), *safe_password)
    refused = owner.fails(65, "backup", "kit", *backup_password, "-o", page)
    assert "does not fit on a page" in refused.err and not page.exists()
    assert not identityfiles.path(owner.keystore, ID, "kit").exists()


# The file


def test_file_is_ours_alone_and_not_replaced(owner, made, page, backup_password):
    owner.ok("backup", "kit", *backup_password, "-o", page, umask=0)
    assert stat.S_IMODE(page.lstat().st_mode) == 0o600
    before = page.read_bytes()
    owner.fails(17, "backup", "kit", *backup_password, "-o", page)
    assert page.read_bytes() == before
    made(owner, "--force")
    assert page.read_bytes() != before and os.listdir(page.parent).count(page.name) == 1


def test_refusals(owner, page, backup_password, given):
    before = snapshot(owner.keystore)
    for words in ([], ["-o", page.with_suffix(".svg")], ["-o", "kit"], ["-o", ""], ["-o", owner.keystore / "kit.pdf"],
                  ["-o", page, "--language", "fr"]):
        owner.fails(64, "backup", "kit", *backup_password, *words)
    owner.fails(10, "backup", "kit", "ZZZZ9999", *backup_password, "-o", page)
    owner.fails(16, "backup", "kit", "-o", page)
    owner.fails(64, "backup", "kit", *given("backup-password", b"short"), "-o", page)
    owner.fails(73, "backup", "kit", *backup_password, "-o", page.parent / "absent/kit.pdf")
    assert snapshot(owner.keystore) == before and not page.exists()


def test_stdout(owner, backup_password, terminal, page):
    process = owner.start("backup", "kit", *backup_password, "-o", "-")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0 and out.startswith(b"%PDF-1.4\n") and out.endswith(b"%%EOF\n"), err
    page.write_bytes(out)
    assert f"check word {Paper(page).check_word}" in err.decode()
    assert "made 0 days ago" in owner.ok("doctor").out
    run = terminal("backup", "kit", *backup_password, "-o", "-")
    assert run.finish() == 64 and "%PDF" not in run.text


def test_json(safe, keytool, backup_password, page):
    shown = keytool.json("backup", "kit", ID, *backup_password, "-o", page)
    assert (shown["command"], shown["id"], shown["file"], shown["places"]) == ("backup kit", ID, str(page), 1)
    assert shown["bytes"] == page.stat().st_size and shown["check"] == Paper(page).check_word


# What is remembered


def said(runner):
    """(what doctor says of the kit, the kit in safe status as JSON or None)"""
    line = re.search(r"^(.*)kit 1 +(.*)$", runner("doctor").out, re.M)
    status = runner("safe", "status", "--json")
    return line and line[2], status.json.get("kit") if status.code == 0 else None


def test_age(safe, keytool, made, write, backup_password):
    assert said(keytool) == (None, None)
    paper = made(Clocked(keytool, datetime.now(UTC) - timedelta(days=40)))
    words, kit = said(keytool)
    assert words == "made 40 days ago" and kit["outdated"] is False and "checked_at" not in kit
    assert "kit         made 40 days ago\n" in keytool.ok("safe", "status").out
    keytool.ok("backup", "check", write("code", "-".join(paper.rows)), *backup_password)
    words, kit = said(keytool)
    assert words == "made 40 days ago, its code checked 0 days ago" and kit["checked_at"]


def test_another_code_is_not_the_kits(safe, keytool, made, write, backup_password):
    made(keytool)
    other = keytool.ok("backup", "export", *backup_password).out
    keytool.ok("backup", "check", write("code", other), *backup_password)
    assert said(keytool)[0] == "made 0 days ago"


CHANGES = {
    "address": lambda place, file: ["safe", "move", "--create", "--server", f"file://{place}/other"],
    "password": lambda place, file: ["safe", "passwd", "--new-safe-password-file", file],
    "another place": lambda place, file: ["safe", "setup", "--name", "nas", "--same-password", "--create", "--server",
                                          f"file://{place}/nas"],
    "deleted": lambda place, file: ["safe", "delete", "--yes"],
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_safe_makes_it_old(safe, keytool, made, write, tmp_path, name):
    keytool.ok("safe", "push")
    made(keytool)
    keytool.ok("safe", "push", "--force")
    keytool.ok("safe", "check")
    assert said(keytool)[0] == "made 0 days ago"
    keytool.ok(*CHANGES[name](tmp_path, write("new", b"another long Safe password 9")))
    words, kit = said(keytool)
    assert words == "made 0 days ago; the Safe has changed since: write a new one, keytool backup kit ID -o FILE.pdf", words
    assert kit is None or kit["outdated"] is True
    assert re.search("^WARNING +kit 1", keytool("doctor").out, re.M)
    made(keytool, "--force")
    assert said(keytool)[0] == "made 0 days ago"


def test_login_and_trust_make_it_old(owner, made, web_server, way, certificates, given, safe_password, write):
    server = web_server(Nginx, Login("alice", SERVER_PASSWORD)).prepare()
    owner.ok("safe", "setup", *way(server), *safe_password)

    def other_login():
        server.restart(login=Login("bob", b"another pass 4"))
        return ["--server-user", "bob", *given("server-password", b"another pass 4")]

    def other_password():
        server.restart(login=Login("bob", b"third pass 5"))
        return ["--server-user", "bob", *given("server-password", b"third pass 5")]

    def more_authorities():
        return ["--ca-file", write("two.pem", b"".join(
            one.path.read_bytes() for one in (certificates.authority, certificates.stranger)))]

    for change in (other_login, other_password, more_authorities, lambda: ["--pin", certificates.good.pin]):
        made(owner, "--force")
        assert said(owner)[0] == "made 0 days ago"
        owner.ok("safe", "server", *change())
        assert "the Safe has changed since" in said(owner)[0], change


def test_a_first_safe_makes_it_old_and_a_new_code_does_not(owner, made, directory, safe_password, backup_password):
    made(owner)
    owner.ok("backup", "export", *backup_password)
    assert said(owner)[0] == "made 0 days ago"
    owner.ok("safe", "setup", "--create", "--server", directory.url, *safe_password)
    assert "the Safe has changed since" in said(owner)[0]


def test_a_kit_that_nobody_has_is_not_remembered(owner, made, page, backup_password):
    with open("/dev/full", "w") as full:
        assert owner("backup", "kit", *backup_password, "-o", page, stdout=full).code == 74
    assert not page.exists() and said(owner)[0] is None
    paper = made(Clocked(owner, datetime.now(UTC) - timedelta(days=5)))
    former = page.read_bytes()
    with open("/dev/full", "w") as full:
        assert owner("backup", "kit", *backup_password, "-o", page, "--force", stdout=full).code == 74
    assert said(owner)[0] == "made 5 days ago" and paper and page.read_bytes() == former
    assert list(page.parent.glob("*.pdf")) == [page]


def test_a_key_that_is_replaced_meanwhile(owner, page, backup_password, write, terminal):
    """The code of one key beside the public key of another would look like a forgery."""
    run = terminal("backup", "kit", "-o", page, runner=owner, columns=200)
    run.expect(r"for the new backup code[^\n]*: $")
    code = oracle.seal_code(oracle.Identity(ID, bytes(range(32))), BACKUP_PASSWORD)
    owner.ok("backup", "import", "--replace", write("code", code), *backup_password)
    run.send(BACKUP_PASSWORD.decode())
    run.expect("again: $")
    run.send(BACKUP_PASSWORD.decode())
    assert run.finish() == 19 and "nothing was written" in run.text and not page.exists()


def test_a_new_key_has_no_kit(owner, made, backup_password, write):
    made(owner)
    code = oracle.seal_code(oracle.Identity(ID, bytes(range(32))), BACKUP_PASSWORD)
    owner.ok("backup", "import", "--replace", write("code", code), *backup_password)
    assert said(owner)[0] is None


def test_an_archive_has_it(safe, keytool, made, write, tmp_path):
    made(keytool)
    keytool.ok("archive", "export", "-o", tmp_path / "all.age", "--recipient", archives.RECIPIENT)
    empty = keytool.with_keystore(tmp_path / "another")
    empty.ok("archive", "import", tmp_path / "all.age", "--identity", write("agekey", archives.IDENTITY),
             "--no-passphrase")
    assert said(empty)[0] == "made 0 days ago"


def test_the_record(owner, made):
    paper = made(owner)
    record = identityfiles.opened(identityfiles.path(owner.keystore, ID, "kit"), masterkey.read(owner))
    assert len(record) == 89 and record[0] == 1 and record[1:33].hex() == paper.public_key
    assert record[41:49] == bytes(8) and record[49:57].decode() == paper.check_word.replace("-", "")


def test_a_damaged_record_is_found_and_replaced(owner, made, write, backup_password):
    paper = made(owner)
    path = identityfiles.path(owner.keystore, ID, "kit")
    path.write_bytes(path.read_bytes()[:-1])
    damaged = owner("doctor")
    assert damaged.code == 65 and re.search("damaged records: kit", damaged.out)
    # What the code is worth is known and stored nevertheless.
    checked = owner.ok("backup", "check", write("code", "-".join(paper.rows)), *backup_password)
    assert "the date of this check was stored" in checked.out
    assert "the date was not stored for the emergency kit" in checked.err and "not compared" not in checked.err
    made(owner, "--force")
    assert said(owner)[0] == "made 0 days ago"


# Identities that no app takes, and those of a directory


def test_a_gateway_id_has_no_app(keytool, made, page, write, given):
    keytool.ok("backup", "import", write("key", "private:" + "5e" * 32), "--id", "*TESTGW1", "--no-passphrase",
               *given("gateway-secret", b"s3cret"))
    keytool.ok("backup", "kit", "*TESTGW1", *given("backup-password", BACKUP_PASSWORD), "-o", page)
    words = Paper(page).words
    assert "Threema app" not in words and "The API secret of *TESTGW1 is not here" in words and helvetica.overlong(page) == []
    keytool.ok("backup", "export", "*TESTGW1", *given("backup-password", BACKUP_PASSWORD), "--sheet", page, "--force")
    words = Paper(page).words
    assert "Threema app" not in words and "With keytool, a program for Linux" in words


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_directory_is_named(keytool, at, id_directory, backup_password, page, tmp_path, language):
    """Without its address nobody can revoke the identity."""
    keytool.ok("id", "create", "--no-passphrase", *at)
    keytool.ok("backup", "kit", *backup_password, "-o", page, "--language", language)
    keytool.ok("backup", "split", "--shares", "2/2", "--sheet", tmp_path / "pages", "--language", language)
    for paper in (page, *(tmp_path / "pages").iterdir()):
        words = " ".join(texts(paper))
        assert id_directory.url in words and "keytool id revoke" in words and helvetica.overlong(paper) == []
        assert "id create" not in words


class DeepDirectory(DirectoryServer):
    """At an address with a long path."""

    PATH = "deep/" * 40

    def _outcome(self, path, request, fields):
        return super()._outcome(path.removeprefix(self.PATH), request, fields)


def test_a_directory_that_does_not_fit_on_a_share_is_said(keytool, certificates, tmp_path):
    directory = DeepDirectory(certificates.good)
    keytool.ok("id", "create", "--no-passphrase", "--directory", directory.url + directory.PATH, "--directory-ca-file",
               certificates.authority.path)
    assert "too long for the pages" in keytool.ok("backup", "split", "--shares", "2/2", "--sheet", tmp_path / "pages").err
    for page in (tmp_path / "pages").iterdir():
        words = " ".join(texts(page))
        assert "deep" not in words and "This directory" not in words and helvetica.overlong(page) == []
    directory.close()


def test_pages_without_a_damaged_directory(keytool, at, backup_password, page, tmp_path, id_directory):
    """Paper without it is better than none while the directory cannot be reached, and a warning says how to do better."""
    keytool.ok("id", "create", "--no-passphrase", *at)
    id = keytool.json("id", "show")["id"]
    identityfiles.path(keytool.keystore, id, "directory").write_bytes(bytes(200))
    for command in (["kit", *backup_password, "-o", page], ["split", "--shares", "2/2", "--sheet", tmp_path / "pages"]):
        said = keytool.ok("backup", *command).err
        assert "the directory of " in said and f"keytool contact check --identity {id} --directory URL" in said
    for command in (["split", "--shares", "2/2", "--reveal-shares"], ["export", *backup_password, "--sheet", tmp_path / "sheet.pdf"]):
        assert "directory" not in keytool.ok("backup", *command).err
    keytool.ok("contact", "check", "--identity", id, *at)
    assert "damaged" not in keytool.ok("backup", "kit", *backup_password, "-o", page, "--force").err
    assert id_directory.url in Paper(page).words
