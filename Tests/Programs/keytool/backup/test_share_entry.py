"""The words of shares typed in: each looked at as it is entered, a wrong one asked for again in its place."""

import pytest

from kit import masterkey, oracle, shamir
from kit.masterkey import PASSPHRASE
from kit.runner import snapshot

KEY = bytes(range(7, 39))
ID = "ABCD1234"
PUBLIC = oracle.Identity(ID, KEY).public_key


@pytest.fixture(scope="module")
def shares():
    return [words.split() for words in shamir.split(KEY, 2, 3)[0]]


@pytest.fixture
def joining(terminal):
    return terminal("backup", "join", "--id", ID, "--no-passphrase")


def asks(run, share, number, again=""):
    run.expect(rf"Share {share}, word {number}{again}: $")


def answers(run, question=f"Do the shares have the ID {ID} and the check word", answer="y", code=0):
    run.expect(rf"{question}[^\n]*$")
    run.send(answer)
    assert run.finish() == code, run.text


def test_word_by_word(joining, shares):
    for number, words in enumerate((shares[2], shares[0]), 1):
        for place, word in enumerate(words, 1):
            asks(joining, number, place)
            joining.send(word[:4] if place % 2 else word.upper())
    answers(joining)
    assert f"restored {ID}" in joining.text and "share 3 is right. 1 of 2 shares are here (number 3); 1 more is needed" in joining.text.lower()


def test_a_share_in_a_line(joining, shares):
    asks(joining, 1, 1)
    joining.send(" ".join(shares[0]))
    asks(joining, 2, 1)
    joining.send(" ".join(shares[1][:20]))
    asks(joining, 2, 21)
    joining.send(" ".join(shares[1][20:]))
    answers(joining)


def test_a_word_that_is_not_in_the_list(joining, shares):
    asks(joining, 1, 1)
    joining.send(shares[0][0])
    for wrong in ("qqqq", "aca", "zerozeroz", "ac!d"):
        asks(joining, 1, 2)
        joining.send(wrong)
        joining.expect("word 2 is not in the list of words")
    asks(joining, 1, 2)
    joining.send(" ".join(shares[0][1:4]) + " qqqq " + shares[0][5])
    joining.expect("word 5 is not in the list")
    asks(joining, 1, 5)
    joining.send(" ".join(shares[0][4:]))
    asks(joining, 2, 1)
    joining.send(" ".join(shares[1]))
    answers(joining)


def test_back(joining, shares):
    asks(joining, 1, 1)
    joining.send("-")
    asks(joining, 1, 1)
    joining.send("zero acid")
    asks(joining, 1, 3)
    joining.send("-")
    asks(joining, 1, 2)
    joining.send("-")
    asks(joining, 1, 1)
    joining.send(" ".join(shares[0]))
    asks(joining, 2, 1)
    joining.send(" ".join(shares[1]))
    answers(joining)


def test_a_wrong_word_is_asked_for_again(joining, shares):
    words = list(shares[0])
    words[16] = next(word for word in shares[1] if word != words[16] and word not in shares[0])
    asks(joining, 1, 1)
    joining.send(" ".join(words))
    joining.expect("word 17 is probably wrong")
    asks(joining, 1, 17, " again")
    joining.send(shares[0][16])
    asks(joining, 2, 1)
    words = list(shares[1])
    at = next(at for at in range(20, 28) if words[at] != words[at + 1])
    words[at], words[at + 1] = words[at + 1], words[at]
    joining.send(" ".join(words))
    joining.expect(f"words {at + 1} and {at + 2} have probably changed places")
    asks(joining, 2, at + 1, " again")
    joining.send(shares[1][at])
    asks(joining, 2, at + 2, " again")
    joining.send(shares[1][at + 1])
    answers(joining)


def test_several_wrong_words(joining, shares):
    words = list(shares[0])
    for place in (6, 12, 25):
        words[place] = "zero" if words[place] != "zero" else "acid"
    asks(joining, 1, 1)
    joining.send(" ".join(words))
    joining.expect("more than one word is wrong")
    joining.expect(r"Numbers of the wrong words \(Enter for all of them\): $")
    joining.send("7, 34")
    joining.expect("type numbers from 1 to 33")
    joining.expect(r"Numbers of the wrong words \(Enter for all of them\): $")
    joining.send("7 13, 26")
    for place in (7, 13, 26):
        asks(joining, 1, place, " again")
        joining.send(shares[0][place - 1])
    asks(joining, 2, 1)
    joining.send(" ".join(shares[1]))
    answers(joining)


def test_another_set_and_the_same_share(joining, shares):
    asks(joining, 1, 1)
    joining.send(" ".join(shares[0]))
    asks(joining, 2, 1)
    joining.send(" ".join(shares[0]))
    joining.expect("this share was typed already")
    asks(joining, 2, 1)
    joining.send(shamir.split(KEY, 2, 3)[0][1])
    joining.expect("of another set")
    asks(joining, 2, 1)
    joining.send(" ".join(shares[1]))
    answers(joining)


