"""No text that somebody else chose controls a terminal; files and pipes get it as it is, and JSON escapes it."""

import base64
import csv
import io
import json
import re
import sys
import unicodedata

import pytest

from kit import archives, mainkeys, oracle, profiles, protonitems, sophax, textsecure
from kit.known import SAFE_PASSWORD
from kit.textsecure import field, signal

ID = "ABCD1234"
KEY, KEY_ID = bytes(range(32)), mainkeys.check_value(bytes(range(32)))
CATEGORIES = ("Cc", "Cf", "Zl", "Zp")
# JSON has no U+0000, and the arguments of a process have none.
ALL = [chr(code) for code in range(1, sys.maxunicode + 1) if unicodedata.category(chr(code)) in CATEGORIES]
# A name of 80 characters and more is cut for people.
PIECES = ["".join(ALL[at:at + 20]) for at in range(0, len(ALL), 20)]
# Complete sequences: set the title, clear the screen, go to the line above, forge an error.
SEQUENCES = ["\x1b]0;title\x07", "\x1b[2J\x1b[H", "\x9b2J", "\x1b[A\rkeytool: error: forged", "a\r\nkeytool: hint: run this",
             "\u202egnp.exe", "\x1b[31mred"]
NAMES = [f"<{name}>" for name in PIECES + SEQUENCES]
# Where each name costs runs of the program. Together they have every sequence, and one piece of each kind.
FEW = [f"<{name}>" for name in [PIECES[0], PIECES[3], PIECES[5], PIECES[-1], "".join(SEQUENCES[:4]), "".join(SEQUENCES[4:])]]


def spelled(name):
    return "".join(f"<U+{ord(c):04X}>" if unicodedata.category(c) in CATEGORIES else c for c in name)


def raw(text):
    """Those characters in a text that is not keytool's own line end."""
    return {character for character in text if unicodedata.category(character) in CATEGORIES} - {"\n"}


def shown(terminal, runner, *command, code=0):
    """What a very wide terminal gets."""
    run = terminal(*command, "--color", "never", runner=runner, columns=5000, rows=500)
    assert run.finish() == code, run.text
    # The spinner is keytool's own.
    text = re.sub(r"\r(?:[|/\\-] [^\r\n\x1b]*)?\x1b\[K", "", run.captured.decode().replace("\r\n", "\n"))
    assert raw(text) == set(), (command, text)
    assert not re.search("^keytool: (error: forged|hint: run this)", text, re.M)
    return text


def in_pipe(runner, *command):
    result = runner.ok(*command)
    assert raw(result.err) == set()
    return result.out_bytes.decode()


def in_json(runner, *command):
    """The bytes of a JSON document are printable, and mean the same."""
    text = in_pipe(runner, *command, "--json")
    assert raw(text) == set(), text
    return json.loads(text)


@pytest.fixture
def threema(pulled):
    contacts = [{"identity": f"HOST{n:04}", "verification": 0, "firstname": name, "lastname": name[::-1], "nickname": name}
                for n, name in enumerate(NAMES)]
    groups = [{"id": f"{n:016x}", "creator": contacts[0]["identity"], "groupname": name, "deleted": False,
               "members": [ID]} for n, name in enumerate(NAMES)]
    lists = [{"id": f"{n:016x}", "name": name, "members": []} for n, name in enumerate(NAMES)]
    document = profiles.document(
        contacts=contacts, groups=groups, distributionlists=lists, user={"nickname": NAMES[-1]})
    return pulled("hostile", oracle.seal_safe(document, oracle.safe_keys(SAFE_PASSWORD, ID))).keytool


@pytest.mark.parametrize("command", [["contact", "list"], ["contact", "list", "--format", "csv"],
                                     ["profile", "show"], ["safe", "pull", "--show", "-v"]], ids=" ".join)
def test_names_of_threema_on_a_terminal(threema, terminal, command):
    text = shown(terminal, threema, *command)
    if command[0] != "safe":
        assert [name for name in NAMES if spelled(name) not in text] == []


def test_vcards_on_a_terminal(threema, terminal):
    text = shown(terminal, threema, "contact", "list", "--format", "vcard")
    assert text.count("BEGIN:VCARD\n") == len(NAMES) and "<U+202E>" in text


def test_a_coloured_list(threema, terminal):
    run = terminal("contact", "list", runner=threema, columns=5000, rows=500)
    assert run.finish() == 0
    assert raw(re.sub(r"\x1b\[3[1-4]m●|\x1b\[0m○", "", run.captured.decode().replace("\r\n", "\n"))) == set()


def test_names_of_threema_in_pipes(threema):
    lines = in_pipe(threema, "contact", "list").split("\n")
    assert len(lines) == len(NAMES) + 1, "a line end in a name makes no line"
    for line, name in zip(lines, NAMES):
        assert name.replace("\n", "<U+000A>") in line
    rows = csv.DictReader(io.StringIO(in_pipe(threema, "contact", "list", "--format", "csv"), newline=""), strict=True)
    assert [row["nickname"] for row in rows] == NAMES
    assert all(c in in_pipe(threema, "contact", "list", "--format", "vcard")
               for c in ALL if unicodedata.category(c) != "Cc")


