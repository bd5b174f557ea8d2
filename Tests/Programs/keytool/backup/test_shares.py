"""A private key as shares, in files and on pages: both ways against shamir-mnemonic, and what is refused."""

import base64
import hashlib
import itertools
import json
import re
import stat
from datetime import UTC, datetime, timedelta

import pytest

from kit import archives, identityfiles, masterkey, oracle, shamir
from kit.known import BACKUP_PASSWORD
from kit.processes.clock import Clocked
from kit.screens.printed import texts
from kit.stages.readonly import WAYS

KEY = bytes(range(7, 39))
ID = "ABCD1234"


PUBLIC = oracle.Identity(ID, KEY).public_key
# Nobody can be asked for the check word.
PROVEN = ["--expect-public-key", PUBLIC]


@pytest.fixture
def held(keytool, backup_password, write):
    """An identity whose key is known."""
    keytool.ok("backup", "import", write("code", oracle.seal_code(oracle.Identity(ID, KEY), BACKUP_PASSWORD)),
               *backup_password, "--no-passphrase")
    return keytool


@pytest.fixture
def shares(held):
    """The words of five shares, three of which are needed."""
    made = held.json("backup", "split", "--shares", "3/5", "--reveal-shares")
    assert made["threshold"] == 3 and made["count"] == 5 and made["id"] == ID
    return [share["words"] for share in made["shares"]]


@pytest.fixture
def files(shares, write):
    return [write(f"share{number}", words + "\n") for number, words in enumerate(shares, 1)]


@pytest.fixture
def empty(keytool, tmp_path):
    return keytool.with_keystore(tmp_path / "another")


def test_a_share_that_joins_to_no_key_is_not_right(empty, write):
    """backup join would refuse it when all others are typed."""
    for share, words in ((shamir.split(bytes(16))[0][0], "join to 16 bytes"),
                         (shamir.split(KEY, exponent=9)[0][0], "joins up to 2^8")):
        refused = empty.fails(65, "backup", "check", "--share", write("share", share))
        assert words in refused.err and "the words are right" not in refused.out
    share = shamir.split(KEY, 2, 3, groups=2)[1][0]
    assert "share 1 of group 2, of which 2 are needed, and 2 of 2 groups" in empty.ok(
        "backup", "check", "--share", write("share", share)).out


def test_every_three_join_elsewhere(shares):
    for chosen in itertools.combinations(shares, 3):
        assert shamir.join(list(chosen)) == KEY


def test_shares_of_another_program(empty, write):
    for exponent, groups in [(0, 1), (2, 1), (0, 2)]:
        made = [share for group in shamir.split(KEY, 2, 3, groups, exponent) for share in group[1:]]
        files = [write(f"{exponent}-{groups}-{number}", share) for number, share in enumerate(made)]
        result = empty.json("backup", "join", *files, "--id", ID, "--no-passphrase", *PROVEN)
        assert result["public_key"] == PUBLIC and result["stored"] == (groups == 1 and exponent == 0)


def test_join(empty, files, keytool):
    made = keytool.json("id", "show")
    result = empty.ok("backup", "join", *files[1:4], "--id", ID, "--no-passphrase", "--expect-public-key", made["public_key"])
    assert "restored ABCD1234" in result.out
    assert empty.json("id", "show")["public_key"] == made["public_key"]
    assert "already in the keystore" in empty.ok("backup", "join", *files[:3], "--id", ID, *PROVEN).out
    # One more share than needed has to fit, too.
    empty.ok("backup", "join", *files, "--id", ID, *PROVEN)


def test_lines_on_stdout_are_shares(held):
    lines = held.ok("backup", "split", "--shares", "2/3", "--reveal-shares").out.splitlines()
    assert len(lines) == 3 and shamir.join(lines[:2]) == KEY


