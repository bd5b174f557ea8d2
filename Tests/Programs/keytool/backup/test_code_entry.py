"""A backup code typed in: each group looked at as it is entered, a wrong one asked for again in its
place, one taken back, or all of it pasted; its check word is in test_code_check.py."""

import re

import pytest

from kit import oracle
from kit.known import CODE, CODE_PASSWORD, EMPTY_KEYSTORE
from kit.runner import snapshot

GROUPS = CODE.split("-")
PASSWORD = r"Backup password[^\n]*: $"
CHECK_WORD = r"Check word \(Enter for none\): $"
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
    run.expect(CHECK_WORD)
    run.send("")
    run.expect(PASSWORD)
    run.send(CODE_PASSWORD.decode())
    assert run.finish() == 0, run.text
    assert f"the code opens: {id}" in run.text


def test_every_group_has_its_number(checking):
    for index, group in enumerate(GROUPS):
        number(checking, index + 1)
        assert checking.echo, "a code is typed in the open"
        checking.send(group.lower() if index % 2 else group)
    opens(checking)


def test_says_how(checking):
    number(checking, 1)
    assert "paste" in checking.words and "Type - to go back one group" in checking.words


@pytest.mark.parametrize("group, said", [
    ("AB", "group 2 has 2 characters; it needs 4"), ("ABCDE", "group 2 has 5 characters; it needs 4"),
    ("ABCDEFG", "group 2 has 7 characters; it needs 4"), ("AB1D", 'group 2 has the invalid character "1" at position 3'),
    ("ABC!", 'group 2 has the invalid character "!" at position 4'), ("ABCD.", 'group 2 has the invalid character "." at position 5'),
    ("", "group 2 is missing"), ("ÄBCD", 'group 2 has the invalid character "Ä" at position 1'), ("\x1b[31", 'group 2 has the invalid character U+001B at position 1')])
def test_a_wrong_one_is_asked_for_again(checking, group, said):
    number(checking, 1)
    checking.send(GROUPS[0])
    number(checking, 2)
    checking.send(group)
    checking.expect("keytool: error: [^\n]*" + re.escape(said))
    number(checking, 2)
    checking.send("-".join(GROUPS[1:]))
    opens(checking)


@pytest.mark.parametrize("line, said", [
    ("ABCD-" * 20, "too many groups: 21 instead of 20"),
    ("ABCDEFGHIJ", "10 characters without a dash"), ("ABCD EFGHIJKLM", "9 characters without a dash"),
    ("ABCD-EFGH.IJKL", 'group 4 has the invalid character "." at position 1')])
def test_line_whose_groups_have_no_certain_place(checking, line, said):
    """Nothing of it is taken: where it goes on is anybody's guess."""
    number(checking, 1)
    checking.send(GROUPS[0])
    number(checking, 2)
    checking.send(line)
    checking.expect("keytool: error: [^\n]*" + re.escape(said))
    number(checking, 2)
    checking.send("-".join(GROUPS[1:]))
    opens(checking)


@pytest.mark.parametrize("letter, likely", [("0", "O"), ("1", "I or L"), ("8", "B")])
def test_likely_letter_is_named(checking, letter, likely):
    number(checking, 1)
    checking.send(letter + GROUPS[0][1:])
    checking.expect(f"keytool: hint: [^\n]*may be the letter {likely}")


def wrong(*numbers):
    """All groups of the code; these have a character that no code has."""
    return [f"{group[:3]}0" if n in numbers else group for n, group in enumerate(GROUPS, 1)]


def again(run, wanted, group):
    """Waits until this group alone is asked for again, and types it."""
    run.expect(rf"\nGroup {wanted} again \(it was {wrong(wanted)[wanted - 1]}\): $")
    run.send(group)


def test_other_groups_of_the_line_stay_in_their_places(checking):
    number(checking, 1)
    checking.send("-".join(wrong(3, 8)))
    checking.expect(r'group 3 has the invalid character "0" at position 4')
    checking.expect(r'group 8 has the invalid character "0" at position 4')
    again(checking, 3, GROUPS[2])
    again(checking, 8, GROUPS[7].lower())
    opens(checking)


