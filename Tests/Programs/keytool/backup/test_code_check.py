"""The check word of a typed code: it names the group with a typing error, and tells a wrong password
from a wrong code."""

import re

import pytest

from kit import oracle
from kit.known import CODE, CODE_PASSWORD, EMPTY_KEYSTORE
from kit.runner import snapshot

GROUPS = CODE.split("-")
WORD = oracle.check_word(CODE)
OTHER_WORD = "AAAA-AAAA"
ASKED = r"\nCheck word \(Enter for none\): $"
PASSWORD = r"Backup password[^\n]*: $"
IDENTITY = oracle.Identity("ZZZZ9999", bytes(range(32)))


def changed(code, place):
    """The code with another character at this place among its characters, from 0."""
    characters = list(code.replace("-", ""))
    characters[place] = "A" if characters[place] != "A" else "7"
    return grouped(characters)


def swapped(code, place):
    characters = list(code.replace("-", ""))
    characters[place:place + 2] = reversed(characters[place:place + 2])
    assert grouped(characters) != code
    return grouped(characters)


def grouped(characters):
    return "-".join("".join(characters[n:n + 4]) for n in range(0, len(characters), 4))


@pytest.fixture
def typed(terminal):
    """typed(code, *options): a run that has been given this code."""

    def typed(code, *options):
        run = terminal("backup", "check", *options)
        run.expect(r"\nBackup code: $")
        run.send(code)
        return run

    return typed


def answer(run, question, *lines):
    for line in lines:
        run.expect(question)
        run.send(line)


def again(run, number, code):
    """Types this group of the right code, which is asked for again."""
    run.expect(rf"\nGroup {number} again \(it was [A-Z2-7]{{4}}, Enter accepts it\): $")
    run.send(code.split("-")[number - 1])


def opens(run, password=CODE_PASSWORD):
    answer(run, PASSWORD, password.decode())
    assert run.finish() == 0, run.text


def test_word_that_fits(typed):
    run = typed(CODE)
    answer(run, ASKED, WORD.lower().replace("-", " "))
    opens(run)


@pytest.mark.parametrize("place", [0, 3, 4, 41, 79])
def test_group_of_a_wrong_character_is_named(typed, place):
    run = typed(changed(CODE, place))
    answer(run, ASKED, WORD)
    number = place // 4 + 1
    run.expect(rf"error: the code does not match the check word {WORD}")
    run.expect(rf"hint: probably one wrong character in group {number}")
    again(run, number, CODE)
    opens(run)


@pytest.mark.parametrize("place", [1, 3, 42, 43])
def test_groups_of_a_swap_are_named(typed, place):
    run = typed(swapped(CODE, place))
    answer(run, ASKED, WORD)
    groups = sorted({place // 4 + 1, (place + 1) // 4 + 1})
    run.expect("swapped characters in group" + ("s 1 and 2" if len(groups) == 2 and place == 3 else ""))
    for number in groups:
        again(run, number, CODE)
    opens(run)


def test_expected_word_is_not_asked_for(typed):
    run = typed(changed(CODE, 41), "--expect-check", WORD)
    run.expect(r"hint: probably one wrong character in group 11")
    again(run, 11, CODE)
    opens(run)
    assert "Check word" not in run.text


def test_longer_code(typed):
    code = oracle.seal_code_argon2id(IDENTITY, CODE_PASSWORD)
    run = typed(changed(code, 103))
    answer(run, ASKED, oracle.check_word(code))
    again(run, 26, code)
    opens(run)


def test_two_wrong_characters(typed):
    """Nothing names them. Groups are typed again by number, and the rest is kept."""
    run = typed(changed(changed(CODE, 2), 41))
    answer(run, ASKED, WORD)
    run.expect(r"hint: no single wrong or swapped character")
    answer(run, r"\nNumber of a wrong group, or the check word[^\n]*: $", "1, 11")
    again(run, 1, CODE)
    again(run, 11, CODE)
    opens(run)


def test_one_of_two_is_mended(typed):
    """With one of them right, the other is named."""
    run = typed(changed(changed(CODE, 2), 41))
    answer(run, ASKED, WORD)
    answer(run, r"\nNumber of a wrong group[^\n]*: $", "21", "0", "1")
    again(run, 1, CODE)
    run.expect(r"hint: probably one wrong character in group 11")
    again(run, 11, CODE)
    opens(run)


def test_mistyped_word(typed):
    run = typed(CODE)
    answer(run, ASKED, changed(WORD, 6))
    run.expect(rf"hint: the check word may be mistyped: this code has {WORD}")
    answer(run, r"\nNumber of a wrong group, or the check word[^\n]*: $", WORD)
    opens(run)


def test_word_of_another_code(typed):
    run = typed(CODE)
    answer(run, ASKED, OTHER_WORD)
    answer(run, r"\nNumber of a wrong group, or the check word \(Enter to continue without it\): $", "")
    opens(run)


@pytest.mark.parametrize("word", ["ABCD", "ABCD-EFG1", "ABCD-EFGH-IJKL", "ÄBCD-EFGH"])
def test_text_that_is_no_check_word(typed, word):
    run = typed(CODE)
    answer(run, ASKED, word)
    run.expect(r"error: a check word has 8 characters, A-Z and 2-7")
    answer(run, ASKED, WORD)
    opens(run)


def test_expected_word_of_another_code(typed, keytool):
    """It cannot be left out by an answer: it is an option."""
    run = typed(CODE, "--expect-check", OTHER_WORD)
    answer(run, r"\nNumber of a wrong group \(Ctrl-D cancels\): $", "", WORD)
    run.expect(r"\nNumber of a wrong group \(Ctrl-D cancels\): $")
    run.press(b"\x04")
    assert run.finish() == 19, run.text
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_end_of_input(typed):
    run = typed(CODE)
    run.expect(ASKED)
    run.press(b"\x04")
    assert run.finish() == 64, run.text


# Where the code is certain, the password is not


CERTAIN = r"error: wrong backup password; the check word shows that the code is right"


def test_wrong_password_of_a_certain_code(typed):
    run = typed(CODE)
    answer(run, ASKED, WORD)
    answer(run, PASSWORD, "wrong-1", "wrong-2", "wrong-3")
    assert run.finish() == 12, run.text
    assert re.search(CERTAIN, run.words)


def test_wrong_password_of_an_uncertain_code(typed):
    run = typed(CODE)
    answer(run, ASKED, "")
    answer(run, PASSWORD, "wrong-1", "wrong-2", "wrong-3")
    assert run.finish() == 12, run.text
    assert "or the code is damaged" in run.words and not re.search(CERTAIN, run.words)


def test_wrong_password_of_a_file(keytool, code_file, given):
    wrong = given("backup-password", b"nopedinope")
    said = keytool.fails(12, "backup", "check", code_file, "--expect-check", WORD, *wrong).err
    assert re.search(CERTAIN, said)
    assert "damaged" in keytool.fails(12, "backup", "check", code_file, *wrong).err


def test_group_in_a_file_is_named(keytool, write, code_password):
    code = write("mistyped", changed(CODE, 9))
    result = keytool.fails(19, "backup", "check", code, "--expect-check", WORD, *code_password)
    assert "hint: probably one wrong character in group 3" in result.err
