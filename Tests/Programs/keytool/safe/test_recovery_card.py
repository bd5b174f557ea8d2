"""The recovery card of a Safe: its command restores as it is printed, and it holds no password."""

import json
import os
import re
import stat
import subprocess

import pytest

from kit.known import SAFE_PASSWORD
from kit.runner import snapshot
from kit.screens import pictures
from kit.screens.printed import command_of, texts
from kit.screens.setupdialog import CARD, PUSH
from kit.servers.httpsmachine import ID, SERVER_PASSWORD, USER, fresh, pushed  # fixtures
from kit.servers.webservers import Nginx

PIN = "sha256//LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE="
PASSWORD = SAFE_PASSWORD.decode()


@pytest.fixture
def card(tmp_path):
    return tmp_path / "card.pdf"


def typed(command, home, program, environment, shell="bash"):
    """The command, typed into a shell in a directory where `keytool` is this program."""
    binaries = home / "typed-bin"
    binaries.mkdir(exist_ok=True)
    (binaries / "keytool").write_text(program)
    (binaries / "keytool").chmod(0o755)
    return subprocess.run([shell, "-c", command], cwd=home, capture_output=True, timeout=60,
                          env={**environment, "PATH": f"{binaries}:/usr/bin:/bin"})


def restoring(path, keytool, tmp_path, **sources):
    """The card's command, typed on another machine."""
    other = keytool.with_keystore(tmp_path / "another machine")
    words = " ".join(f"'{word}'" for word in other.command_line("--no-input"))
    run = typed(command_of(path), tmp_path, f'#!/bin/sh\nexec {words} "$@" --no-passphrase\n',
                {**other.environment, "KEYTOOL_KEYSTORE": str(other.keystore),
                 **{name: str(value) for name, value in sources.items()}})
    return other, run


def restores(path, keytool, tmp_path, public_key, **sources):
    """It gives the same key."""
    other, run = restoring(path, keytool, tmp_path, **sources)
    assert run.returncode == 0, run
    assert other.json("id", "show", ID)["public_key"] == public_key


@pytest.mark.parametrize("name", ["card.pdf", "card.svg"])
def test_command_restores_from_a_directory(safe, keytool, safe_password, tmp_path, name):
    keytool.ok("safe", "push")
    key = keytool.json("id", "show")["public_key"]
    result = keytool.ok("safe", "card", tmp_path / name)
    assert result.out == f"wrote the recovery card of ABCD1234 to {tmp_path / name}\n"
    restores(tmp_path / name, keytool, tmp_path, key, KEYTOOL_SAFE_PASSWORD_FILE=safe_password[1])


def test_command_restores_from_a_server(pushed, card, tmp_path):
    keytool, world = pushed.keytool, pushed.world
    keytool.ok("safe", "server", "--pin", keytool.json("safe", "status", "--remote")["remote"]["pin"])
    keytool.ok("safe", "card", ID, card)
    restores(card, keytool, tmp_path, keytool.json("id", "show")["public_key"],
             KEYTOOL_SAFE_PASSWORD_FILE=world.passwords["safe"],
             KEYTOOL_SERVER_PASSWORD_FILE=world.passwords["server"])
    words = " ".join(texts(card))
    shown = keytool.ok("safe", "server").out
    for fact in (ID, pushed.server.url, USER, *re.findall(r"\n +((?:[0-9A-F]{2}:){15}[0-9A-F]{2})", shown),
                 re.search(r"pin +(.*)", shown)[1]):
        assert fact in words, fact
    assert "2. Enter the server's password, then the Safe password." in words, "as keytool asks"
    assert "ca.pem" not in words and "Threema app" not in words, "an app trusts the system's authorities only"


@pytest.mark.parametrize("name", ["card.pdf", "card.svg"])
def test_command_restores_from_a_self_signed_server(owner, web_server, certificates, safe_password, tmp_path, name):
    """Nothing but the text of the card is left."""
    server = web_server(Nginx, None, certificates.self_signed).prepare()
    owner.ok("safe", "setup", "--server", server.url, "--ca-file", certificates.self_signed.path, *safe_password)
    owner.ok("safe", "push")
    owner.ok("safe", "card", tmp_path / name)
    key = owner.json("id", "show")["public_key"]
    assert "--ca-file " not in command_of(tmp_path / name)
    restores(tmp_path / name, owner, tmp_path, key, KEYTOOL_SAFE_PASSWORD_FILE=safe_password[1])
    words = " ".join(texts(tmp_path / name))
    assert "ca.pem" not in words and "Threema app" not in words
    # Somebody else's server on that address.
    server.restart(certificate=certificates.other_authority)
    again = tmp_path / "later"
    again.mkdir()
    assert restoring(tmp_path / name, owner, again, KEYTOOL_SAFE_PASSWORD_FILE=safe_password[1])[1].returncode == 21