def test_sheets(held, tmp_path):
    """From the text of the pages alone, another program gives back the key."""
    place = tmp_path / "pages"
    place.mkdir()
    made = held.json("backup", "split", "--shares", "2/3", "--sheet", place)
    assert "words" not in json.dumps(made) and len(set(share["sheet"] for share in made["shares"])) == 3
    pages = sorted(place.iterdir())
    assert [page.name for page in pages] == [f"share-{number}-{ID}.pdf" for number in (1, 2, 3)]
    assert all(stat.S_IMODE(page.stat().st_mode) == 0o600 for page in pages)
    words = [shamir.words_on(page) for page in pages]
    assert shamir.join(words[:2]) == shamir.join(words[1:]) == KEY
    for number, page in enumerate(pages, 1):
        text = " ".join(texts(page))
        for part in (f"Share {number} of 3 of the Threema ID {ID}", "With any 2 of these 3 pages", made["check"], f"These pages belong together {made['set']}",
                     f"keytool backup join --id {ID}", "Given to", "SLIP-39", "shamir recover"):
            assert part in text, part
        assert all(each in text for each in re.findall(".{8}", made["public_key"]))
        # No other share is on the page.
        assert all(other not in " ".join(text.split()) for other in words if other != words[number - 1])
    assert held("backup", "split", "--shares", "2/3", "--sheet", place).code == 17
    assert sorted(place.iterdir()) == pages


def test_check_word(held):
    made = held.json("backup", "split", "--shares", "2/2", "--reveal-shares")
    word = base64.b32encode(hashlib.sha256(bytes.fromhex(made["public_key"])).digest()[:5]).decode()
    assert made["check"] == f"{word[:4]}-{word[4:]}"


def test_nothing_is_written_if_a_page_cannot_be(held, tmp_path):
    place = tmp_path / "pages"
    place.mkdir()
    (place / f"share-3-{ID}.pdf").write_text("mine")
    assert held("backup", "split", "--shares", "2/3", "--sheet", place).code == 17
    assert [path.name for path in place.iterdir()] == [f"share-3-{ID}.pdf"]
    # Nothing offers to overwrite a share.
    assert "--force" not in held("backup", "split", "--shares", "2/3", "--sheet", place).err
    assert held("backup", "split", "--shares", "2/3", "--sheet", tmp_path / "absent" / "pages").code == 73
    assert not (tmp_path / "absent").exists() and not identityfiles.path(held.keystore, ID, "shares").exists()


@pytest.mark.parametrize("ending", ["", "/", "//"])
def test_a_directory_that_is_missing_is_made(held, tmp_path, ending):
    place = tmp_path / "pages"
    held.ok("backup", "split", "--shares", "2/3", "--sheet", f"{place}{ending}")
    assert stat.S_IMODE(place.stat().st_mode) == 0o700 and len(list(place.iterdir())) == 3


def test_a_directory_that_was_made_for_nothing_is_removed(held, tmp_path):
    place = tmp_path / "pages"
    with open("/dev/full", "w") as full:
        assert held("backup", "split", "--shares", "2/3", "--sheet", place, stdout=full).code == 74
    assert not place.exists()
    inside = held.keystore / "pages"
    assert held("backup", "split", "--shares", "2/3", "--sheet", inside).code == 64 and not inside.exists()
    # One that was there stays.
    place.mkdir()
    with open("/dev/full", "w") as full:
        assert held("backup", "split", "--shares", "2/3", "--sheet", place, stdout=full).code == 74
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("name", ["", "-"])
def test_what_names_no_directory_is_refused(held, name):
    result = held("backup", "split", "--shares", "2/3", "--sheet", name)
    assert result.code == 64 and "--sheet" in result.err
    assert not identityfiles.path(held.keystore, ID, "shares").exists()


def test_shares_that_could_not_be_shown_are_not_remembered(held):
    """`doctor` must not count on shares that nobody has."""
    with open("/dev/full", "w") as full:
        assert held("backup", "split", "--shares", "2/3", "--reveal-shares", stdout=full).code == 74
    assert not identityfiles.path(held.keystore, ID, "shares").exists()
    held.json("backup", "split", "--shares", "3/5", "--reveal-shares")
    with open("/dev/full", "w") as full:
        assert held("backup", "split", "--shares", "2/3", "--reveal-shares", stdout=full).code == 74
    assert "3 of 5 needed" in held("doctor").out


