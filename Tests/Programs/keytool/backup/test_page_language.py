"""Pages in English and German: which of them is chosen, that each is whole, and that every line fits the paper."""

import re
import subprocess

import pytest

from kit.runner import snapshot
from kit.screens import helvetica, pictures
from kit.screens.printed import texts
from kit.screens.setupdialog import CARD, PUSH

# Commands that write pages, with the page's name in each language.
PAGES = {
    "share": (["backup", "split", "--shares", "2/3", "--sheet", "PLACE"], "share-2-ABCD1234.pdf",
              "Share 2 of 3 of the Threema ID ABCD1234", "Teilschlüssel 2 von 3 der Threema-ID ABCD1234"),
    "archive": (["archive", "export", "-o", "PLACE/keys.age", "--shares", "2/3", "--sheet", "PLACE"], "share-2-archive.pdf",
                "Share 2 of 3 of a keytool archive", "Teilschlüssel 2 von 3 eines keytool-Archivs"),
    "sheet": (["backup", "export", "PASSWORD", "--sheet", "PLACE/page.pdf"], "page.pdf",
              "Threema ID backup", "Backup einer Threema-ID"),
    "sheet as SVG": (["backup", "export", "PASSWORD", "--sheet", "PLACE/page.svg"], "page.svg",
                     "Threema ID backup", "Backup einer Threema-ID"),
    "long sheet": (["backup", "export", "PASSWORD", "--scheme", "argon2id", "--sheet", "PLACE/page.pdf"], "page.pdf",
                   "Threema ID backup", "Backup einer Threema-ID"),
    "card": (["safe", "card", "PLACE/card.pdf"], "card.pdf",
             "Threema Safe recovery card", "Notfallkarte für Threema Safe"),
    "card as SVG": (["safe", "card", "PLACE/card.svg"], "card.svg",
                    "Threema Safe recovery card", "Notfallkarte für Threema Safe"),
}


@pytest.fixture
def written(safe, keytool, backup_password, tmp_path):
    """written(name, *options, **environment): the text of a new page, and its file."""
    def written(name, *options, **environment):
        written.number += 1
        place = tmp_path / f"place{written.number}"
        place.mkdir()
        words = [part.replace("PLACE", str(place)) for part in PAGES[name][0]]
        words = [word for part in words for word in (backup_password if part == "PASSWORD" else [part])]
        keytool.with_environment(**environment).ok(*words, *options)
        return " ".join(texts(place / PAGES[name][1])), place / PAGES[name][1]

    written.number = 0
    return written


@pytest.mark.parametrize("name", PAGES)
def test_the_option_chooses(written, name):
    english, german = PAGES[name][2:]
    for language, title, other in (("en", english, german), ("de", german, english)):
        text, page = written(name, "--language", language, LC_ALL="de_DE.UTF-8" if language == "en" else "C")
        assert title in text and other not in text, text
        content = page.read_bytes()
        assert (f"/Lang ({language})" if page.suffix == ".pdf" else f'xml:lang="{language}"').encode() in content
        # Every place has its value.
        assert not re.search(r"\{[a-z]+\}", text), text


@pytest.mark.parametrize("environment, is_german", [
    ({"LC_ALL": "de_AT.UTF-8"}, True), ({"LC_ALL": None, "LC_MESSAGES": "de"}, True),
    ({"LC_ALL": None, "LANG": "de_DE.UTF-8"}, True), ({"LC_ALL": "", "LC_MESSAGES": "", "LANG": "de_CH"}, True),
    ({"LC_ALL": "C", "LC_MESSAGES": "de_DE", "LANG": "de_DE"}, False),
    ({"LC_ALL": None, "LC_MESSAGES": "en_GB.UTF-8", "LANG": "de_DE"}, False),
    ({"LC_ALL": None, "LC_CTYPE": "de_DE.UTF-8"}, False), ({"LC_ALL": None, "LANG": "fr_FR.UTF-8"}, False),
    ({"LC_ALL": None, "LANGUAGE": "de"}, False)])