def test_many_authorities_are_not_typed(owner, web_server, certificates, safe_password, card, write):
    """Those of a system, say: the command names none, and keytool asks."""
    many = write("many.pem", b"".join(one.path.read_bytes() for one in (
        certificates.authority, certificates.stranger, certificates.good, certificates.renewed, certificates.self_signed)))
    server = web_server(Nginx).prepare()
    owner.ok("safe", "setup", "--server", server.url, "--ca-file", many, *safe_password)
    owner.ok("safe", "card", card)
    text = " ".join(texts(card))
    assert "--ca-fingerprint" not in command_of(card) and "and 1 more" in text and "If keytool shows" in text


def test_no_password_and_no_key(pushed, card, tmp_path):
    for name in ("a.pdf", "a.svg"):
        pushed.keytool.ok("safe", "card", tmp_path / name)
        content = (tmp_path / name).read_bytes()
        assert SERVER_PASSWORD not in content and SAFE_PASSWORD not in content


def test_needs_no_server(pushed, card):
    pushed.server.forget()
    pushed.keytool.ok("safe", "card", card)
    assert pushed.server.kinds() == []


# Names that paper cannot show


@pytest.fixture
def set_up(keytool, safe_password, given):
    """set_up(user, *options): a Safe on a server that nobody asks."""
    keytool.ok("id", "create", "--id", ID)

    def set_up(user, *options, server="https://safe.example.net/alice"):
        named = [f"--server-user={user}", *given("server-password", b"let me in")] if user else []
        keytool.ok("safe", "setup", "--no-test", "--server", server, *named, *options, *safe_password)
    return set_up


NAMES = ["alice", "o'hara", "DOM\\alice", "Ren\u00e9e \u00ff", "e\u0301", "\U0001f600", "\u05e9\u05dc\u05d5\u05dd",
         "a\u202eb", "two  blanks ", " at", "a$(touch x)`b`\"!*?", "\\u{41}", "-x", "=ls", "~root", "#",
         "%\u00a0\u00ad",
         "\U0001f600" * 64, "x" * 256, "'" * 90]


def arguments(path, tmp_path, shell="bash"):
    """What the program gets if the card's command is typed."""
    run = typed(command_of(path), tmp_path, "#!/usr/bin/python3\nimport json, os, sys\n"
                "print(json.dumps([os.fsencode(word).decode() for word in sys.argv[1:]]))\n",
                {"LC_ALL": "C.UTF-8", "HOME": str(tmp_path)}, shell)
    assert run.returncode == 0 and not run.stderr, run
    return json.loads(run.stdout)


@pytest.mark.parametrize("name", NAMES, ids=map(ascii, NAMES))
def test_every_name_is_typed_back(set_up, keytool, card, tmp_path, name):
    set_up(name, "--pin", PIN)
    keytool.ok("safe", "card", card)
    keytool.ok("safe", "card", card.with_suffix(".svg"))
    user = [f"--server-user={name}"] if name.startswith("-") else ["--server-user", name]
    expected = ["safe", "pull", "--id", ID, "--server", "https://safe.example.net/alice/", *user, "--pin", PIN]
    for path in (card, card.with_suffix(".svg")):
        for shell in ("bash", "zsh"):
            assert arguments(path, tmp_path, shell) == expected
    assert command_of(card) == command_of(card.with_suffix(".svg"))


@pytest.mark.parametrize("name, shown", [
    ("\U0001f600", "\\u{1f600}"), ("\u05e9\u05dc", "\\u{5e9}\\u{5dc}"), ("a\u202eb", "a\\u{202e}b"),
    ("Ren\u00e9", "Ren\u00e9"), ("\\u{41}", "\\u{5c}u{41}"), ("a  b ", "a \\u{20}b\\u{20}")])
def test_characters_that_paper_cannot_show_are_spelled(set_up, keytool, card, name, shown):
    set_up(name)
    keytool.ok("safe", "card", card)
    lines = texts(card)
    assert f"User {shown}" in " ".join(lines)
    assert any("is the character with this number in Unicode" in line for line in lines) == (name != shown)


def test_long_names_make_a_longer_card(set_up, keytool, card, tmp_path):
    address = "https://safe.example.net/" + "a/" * 400
    set_up("x" * 256, "--pin", PIN, server=address)
    keytool.ok("safe", "card", card)
    assert arguments(card, tmp_path)[5] == address
    box = pictures.ink(pictures.printed(card))
    assert pictures.fits(box) and box[3] - box[1] > 110


def test_names_that_fit_no_page_are_refused(set_up, keytool, card):
    set_up("x" * 256, server="https://safe.example.net/" + "a/" * 2000)
    refused = keytool.fails(65, "safe", "card", card)
    assert "does not fit on a page" in refused.err and not card.exists()


