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
    assert run.finish() == 0 and "\x1b[1mhint:\x1b[0m" in run.text
    words = re.sub(r"\x1b\[\d*m", "", run.text[run.text.index("keytool: check word"):])
    assert 45 < max(map(len, words.splitlines())) <= 50 and re.search(r"\n  \w", words)


def test_pipe_on_a_terminal(terminal, keytool, tmp_path):
    """What counts is where the words go."""
    absent = keytool.with_keystore(tmp_path / "absent")
    with open(tmp_path / "err", "wb") as err:
        assert terminal("id", "show", runner=absent, columns=20, stderr=err).finish() == 10
    assert (tmp_path / "err").read_text() == absent.fails(10, "id", "show").err