def test_wrong_group_of_a_line_in_the_middle(checking):
    number(checking, 1)
    checking.send("-".join(GROUPS[:5]))
    number(checking, 6)
    checking.send("-".join(wrong(8)[5:10]))
    again(checking, 8, "ABC!")
    checking.expect(r'group 8 has the invalid character "!" at position 4')
    checking.expect(r"\nGroup 8 again \(it was ABC!\): $")
    checking.send("")
    checking.expect(r"group 8 is missing")
    checking.expect(r"\nGroup 8 again \(it was ABC!\): $")
    checking.send(GROUPS[7])
    number(checking, 11)
    checking.send("-".join(GROUPS[10:]))
    opens(checking)


@pytest.mark.parametrize("first, last", [(1, 20), (6, 10), (7, 9), (8, 20), (5, 8), (8, 14)])
def test_corrected_line_may_be_typed_again(checking, first, last):
    """All of the line, or a part of it around the wrong group, and what comes next."""
    number(checking, 1)
    checking.send("-".join(wrong(8)[:10]))
    again(checking, 8, "-".join(GROUPS[first - 1:last]))
    if last < 20:
        number(checking, max(last, 10) + 1)
        checking.send("-".join(GROUPS[max(last, 10):]))
    opens(checking)


def test_line_that_does_not_fit_around_the_group(checking):
    number(checking, 1)
    checking.send("-".join(wrong(8)[:10]))
    again(checking, 8, "AAAA-BBBB-CCCC")
    checking.expect(r"type only group 8")
    again(checking, 8, GROUPS[7])
    number(checking, 11)
    checking.send("-".join(GROUPS[10:]))
    opens(checking)


def test_back_from_a_wrong_group(checking):
    """The one before it was the wrong one, too; what stands behind both stays."""
    groups = wrong(8)
    groups[6] = "AAAA"
    number(checking, 1)
    checking.send("-".join(groups[:10]))
    again(checking, 8, "-")
    checking.expect(r"\nGroup 7 again \(it was AAAA, Enter accepts it\): $")
    checking.send(GROUPS[6])
    again(checking, 8, GROUPS[7])
    number(checking, 11)
    checking.send("-".join(GROUPS[10:]))
    opens(checking)


def test_enter_keeps_what_was_right(checking):
    number(checking, 1)
    checking.send("-".join(wrong(8)))
    again(checking, 8, "-")
    checking.expect(rf"\nGroup 7 again \(it was {GROUPS[6]}, Enter accepts it\): $")
    checking.send("")
    again(checking, 8, GROUPS[7])
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


def test_rest_of_a_wrong_paste_is_taken(checking):
    """Its lines have their places; only the wrong group is asked for, once all of it has come."""
    wrong = [*FOUR_LINES]
    wrong[1] = wrong[1].replace(GROUPS[6], "0000")
    number(checking, 1)
    checking.send("\r".join(wrong))
    checking.expect(r'group 7 has the invalid character "0" at position 1')
    checking.expect(r"Group 7 again \(it was 0000\): $")
    checking.send(GROUPS[6])
    opens(checking)


def test_rest_of_a_paste_without_places_is_dropped(checking):
    """Else its third line would be taken for the second, which was refused."""
    wrong = [*FOUR_LINES]
    wrong[1] = wrong[1].replace("-", "")[1:]
    number(checking, 1)
    checking.send("\r".join(wrong))
    checking.expect(r"19 characters without a dash")
    number(checking, 6)
    checking.send("\r".join(FOUR_LINES[1:]))
    opens(checking)


def test_wrong_group_of_a_marked_paste(checking):
    number(checking, 1)
    checking.send(BEGIN + "\r".join(FOUR_LINES[:3]) + f"\r{GROUPS[15]}-ABC-" + "-".join(GROUPS[17:]) + END)
    checking.expect(r"group 17 has 3 characters")
    checking.expect(r"\nGroup 17 again \(it was ABC\): $")
    checking.send(GROUPS[16])
    opens(checking)


# The checks beside the rows of a printed sheet


def rows():
    return ["-".join(GROUPS[start:start + 5]) for start in range(0, 20, 5)]


def row_check(index):
    return oracle.row_check(rows()[index], index + 1)


