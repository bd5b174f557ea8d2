"""How wide a line of a page is in the fonts that its PDF names, whichever fonts draw it here.

The widths are those of Adobe's Core 14 AFM files, in thousandths of the size."""

import re

_ORDER = r"""!"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^_`abcdefghijklmnopqrstuvwxyz{|}~äöüßÄÖÜ """
_REGULAR = """278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278
278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944
667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556
500 722 500 500 500 334 260 334 584 556 556 556 611 667 778 722 278"""
_BOLD = """333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 333 333 584
584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722 667 944 667 667 611
333 278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 611 389 556 333 611 556 778 556
556 500 389 280 389 584 556 611 611 611 722 778 722 278"""
_WIDTHS = [dict(zip(_ORDER, map(int, widths.split()), strict=True)) for widths in (_REGULAR, _BOLD)]
_TEXT = re.compile(rb"BT /F(\d) ([\d.]+) Tf ([\d.]+) ([\d.]+) Td \((.*)\) Tj ET")


def lines(pdf):
    """(text, left, right) of each line of a PDF file, in points."""
    for font, size, left, _, text in _TEXT.findall(pdf.read_bytes()):
        text = re.sub(r"\\([()\\])", r"\1", text.decode("latin-1"))
        widths = _WIDTHS[int(font)] if int(font) < 2 else {}
        width = sum(widths.get(character, 600) for character in text) * float(size) / 1000
        yield text, float(left), float(left) + width


def overlong(pdf, right=195 * 72 / 25.4):
    """The lines that end on the right of a page's safe area."""
    return [(text, round(end - right)) for text, _, end in lines(pdf) if end > right]
