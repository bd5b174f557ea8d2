"""Every truncation and many single-character substitutions of the published code; all of them under `make test-all`.

None may open, none may trap, none may store anything. 16 bits of hash let one wrong key in
65,536 through in general; none of the codes below is such a case, which is why 0 is a bug.
"""

import pytest

from kit.known import CODE, EMPTY_KEYSTORE
from kit.runner import on_two_processors, snapshot
from kit.sampling import sample

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
FOREIGN = "0189!_ä"
PLACES = [place for place, character in enumerate(CODE) if character != "-"]


def check_all(keytool, code_password, texts, codes):
    def work(keytool, share):
        for text in share:
            keytool.fails(codes, "backup", "check", "-", *code_password, stdin=text)

    on_two_processors(work, [keytool, keytool], texts)
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def replaced(place, character):
    return CODE[:place] + character + CODE[place + 1 :]


def test_truncations(keytool, code_password):
    check_all(keytool, code_password, [CODE[:length] for length in range(len(CODE))], {65})


def test_truncations_at_the_front(keytool, code_password):
    check_all(keytool, code_password, [CODE[start:] for start in range(1, len(CODE))], {65})


def test_characters_left_out(keytool, code_password):
    check_all(keytool, code_password, [replaced(place, "") for place in PLACES], {65})


@pytest.mark.parametrize("quarter", range(4))
def test_substitutions(keytool, code_password, quarter):
    texts = [replaced(place, letter) for place in PLACES[quarter * 20 : quarter * 20 + 20]
             for letter in ALPHABET if letter != CODE[place]]
    assert len(texts) == 20 * 31
    texts = sample(texts, 8)
    # 65 where the hash is right and the ID is not; everything else is a wrong password
    check_all(keytool, code_password, texts, {12, 65})


def test_substitutions_outside_the_alphabet(keytool, code_password):
    texts = [replaced(place, bad) for place in PLACES for bad in FOREIGN]
    check_all(keytool, code_password, sample(texts, 4), {65})


def test_neighbours_swapped(keytool, code_password):
    swapped = {CODE[:a] + CODE[b] + CODE[a + 1 : b] + CODE[a] + CODE[b + 1 :]
               for a, b in zip(PLACES, PLACES[1:])} - {CODE}
    assert len(swapped) > 70
    check_all(keytool, code_password, sorted(swapped), {12})
