"""An archive whose key people share: from the pages alone, with other programs and with keytool; and what is refused."""

import itertools
import json
import re
import stat
import subprocess

import pytest

from kit import agefile, archives, shamir
from kit.archives import RECIPIENT
from kit.runner import snapshot
from kit.screens.printed import texts

ID, OTHER = "ABCD1234", "WXYZ9876"
PYTHON = "/usr/bin/python3"


@pytest.fixture
def held(keytool):
    keytool.ok("id", "create", "--id", ID)
    keytool.ok("id", "create", "--id", OTHER)
    keytool.ok("mainkey", "init", "--no-input")
    keytool.ok("profile", "set", ID, "--nickname", "Zoë")
    return keytool


@pytest.fixture
def archive(tmp_path):
    return tmp_path / "keys.age"


@pytest.fixture
def pages(tmp_path):
    return tmp_path / "pages"


@pytest.fixture
def made(held, archive, pages):
    return held.json("archive", "export", "-o", archive, "--shares", "2/3", "--sheet", pages)


@pytest.fixture
def files(made, pages, write):
    return [write(f"share{number}", shamir.words_on(page)) for number, page in enumerate(sorted(pages.iterdir()), 1)]


def between(lines, start, end):
    first = next(index for index, line in enumerate(lines) if line.startswith(start))
    last = next(index for index, line in enumerate(lines) if line.startswith(end))
    assert first < last
    return lines[first + 1:last]


@pytest.mark.parametrize("language, program", [("en", ("This Python program", "Write that line")),
                                               ("de", ("Dieses Python-Programm", "Schreiben Sie diese Zeile"))])
def test_from_the_pages_alone(held, archive, pages, tmp_path, language, program):
    """shamir-mnemonic, the printed program, age and tar: no keytool."""
    held.ok("archive", "export", "-o", archive, "--shares", "2/3", "--sheet", pages, "--language", language)
    records = archives.records(held)
    for chosen in itertools.combinations(sorted(pages.iterdir()), 2):
        place = tmp_path / "-".join(page.stem for page in chosen)
        place.mkdir()
        (place / archive.name).symlink_to(archive)
        secret = shamir.join([shamir.words_on(page) for page in chosen])
        lines = texts(chosen[0])
        (place / "program.py").write_text("\n".join(between(lines, *program)) + "\n")
        run = subprocess.run([PYTHON, "program.py"], cwd=place, input=secret.hex() + "\n", capture_output=True, text=True, timeout=60)
        assert run.returncode == 0 and run.stderr == "", run
        assert run.stdout.split("\n")[1] == agefile.identity_text(secret)
        # All that it prints, or the one line.
        for content in (run.stdout, run.stdout.split("\n")[1]):
            (place / "key.txt").write_text(content)
            (command,) = [line for line in lines if line.startswith("age -d")]
            subprocess.run(["sh", "-ec", command], cwd=place, check=True, timeout=60)
        unpacked = {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*")
                    if path.is_file() and len(path.relative_to(place).parts) > 1}
        assert unpacked == records and len(records) > 3
        assert "keytool archive import" in (place / "README.txt").read_text()


def test_pages(made, archive, pages):
    assert [page.name for page in sorted(pages.iterdir())] == [f"share-{number}-archive.pdf" for number in (1, 2, 3)]
    assert stat.S_IMODE(pages.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(page.stat().st_mode) == 0o600 for page in pages.iterdir())
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600
    assert "words" not in json.dumps(made) and made["protection"] == "shares" and made["verified"]
    assert (made["threshold"], made["count"], made["bytes"]) == (2, 3, archive.stat().st_size)
    words = [shamir.words_on(page) for page in sorted(pages.iterdir())]
    for number, page in enumerate(sorted(pages.iterdir()), 1):
        text = " ".join(texts(page))
        for part in (f"Share {number} of 3 of a keytool archive", "Any 2 of these 3 pages open the archive", "File keys.age",
                     f"These pages belong together {made['set']}", made["recipient"], "keytool archive import --shares keys.age", "Given to",
                     "SLIP-39", "shamir recover", "age -d -i key.txt keys.age | tar -x"):
            assert part in text, part
        # No identity, and no other share.
        assert ID not in text and all(other not in " ".join(text.split()) for other in words if other != words[number - 1])


@pytest.mark.parametrize("name, shown, typed", [
    ("a b.age", "a b.age", "'a b.age'"), ("-x.age", "-x.age", "./-x.age"), ("clé.age", "clé.age", "'clé.age'"),
    ("cle\u0301.age", "cle\\u{301}.age", "$'cle\\314\\201.age'"), ("ключ.age", "\\u{43a}\\u{43b}\\u{44e}\\u{447}.age", "ARCHIVE"), ("¤¤¤¤¤¤¤¤.age", None, "ARCHIVE"),
    ("x" * 61, None, "ARCHIVE"), ("y" * 40, "y" * 40, "ARCHIVE")])
