"""A backup code as people write it: which spellings are accepted, which are refused, and where the error is."""

import os
import re
import subprocess

import pytest

from kit.known import CODE, EMPTY_KEYSTORE
from kit.runner import snapshot

SPELLINGS = {
    "lower case": CODE.lower(),
    "no dashes": CODE.replace("-", ""),
    "blanks instead": CODE.replace("-", " "),
    "four lines": "\n".join(CODE[i : i + 25] for i in range(0, 99, 25)),
    "four lines, CRLF": "\r\n".join(CODE[i : i + 24] for i in range(0, 99, 25)) + "\r\n",
    "around": f"\n\t  {CODE} \n\n",
    "each on its line": "\n".join(CODE.replace("-", "")),
    "more dashes": "--" + CODE.replace("-", " - ") + "-",
    "no final line ending": CODE,
    "byte order mark": "\ufeff" + CODE,
}


@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS)
def test_tolerated_spellings(keytool, code_password, text):
    assert keytool.json("backup", "check", "-", *code_password, stdin=text)["id"] == "0ZAHXXHB"


SURROUNDED = {
    "label": f"code: {CODE}",
    "words after": f"{CODE}\nkeep this in a safe place\n",
    "one letter more": f"{CODE}A",
    "twice": f"{CODE}\n{CODE}\n",
    "quoted": f'"{CODE}"',
    "NUL": CODE.replace("-", "\0"),
    "en dashes": CODE.replace("-", "–"),
    "full-width letters": CODE.translate({c: c + 0xFEE0 for c in range(0x41, 0x5B)}),
    "long s, whose upper case is S": CODE.replace("S", "ſ"),
    "padding": CODE + "=",
    "huge": CODE * 5000,
}


@pytest.mark.parametrize("text", SURROUNDED.values(), ids=SURROUNDED)
def test_other_text_is_refused(keytool, code_password, text):
    keytool.fails(65, "backup", "import", "-", *code_password, stdin=text)
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_invalid_utf8_is_refused(keytool, code_password):
    keytool.fails(65, "backup", "import", "-", *code_password, stdin=b"\xff\xfe" + CODE.encode())


@pytest.mark.parametrize("group, position, bad", [
    (1, 1, "0"), (7, 3, "1"), (20, 4, "8"), (13, 2, "?")])
def test_bad_character_is_located(keytool, code_password, group, position, bad):
    groups = CODE.split("-")
    broken = groups[group - 1]
    groups[group - 1] = broken[: position - 1] + bad + broken[position:]
    for text in ("-".join(groups), "".join(groups).lower()):
        result = keytool.fails(65, "backup", "check", "-", *code_password, stdin=text)
        assert re.search(rf"group {group}\b.* position {position}\b", result.err), result


@pytest.mark.parametrize("content", ["hello\n", CODE[:50], ""])
def test_text_that_is_no_code_needs_no_password(keytool, content):
    """65, not 16: nobody is asked for the password of nothing."""
    keytool.fails(65, "backup", "import", stdin=content)


@pytest.mark.parametrize("name, code, hint", [
    ("page.PNG", 64, "--qr-image"), ("page.svg", 65, "rsvg-convert -z 2"), ("scan.pdf", 65, "pdftoppm -png")])
def test_picture_in_the_place_of_a_code(keytool, write, name, code, hint):
    """The hint leads to a result: what --qr-image does not read is to be converted first."""
    refused = keytool.fails(code, "backup", "import", write(name, b"x"))
    assert hint in refused.err and (code == 64 or "--qr-image" not in refused.err)


def test_check_word_that_differs_is_shown(keytool, code_file):
    word = keytool.fails(19, "backup", "check", code_file, "--expect-check", "AAAA-AAAA").err
    assert re.search(r"[A-Z2-7]{4}-[A-Z2-7]{4}", word)


@pytest.mark.parametrize("length", [30, 100_000])
def test_zip_is_named(keytool, write, length):
    """An Android data backup, most likely; it is no text, and longer than any code."""
    archive = b"PK\x03\x04" + b"\x14\0\x09\xff" * (length // 4)
    path = write("threema-backup.zip", archive)
    assert "the ZIP file is cut off" in keytool.fails(65, "backup", "import", path).err
    for refused in (keytool.fails(65, "backup", "import", "-", stdin=archive), keytool.fails(65, "key", "import", path)):
        assert "is a ZIP file\n" in refused.err and "keytool backup import FILE" in refused.err
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


@pytest.mark.parametrize("arguments", [["import"], ["check"], ["import", "--id", "*TESTGW1"]])
def test_a_pipe_that_nobody_writes_to(keytool, tmp_path, arguments):
    os.mkfifo(tmp_path / "pipe")
    keytool.fails(65, "backup", *arguments, tmp_path / "pipe")


def test_a_pipe_of_the_shell(keytool, code_file, code_password):
    """It is read to its end, also if the command behind it begins later."""
    command = keytool.command_line("backup", "check", *code_password)
    run = subprocess.run(["bash", "-c", '"$@" <(sleep 0.3; cat "$CODE")', "-", *command], capture_output=True, text=True, timeout=60,
                         stdin=subprocess.DEVNULL, env={**keytool.environment, "CODE": str(code_file)})
    assert run.returncode == 0 and "0ZAHXXHB" in run.stdout, run
