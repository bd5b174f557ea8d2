"""Pictures that keytool wrote, as a screen or a printer shows them."""

import subprocess

from PIL import Image

from kit.screens import pixels


def opened(path):
    """The picture in a PNG or SVG file; an SVG is drawn by rsvg-convert."""
    if path.suffix.lower() == ".svg":
        path = rasterized(path, path.with_suffix(".rsvg.png"))
    image = Image.open(path)
    image.load()
    return image


def rasterized(svg, png, *options):
    drawing = subprocess.run(["rsvg-convert", *options, "-o", png, svg],
                             capture_output=True, timeout=60)
    assert drawing.returncode == 0 and drawing.stderr == b"", drawing.stderr
    return png


def read(path):
    """What a QR reader reads in it."""
    return pixels.read_qr(opened(path), path.with_suffix(".read.png")).decode()


def printed(page, density=150):
    """A page as a printer shows it: a PDF is drawn by pdftoppm."""
    path = page.with_suffix(f".{density}.png")
    if page.suffix == ".svg":
        return rasterized(page, path, "-d", str(density), "-p", str(density))
    drawing = subprocess.run(["pdftoppm", "-r", str(density), "-png", "-singlefile", page, path.with_suffix("")],
                             capture_output=True, timeout=60)
    # Without the standard fonts pdftoppm takes others, and says so.
    assert drawing.returncode == 0 and path.exists(), drawing.stderr
    return path


def ink(png):
    """The box around all that is dark, in millimetres from the left and from the top."""
    image = Image.open(png).convert("L")
    box = image.point(lambda value: 255 * (value < 128)).getbbox()
    return [edge * 210 / image.width for edge in box]


def fits(box, margin=5):
    """Whether a page of A4 with ink in this box is printed whole on A4 and on Letter, wherever it is aligned."""
    left, top, right, bottom = box
    return all(
        margin <= left + x and right + x <= width - margin and margin <= top + y and bottom + y <= height - margin
        for width, height in ((210, 297), (215.9, 279.4))
        for x in (0, (width - 210) / 2, width - 210) for y in (0, (height - 297) / 2, height - 297))
