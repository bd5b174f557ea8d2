"""A backup code typed in: each group looked at as it is entered, one taken back, or all of it
pasted."""

import re

import pytest

import oracle
from known import CODE, CODE_PASSWORD, EMPTY_KEYSTORE
from runner import snapshot

GROUPS = CODE.split("-")
PASSWORD = r"Backup password[^\n]*: $"
BEGIN, END = "\x1b[200~", "\x1b[201~"
IDENTITY = oracle.Identity("ZZZZ9999", bytes(range(32)))


def pbkdf2(first):
    """A code of the shorter scheme whose first byte, which is salt, is this one."""
    return oracle.seal_code(IDENTITY, CODE_PASSWORD, salt=bytes([first]) + bytes(range(7)))


def number(run, wanted):
    """Waits for the question for this group, which comes behind nothing else on its line."""
    return run.expect(rf"\nGroup {wanted}(?!\d)[^\n]*: $" if wanted > 1 else r"\nBackup code[^\n]*: $")


@pytest.fixture
def checking(terminal):
    return terminal("backup", "check")


def opens(run, id="0ZAHXXHB"):
    run.expect(PASSWORD)
    run.send(CODE_PASSWORD.decode())
    assert run.finish() == 0, run.text
    assert f"the code opens {id}" in run.text


def test_every_group_has_its_number(checking):
    for index, group in enumerate(GROUPS):
        number(checking, index + 1)
        assert checking.echo, "a code is typed in the open"
        checking.send(group.lower() if index % 2 else group)
    opens(checking)


def test_says_how(checking):
    number(checking, 1)
    assert "paste" in checking.text and "- takes the last group back" in checking.text


@pytest.mark.parametrize("group, said", [
    ("AB", "group 2 has 2 characters; each has 4"), ("ABCDE", "group 2 has 5 characters; each has 4"),
    ("ABCDEFG", "group 2 has 7 characters; each has 4"), ("AB1D", 'group 2 has "1" at place 3'),
    ("ABC!", 'group 2 has "!" at place 4'), ("ABCD-EF", "group 3 has 2 characters"),
    ("ABCD EF1H", 'group 3 has "1" at place 3'), ("ABCD-" * 20, "that makes 21 groups; this code has 20"),
    ("", "group 2 is missing"), ("ÄBCD", 'group 2 has "Ä" at place 1'), ("ABCDEFGHIJ", "group 4 has 2 characters")])
def test_a_wrong_one_is_asked_for_again(checking, group, said):
    number(checking, 1)
    checking.send(GROUPS[0])
    number(checking, 2)
    checking.send(group)
    checking.expect("keytool: error: [^\n]*" + re.escape(said))
    number(checking, 2)
    checking.send("-".join(GROUPS[1:]))
    opens(checking)


def test_nothing_of_a_wrong_line_is_taken(checking):
    number(checking, 1)
    checking.send("-".join(GROUPS[:4] + ["ABC1"]))
    checking.expect(r'group 5 has "1" at place 4')
    number(checking, 1)
    checking.send(CODE)
    opens(checking)


def test_one_group_back(checking):
    number(checking, 1)
    checking.send("-".join(GROUPS[:2] + ["AAAA"]))
    number(checking, 4)
    checking.send("-")
    checking.expect(r"\nGroup 3 again \(it was AAAA\): $")
    checking.send("-".join(GROUPS[2:]))
    opens(checking)


def test_back_to_the_first_and_no_further(checking):
    number(checking, 1)
    checking.send("AAAA-BBBB")
    number(checking, 3)
    checking.send(" --- ")
    checking.expect(r"\nBackup code[^\n]*: $")
    checking.send("-")
    number(checking, 1)
    for index, group in enumerate(GROUPS):
        checking.send(group)
        if index < len(GROUPS) - 1:
            number(checking, index + 2)
    opens(checking)


def test_back_is_a_group_too(checking):
    number(checking, 1)
    checking.send("BACK")
    number(checking, 2)
    checking.send("-")
    checking.expect(r"\nBackup code again \(it was BACK\): $")
    checking.send(CODE)
    opens(checking)


FOUR_LINES = [CODE[i:i + 25] for i in range(0, 99, 25)]
PASTES = {
    "one line": CODE, "lower case": CODE.lower(), "no dashes": CODE.replace("-", ""),
    "blanks": CODE.replace("-", " "), "four lines": "\r".join(FOUR_LINES),
    "marked": BEGIN + CODE + END, "four lines marked": BEGIN + "\r".join(FOUR_LINES) + END,
    "marked to its line's end": BEGIN + "\r".join(FOUR_LINES) + "\r" + END,
}


@pytest.mark.parametrize("paste", PASTES.values(), ids=PASTES)
def test_pasted_whole(checking, paste):
    number(checking, 1)
    checking.send(paste)
    opens(checking)


def test_rest_of_a_wrong_paste_is_dropped(checking):
    """Else its third line would be taken for the second, which was refused."""
    wrong = [*FOUR_LINES]
    wrong[1] = wrong[1].replace(GROUPS[6], "0000")
    number(checking, 1)
    checking.send("\r".join(wrong))
    checking.expect(r'group 7 has "0" at place 1')
    number(checking, 6)
    checking.send("\r".join(FOUR_LINES[1:]))
    opens(checking)


def test_wrong_marked_paste_is_refused_whole(checking):
    number(checking, 1)
    checking.send(BEGIN + "\r".join(FOUR_LINES[:3]) + "\rABCD-EFG" + END)
    checking.expect(r"group 17 has 3 characters")
    number(checking, 1)
    checking.send(CODE)
    opens(checking)


# The longer scheme


@pytest.fixture(scope="module")
def longer():
    return oracle.seal_code_argon2id(IDENTITY, CODE_PASSWORD)


def test_longer_code_group_by_group(checking, longer):
    groups = longer.split("-")
    assert len(groups) == 26
    for index, group in enumerate(groups):
        number(checking, index + 1)
        checking.send(group)
    opens(checking, "ZZZZ9999")


@pytest.mark.parametrize("width", [129, 25, 30, 65])
def test_longer_code_pasted(checking, longer, width):
    number(checking, 1)
    checking.send("\r".join(longer[i:i + width] for i in range(0, len(longer), width)))
    opens(checking, "ZZZZ9999")


def test_code_that_may_be_either(checking):
    """Its first byte is the longer scheme's version, by chance: only its end tells."""
    code = pbkdf2(1)
    number(checking, 1)
    checking.send(code)
    checking.expect(r"\nGroup 21, or nothing if that is all: $")
    checking.send("AAAA")
    number(checking, 22)
    checking.send("-")
    checking.expect(r"\nGroup 21 again \(it was AAAA\), or nothing if that is all: $")
    checking.send("")
    opens(checking, "ZZZZ9999")


# Giving up


@pytest.mark.parametrize("typed, codes", [([], (64,)), (GROUPS[:3], (65,)), ([""], (64,))])
def test_end_of_input(terminal, keytool, typed, codes):
    run = terminal("backup", "import", "--no-passphrase")
    for index, group in enumerate(typed):
        number(run, index + 1)
        run.send(group)
    if typed != [""]:
        number(run, len(typed) + 1)
        run.press(b"\x04")
    assert run.finish() in codes, run.text
    assert run.settings == run.untouched and snapshot(keytool.keystore) == EMPTY_KEYSTORE
