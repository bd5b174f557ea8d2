"""shamir-mnemonic of PyPI, another implementation of SLIP-39, and the page that a share is printed on."""

import json
import re
import subprocess

from kit.runner import REPOSITORY
from kit.screens.printed import texts

PYTHON = REPOSITORY / ".build/shamir/bin/python"


def run(source, given):
    """What a program prints as JSON, after it has got the other argument as JSON."""
    assert PYTHON.exists(), f"{PYTHON} is missing: Scripts/set-up test"
    run = subprocess.run([PYTHON, "-c", "import json, sys\nfrom shamir_mnemonic import *\nfrom shamir_mnemonic import wordlist\nfrom shamir_mnemonic.share import Share\n"
                          "given = json.loads(sys.stdin.read())\n" + source],
                         input=json.dumps(given), capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def join(shares):
    """The secret of enough shares."""
    return bytes.fromhex(run("print(json.dumps(combine_mnemonics(given).hex()))", shares))


def split(secret, needed=2, count=3, groups=1, exponent=0):
    """Shares of a secret: `groups` of `groups` groups, each with its shares."""
    return run("print(json.dumps(generate_mnemonics(given[3], [tuple(given[1:3])] * given[3], bytes.fromhex(given[0]),"
               " iteration_exponent=given[4])))", [secret.hex(), needed, count, groups, exponent])


def value(share):
    """The part of the secret in a share."""
    return bytes.fromhex(run("print(json.dumps(Share.from_mnemonic(given).value.hex()))", share))


def places(share):
    """Where the words are in the list, from 0."""
    return run("print(json.dumps(wordlist.mnemonic_to_indices(given)))", share)


def word_list():
    """All words, in their order."""
    return run("print(json.dumps(list(wordlist.WORDLIST)))", None)


def words_on(page):
    """The words of a share, by the numbers on its page."""
    found = re.findall(r"(?<!\S)(\d\d?) ([a-z]{4,8})(?!\S)", " ".join(
        line for line in texts(page) if re.fullmatch(r"(\d\d? [a-z]+ ?)+", line)))
    assert [int(number) for number, _ in found] == list(range(1, 34)), found
    return " ".join(word for _, word in found)


def learn(house, words):
    """Tells a house of secrets what is in a share; the words' places in the list; where two words meet in a text; and words as a page has them.
    A word by itself is in the program's list."""
    listed = " ".join(word_list())
    for number, share in enumerate(words, 1):
        house.secrets[f"value of share {number}"] = value(share)
        house.secrets[f"places of the words of share {number}"] = b"".join(
            place.to_bytes(2) for place in places(share)[4:])
        secret = share.split()[4:]
        for one, other in zip(secret, secret[1:]):
            # The list has a text of its own, in which some meet, too. The scan refuses bytes with few different ones.
            meeting = f"{one[-4:]} {other[:3]}"
            if meeting not in listed and len(set(meeting)) > 4:
                house.secrets[f"{one} {other} in share {number}"] = meeting.encode()
            # A short one is found by chance.
            if len(set(one[1:])) > 3:
                house.secrets[f"{one} on a page in share {number}"] = f"{one.ljust(8)[1:]})".encode()