def test_names(held, tmp_path, pages, name, shown, typed):
    held.ok("archive", "export", "-o", tmp_path / name, "--shares", "2/2", "--sheet", pages)
    lines = texts(sorted(pages.iterdir())[1])
    assert [line for line in lines if line.startswith("File ")] == ([f"File {shown}"] if shown else [])
    assert f"age -d -i key.txt {typed} | tar -x" in lines
    assert len(shamir.words_on(pages / "share-1-archive.pdf").split()) == 33


def test_import(held, files, archive, other_keytool):
    said = other_keytool.ok("archive", "import", archive, "--shares", *files[1:], "--no-passphrase")
    assert f"added threema/{ID}" in said.out
    assert other_keytool.json("id", "show", ID)["public_key"] == held.json("id", "show", ID)["public_key"]
    # One more than needed has to fit, too; and stdin is one of them.
    assert held.ok("archive", "check", archive, "--shares", *files[:2], "-", stdin=files[2].read_bytes()).code == 0
    assert ID in other_keytool.ok("archive", "list", archive, "--shares", files[0], files[2]).out
    held.ok("archive", "check", "-", "--shares", *files[:2], stdin=archive.read_bytes())


def test_check_finds_differences(held, files, archive):
    held.ok("profile", "set", ID, "--nickname", "Ann")
    assert held("archive", "check", archive, "--shares", *files[:2]).code == 19


def test_later_archives_open_with_the_same_shares(held, made, files, tmp_path):
    later = tmp_path / "later.age"
    held.ok("profile", "set", ID, "--nickname", "Ann")
    said = held.ok("archive", "export", "-o", later, "--recipient", made["recipient"], "--recipient", RECIPIENT)
    assert "wrote 3 identities" in said.out
    held.ok("archive", "check", later, "--shares", *files[1:])


def test_typed(held, files, archive, terminal):
    run = terminal("archive", "check", archive, "--shares")
    words = [file.read_text() for file in files]
    run.expect(r"Share 1, word 1: $")
    run.send(words[2])
    run.expect(r"Share 3 is right\. 1 of 2 shares are here")
    run.expect(r"Share 2, word 1: $")
    run.send(words[2])
    run.expect("this share was typed already")
    run.expect(r"Share 2, word 1: $")
    wrong = words[0].split()
    wrong[16] = next(word for word in words[1].split()[4:] if word not in wrong)
    run.send(" ".join(wrong))
    run.expect("word 17 is probably wrong")
    run.expect(r"Share 2, word 17 again: $")
    run.send(words[0].split()[16])
    assert run.finish() == 0, run.text
    assert f"same threema/{ID}" in run.text


def test_to_stdout(held, pages):
    result = held.ok("archive", "export", "-o", "-", "--shares", "2/2", "--sheet", pages)
    secret = shamir.join([shamir.words_on(page) for page in pages.iterdir()])
    assert b"keytool-archive" in agefile.open_file(result.out_bytes, secret, None)
    assert "wrote share 2 of the archive" in result.err
    assert "ARCHIVE" in " ".join(texts(next(pages.iterdir())))


def test_words_on_stdout(held, tmp_path):
    lines = held.ok("archive", "export", "-o", tmp_path / "a.age", "--shares", "2/3", "--reveal-shares").out.splitlines()
    secret = shamir.join(lines[:2])
    assert len(lines) == 3 and b"keytool-archive" in agefile.open_file((tmp_path / "a.age").read_bytes(), secret, None)
    made = held.json("archive", "export", "-o", tmp_path / "b.age", "--shares", "2/3", "--reveal-shares")
    secret = shamir.join([share["words"] for share in made["shares"][1:]])
    assert agefile.recipient_text(secret) == made["recipient"]
    assert b"keytool-archive" in agefile.open_file((tmp_path / "b.age").read_bytes(), secret, None)


def test_words_on_a_terminal(held, terminal, tmp_path):
    run = terminal("archive", "export", "-o", tmp_path / "a.age", "--shares", "2/2", "--reveal-shares")
    assert run.finish() == 0 and "Share 2 of 2 of the archive, 2 are needed:" in run.text and "scrollback" in run.text
    assert "wrote 3 identities" in run.text


# What is refused


def refused(keytool, code, archive, *arguments):
    result = keytool("archive", "import", archive, "--shares", *arguments, "--no-passphrase")
    assert result.code == code and not (keytool.keystore / "identities").exists(), result
    return result.err


