"""What a terminal would show, as pixels, so that a QR reader can be held in front of it.

A small ANSI interpreter: colours, line feeds, wrapping at the right margin. A cell is 8 × 16
pixels, so that a half block is a square. Anything else than colours and "clear to the end of
the line" is refused: a drawing must not depend on it.
"""

import re
import subprocess

from PIL import Image, ImageDraw

WIDTH, HEIGHT = 8, 16
CONTROL = re.compile(r"\x1b\[([0-9;:?]*)([@-~])")

BASIC = [  # the sixteen colours of xterm
    (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0),
    (0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229),
    (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0),
    (92, 92, 255), (255, 0, 255), (0, 255, 255), (255, 255, 255),
]
CUBE = (0, 95, 135, 175, 215, 255)

# (foreground, background) of a terminal that nobody has coloured
ON_BLACK = (BASIC[7], BASIC[0])
ON_WHITE = (BASIC[0], BASIC[15])


def rows_of(text, columns=80):
    """Rows of (glyph, foreground, background); a colour of None is the terminal's own."""
    rows, column, style = [[]], 0, _Style()
    position = 0
    while position < len(text):
        control = CONTROL.match(text, position)
        if control:
            position = control.end()
            if control[2] == "m":
                style.select(control[1])
            elif control[2] == "K" and control[1] in ("", "0"):
                del rows[-1][column:]
            else:
                raise ValueError(f"a drawing must not use {control[0]!r}")
            continue
        glyph, position = text[position], position + 1
        if glyph == "\n":
            rows.append([])
            column = 0
        elif glyph == "\r":
            column = 0
        elif glyph < " ":
            raise ValueError(f"a drawing must not use {glyph!r}")
        else:
            if column == columns:
                rows.append([])
                column = 0
            row = rows[-1]
            row.extend([(" ", None, None)] * (column + 1 - len(row)))
            row[column] = (glyph, *style.colours())
            column += 1
    return rows


def draw(rows, default, columns=80):
    image = Image.new("RGB", (columns * WIDTH, len(rows) * HEIGHT), default[1])
    pen = ImageDraw.Draw(image)
    for y, row in enumerate(rows):
        for x, (glyph, foreground, background) in enumerate(row):
            ink, paper = foreground or default[0], background or default[1]
            left, top = x * WIDTH, y * HEIGHT
            pen.rectangle((left, top, left + WIDTH - 1, top + HEIGHT - 1), fill=paper)
            upper, lower = _ink(glyph)
            if lower > upper:
                inset = 0 if glyph in "█▀▄" else 2
                pen.rectangle((left + inset, top + upper, left + WIDTH - 1 - inset,
                               top + lower - 1), fill=ink)
    return image


def read_qr(image, path, is_text=True):
    """The bytes of the one QR code in the picture."""
    image.save(path)
    binary = [] if is_text else ["-Sqrcode.binary"]
    reader = subprocess.run(["zbarimg", "--raw", "-q", "-Sdisable", "-Sqrcode.enable", *binary, path],
                            capture_output=True, timeout=60)
    assert reader.returncode == 0, f"zbarimg: {reader.returncode}, no code in {path}"
    assert reader.stdout.endswith(b"\n")
    return reader.stdout[:-1]


def _ink(glyph):
    """The rows of pixels that a glyph inks; a letter is a smaller block of noise."""
    return {" ": (0, 0), "█": (0, HEIGHT), "▀": (0, HEIGHT // 2), "▄": (HEIGHT // 2, HEIGHT)
            }.get(glyph, (4, 12))


class _Style:
    def __init__(self):
        self._reset()

    def _reset(self):
        self.foreground, self.background, self.reverse = None, None, False

    def colours(self):
        pair = (self.foreground, self.background)
        if not self.reverse:
            return pair
        if None in pair:
            raise ValueError("reverse video of a colour that the theme decides")
        return pair[::-1]

    def select(self, parameters):
        codes = [int(code or 0) for code in parameters.replace(":", ";").split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self._reset()
            elif code in (7, 27):
                self.reverse = code == 7
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.foreground = BASIC[code - 30 if code < 90 else code - 82]
            elif 40 <= code <= 47 or 100 <= code <= 107:
                self.background = BASIC[code - 40 if code < 100 else code - 92]
            elif code == 38:
                self.foreground = _extended(codes)
            elif code == 48:
                self.background = _extended(codes)
            elif code == 39:
                self.foreground = None
            elif code == 49:
                self.background = None
            # weight, underline and the like change no colour


def _extended(codes):
    kind = codes.pop(0)
    if kind == 2:
        return tuple(codes.pop(0) for _ in range(3))
    number = codes.pop(0)
    if number < 16:
        return BASIC[number]
    if number < 232:
        number -= 16
        return tuple(CUBE[i] for i in (number // 36, number // 6 % 6, number % 6))
    return (8 + 10 * (number - 232),) * 3
