"""Unknown commands and options: the error suggests what was meant, and where help is."""

import re
import shlex
import subprocess

import pytest

from kit.pages.commands import leaves, nouns, of_both_programs, verbs
from kit.runner import BINARY, LABORATORY, LABORATORY_VERBS, program
from kit.sampling import some

# One of each kind; Tests/Programs/KeytoolLogicTests has the rest.
MEANT = {
    ("saef", "push", "ABCD1234"): "keytool safe",
    ("--quiet", "safe", "-v", "psuh", "ABCD1234"): "keytool safe push",
    # A verb without its noun.
    ("show",): 'keytool id show" or "keytool profile show" or "keytool qr show',
    # A noun in a verb's place.
    ("id", "backup"): "keytool backup",
    # What other programs call it.
    ("qr", "scan"): "keytool backup import --qr-image",
    ("help", "safe", "restore"): "keytool safe pull",
    # Options elsewhere.
    ("version",): "keytool --version",
    ("help", "bakup"): "keytool backup",
}
# Verbs of later versions among them.
NOTHING_NEAR = [("frobnicate",), ("wizard", "list"), ("help", "frobnicate"), ("",)]


@pytest.mark.parametrize("words", MEANT, ids=" ".join)
def test_suggestion_is_what_was_meant(keytool, words):
    err = keytool.with_keystore(None).fails(64, *words).err
    assert re.search(r'^keytool: error: unknown command "', err), err
    assert f'keytool: hint: did you mean "{MEANT[words]}"?\n' in err, err