def test_another_check_word(joining, shares, keytool):
    asks(joining, 1, 1)
    joining.send(" ".join(shares[0]))
    asks(joining, 2, 1)
    joining.send(" ".join(shares[1]))
    answers(joining, answer="n", code=19)
    assert not (keytool.keystore / "identities").exists()


def type_shares(run, shares):
    for number in (1, 2):
        asks(run, number, 1)
        run.send(" ".join(shares[number]))


@pytest.mark.parametrize("answer", ["Y", " y ", "YES", "Yes\t"])
def test_spellings_of_yes(joining, shares, answer):
    type_shares(joining, shares)
    answers(joining, answer=answer)


def test_an_answer_that_is_neither_is_asked_again(joining, shares):
    """All words were typed by then."""
    type_shares(joining, shares)
    for answer in ("ja", "ABCD1234"):
        joining.expect(r"Do the shares have the ID [^?]*\? \[y/N\] $")
        joining.send(answer)
        joining.expect("type y for yes, or n for no")
    answers(joining)
    assert f"restored {ID}" in joining.text


@pytest.mark.parametrize("lines", [["what", "ja", "x"], ["ja", "no"], ["ja", ""], ["N "]], ids=repr)
def test_no_is_no(joining, shares, keytool, lines):
    type_shares(joining, shares)
    for answer in lines:
        joining.expect(r"Do the shares have the ID [^?]*\? \[y/N\] $")
        joining.send(answer)
    assert joining.finish() == 19, joining.text
    assert not (keytool.keystore / "identities").exists()


def test_pasted_shares(joining, shares):
    for number in (1, 2):
        asks(joining, number, 1)
        joining.send("\x1b[200~" + " ".join(shares[number]) + "\x1b[201~")
    answers(joining)


# A keystore with a passphrase


@pytest.fixture
def protected(keytool):
    keytool.ok("id", "create", "--id", "OTHERID1")
    masterkey.rewrap(keytool)
    return keytool


def test_the_passphrase_is_asked_for_before_the_words(protected, terminal, shares):
    run = terminal("backup", "join", "--id", ID)
    run.expect(r"Keystore passphrase: $")
    run.send(PASSPHRASE.decode())
    type_shares(run, shares)
    answers(run)
    assert run.text.count("Keystore passphrase") == 1


def test_a_wrong_passphrase_loses_no_words(protected, terminal):
    before = snapshot(protected.keystore)
    run = terminal("backup", "join", "--id", ID)
    for _ in range(3):
        run.expect(r"Keystore passphrase: $")
        run.send("wrong-one")
    assert run.finish() == 12, run.text
    assert "word 1" not in run.text and snapshot(protected.keystore) == before


def test_wrong_files_ask_for_no_passphrase(protected, terminal, write):
    run = terminal("backup", "join", write("share", "zero acid"), "--id", ID)
    assert run.finish() == 65 and "Keystore passphrase" not in run.text, run.text


def test_the_end_of_input(joining, shares, keytool):
    asks(joining, 1, 1)
    joining.send(" ".join(shares[0]))
    asks(joining, 2, 1)
    joining.press(b"\x04")
    assert joining.finish() == 16 and "1 more is needed" in joining.text
    assert not (keytool.keystore / "identities").exists()


def test_the_end_of_input_in_a_share(joining):
    asks(joining, 1, 1)
    joining.send("zero acid")
    asks(joining, 1, 3)
    joining.press(b"\x04")
    assert joining.finish() == 65 and "word 3 is missing" in joining.text


def test_the_id_is_asked_for(terminal, shares):
    run = terminal("backup", "join", "--no-passphrase")
    for number in (1, 2):
        asks(run, number, 1)
        run.send(" ".join(shares[number]))
    run.expect("ID on the shares: $")
    run.send("abcd123")
    run.expect("an ID has 8 characters")
    run.expect("ID on the shares: $")
    run.send("abcd1234")
    answers(run)
    assert f"restored {ID}" in run.text


def test_no_question_if_the_key_is_known(terminal, shares):
    run = terminal("backup", "join", "--id", ID, "--no-passphrase", "--expect-public-key", PUBLIC)
    for number in (1, 2):
        asks(run, number, 1)
        run.send(" ".join(shares[number]))
    assert run.finish() == 0 and "Do the shares have" not in run.text


def test_check(terminal, shares):
    run = terminal("backup", "check", "--share")
    run.expect("Share, word 1: $")
    run.send(" ".join(shares[1]))
    assert run.finish() == 0 and "the words are right: share 2, of which 2 are needed" in run.text


def test_words_on_a_terminal(terminal, keytool):
    keytool.ok("id", "create", "--id", ID)
    run = terminal("backup", "split", "--shares", "2/3", "--reveal-shares")
    assert run.finish() == 0
    for number in (1, 2, 3):
        assert f"Share {number} of 3 of {ID}, 2 are needed:" in run.text
    assert "scrollback" in run.text