def test_the_page_of_a_gateway_id_can_be_typed_to_a_shell(keytool, write, tmp_path):
    keytool.ok("backup", "import", write("key", f"private:{KEY.hex()}"), "--id", "*TESTGW1", "--no-passphrase")
    keytool.ok("backup", "split", "--shares", "2/2", "--sheet", tmp_path / "pages")
    page = next((tmp_path / "pages").iterdir())
    assert "keytool backup join --id '*TESTGW1'" in " ".join(texts(page))


@pytest.mark.parametrize("numbers", ["1/1", "1/2", "3/2", "2/17", "0/3", "2", "2/", "a/b", "-1/3", "2/3/4", "300/300"])
def test_numbers(held, numbers):
    assert held("backup", "split", f"--shares={numbers}", "--reveal-shares").code == 64


def test_the_form_of_the_numbers_is_said(held):
    assert "of which 2 or more are needed: 3/5" in held.fails(64, "backup", "split", "--shares", "3").err
    assert "up to 32 characters, a-z, 0-9 and -" in held.fails(64, "safe", "setup", "--name", "NAS").err


def test_the_words_need_an_option(held):
    result = held("backup", "split", "--shares", "2/3")
    assert result.code == 64 and "--reveal-shares" in result.err


# Refusals


def refused(empty, code, files, *words, more=()):
    result = empty("backup", "join", *files, "--id", ID, "--no-passphrase", *more)
    assert result.code == code and not (empty.keystore / "identities").exists(), result
    for word in words:
        assert word in result.err, result
    return result


def test_too_few(empty, files):
    refused(empty, 16, files[:1], "1 of 3 shares are here (number 1); 2 more are needed")
    refused(empty, 16, [files[1], files[4]], "2 of 3 shares are here (numbers 2, 5); 1 more is needed")


def test_the_same_share_twice(empty, files):
    refused(empty, 16, [files[0], files[1], files[0]], "was read already", "1 more is needed")


def test_another_set(held, empty, files, write):
    other = held.json("backup", "split", "--shares", "3/5", "--reveal-shares")["shares"]
    refused(empty, 19, [*files[:2], write("other", other[2]["words"])], "other: ", "of another set")


def test_mixed_sets_with_one_identifier(empty, write):
    """Two secrets, made with the same random identifier: only the digest tells."""
    made = shamir.run("""
import random, shamir_mnemonic.shamir as module
module._random_identifier = lambda: 7
print(json.dumps([generate_mnemonics(1, [(2, 3)], bytes.fromhex(each))[0] for each in given]))
""", [KEY.hex(), bytes(32).hex()])
    refused(empty, 19, [write("a", made[0][0]), write("b", made[1][1])], "do not belong together")
    refused(empty, 19, [write("a", made[0][0]), write("b", made[1][0])], "two different shares have the number 1")
    refused(empty, 19, [write("a", made[0][0]), write("b", made[0][1]), write("c", made[1][2])],
            "share 3 does not belong to the others")


def test_another_public_key(empty, files):
    refused(empty, 19, files[:3], "another public key", more=["--expect-public-key", "00" * 31 + "09"])


@pytest.mark.parametrize("more", [[], ["--json"], ["--quiet"], ["--replace"]])
def test_nothing_is_stored_that_nobody_has_compared(empty, files, more):
    result = empty("backup", "join", *files[:3], "--id", ID, "--no-passphrase", *more)
    word = base64.b32encode(hashlib.sha256(bytes.fromhex(PUBLIC)).digest()[:5]).decode()
    assert result.code == 64 and f"--expect-public-key {PUBLIC}" in result.err and word[:4] in result.err, result
    assert not (empty.keystore / "identities").exists() and result.out == ""


