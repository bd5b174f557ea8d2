"""Pictures that keytool wrote, as a screen or a printer shows them."""

import subprocess

from PIL import Image

from kit import pixels


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
