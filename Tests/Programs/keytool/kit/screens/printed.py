"""What a reader of a printed page can select, and the command of a recovery card."""

import subprocess
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"


def texts(page):
    """In the order of reading."""
    if page.suffix == ".svg":
        return [element.text for element in ElementTree.parse(page).iter(SVG + "text")]
    run = subprocess.run(["pdftotext", "-raw", page, "-"], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0 and not run.stderr, run.stderr
    return [line for line in run.stdout.replace("\f", "").split("\n") if line]


def command_of(card):
    """The printed lines from the command to its end, as they are."""
    lines = texts(card)
    start = next(index for index, line in enumerate(lines) if line.startswith("keytool safe pull "))
    end = start
    while lines[end].endswith("\\"):
        end += 1
    return "\n".join(lines[start:end + 1])
