"""Checks the terminal emulation that the QR tests read."""

import pytest

from kit.screens import pixels


def corners(text, default=pixels.ON_BLACK):
    """The upper and the lower half of the first cell."""
    image = pixels.draw(pixels.rows_of(text), default)
    return image.getpixel((3, 3)), image.getpixel((3, 12))


RED, GREEN = pixels.BASIC[1], pixels.BASIC[2]


@pytest.mark.parametrize("glyph, expected", [
    (" ", (GREEN, GREEN)), ("█", (RED, RED)), ("▀", (RED, GREEN)), ("▄", (GREEN, RED))])
@pytest.mark.parametrize("colours", ["31;42", "38;5;1;48;5;2", "7;32;41",
                                     "38;2;205;0;0;48;2;0;205;0"])
def test_cells(glyph, colours, expected):
    assert corners(f"\x1b[{colours}m{glyph}\x1b[0m") == expected


def test_colours_of_the_terminal_itself():
    for default in (pixels.ON_BLACK, pixels.ON_WHITE):
        assert corners("█", default)[0] == default[0]
        assert corners("\x1b[31;42m\x1b[39;49m▀", default) == default


def test_wrapping_at_the_right_margin():
    rows = pixels.rows_of("\x1b[41m" + " " * 81, columns=80)
    assert [len(row) for row in rows] == [80, 1]


def test_cube_and_greys():
    assert corners("\x1b[48;5;231m ")[0] == (255, 255, 255)
    assert corners("\x1b[48;5;16m ")[0] == (0, 0, 0)
    assert corners("\x1b[48;5;255m ")[0] == (238, 238, 238)


@pytest.mark.parametrize("text", ["\x1b[2J", "\x1b[H", "\x1b[5C", "\t", "\x07"])
def test_a_drawing_must_not_move_about(text):
    with pytest.raises(ValueError):
        pixels.rows_of(text)


def test_reverse_of_a_themes_colour_is_no_contrast_to_rely_on():
    with pytest.raises(ValueError):
        pixels.rows_of("\x1b[7m ")