@pytest.mark.parametrize("noun, verb", [(noun, verb) for noun, verbs in LABORATORY_VERBS.items() for verb in verbs])
def test_what_another_program_has(keytool, noun, verb):
    """keytool-lab opens and seals traffic; keytool says so, and does nothing."""
    for words in [(noun, verb), ("help", noun, verb), (noun, verb, "--json")]:
        run = subprocess.run([BINARY, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert run.returncode == 64 and run.stdout == "", run
        assert f'unknown command "{noun} {verb}"' in run.stderr.replace("\\", ""), run
        assert f"another program has it, which is not installed by default: keytool-lab {noun} {verb}" in run.stderr, run
    assert (noun, verb) in leaves(LABORATORY) and (noun, verb) not in leaves()


def test_the_verbs_of_the_other_program(keytool):
    listed = {(noun, verb) for noun, verbs in LABORATORY_VERBS.items() for verb in verbs}
    assert {path for path in leaves(LABORATORY) if len(path) == 2} == listed
    assert "and ." not in " ".join(keytool.ok("telegram", "open-packet", "--help").out.split())


@pytest.mark.parametrize("words, meant", [
    (("sophaxchat", "pin"), "sophaxchat set-pin"), (("textsecure", "decrypt"), "textsecure open-attachment"),
    (("telegram", "packet"), "telegram open-packet"), (("textsecure", "hash-numbres"), "textsecure hash-numbers")])
def test_what_was_meant_of_the_other_program(words, meant):
    run = subprocess.run([LABORATORY, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert run.returncode == 64 and f'did you mean "keytool-lab {meant}"?' in run.stderr, run


@pytest.mark.parametrize("words", NOTHING_NEAR, ids=" ".join)
def test_nothing_is_suggested_where_nothing_is_near(keytool, words):
    err = keytool.with_keystore(None).fails(64, *words).err
    assert "unknown command" in err and "did you mean" not in err, err
    assert re.search(r"^keytool: hint: keytool (\w+ )?--help$", err, re.M), err


def test_every_verb_with_two_letters_swapped(keytool):
    for noun, verb in some([path for path in leaves() if len(path) == 2]):
        swapped = verb[0] + verb[2] + verb[1] + verb[3:]
        if verb[1] != verb[2]:
            assert f'"keytool {noun} {verb}"' in keytool.fails(64, noun, swapped).err, swapped


@pytest.mark.parametrize("arguments, option", [
    (("id", "list", "--jsno"), "--json"), (("--jsno", "id", "list"), "--json"),
    (("safe", "push", "--frce"), "--force"), (("--colour", "never"), "--color"),
], ids=str)
def test_mistyped_options(keytool, arguments, option):
    """The option is what is wrong, even where a word follows that may be its value."""
    err = keytool.fails(64, *arguments).err
    assert re.search(r"^keytool: error: unknown option '--\w+'$", err, re.M), err
    assert f"keytool: hint: did you mean '{option}'?\n" in err, err


@pytest.mark.parametrize("arguments, option", [
    (("safe", "push", "--frob", "3"), "--frob"), (("id", "remove", "--yas", "X"), "--yas"),
    (("id", "show", "-x", "3"), "-x"), (("safe", "push", "--frob=3"), "--frob"),
    (("safe", "push", "--all", "extra", "--frob"), "--frob"), (("id", "list", "--id", "3"), "--id"),
    (("safe", "push", "--jitter", "3x", "--frob"), "--frob")], ids=" ".join)
def test_unknown_option_and_not_its_value(keytool, arguments, option):
    """The value behind it is not taken for an operand that is wrong."""
    err = keytool.fails(64, *arguments).err
    assert err.startswith(f"keytool: error: unknown option '{option}'\n") and "ID has" not in err, err


@pytest.mark.parametrize("arguments", [
    ("safe", "push", "--yes"), ("safe", "push", "--frob"), ("id", "list", "--all"), ("safe", "status", "--yes")], ids=" ".join)
def test_no_option_is_suggested_where_none_is_near(keytool, arguments):
    assert "did you mean" not in keytool.fails(64, *arguments).err


def test_known_options_are_not_unknown(keytool):
    """What is wrong with a value stays what is said."""
    for arguments in (("safe", "push", "-q", "--all", "3"), ("backup", "export", "-o", "x", "3"), ("id", "show", "3", "-qv"),
                      ("id", "show", "3", "--no-input", "--keystore=x"), ("id", "show", "3", "--", "--frob")):
        assert "unknown option" not in keytool.fails(64, *arguments).err, arguments


def test_a_hostile_word_is_shown_harmlessly(keytool):
    err = keytool.fails(64, "\x1b[2J\nkeytool: hint: run this").err
    assert "\x1b" not in err and not re.search("^keytool: hint: run this", err, re.M), err
    assert len(keytool.fails(64, "x" * 100_000).err) < 500
    assert "\x1b" not in keytool.fails(64, "safe", "\x1b[2J", "--json").err


@pytest.mark.parametrize("words", [(), *((noun,) for noun in sorted({path[0] for path in [
    ("id",), ("backup",), ("safe",), ("key",), ("revoke",), ("qr",)]}))], ids=" ".join)
def test_without_a_verb(keytool, words):
    """Help, but on stderr and with 64: a cron line that lost a word has not succeeded."""
    bare = keytool.with_keystore(None)
    err = bare.fails(64, *words).err
    assert err.endswith(f"keytool: error: a command is missing\n"
                        f"keytool: hint: {' '.join(['keytool', *words])} --help\n")
    for verb in verbs(words[0]) if words else nouns():
        assert re.search(rf"^  {verb} ", err, re.M), verb
    if words:
        assert err.startswith(bare.ok(*words, "--help").out), err
    assert bare.fails(64, *words, "--json").error["message"] == "a command is missing"


GROUPS = ["Identity and backup", "Keystore", "Other messengers"]


def test_the_name_alone(keytool):
    """A screen of 24 rows of 80 columns: where to begin first, then the nouns in groups."""
    lines = keytool.with_keystore(None).fails(64).err.splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80
    assert lines[0].endswith("To begin:") and lines[1:3] == [
        "  keytool id create        with a new identity", "  keytool backup import    with the one of your phone"]
    groups = [line.removesuffix(":") for line in lines[3:-2] if line and line[0] != " "]
    assert groups == GROUPS
    shown = [line.split()[0] for line in lines[3:-2] if line.startswith("  ")]
    assert sorted(shown) == sorted(nouns())


def test_help_has_the_same_groups(keytool):
    found = re.findall(r"^(.*) SUBCOMMANDS:$", keytool.with_keystore(None).ok("--help").out, re.M)
    assert found == [group.upper() for group in GROUPS]


def test_help_on_a_verb_has_an_example(keytool):
    """One line of 80 columns, with options that the verb has."""
    bare = keytool.with_keystore(None)
    for path, options in some(list(of_both_programs().items())):
        text = bare.ok(*path, "--help").out
        [example] = re.findall(r"\n\nEXAMPLE:\n  (keytool.*)\n\Z", text)
        assert example.startswith(" ".join([program(path), *path])) and len(example) <= 78, example
        assert {word for word in shlex.split(example) if word.startswith("--")} <= options, example
    for noun in nouns():
        if (noun,) not in leaves():
            assert "EXAMPLE" not in bare.ok(noun, "--help").out


def test_help_on_every_command(keytool):
    bare = keytool.with_keystore(None)
    for path in [(), *((noun,) for noun in nouns()), *some(list(of_both_programs()))]:
        by_word, by_option = bare.ok("help", *path).out, bare.ok(*path, "--help").out
        assert by_word == by_option and by_word.startswith("OVERVIEW: ")
        assert " ".join(["USAGE:", program(path), *path]) in by_word


def test_version_for_programs(keytool):
    """Help is for people, whatever is said beside it."""
    bare = keytool.with_keystore(None)
    text = bare.ok("--version").out
    for words in (("--json", "--version"), ("--version", "--json"), ("id", "--json", "--version")):
        assert f"keytool {bare.ok(*words).json['version']}\n" == text
    assert bare.ok("--json", "safe", "--help").out == bare.ok("safe", "--help").out


@pytest.mark.parametrize("option", ["--passphrase", "--password", "--safe-password", "--backup-password"])
def test_secret_as_an_argument(keytool, option):
    result = keytool.fails(64, "backup", "import", option, "hunter22")
    assert "other users can see arguments" in result.err and "hunter22" not in result.err


@pytest.mark.parametrize("arguments, form", [
    (["safe", "push", "--jitter", "3x"], "30s, 10m, 24h or 3d"),
    (["safe", "push", "--tolerate", "three days"], "30s, 10m, 24h or 3d"),
    (["id", "show", "123"], "8 characters"),
    (["backup", "check", "--expect-check", "1111-2222"], "A-Z and 2-7"),
    (["backup", "check", "--expect-public-key", "12"], "64 characters"),
    (["safe", "setup", "--pin", "abc"], "sha256//"),
])
def test_form_of_a_value(keytool, arguments, form):
    assert form in keytool.fails(64, *arguments).err


@pytest.mark.parametrize("arguments", [["-pgeheim"], ["safe", "push", "-qxh"], ["safe", "delete", "--yes", "-nh"]])
def test_cluster_with_an_h_is_no_question(keytool, arguments):
    assert "geheim" not in keytool.fails(64, *arguments).err


@pytest.mark.parametrize("argument", ["--tolerate=geheim\nzwei", "--server-password:geheim", "--x\x1b]0;geheim\x07"])
def test_what_is_typed_is_not_repeated(keytool, argument):
    result = keytool.fails(64, "safe", "push", argument)
    assert "geheim" not in result.err and "\x1b" not in result.err


def test_paths_cannot_move_the_cursor(keytool):
    assert "\x1b" not in keytool("id", "list", "--keystore", "/tmp/\x1b[2Jx").err


@pytest.mark.parametrize("arguments, meant", [
    (("completion",), '"keytool --generate-completion-script bash"'),
    (("completions", "zsh"), '"keytool --generate-completion-script bash"'),
    (("backup", "export", "--weak"), "'--weak-ok'"), (("contact", "list", "--csv"), "'--format csv'"),
    (("contact", "list", "--vcard"), "'--format vcard'"), (("backup", "export", "--argon2id"), "'--scheme argon2id'"),
], ids=str)
def test_what_is_called_otherwise(keytool, arguments, meant):
    assert f"keytool: hint: did you mean {meant}?\n" in keytool.fails(64, *arguments).err