def test_the_key_of_another_id(empty, files):
    """The words do not say the ID: a wrong one would be a second identity with this key."""
    empty.ok("backup", "join", *files[:3], "--id", ID, "--no-passphrase", *PROVEN)
    result = empty("backup", "join", *files[:3], "--id", "ABCD1235", *PROVEN)
    assert result.code == 19 and f"the private key of {ID}, not to one of ABCD1235" in result.err, result
    assert [each["id"] for each in empty.json("id", "list")["identities"]] == [ID]


def test_another_key_is_held(empty, files):
    empty.ok("id", "create", "--id", ID, "--no-passphrase")
    assert empty("backup", "join", *files[:3], "--id", ID, *PROVEN).code == 17
    empty.ok("backup", "join", *files[:3], "--id", ID, "--replace", *PROVEN)
    assert empty.json("id", "show")["public_key"] == PUBLIC


# Words of the list that the sentence has itself.
SENTENCE = {"column", "page", "stands", "list"}


@pytest.mark.parametrize("place", [0, 1, 2, 3, 4, 16, 29, 30, 32])
def test_a_wrong_word_is_named_by_its_number(empty, shares, files, write, place):
    words = shares[0].split()
    wrong = next(word for word in shares[1].split()[4:] if word not in words)
    words[place] = wrong
    result = refused(empty, 65, [write("wrong", " ".join(words)), *files[1:3]], f"word {place + 1} is probably wrong")
    assert not set(re.findall("[a-z]+", result.err)) & {wrong, shares[0].split()[place]} - SENTENCE


def test_swapped_words(empty, shares, files, write):
    words = shares[0].split()
    at = next(at for at in range(10, 28) if words[at] != words[at + 1])
    words[at], words[at + 1] = words[at + 1], words[at]
    refused(empty, 65, [write("wrong", " ".join(words)), *files[1:3]],
            f"words {at + 1} and {at + 2} have probably changed places")


def test_other_texts(empty, shares, files, write):
    for text, said in [("", "no words"), (shares[0] + " zero", "has 34"), (shares[0].rsplit(" ", 1)[0], "has 32"),
                       ("qqqq " + shares[0], "word 1 is not in the list"), (shares[0].replace(" ", ";"), "word 1")]:
        result = refused(empty, 65, [write("wrong", text), *files[1:3]], said)
        assert shares[0].split()[5] not in result.err and "a file of its own" not in result.err
    for count, said in [(2, "has 66"), (3, "has 99"), (7, "has more than 212")]:
        text = "\n".join((shares + shares)[:count])
        assert "a file of its own" in refused(empty, 65, [write("wrong", text), *files[1:3]], said).err
    refused(empty, 65, [write("wrong", " ".join(["zero"] * 3000)), *files[1:3]])
    refused(empty, 65, [write("wrong", "zero " * 30000), *files[1:3]])
    refused(empty, 66, ["/nowhere", *files[1:3]])


def test_four_letters_in_any_case_and_layout(empty, shares, write):
    files = [write(f"short{number}", "\n".join(f"{place}. {word[:4].upper()}," for place, word in enumerate(words.split())))
             for number, words in enumerate(shares[:3])]
    empty.ok("backup", "join", *files, "--id", ID, "--no-passphrase", *PROVEN)
    assert empty.json("id", "show")["public_key"] == PUBLIC


def test_a_secret_that_is_no_private_key(empty, write):
    made = shamir.split(bytes(16))[0]
    refused(empty, 65, [write("a", made[0]), write("b", made[1])], "16 bytes")


def test_work_is_limited(empty, write):
    """A share of the highest exponent would take a minute and a half."""
    made = shamir.run("""
from shamir_mnemonic.share import Share
words = []
for index in (0, 1):
    words.append(Share(7, True, 15, 0, 1, 1, index, 2, bytes(range(32))).mnemonic())
print(json.dumps(words))
""", [])
    refused(empty, 65, [write("a", made[0]), write("b", made[1])], "2^15")


def test_the_id_is_needed(empty, files):
    result = empty("backup", "join", *files[:3], "--no-passphrase")
    assert result.code == 64 and "--id ID" in result.err
    assert empty("backup", "join", "--id", ID).code == 16


