"""What holds for every command: global options, errors as JSON, a full disk."""

import re
import subprocess

import pytest

from kit.runner import BINARY, snapshot


def test_version(keytool):
    result = keytool.with_keystore(None).ok("--version")
    assert re.search(r"\d+\.\d+", result.out)
    assert result.err == ""


def test_arguments_survive_a_library_that_moves_the_environment(keytool):
    """Preloaded, libfaketime sets variables before main."""
    preloading = keytool.with_environment(
        LD_PRELOAD="/usr/$LIB/faketime/libfaketime.so.1", FAKETIME="@2038-01-19 03:14:07", TZ="UTC0")
    result = preloading("id", "show", "ABCD1234")
    assert result.code == 10, result
    assert result.out == "" and "no identity" in result.err, result


@pytest.mark.parametrize("arguments", [
    ("--help",), ("help",), ("help", "safe"), ("safe", "--help"), ("help", "safe", "push"),
    ("safe", "push", "--help"), ("mainkey", "protect", "--help"),
], ids=" ".join)
def test_help(keytool, arguments):
    result = keytool.with_keystore(None).ok(*arguments)
    assert "keytool" in result.out and result.err == ""


@pytest.mark.parametrize("line", [
    "--keystore= id create foo", "id --keystore= create foo", "- backup check", "backup - check", "--json= id list",
    "--color= id show always", "profile export -o -q foo", "safe history --diff 1 --json 2"])
def test_an_option_in_front_of_a_verb_takes_nothing_from_it(keytool, line):
    """The parser takes the word behind `--keystore=` for its value, and `-` for an operand."""
    keytool.fails(64, *line.split())
    keytool.with_keystore(None).fails(64, *line.split())
    assert list(keytool.home.iterdir()) == []


def test_a_value_behind_another_option_is_missing(keytool):
    said = keytool.fails(64, "profile", "export", "-o", "-q", "foo").err
    assert "missing value for '-o <" in said, said


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("spelling", [("--json",), ("--json", "-v"), ("--json", "--no-input"),
                                      ("--json", "--color", "never")], ids=" ".join)
def test_global_options_before_and_after_the_verbs(keytool, place, spelling):
    words = ["id", "list"]
    words[place:place] = spelling
    assert keytool.ok(*words).json["command"] == "id list"


def test_keystore_before_and_after_the_verbs(keytool):
    made = keytool.json("id", "create")
    nowhere = keytool.with_keystore(None)
    there = ("--keystore", keytool.keystore)
    for command in ((*there, "id", "show"), ("id", *there, "show"), ("id", "show", *there),
                    ("id", "show", f"--keystore={keytool.keystore}")):
        assert nowhere.json(*command)["id"] == made["id"]


USAGE = {
    "unknown noun": ("frobnicate",),
    "unknown verb": ("id", "frobnicate"),
    "unknown option": ("id", "list", "--frobnicate"),
    "verb of a later build": ("safe", "rehearse"),
    "too many arguments": ("id", "show", "ABCD1234", "ABCD1234"),
    "option without its value": ("id", "create", "--id"),
    "archive without a file": ("archive", "export"),
    "bad colour": ("id", "list", "--color", "purple"),
}


@pytest.mark.parametrize("arguments", USAGE.values(), ids=USAGE)
def test_usage_errors(keytool, arguments):
    before = snapshot(keytool.keystore, without=())
    keytool.fails(64, *arguments)
    assert snapshot(keytool.keystore, without=()) == before


@pytest.mark.parametrize("arguments", USAGE.values(), ids=USAGE)
def test_usage_errors_as_one_line_of_json(keytool, arguments):
    for command in (("--json", *arguments), (*arguments[:-1], "--json", arguments[-1])):
        result = keytool(*command)
        assert result.code == 64 and result.out == "", result
        assert result.error["code"] == 64 and result.error["name"] == "usage", result
        assert result.error["message"], result


def test_near_misses_get_a_suggestion(keytool):
    assert "push" in keytool.fails(64, "safe", "psuh").err