def test_too_few(other_keytool, files, archive):
    assert "1 of 2 shares are here (number 2); 1 more is needed" in refused(other_keytool, 16, archive, files[1])
    assert "was read already" in refused(other_keytool, 16, archive, files[1], files[1])
    assert "no share was given" in refused(other_keytool, 16, archive)


def test_shares_of_another_set(held, other_keytool, files, archive, pages, tmp_path, write):
    other = held.json("archive", "export", "-o", tmp_path / "b.age", "--shares", "2/3", "--reveal-shares")["shares"]
    others = [write(f"other{share['number']}", share["words"]) for share in other]
    assert "of another set" in refused(other_keytool, 19, archive, files[0], others[1])
    # A whole set of another archive.
    assert "they are not of this archive" in refused(other_keytool, 19, archive, *others[:2])


def test_shares_of_an_identity(held, other_keytool, archive, made, write):
    given = held.json("backup", "split", ID, "--shares", "2/2", "--reveal-shares")["shares"]
    said = refused(other_keytool, 19, archive, *[write(f"id{share['number']}", share["words"]) for share in given])
    assert "they are not of this archive" in said and "keytool backup join" in said


def test_backup_join_of_an_archive(other_keytool, files, terminal):
    result = other_keytool("backup", "join", *files[:2], "--id", ID, "--no-passphrase")
    assert result.code == 64 and "keytool archive import --shares FILE" in result.err
    assert not (other_keytool.keystore / "identities").exists()
    result = other_keytool("backup", "join", *files[:2], "--id", ID, "--expect-public-key", "00" * 31 + "09")
    assert result.code == 19 and "keytool archive import --shares FILE" in result.err
    run = terminal("backup", "join", *files[:2], "--id", ID, "--no-passphrase", runner=other_keytool)
    run.expect(r"check word[^\n]*$")
    run.send("n")
    assert run.finish() == 19 and "keytool archive import --shares" in run.text.replace("\r\n", " ")


def test_backup_check_of_an_archive(held, files):
    assert "the words are right: share 1, of which 2 are needed" in held.ok("backup", "check", "--share", files[0]).out
    held.json("backup", "split", ID, "--shares", "2/2", "--reveal-shares")
    result = held("backup", "check", "--share", files[0])
    assert result.code == 19 and "the words are right" in result.out and "of an archive" in result.err


def test_other_secrets(other_keytool, archive, made, write):
    short = shamir.split(bytes(16))[0]
    assert "16 bytes" in refused(other_keytool, 65, archive, write("a", short[0]), write("b", short[1]))


def test_a_page_is_not_read_as_words(other_keytool, archive, made, pages):
    assert "is a page to print" in refused(other_keytool, 65, archive, *sorted(pages.iterdir())[:2])


def test_nothing_is_asked_for_what_no_share_opens(held, other_keytool, given, tmp_path, files):
    held.ok("archive", "export", "-o", tmp_path / "b.age", *given("archive-passphrase", archives.PASSPHRASE))
    assert "leave --shares out" in refused(other_keytool, 64, tmp_path / "b.age", *files[:2])


def test_without_the_option(other_keytool, archive, files, given):
    result = other_keytool("archive", "list", archive)
    assert result.code == 16 and "--shares" in result.err and "--identity" in result.err
    for more in ([files[0]], ["--shares", "--identity", files[0]], ["--shares", "-", "-"],
                 ["--shares", *given("archive-passphrase", b"three tin roofs")]):
        assert other_keytool("archive", "list", archive, *more).code == 64
    assert other_keytool("archive", "list", "-", "--shares", "-", stdin=b"").code == 64


@pytest.mark.parametrize("more", [
    ["--sheet", "pages"], ["--reveal-shares"], ["--language", "de"], ["--shares", "2/3"], ["--shares", "1/2", "--sheet", "pages"],
    ["--shares", "2/3", "--sheet", "pages", "--recipient", RECIPIENT],
    ["--shares", "2/3", "--sheet", "pages", "--archive-passphrase-file", "passphrase"],
    ["--shares", "2/3", "--sheet", "pages", "--force"], ["--shares", "2/3", "--sheet", "-"]])
def test_exports_that_are_refused(held, tmp_path, more):
    before = snapshot(tmp_path)
    assert held("archive", "export", "-o", "a.age", *more, cwd=tmp_path).code == 64
    assert snapshot(tmp_path) == before


def test_one_stdout(held):
    assert held("archive", "export", "-o", "-", "--shares", "2/3", "--reveal-shares").code == 64


