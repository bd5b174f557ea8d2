"""The printed page: everything that restores an identity, and no field for the password."""

import re
from datetime import datetime
from xml.etree import ElementTree

import pytest
from PIL import Image

from kit import oracle, pictures, pixels
from kit.clock import Clocked
from kit.known import BACKUP_PASSWORD

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def page(tmp_path):
    return tmp_path / "sheet.svg"


@pytest.fixture(params=["pbkdf2", "argon2id"])
def sheet(request, keytool, backup_password, page):
    """A written page, with what it is about."""
    keytool.made = keytool.json("id", "create", "--id", "*BCD1234")
    result = keytool.ok("backup", "export", *backup_password, "--scheme", request.param,
                        "--sheet", page)
    return result.out.strip(), page, keytool.made


def texts(page):
    return [element.text for element in ElementTree.parse(page).iter(SVG + "text")]


def printed(page, density=150):
    path = page.with_suffix(".png")
    return pictures.rasterized(page, path, "-d", str(density), "-p", str(density))


def test_content_of_the_page(sheet):
    code, page, made = sheet
    lines = texts(page)
    assert "*BCD1234" in lines
    groups = [line for line in lines if re.fullmatch(r"[A-Z2-7]{4}", line)]
    assert "-".join(groups) == code
    numbers = [before for before, line in zip(lines, lines[1:]) if line in groups]
    assert numbers == [str(number) for number, _ in enumerate(groups, 1)]
    key = [line for line in lines if re.fullmatch(r"[0-9a-f]{8}", line)]
    assert len(key) == 8 and "".join(key) == made["public_key"]
    assert oracle.check_word(code) in lines
    assert [line for line in lines if re.fullmatch(r"20\d\d-\d\d-\d\d", line)]
    words = " ".join(lines)
    assert "Threema" in words and "keytool (messenger-keytool)" in words
    assert "keytool backup import" in words and "--qr-image" in words
    assert "No directory knows an ID that keytool created (keytool id create): the phone apps cannot restore it; keytool can" in words
    assert "Store its package, messenger-keytool, with the copies of your files" in words
    assert ("Both programs ask" if len(groups) == 20 else "keytool asks") + " for the password" in words
    assert "hint about the password" in words
    assert "Do not write the password here" in words
    assert ("iOS" in words) == (len(groups) == 26)
    assert BACKUP_PASSWORD.decode() not in page.read_text()


def test_row_checks(sheet, terminal, backup_password):
    """Each row has its check behind it, which may be typed with it."""
    code, page, made = sheet
    groups = code.split("-")
    rows = ["-".join(groups[n:n + 5]) for n in range(0, len(groups), 5)]
    lines = texts(page)
    behind = [lines[n + 1] for n, line in enumerate(lines) if line in {row[-4:] for row in rows}
              and re.fullmatch("[A-Z2-7]{2}", lines[n + 1])]
    assert behind == [oracle.row_check(row, number) for number, row in enumerate(rows, 1)]
    run = terminal("backup", "check", "--expect-check", oracle.check_word(code), *backup_password)
    run.expect("Backup code: $")
    for row, check in zip(rows, behind):
        run.send(f"{row} {check}")
        run.expect(r"Group \d+[^:\n]*: $" if row != rows[-1] else "the code opens")
    assert run.finish() == 0 and "error" not in run.text, run.text


def test_the_day_is_todays(keytool, backup_password, page):
    keytool.ok("id", "create", "--id", "ABCD1234")
    clock = Clocked(keytool, datetime(2031, 2, 3, 23, 30))
    clock.ok("backup", "export", *backup_password, "--sheet", page)
    assert "2031-02-03" in texts(page)


def test_printed_code_is_read(sheet, keytool, backup_password):
    code, page, made = sheet
    png = printed(page)
    assert pixels.read_qr(Image.open(png), page.with_suffix(".read.png")).decode() == code
    shown = keytool.json("backup", "check", "--qr-image", png, *backup_password)
    assert (shown["id"], shown["public_key"]) == (made["id"], made["public_key"])


def test_drawing_itself_is_no_picture(sheet, keytool, backup_password):
    """It has to be drawn first, by the command that the hint names."""
    code, page, made = sheet
    refused = keytool.fails(65, "backup", "check", "--qr-image", page, *backup_password)
    assert f"{page} is an SVG drawing" in refused.err and "photo or a scan" in refused.err
    assert refused.err == keytool.fails(65, "backup", "check", page, *backup_password).err
    options = re.search(r"hint: [^\n]*rsvg-convert (.*) -o FILE.png FILE.svg", refused.err)[1].split()
    png = pictures.rasterized(page, page.with_suffix(".hint.png"), *options)
    assert keytool.json("backup", "check", "--qr-image", png, *backup_password)["id"] == made["id"]


def test_a4_page_with_everything_inside_its_margins(sheet):
    image = Image.open(printed(sheet[1], 100)).convert("L")
    assert (image.width, image.height) == (827, 1170) or (image.width, image.height) == (827, 1169)
    dark = image.point(lambda value: 255 * (value < 128)).getbbox()
    millimetre = 100 / 25.4
    assert dark[0] >= 15 * millimetre and dark[2] <= 195 * millimetre
    assert dark[1] >= 15 * millimetre and dark[3] <= 282 * millimetre


def test_a_ruled_line_for_the_hint(sheet):
    """A line across the page with room to write above it."""
    image = Image.open(printed(sheet[1], 100)).convert("L")
    rows = [y for y in range(image.height)
            if sum(image.getpixel((x, y)) < 200 for x in range(100, 720)) > 600]
    assert rows
    above = image.crop((80, rows[0] - 30, 750, rows[0] - 1))
    assert above.getextrema()[0] > 200


def test_page_refers_to_no_other_file(sheet):
    text = sheet[1].read_text()
    assert "href" not in text and "url(" not in text and "<!" not in text
    assert re.findall(r"https?://[^\"]*", text) == ["http://www.w3.org/2000/svg"]