def test_row_checks(checking):
    number(checking, 1)
    for index, row in enumerate(rows()):
        checking.send(f"{row} {row_check(index).lower()}")
        if index < 3:
            number(checking, 5 * index + 6)
    opens(checking)


def test_row_that_does_not_fit_its_check(checking):
    """The row is asked for again as a whole: any of its groups may be the wrong one."""
    row = "-".join([GROUPS[5], "AAAA", *GROUPS[7:10]])
    number(checking, 1)
    checking.send(rows()[0])
    number(checking, 6)
    checking.send(f"{row} {row_check(1)}")
    checking.expect(r"groups 6 to 10 do not match the row check [A-Z2-7]{2}")
    checking.expect(ROW_2)
    checking.send(GROUPS[6])
    checking.expect(r"error: type the whole row, groups 6 to 10")
    checking.expect(ROW_2)
    checking.send("-".join([*GROUPS[5:9], "AAAA"]) + " " + row_check(1))
    checking.expect(r"groups 6 to 10 do not match the row check [A-Z2-7]{2}")
    checking.expect(ROW_2)
    checking.send(f"{rows()[1]} {row_check(1)}")
    number(checking, 11)
    checking.send("-".join(GROUPS[10:]))
    opens(checking)


ROW_2 = r"\nRow 2 \(groups 6 to 10\) again \(Enter accepts it\): $"


@pytest.mark.parametrize("answer", ["", "-".join(GROUPS[5:10]), "-".join(GROUPS[5:])],
                         ids=["keep", "without its check", "with the rows after it"])
def test_row_whose_check_was_mistyped(checking, answer):
    number(checking, 1)
    checking.send(rows()[0])
    number(checking, 6)
    checking.send(rows()[1] + (" AA" if row_check(1) != "AA" else " BB"))
    checking.expect(ROW_2)
    checking.send(answer)
    if len(answer) < 40:
        number(checking, 11)
        checking.send("-".join(GROUPS[10:]))
    opens(checking)


def row_2_is_wrong(checking):
    """Up to the question for the whole row, whose first group was typed wrong."""
    number(checking, 1)
    checking.send(rows()[0])
    number(checking, 6)
    checking.send("-".join(["AAAA", *GROUPS[6:10]]) + " " + row_check(1))
    checking.expect(ROW_2)


def test_wrong_character_in_a_row_that_is_typed_again(checking):
    """From then on only that group is asked for."""
    row_2_is_wrong(checking)
    checking.send("-".join(wrong(8)[5:10]) + " " + row_check(1))
    again(checking, 8, GROUPS[7])
    number(checking, 11)
    checking.send("-".join(GROUPS[10:]))
    opens(checking)


def test_back_from_a_wrong_row(checking):
    row_2_is_wrong(checking)
    checking.send("-")
    checking.expect(rf"\nGroup 5 again \(it was {GROUPS[4]}, Enter accepts it\): $")
    checking.send("")
    checking.expect(ROW_2)
    checking.send(rows()[1])
    number(checking, 11)
    checking.send("-".join(GROUPS[10:]))
    opens(checking)


def test_row_check_of_a_row_with_a_wrong_character(checking):
    """It is compared when the row is complete."""
    number(checking, 1)
    checking.send("-".join(wrong(3)[:5]) + " " + row_check(0))
    again(checking, 3, "AAAA")
    checking.expect(r"groups 1 to 5 do not match the row check")
    checking.expect(r"\nRow 1 \(groups 1 to 5\) again \(Enter accepts it\): $")
    checking.send(f"{rows()[0]} {row_check(0)}")
    number(checking, 6)
    checking.send("-".join(GROUPS[5:]))
    opens(checking)


def test_two_characters_that_are_no_row_check(checking):
    number(checking, 1)
    checking.send("-".join(GROUPS[:3]) + " AB")
    checking.expect(r"group 4 has 2 characters")
    checking.expect(r"\nGroup 4 again \(it was AB\): $")
    checking.send("-".join(GROUPS[3:]))
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
    checking.expect(r"\nGroup 21; Enter if the code is complete: $")
    checking.send("AAAA")
    number(checking, 22)
    checking.send("-")
    checking.expect(r"\nGroup 21 again \(it was AAAA\); Enter if the code is complete: $")
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