def test_else_the_locale(written, environment, is_german):
    assert PAGES["card"][2 + is_german] in written("card", **environment)[0]


@pytest.mark.parametrize("language, words", [
    ("en", "type messenger-keytool instead"), ("de", "tippen Sie stattdessen messenger-keytool")])
@pytest.mark.parametrize("name", [name for name in PAGES if "card" not in name])
def test_the_name_of_the_program_in_the_package(written, name, language, words):
    """In Debian the name keytool is that of Java's program, which answers so."""
    text = written(name, "--language", language)[0]
    assert '"Illegal option"' in text and words in text, text


@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize("name", PAGES)
def test_every_line_fits(written, name, language):
    page = written(name, "--language", language)[1]
    if page.suffix == ".pdf":
        assert helvetica.overlong(page) == []
        checked = subprocess.run(["qpdf", "--check", page], capture_output=True, text=True, timeout=60)
        assert checked.returncode == 0 and "No syntax or stream encoding errors" in checked.stdout, checked
    assert pictures.fits(pictures.ink(pictures.printed(page, 100)))


def test_the_widest_id_fits(keytool, backup_password, tmp_path):
    keytool.ok("id", "create", "--id", "WWWWWWWW")
    keytool.ok("backup", "export", *backup_password, "--sheet", tmp_path / "a.pdf", "--language", "de")
    keytool.ok("backup", "split", "--shares", "16/16", "--sheet", tmp_path / "shares", "--language", "de")
    for page in (tmp_path / "a.pdf", *(tmp_path / "shares").iterdir()):
        assert helvetica.overlong(page) == []


def test_umlauts_are_letters(written):
    for name, words in (("sheet", ["Öffentlicher Schlüssel", "Prüfwort", "für Linux"]),
                        ("sheet as SVG", ["Öffentlicher Schlüssel", "Prüfwort", "für Linux"]),
                        ("share", ["Öffentlicher Schlüssel", "Prüfwort", "die Wörter in keine Wallet"]),
                        ("card as SVG", ["Notfallkarte für", "Passwörter"])):
        text = written(name, "--language", "de")[0]
        assert all(word in text for word in words) and "\\u{" not in text, text


def test_what_is_typed_is_the_same(written):
    for name in PAGES:
        found = [set(re.findall(r"keytool (?:id|backup|safe|archive) [a-z]+|--[a-z-]+", written(name, "--language", language)[0]))
                 for language in ("en", "de")]
        assert found[0] == found[1] and found[0]


def test_refusals(safe, keytool, backup_password, tmp_path):
    before = snapshot(keytool.keystore)
    for words in (["backup", "export", *backup_password, "--language", "de"],
                  ["backup", "export", *backup_password, "--qr-file", tmp_path / "a.svg", "--language", "de"],
                  ["backup", "split", "--shares", "2/2", "--reveal-shares", "--language", "en"]):
        assert "--sheet" in keytool.fails(64, *words).err
    for language in ("fr", "DE"):
        assert "de" in keytool.fails(64, "safe", "card", tmp_path / "a.pdf", f"--language={language}").err
    assert snapshot(keytool.keystore) == before and not list(tmp_path.glob("a.*"))


def test_setup_offers_a_card_in_the_language_of_the_locale(keytool, directory, terminal, tmp_path):
    keytool.ok("id", "create", "--id", "ABCD1234")
    german = keytool.with_environment(LC_ALL="de_DE.UTF-8")
    run = terminal("safe", "setup", "--create", "--server", directory.url, columns=300, runner=german)
    for _ in range(2):
        run.expect(r"Safe password[^\n]*: $")
        run.send("correct horse battery staple 7")
    run.expect(PUSH)
    run.send("")
    run.expect(CARD)
    run.send(str(tmp_path / "card.pdf"))
    assert run.finish() == 0, run.text
    assert PAGES["card"][3] in " ".join(texts(tmp_path / "card.pdf"))