# One share


def test_check(held, files, keytool):
    result = held.ok("backup", "check", "--share", files[1])
    assert "the words are right: share 2, of which 3 are needed" in result.out
    assert f"it belongs to {ID}: 2 of 5" in result.out
    found = held.json("backup", "check", "--share", files[3])
    assert (found["id"], found["share"], found["threshold"], found["count"], found["held"]) == (ID, 4, 3, 5, True)
    words = held("doctor").out
    assert re.search(r"shares 1 +3 of 5 needed; shares 1, 3, 5 made 0 days ago, shares 2, 4 checked 0 days ago", words), words


def test_only_shares_that_were_checked_count_as_a_backup(keytool, write):
    """A split that was killed leaves nothing but the record."""
    def said():
        return [check for check in keytool.json("doctor")["checks"] if check["check"] == "code 1"]

    keytool.ok("id", "create", "--id", ID)
    for share in keytool.json("backup", "split", "--shares", "2/3", "--reveal-shares")["shares"][:2]:
        [code] = said()
        assert code["result"] == "warning" and "too few shares were checked" in code["detail"]
        keytool.ok("backup", "check", "--share", write("share", share["words"]))
    assert said() == []
    # New ones are not checked yet, and the old ones still join.
    keytool.json("backup", "split", "--shares", "2/2", "--reveal-shares")
    assert said() == []


@pytest.mark.parametrize("way", WAYS)
def test_check_where_nothing_can_be_stored(held, files, write, backup_password, way):
    """The key and the share were compared, which is what was asked for."""
    code = write("code", oracle.seal_code(oracle.Identity(ID, KEY), BACKUP_PASSWORD))
    reading = WAYS[way](held)
    for command in ["--share", files[0]], ["--share", files[0], "--expect-id", ID], [code, *backup_password]:
        said = reading.ok("backup", "check", *command)
        assert "the date of this check was not stored" in said.err and "was stored" not in said.out, said
        assert "it belongs to" in said.out or "the keystore holds this key" in said.out
        assert reading.json("backup", "check", *command)["held"] is True


def test_check_of_a_share_of_an_older_set(held, files):
    held.json("backup", "split", "--shares", "2/2", "--reveal-shares")
    assert f"it belongs to {ID}: 1 of 5" in held.ok("backup", "check", "--share", files[0]).out


def test_check_of_a_stranger(held, shares, empty, write):
    stranger = write("stranger", shamir.split(bytes(range(32)))[0][0])
    result = held("backup", "check", "--share", stranger)
    assert result.code == 19 and f"does not belong to {ID}" in result.err and "the words are right" in result.out
    # Elsewhere there is nothing to compare it with.
    assert empty.json("backup", "check", "--share", stranger)["held"] is False
    # And words that are wrong are wrong everywhere.
    assert empty("backup", "check", "--share", write("wrong", " ".join(reversed(shares[0].split())))).code == 65


def test_check_on_stdin(held, shares):
    assert held("backup", "check", "--share", "-", stdin=shares[0]).code == 0
    assert held("backup", "check", "--share").code == 16


def test_check_refuses_other_options(held, files, shares):
    for more in (["--expect-check", "AAAA-AAAA"], ["--try-newer"], ["--qr-image", "x.png"], ["--id", ID],
                 ["--file-passphrase-command", "echo x"]):
        assert held("backup", "check", "--share", files[0], *more).code == 64
    assert held("backup", "check", "--share", files[0], "--expect-id", ID).code == 0
    assert held("backup", "check", "--share", "-", "--passphrase-file", "-", stdin=shares[0]).code == 64


def test_an_expected_id_that_cannot_be_shown_fails(held, files, empty):
    held.ok("id", "create", "--id", "OTHERID1")
    assert held("backup", "check", "--share", files[0], "--expect-id", "ABSENT00").code == 10
    result = held("backup", "check", "--share", files[0], "--expect-id", "OTHERID1")
    assert result.code == 19 and "the words are right" in result.out and "OTHERID1" in result.err
    assert held("--json", "backup", "check", "--share", files[0], "--expect-id", "OTHERID1").code == 19
    assert empty("backup", "check", "--share", files[0], "--expect-id", ID).code == 10
    held.ok("id", "show", ID)


