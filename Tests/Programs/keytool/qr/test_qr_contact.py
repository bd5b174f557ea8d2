"""qr contact, read back by zbar from what a person would hold a phone to."""

import re

import pytest
from PIL import Image

from kit.runner import snapshot
from kit.screens import pixels

SIZES = {"utf8": (80, 24), "blocks": (120, 60)}
QUIET = 4  # modules on each side
BLACK, WHITE = (0, 0, 0), (255, 255, 255)


@pytest.fixture
def contact(keytool):
    """What the drawing must say: the contact text of ABCD1234, the only identity."""
    return keytool.json("id", "create", "--id", "ABCD1234")["contact"]


@pytest.mark.parametrize("theme", [pixels.ON_BLACK, pixels.ON_WHITE], ids=["black", "white"])
@pytest.mark.parametrize("mode", SIZES)
def test_terminal_shows_exactly_the_contact(contact, terminal, theme, mode, tmp_path):
    columns, rows = SIZES[mode]
    run = terminal("qr", "contact", "--mode", mode, columns=columns, rows=rows)
    assert run.finish() == 0, run.text
    screen = pixels.draw(pixels.rows_of(run.text, columns), theme, columns)
    assert pixels.read_qr(screen, tmp_path / "screen.png") == contact.encode()


def test_fits_the_usual_terminal(contact, terminal):
    run = terminal("qr", "contact", "--mode", "utf8")
    assert run.finish() == 0, run.text
    rows = [row for row in pixels.rows_of(run.text) if row]
    assert (len(rows), {len(row) for row in rows}) == (23, {45})


def test_terminal_that_is_too_small(contact, terminal):
    run = terminal("qr", "contact", "--mode", "utf8", columns=40, rows=20)
    assert run.finish() != 0, run.text
    assert "the QR code needs 41 columns and 21 rows; the terminal has 40 and 20" in run.words
    assert "▀" not in run.text and "█" not in run.text


# Hashes and blanks


def picture(rows):
    """Rows of booleans as pixels, 4 × 4 a module, dark on white."""
    image = Image.new("RGB", (len(rows[0]), len(rows)), WHITE)
    image.putdata([BLACK if dark else WHITE for row in rows for dark in row])
    return image.resize((image.width * 4, image.height * 4), Image.Resampling.NEAREST)


def test_ascii_is_read_where_the_background_is_light(contact, keytool, tmp_path):
    out = keytool.ok("qr", "contact", "--mode", "ascii").out
    assert set(out) == {"#", " ", "\n"}, "no escapes"
    lines = out.rstrip("\n").split("\n")
    assert len({len(line) for line in lines}) == 1 and len(lines[0]) == 2 * len(lines)
    modules = [[line[x:x + 2] for x in range(0, len(line), 2)] for line in lines]
    assert {module for row in modules for module in row} == {"##", "  "}
    for edge in (modules[:QUIET], modules[-QUIET:]):
        assert {module for row in edge for module in row} == {"  "}
    image = picture([[module == "##" for module in row] for row in modules])
    assert pixels.read_qr(image, tmp_path / "ascii.png") == contact.encode()


def test_ascii_on_a_terminal_has_no_escapes_either(contact, terminal, tmp_path):
    run = terminal("qr", "contact", "--mode", "ascii", columns=120, rows=60)
    assert run.finish() == 0, run.text
    assert set(run.text) == {"#", " ", "\n"}


def test_colour_changes_nothing(contact, keytool):
    plain = keytool.ok("qr", "contact", "--mode", "ascii").out
    assert keytool.ok("qr", "contact", "--mode", "ascii", "--color", "always").out == plain


# For programs


def test_json(contact, keytool, tmp_path):
    shown = keytool.json("qr", "contact")
    assert (shown["command"], shown["contact"]) == ("qr contact", contact)
    size = shown["modules"]
    assert len(shown["rows"]) == size and {len(row) for row in shown["rows"]} == {size}
    blank = [False] * (size + 2 * QUIET)
    side = [False] * QUIET
    rows = [side + [module == "1" for module in row] + side for row in shown["rows"]]
    image = picture([blank] * QUIET + rows + [blank] * QUIET)
    assert pixels.read_qr(image, tmp_path / "json.png") == contact.encode()


def test_which_identity(contact, keytool, tmp_path):
    other = keytool.json("id", "create", "--id", "ZZZZ9999")["contact"]
    refused = keytool.fails(64, "qr", "contact")
    assert "ABCD1234" in refused.err and "ZZZZ9999" in refused.err
    assert keytool.json("qr", "contact", "ABCD1234")["contact"] == contact
    assert keytool.json("qr", "contact", "ZZZZ9999")["contact"] == other
    keytool.fails(10, "qr", "contact", "YYYY7777")


def test_nothing_is_changed_or_told_of_the_private_key(contact, keytool):
    before = snapshot(keytool.keystore)
    result = keytool.ok("qr", "contact", "--mode", "ascii")
    assert result.err == ""
    assert snapshot(keytool.keystore) == before
    assert re.fullmatch(r"3mid:ABCD1234,[0-9a-f]{64}", contact)


def test_empty_keystore(keytool):
    keytool.fails(10, "qr", "contact")


def test_unknown_mode(contact, keytool):
    keytool.fails(64, "qr", "contact", "--mode", "holographic")