def test_other_errors_as_one_line_of_json(keytool):
    error = keytool.fails(10, "id", "show", "ABCD1234", "--json").error
    assert (error["code"], error["name"]) == (10, "absent")
    error = keytool.fails(66, "backup", "check", "absent", "--json").error
    assert (error["code"], error["name"]) == (66, "no_input")


def test_error_sentences(keytool):
    """Lower case, no full stop; the hint stands below."""
    for code, command in ((10, ("id", "show", "ABCD1234")), (10, ("safe", "push")), (10, ("mainkey", "status")),
                          (64, ("id", "frobnicate")), (66, ("backup", "check", "absent"))):
        line = re.search(r"^keytool: error: (.*)$", keytool.fails(code, *command).err, re.M)[1]
        assert not line.endswith("."), line
        assert not line[0].isupper() or line.split()[0].isupper(), line


def test_quiet_commands_are_silent_on_success(
        keytool, directory, safe_password, code_file, code_password):
    for command in (("backup", "import", code_file, *code_password),
                    ("safe", "setup", "--create", "--server", directory.url, *safe_password),
                    ("safe", "push"), ("safe", "pull"), ("safe", "delete", "--yes"),
                    ("mainkey", "init", "--no-pin"), ("mainkey", "timeout", "5"), ("mainkey", "lock"),
                    ("mainkey", "wipe", "--yes")):
        result = keytool.ok(*command, "-q")
        assert result.out == result.err == "", result


def test_quiet_commands_still_say_what_went_wrong(keytool):
    assert "keytool: error:" in keytool.fails(10, "id", "show", "ABCD1234", "-q").err


@pytest.mark.parametrize("arguments", [
    ("--version",), ("--help",), ("id", "list"), ("id", "show"), ("id", "show", "--json"),
    ("qr", "show", "--mode", "utf8"),
], ids=" ".join)
def test_disk_full(keytool, arguments, code_file):
    keytool.ok("id", "create")
    with open("/dev/full", "wb") as full, open(code_file) as payload:
        result = keytool(*arguments, stdout=full) if arguments[0] != "qr" else keytool.finish(
            keytool.start(*arguments, stdout=full, stdin=payload))
    assert result.code == 74, result
    assert "keytool" in result.err or '"code":74' in result.err


def test_disk_full_while_a_code_is_written(keytool, backup_password):
    keytool.ok("id", "create")
    with open("/dev/full", "wb") as full:
        assert keytool("backup", "export", *backup_password, stdout=full).code == 74


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams(keytool, closed):
    """A file of the keystore must not become descriptor 1 and take the output."""
    keytool.ok("id", "create", "--id", "ABCD1234")
    command = keytool.command_line("id", "create", "--id", "ZZZZ9999")
    shell = subprocess.run(["/bin/sh", "-c", f'exec "$0" "$@" {closed}', *command],
                           env=keytool.environment, capture_output=True, timeout=60)
    assert shell.returncode in (0, 74), shell
    listed = {one["id"] for one in keytool.json("id", "list")["identities"]}
    assert "ABCD1234" in listed
    for id in listed:
        keytool.ok("id", "show", id)


def test_no_colour_where_there_is_no_terminal(keytool):
    keytool.ok("id", "create")
    for command in (("id", "show"), ("id", "list"), ("id", "frobnicate"), ("help",)):
        result = keytool(*command)
        assert "\x1b" not in result.out + result.err


@pytest.mark.parametrize("locale", ["C", "POSIX", "nonsense", "tr_TR.UTF-8"])
def test_locales(keytool, locale):
    runner = keytool.with_environment(LC_ALL=locale)
    assert runner.json("id", "create", "--id", "IIII1111")["id"] == "IIII1111"
    runner.fails(64, "id", "show", "ÄÖÜ")


def test_arguments_that_are_no_utf8(keytool):
    process = subprocess.run([BINARY, b"id", b"show", b"\xff\xfe"], capture_output=True,
                             env=keytool.environment, timeout=60)
    assert process.returncode == 64, process