def test_a_file_that_is_there_is_not_replaced(held, archive, pages):
    archive.write_bytes(b"mine")
    result = held("archive", "export", "-o", archive, "--shares", "2/3", "--sheet", pages)
    assert result.code == 17 and "--force" not in result.err and archive.read_bytes() == b"mine" and not pages.exists()


def test_a_file_that_another_program_makes_meanwhile(held, archive, pages, given):
    """Pages of an archive that was not written would open nothing."""
    held.ok("key", "protect", *given("passphrase", b"long enough for this\n"))
    result = held(
        "archive", "export", "-o", archive, "--shares", "2/3", "--sheet", pages,
        "--passphrase-command", f"echo mine > {archive}; echo long enough for this")
    assert result.code == 17 and archive.read_bytes() == b"mine\n" and not pages.exists(), result


def test_a_page_that_is_there_is_not_replaced(held, archive, pages):
    pages.mkdir()
    (pages / "share-3-archive.pdf").write_text("mine")
    assert held("archive", "export", "-o", archive, "--shares", "2/3", "--sheet", pages).code == 17
    assert [path.name for path in pages.iterdir()] == ["share-3-archive.pdf"] and not archive.exists()


@pytest.mark.parametrize("more", [["--sheet", "pages"], ["--reveal-shares"], ["--json", "--reveal-shares", "--sheet", "pages"]])
def test_a_result_that_cannot_be_printed(held, tmp_path, more):
    """Neither an archive that nobody opens, nor pages that open nothing."""
    before = snapshot(tmp_path)
    with open("/dev/full", "w") as full:
        assert held("archive", "export", "-o", "a.age", "--shares", "2/3", *more, cwd=tmp_path, stdout=full).code == 74
    assert snapshot(tmp_path) == before


def test_an_archive_that_cannot_be_piped(held, pages):
    with open("/dev/full", "w") as full:
        assert held("archive", "export", "-o", "-", "--shares", "2/3", "--sheet", pages, stdout=full).code == 74
    assert not pages.exists()


@pytest.mark.parametrize("output, sheet", [
    ("keys.age", "keys.age"), ("keys.age", "./keys.age//"), ("keys.age", "link/keys.age"), ("a/../keys.age", "keys.age"),
    ("a/share-2-archive.pdf", "a"), ("a/share-2-archive.pdf", "link/a")])
def test_one_path_for_archive_and_pages(held, tmp_path, output, sheet):
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to(tmp_path)
    before = snapshot(tmp_path)
    held.fails(64, "archive", "export", "-o", output, "--shares", "2/3", "--sheet", sheet, cwd=tmp_path)
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("output, sheet", [("keys.age", "keys.age/pages"), ("pages/keys.age", "pages")])
def test_archive_and_pages_inside_each_other(held, tmp_path, output, sheet):
    """The outer one does not exist yet."""
    before = snapshot(tmp_path)
    held.fails(73, "archive", "export", "-o", output, "--shares", "2/3", "--sheet", sheet, cwd=tmp_path)
    assert snapshot(tmp_path) == before


def test_a_file_is_no_directory_for_pages(held, archive, tmp_path, write):
    mine = write("mine", "mine")
    said = held.fails(73, "archive", "export", "-o", archive, "--shares", "2/3", "--sheet", mine).err
    assert f"{mine} is not a directory" in said and "share-1" not in said and mine.read_text() == "mine"


def test_an_empty_name(held, pages):
    held.fails(64, "archive", "export", "-o", "", "--recipient", RECIPIENT)
    held.fails(64, "archive", "export", "-o", "", "--shares", "2/3", "--sheet", pages)
    assert not pages.exists()


def test_hints_of_a_name_with_a_dash(held, tmp_path):
    said = held.ok("archive", "export", "--output=-x.age", "--shares", "2/3", "--sheet", "p", cwd=tmp_path).err
    assert "keytool archive check --shares ./-x.age" in said


def test_nothing_to_export(keytool, archive, pages):
    assert keytool("archive", "export", "-o", archive, "--shares", "2/3", "--sheet", pages).code == 10
    assert not archive.exists() and not pages.exists()


def test_no_secret_is_said(held, archive, pages):
    result = held.ok("archive", "export", "-o", archive, "--shares", "2/3", "--sheet", pages, "-v")
    secret = shamir.join([shamir.words_on(page) for page in list(pages.iterdir())[:2]])
    text = result.out + result.err
    assert agefile.identity_text(secret) not in text and secret.hex() not in text
    words = {word for page in pages.iterdir() for word in shamir.words_on(page).split()[4:]}
    assert len(words & set(re.findall("[a-z]+", text))) < 6