def test_names_of_threema_in_json(threema, tmp_path):
    found = in_json(threema, "contact", "list")["contacts"]
    assert [contact["nickname"] for contact in found] == NAMES
    assert [group["name"] for group in in_json(threema, "profile", "show")["groups"]] == NAMES
    documents = [in_pipe(threema, "profile", "export", "-o", "-"), in_pipe(threema, "safe", "pull", "-o", "-"),
                 in_pipe(threema, "safe", "pull", "-o", "-", "--reveal-private-key")]
    for document in documents:
        assert raw(document) == set()
        assert [contact["nickname"] for contact in json.loads(document)["contacts"]] == NAMES


def test_what_was_exported_is_imported_unchanged(threema, tmp_path):
    threema.ok("safe", "push")
    threema.ok("profile", "export", "-o", tmp_path / "document")
    threema.ok("profile", "import", tmp_path / "document")
    assert in_pipe(threema, "safe", "push").startswith("unchanged")


@pytest.fixture
def holder(keytool, write):
    keytool.ok("textsecure", "import", write("account.age", archives.seal(textsecure.text(ACCOUNT))),
               "--identity", write("agekey", archives.IDENTITY))
    return keytool


ACCOUNT = textsecure.account()


@pytest.mark.parametrize("name", FEW)
def test_messages_of_textsecure(holder, terminal, write, name):
    group = field(1, b"\1" * 16) + field(2, 1) + field(3, name) + field(4, name)
    content = field(1, name) + field(2, b"\x09" + bytes(8) + field(2, name) + field(3, bytes(64))) + field(3, group)
    path = write("payload", textsecure.seal_push(
        base64.b64decode(ACCOUNT["signalingKey"]), signal(content, source=name)))
    assert spelled(name).replace("<U+000A>", "") in shown(
        terminal, holder, "textsecure", "open-push", path).replace("<U+000A>", "")
    assert name.replace("\n", "<U+000A>") in in_pipe(holder, "textsecure", "open-push", path)
    assert in_json(holder, "textsecure", "open-push", path)["source"] == name


def test_backups_and_bundles_of_sophaxchat(keytool, terminal, write, given):
    keytool.ok("sophaxchat", "init", "--username", "alice")
    for number, name in enumerate(FEW):
        content = json.dumps({"version": 2, "createdAt": 1, "username": name, "peers": [], "messages": {}}).encode()
        file = write(f"backup-{number}", sophax.sxbk(content, b"a passphrase of a backup"))
        command = ["sophaxchat", "open-backup", file, *given("file-passphrase", b"a passphrase of a backup")]
        assert spelled(name) in shown(terminal, keytool, *command)
        assert name.replace("\n", "<U+000A>") in in_pipe(keytool, *command)
        assert in_json(keytool, *command)["username"] == name


def test_groups_of_sophaxchat(keytool, terminal, write):
    keytool.ok("sophaxchat", "import", write("account", archives.seal(sophax.account_text(sophax.ALICE))),
               "--identity", write("agekey", archives.IDENTITY))
    for name in FEW:
        sophax.put_group(keytool, sophax.group_record(group=name, members=["1" * 32]), group=name)
        assert spelled(name) in shown(terminal, keytool, "sophaxchat", "show-group", name)
        assert name.replace("\n", "<U+000A>") in in_pipe(keytool, "sophaxchat", "show-group", name)
        in_json(keytool, "sophaxchat", "show-group", name)
        sessions = ["sophaxchat", "list-sessions"]
        shown(terminal, keytool, *sessions)
        in_json(keytool, *sessions)


def test_values_of_a_mainkey(keytool, terminal, write):
    keytool.ok("id", "create", "--id", ID)
    mainkeys.put(keytool, KEY_ID, {mainkeys.NONE: KEY})
    for number, character in enumerate(ALL[::4]):
        value = f"a{character}b"
        file = write(f"value-{number}", protonitems.seal_v1(KEY, value))
        # Control characters are no text.
        is_text = unicodedata.category(character) != "Cc" or character in "\t\n"
        run = terminal("mainkey", "open-value", "--color", "never", file, runner=keytool)
        assert run.finish() == (0 if is_text else 64), run.text
        text = run.captured.decode().replace("\r\n", "\n")
        assert raw(text) <= {"\t"}, text
        if is_text and character not in "\t\n":
            assert f"a{spelled(character)}b\n" in text
        assert keytool.ok("mainkey", "open-value", file).out_bytes == value.encode()


@pytest.mark.parametrize("name", [name.replace("/", "") for name in FEW])
def test_paths_and_words_on_the_command_line(keytool, terminal, tmp_path, name):
    """Telegram has no names; its directories have. So have keystores, keys and files that do not exist."""
    absent = tmp_path / name[:40]
    for command, code in ([["telegram", "import", absent], 66], [["telegram", "list", "--keystore", absent], None],
                          [["mainkey", "import", absent], None], [["key", "import", absent], 66],
                          [["profile", "import", absent], None], [[name], 64], [["safe", name], 64]):
        result = keytool(*command)
        assert raw(result.err) == set() and (code is None or result.code == code), result
        assert keytool(*command, "--json").code == result.code
        assert raw(keytool(*command, "--json").err) == set()
        shown(terminal, keytool, *command, code=result.code)


def test_the_terminal_of_questions(threema, terminal):
    """`contact remove` asks with the name of the contact."""
    for number in range(0, len(NAMES), 5):
        run = terminal("contact", "remove", f"HOST{number:04}", "--color", "never", runner=threema, columns=5000)
        run.expect(r"\[y/N\] ")
        run.send("n")
        assert run.finish() == 64
        text = run.captured.decode().replace("\r\n", "\n")
        assert raw(text) == set(), text
