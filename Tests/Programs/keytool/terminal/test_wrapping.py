"""Words for people on a terminal break between words; in a pipe or file each is one line."""

import re

import pytest


def said(run):
    assert run.finish() == 10
    return run.text


@pytest.mark.parametrize("columns", [20, 40, 79, 80])
def test_at_words(terminal, keytool, tmp_path, columns):
    absent = keytool.with_keystore(tmp_path / "absent")
    whole = absent.fails(10, "id", "show").err
    assert max(map(len, whole.splitlines())) > 80
    lines = said(terminal("id", "show", runner=absent, columns=columns)).splitlines()
    # Only a word that is longer than the line runs over.
    assert all(len(line) <= columns or " " not in line.strip() for line in lines), lines
    assert " ".join(" ".join(lines).split()) == " ".join(whole.split())
    begun = [line for line in lines if not line.startswith("  ")]
    assert [line.split()[:2] for line in begun] == [line.split()[:2] for line in whole.splitlines()]


def test_text_that_fits_is_one_line(terminal, keytool, tmp_path):
    absent = keytool.with_keystore(tmp_path / "absent")
    assert said(terminal("id", "show", runner=absent, columns=300)) == absent.fails(10, "id", "show").err


def test_colour_takes_no_room(terminal, keytool, backup_password):
    keytool.ok("id", "create", "--no-passphrase")
    run = terminal("backup", "export", *backup_password, columns=50)
    assert run.finish() == 0 and b"\x1b[1mhint:\x1b[0m" in run.captured
    words = run.text[run.text.index("keytool: check word"):]
    assert 45 < max(map(len, words.splitlines())) <= 50 and re.search(r"\n  \w", words)


def test_pipe_on_a_terminal(terminal, keytool, tmp_path):
    """What counts is where the words go."""
    absent = keytool.with_keystore(tmp_path / "absent")
    with open(tmp_path / "err", "wb") as err:
        assert terminal("id", "show", runner=absent, columns=20, stderr=err).finish() == 10
    assert (tmp_path / "err").read_text() == absent.fails(10, "id", "show").err


@pytest.mark.parametrize("command, code", [(["id", "show"], 10), (["id", "frobnicate"], 64), (["id", "list", "--x"], 64)], ids=str)
def test_errors_and_hints_are_styled_alike(terminal, keytool, tmp_path, command, code):
    absent = keytool.with_keystore(tmp_path / "absent")
    run = terminal(*command, runner=absent)
    assert run.finish() == code
    assert b"keytool: \x1b[1merror:\x1b[0m " in run.captured and b"keytool: \x1b[1mhint:\x1b[0m " in run.captured
    run = terminal(*command, "--color", "never", runner=absent)
    assert run.finish() == code and b"\x1b" not in run.captured and b"keytool: error: " in run.captured
    assert "\x1b" not in absent(*command).err
    assert absent("--color=always", *command).err.count("\x1b[1m") >= 2


@pytest.mark.parametrize("columns", [20, 40, 80])
def test_results_break_between_words(terminal, keytool, columns):
    keytool.ok("id", "create", "--id", "ABCD1234")
    keytool.ok("profile", "set", "--nickname", "many words in a nick name")
    for command in (["profile", "show"], ["id", "show"], ["key", "status"]):
        run = terminal(*command, runner=keytool, columns=columns)
        assert run.finish() == 0, run.text
        whole = keytool.ok(*command)
        lines = run.text.splitlines()
        assert all(len(line) <= columns or " " not in line.strip() for line in lines), lines
        assert " ".join(" ".join(lines).split()) == " ".join((whole.out + whole.err).split())


@pytest.mark.parametrize("columns", [20, 30])
def test_questions_break_between_words(terminal, keytool, columns):
    keytool.ok("id", "create", "--id", "ABCD1234")
    run = terminal("id", "remove", columns=columns)
    run.expect(r"To remove [^:]+: ")
    question = run.text[run.text.index("To remove"):].rstrip().splitlines()
    run.press(b"\x03")
    run.finish()
    assert len(question) > 1 and all(len(line) <= columns for line in question), run.text


def test_lines_to_copy_are_whole(terminal, keytool, directory, safe_password):
    keytool.ok("id", "create", "--id", "ABCD1234")
    keytool.ok("safe", "setup", "--create", "--server", directory.url, *safe_password)
    run = terminal("safe", "schedule", columns=20)
    assert run.finish() == 0 and run.text == keytool.ok("safe", "schedule").out