def test_an_expected_id_needs_the_keystore(held, files, given):
    held.ok("key", "protect", *given("passphrase", b"correct horse battery staple"))
    assert held("backup", "check", "--share", files[0]).code == 0
    assert held("backup", "check", "--share", files[0], "--expect-id", ID).code == 16


def test_a_page_is_not_read_as_words(held, tmp_path):
    place = tmp_path / "pages"
    held.ok("backup", "split", "--shares", "2/2", "--sheet", place)
    pages = sorted(place.iterdir())
    for command in (["check", "--share", pages[0]], ["join", *pages, "--id", ID]):
        result = held("backup", *command)
        assert result.code == 65 and "is a page to print" in result.err and "word 1" not in result.err


def test_an_age_is_never_negative(held, shares):
    behind = Clocked(held, datetime.now(UTC) - timedelta(days=9))
    assert "shares 1, 2, 3, 4, 5 made 0 days ago" in behind("doctor").out


@pytest.mark.parametrize("verb", ["import", "check"])
def test_a_share_is_no_backup_code(held, shares, files, write, verb):
    torn = write("torn", " ".join(shares[0].split()[:25]) + " qqqq")
    for name, text in ((files[0], None), ("-", shares[0].upper()), (torn, None)):
        result = held("backup", verb, name, stdin=text)
        assert result.code == 64 and "keytool backup join" in result.err
        # Not one alone: "check" and "join" are words of shares.
        assert " ".join(shares[0].split()[7:10]) not in result.err


def test_share_words_at_the_prompt_of_a_code(held, shares, terminal):
    for verb in ("import", "check"):
        run = terminal("backup", verb)
        run.expect("Backup code: $")
        run.send(shares[0])
        assert run.finish() == 64, run.text
        text = " ".join(run.text.split())
        assert "these are the words of a share, not a backup code" in text and "keytool backup join" in text


# What is remembered


def test_the_record_has_digests_only(held, shares):
    record = identityfiles.opened(identityfiles.path(held.keystore, ID, "shares"), masterkey.read(held))
    assert record[0] == 1 and record[1:33] == bytes.fromhex(PUBLIC) and len(record) == 45 + 5 * 40
    for words in shares:
        value = shamir.value(words)
        assert all(value[at:at + 8] not in record for at in range(25))


def test_a_new_key_has_no_shares(held, files, backup_password, write):
    code = oracle.seal_code(oracle.Identity(ID, bytes(range(32))), BACKUP_PASSWORD)
    held.ok("backup", "import", "--replace", write("code", code), *backup_password)
    for expected in [], ["--expect-id", ID]:
        refused = held("backup", "check", "--share", files[0], *expected)
        assert refused.code == 19 and f"of an earlier private key of {ID}, which was replaced" in refused.err
        assert "backup split ABCD1234 --shares 3/5" in refused.err
    assert held.fails(19, "backup", "check", "--share", files[0], "--json").error["reason"] == "other_key"
    # Of the new key nothing was shared here, so nothing is known of its shares.
    elsewhere = write("elsewhere", shamir.split(bytes(range(32)))[0][0])
    assert held.json("backup", "check", "--share", elsewhere)["held"] is False
    assert "it was not shared here" in held("backup", "check", "--share", elsewhere, "--expect-id", ID).err
    assert "shares 1" not in held("doctor").out
    assert re.search(r"paper 1 +shares or a kit restore an earlier private key", held("doctor").out)
    held.ok("backup", "split", "--shares", "2/2", "--reveal-shares")
    assert "paper" not in held("doctor").out