@pytest.mark.parametrize("options, server, words", [
    (["--read-only"], "https://safe.example.net/alice", ["--read-only", "restore Threema Safe"]),
    ([], "threema", ["--server threema", "restore Threema Safe"]),
    ([], "file:///mnt/with%20blank%F0%9F%98%80", ["file:///mnt/with%20blank%F0%9F%98%80",
                                                 "2. Enter the Safe password"])])
def test_other_setups(set_up, keytool, card, tmp_path, options, server, words):
    set_up(None, *options, server=server)
    keytool.ok("safe", "card", card)
    text = " ".join(texts(card))
    for word in [*words, "Passwords, if they must be on paper"]:
        assert word in text
    assert ("--directory): the phone apps cannot restore it; keytool can." in text) == ("Threema app" in text)
    assert ("Threema app" in text) == (not server.startswith("file:")), "what is impossible is no step"
    assert arguments(card, tmp_path)[:5] == ["safe", "pull", "--id", ID, "--server"]


# The page


@pytest.mark.parametrize("name", ["card.pdf", "card.svg"])
def test_quarter_page_that_fits_both_papers(safe, keytool, tmp_path, name):
    keytool.ok("safe", "card", tmp_path / name)
    left, top, right, bottom = box = pictures.ink(pictures.printed(tmp_path / name))
    assert pictures.fits(box)
    assert abs(right - left - 148) < 1 and abs(bottom - top - 105) < 1


def test_pdf_is_sound(safe, keytool, card):
    keytool.ok("safe", "card", card)
    checked = subprocess.run(["qpdf", "--check", card], capture_output=True, text=True, timeout=60)
    assert checked.returncode == 0 and "No syntax or stream encoding errors" in checked.stdout, checked


# The command


def test_json(safe, keytool, card):
    shown = keytool.json("safe", "card", ID, card)
    assert (shown["command"], shown["id"], shown["file"]) == ("safe card", ID, str(card))
    assert shown["server"]["address"].startswith("file:///") and shown["bytes"] == card.stat().st_size


def test_stdout(safe, keytool, terminal, card):
    process = keytool.start("safe", "card", "-")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0 and out.startswith(b"%PDF-1.4\n") and out.endswith(b"%%EOF\n") and err == b""
    run = terminal("safe", "card", "-")
    assert run.finish() == 64 and "%PDF" not in run.text


def test_file_is_ours_alone_and_not_replaced(safe, keytool, card):
    keytool.ok("safe", "card", card, umask=0)
    assert stat.S_IMODE(card.lstat().st_mode) == 0o600
    card.write_text("precious")
    keytool.fails(17, "safe", "card", card)
    assert card.read_text() == "precious"
    keytool.ok("safe", "card", card, "--force")
    assert card.read_bytes().startswith(b"%PDF") and os.listdir(card.parent).count(card.name) == 1


def test_refusals(keytool, card, safe_password):
    keytool.ok("id", "create", "--id", ID)
    before = snapshot(keytool.keystore)
    assert keytool.fails(10, "safe", "card", card, "--json").error["reason"] == "no_setup"
    for words in (["safe", "card"], ["safe", "card", ID], ["safe", "card", "x.png"], ["safe", "card", "alice", card],
                  ["safe", "card", ID, card, card]):
        keytool.fails(64, *words)
    keytool.fails(10, "safe", "card", "ZZZZ9999", card)
    assert snapshot(keytool.keystore) == before and not card.exists()


# At the end of safe setup

@pytest.mark.parametrize("push", ["y", ""])
def test_setup_offers_it(keytool, directory, terminal, card, push):
    keytool.ok("id", "create", "--id", ID)
    card.with_suffix(".svg").write_text("precious")
    run = terminal("safe", "setup", "--create", "--server", directory.url, columns=300)
    for _ in range(2):
        run.expect(r"Safe password[^\n]*: $")
        run.send(PASSWORD)
    run.expect(PUSH)
    run.send(push)
    for refused, why in ((card.with_suffix(".svg"), "already exists"), ("-", "ends in .pdf or .svg"),
                         ("card.doc", "ends in .pdf or .svg")):
        run.expect(CARD)
        run.send(str(refused))
        run.expect(f"error: [^\n]*{re.escape(why)}")
    run.expect(CARD)
    run.send(str(card))
    run.expect("wrote the recovery card of ABCD1234 to")
    assert run.finish() == 0, run.text
    assert "keytool safe pull --id ABCD1234" in command_of(card) and PASSWORD not in run.text
    assert card.with_suffix(".svg").read_text() == "precious"


def test_setup_without_questions_offers_nothing(keytool, directory, terminal, safe_password):
    keytool.ok("id", "create", "--id", ID)
    run = terminal("safe", "setup", "--create", "--server", directory.url, *safe_password)
    assert run.finish() == 0 and "Recovery card" not in run.text, run.text