def test_an_archive_has_it(held, empty, files, write, backup_password):
    archive, key = held.home / "all.age", write("agekey", archives.IDENTITY)
    held.ok("archive", "export", "-o", archive, "--recipient", archives.RECIPIENT)
    empty.ok("archive", "import", archive, "--identity", key, "--no-passphrase")
    assert empty.json("backup", "check", "--share", files[1])["id"] == ID
    # Also if it is about an earlier key.
    code = oracle.seal_code(oracle.Identity(ID, bytes(range(32))), BACKUP_PASSWORD)
    held.ok("backup", "import", "--replace", write("code", code), *backup_password)
    held.ok("archive", "export", "-o", held.home / "later.age", "--recipient", archives.RECIPIENT)
    empty.ok("id", "remove", ID, "--yes")
    empty.ok("archive", "import", held.home / "later.age", "--identity", key)
    assert "of an earlier private key" in empty("backup", "check", "--share", files[1]).err


def test_only_shares_that_were_written_take_the_place_of_older_ones(held, tmp_path, write):
    sets = [held.json("backup", "split", "--shares", "2/2", "--reveal-shares")["shares"] for _ in range(16)]
    oldest, second = [write(f"of{number}", sets[number][0]["words"]) for number in (0, 1)]
    check = ["backup", "check", "--json", "--share"]
    with open("/dev/full", "w") as full:
        for more in (["--reveal-shares"], ["--sheet", tmp_path / "pages"], ["--reveal-shares"]):
            assert held("backup", "split", "--shares", "2/2", *more, stdout=full).code == 74
    assert held(*check, oldest).code == 0
    held.ok("backup", "split", "--shares", "2/2", "--reveal-shares")
    assert held(*check, oldest).code == 19 and held(*check, second).code == 0
    length = len(identityfiles.opened(identityfiles.path(held.keystore, ID, "shares"), masterkey.read(held)))
    assert length == 33 + 16 * (12 + 2 * 40)


def test_a_damaged_record_is_found_and_replaced(held, shares):
    path = identityfiles.path(held.keystore, ID, "shares")
    path.write_bytes(path.read_bytes()[:-1])
    assert "shares" in held("doctor").out
    held.json("backup", "split", "--shares", "2/3", "--reveal-shares")
    assert "2 of 3 needed" in held("doctor").out


def test_a_damaged_record_of_another_identity_hides_no_share(held, files, write):
    held.ok("id", "create", "--id", "AAAAAAA1")
    other = held.json("backup", "split", "AAAAAAA1", "--shares", "2/3", "--reveal-shares")["shares"]
    path = identityfiles.path(held.keystore, "AAAAAAA1", "shares")
    path.write_bytes(path.read_bytes()[:-1])
    assert held.json("backup", "check", "--share", files[0])["held"] is True
    # Of those of the damaged one, nothing is said.
    assert '"shares" of AAAAAAA1 is damaged' in held.ok("backup", "check", "--share", write("other", other[0]["words"])).err


def test_status(held, files, directory, safe_password):
    held.ok("safe", "setup", "--create", "--server", directory.url, *safe_password)
    held.ok("backup", "check", "--share", files[0])
    assert re.search(r"shares +3 of 5 needed; share 1 checked 0 days ago", held.ok("safe", "status").out)
    found = held.json("safe", "status")["shares"]
    assert [share["number"] for share in found] == [1, 2, 3, 4, 5]
    assert ["checked_at" in share for share in found] == [True] + [False] * 4


def test_a_failed_split_keeps_the_shares_of_an_earlier_key(held, shares, write, backup_password):
    other = oracle.seal_code(oracle.Identity(ID, bytes(range(32))), BACKUP_PASSWORD)
    held.ok("backup", "import", "--replace", write("other", other), *backup_password)
    with open("/dev/full", "w") as full:
        assert held("backup", "split", "--shares", "2/3", "--reveal-shares", stdout=full).code == 74
    held.ok("backup", "import", "--replace", write("code", oracle.seal_code(oracle.Identity(ID, KEY), BACKUP_PASSWORD)),
            *backup_password)
    assert held.json("backup", "check", "--share", "-", stdin=shares[0])["held"] is True
