"""The printed page, as PDF and as SVG: everything that restores an identity, and no field for the password."""

import os
import re
import stat
import subprocess
from datetime import datetime

import pytest
from PIL import Image, ImageChops, ImageFilter

from kit import oracle
from kit.known import BACKUP_PASSWORD
from kit.processes.clock import Clocked
from kit.screens import pictures, pixels
from kit.screens.printed import texts

ROW = re.compile(r"(?:[A-Z2-7]{4}-){4}[A-Z2-7]{4}|[A-Z2-7]{4}")
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


@pytest.fixture(params=["pdf", "svg"])
def page(request, tmp_path):
    return tmp_path / f"sheet.{request.param}"


@pytest.fixture(params=["pbkdf2", "argon2id"])
def scheme(request):
    return request.param


@pytest.fixture
def sheet(keytool, backup_password, page, scheme):
    """A written page, with what it is about."""
    made = keytool.json("id", "create", "--id", "ABCD1234")
    result = keytool.ok("backup", "export", *backup_password, "--scheme", scheme, "--sheet", page)
    return result.out.strip(), page, made


def rows_of(code):
    groups = code.split("-")
    return ["-".join(groups[n:n + 5]) for n in range(0, len(groups), 5)]


def test_content_of_the_page(sheet):
    code, page, made = sheet
    words = " ".join(texts(page))
    order = ["Threema ID backup", "ABCD1234", oracle.check_word(code), *re.findall(".{8}", made["public_key"]),
             "Backup code: A-Z and 2-7, so O and I are letters", "How to restore the account", "The password is kept by or at:", "Notes",
             "Do not write the password here"]
    places = [words.find(part) for part in order]
    assert -1 not in places and places == sorted(places), words
    assert re.search(r"Made on 20\d\d-\d\d-\d\d ", words)
    for sentence in (
            "bring the Threema account ABCD1234 back", "Look for the package messenger-keytool among the owner's files",
            "keytool backup import", "--qr-image", "No directory knows an ID that was created offline (keytool id "
            "create without --directory): the phone apps cannot restore it; keytool can.",
            ("Both programs ask" if len(code) == 99 else "keytool asks") + " for the password",
            "a hint about the password"):
        assert sentence in words
    assert ("iOS" in words) == (len(code) == 129)
    assert BACKUP_PASSWORD not in page.read_bytes()


def test_the_code_is_selected_row_by_row(sheet):
    code, page, _ = sheet
    lines = " ".join(texts(page)).replace("- ", "-").split()
    found = [line for line in lines if line in rows_of(code)]
    assert found == rows_of(code)
    assert "-".join(found) == code
    # Every group has its number.
    count = len(code.split("-"))
    numbers = [int(line) for line in lines if re.fullmatch(r"[1-9][0-9]?", line)]
    assert set(range(1, count + 1)) <= set(numbers)


def test_pdftotext_without_options_finds_the_rows(keytool, backup_password, scheme, tmp_path):
    """It guesses at columns; a row stays in one piece."""
    keytool.ok("id", "create", "--id", "ABCD1234")
    page = tmp_path / "a.pdf"
    code = keytool.ok("backup", "export", *backup_password, "--scheme", scheme, "--sheet", page).out.strip()
    text = subprocess.run(["pdftotext", page, "-"], capture_output=True, text=True, timeout=60).stdout
    assert [line for line in text.split() if line in rows_of(code)] == rows_of(code)


def test_row_checks(sheet, terminal, backup_password):
    """Each row has its check behind it, which may be typed with it."""
    code, page, made = sheet
    lines = " ".join(texts(page)).replace("- ", "-").split()
    behind = [lines[lines.index(row) + 1] for row in rows_of(code)]
    assert behind == [oracle.row_check(row, number) for number, row in enumerate(rows_of(code), 1)]
    run = terminal("backup", "check", "--expect-check", oracle.check_word(code), *backup_password)
    run.expect("Backup code: $")
    for row, check in zip(rows_of(code), behind):
        run.send(f"{row} {check}")
        shown = run.expect(r"Group \d+[^:\n]*: $|the code opens").group()
    # One code of 80 characters in 256 begins as a longer one does.
    if shown.startswith("Group 21; Enter if the code is complete"):
        run.send("")
        shown = run.expect("the code opens").group()
    assert shown == "the code opens"
    assert run.finish() == 0 and "error" not in run.text, run.text


def test_every_slip_changes_the_check_of_its_row(keytool, backup_password, tmp_path):
    """Every wrong character, every swap of two characters, every swap of two rows."""
    keytool.ok("id", "create", "--id", "ABCD1234")
    code = keytool.ok("backup", "export", *backup_password, "--scheme", "argon2id").out.strip()
    rows = [row.replace("-", "") for row in rows_of(code)]
    checks = [oracle.row_check(row, number) for number, row in enumerate(rows, 1)]
    for number, (row, check) in enumerate(zip(rows, checks), 1):
        for place, right in enumerate(row):
            for wrong in ALPHABET.replace(right, ""):
                assert oracle.row_check(row[:place] + wrong + row[place + 1:], number) != check
            for other in range(place):
                if row[other] != right:
                    swapped = list(row)
                    swapped[place], swapped[other] = row[other], right
                    assert oracle.row_check("".join(swapped), number) != check
        for other in range(1, 7):
            assert (oracle.row_check(row, other) == check) == (other == number)


def test_the_day_is_todays(keytool, backup_password, page):
    keytool.ok("id", "create", "--id", "ABCD1234")
    clock = Clocked(keytool, datetime(2031, 2, 3, 23, 30))
    clock.ok("backup", "export", *backup_password, "--sheet", page)
    assert "2031-02-03" in " ".join(texts(page))


# The QR code


def photographed(image):
    """As a bad photo in bad light shows it: grey, tilted, noisy and a little blurred."""
    image = image.convert("L").point(lambda value: 90 + value * 90 // 255)
    width, height = image.size
    image = image.transform(image.size, Image.Transform.QUAD, (
        -0.03 * width, -0.02 * height, -0.01 * width, 1.03 * height, 1.05 * width, 1.01 * height,
        1.01 * width, 0.02 * height), resample=Image.Resampling.BICUBIC, fillcolor=180)
    noise = Image.effect_noise(image.size, 25)
    # A lens blurs the same part of a millimetre, however many pixels that is.
    return ImageChops.add(image, noise, 1, -128).filter(ImageFilter.GaussianBlur(width / 1200))


SIGHTS = {
    "as it is": lambda image: image, "by 90 degrees": lambda image: image.rotate(90, expand=True),
    "by 7 degrees": lambda image: image.convert("L").rotate(
        7, resample=Image.Resampling.BICUBIC, expand=True, fillcolor=255),
    "photographed": photographed}


@pytest.mark.parametrize("density", [150, 300])
def test_printed_code_is_read(sheet, density):
    code, page, _ = sheet
    image = Image.open(pictures.printed(page, density))
    for name, sight in SIGHTS.items():
        read = pixels.read_qr(sight(image), page.with_suffix(".read.png")).decode()
        assert read == code, name


def test_keytool_reads_the_printed_page(sheet, keytool, backup_password):
    code, page, made = sheet
    shown = keytool.json("backup", "check", "--qr-image", pictures.printed(page), *backup_password)
    assert (shown["id"], shown["public_key"]) == (made["id"], made["public_key"])


def test_page_itself_is_no_picture(sheet, keytool, backup_password):
    """It has to be drawn first, by the command that the hint names."""
    code, page, made = sheet
    refused = keytool.fails(65, "backup", "check", "--qr-image", page, *backup_password)
    assert refused.err == keytool.fails(65, "backup", "check", page, *backup_password).err
    if page.suffix == ".svg":
        assert f"{page} is an SVG drawing" in refused.err and "photo or a scan" in refused.err
        options = re.search(r"hint: [^\n]*rsvg-convert (.*) -o FILE.png FILE.svg", refused.err)[1].split()
        png = pictures.rasterized(page, page.with_suffix(".hint.png"), *options)
    else:
        assert "pdftoppm -png" in refused.err
        png = page.with_suffix(".hint-1.png")
        subprocess.run(["pdftoppm", "-png", page, page.with_suffix(".hint")], check=True, capture_output=True)
    assert keytool.json("backup", "check", "--qr-image", png, *backup_password)["id"] == made["id"]


# The sheet of paper


def test_ink_is_printed_on_a4_and_on_letter(sheet):
    box = pictures.ink(pictures.printed(sheet[1], 100))
    assert pictures.fits(box), box
    assert box[2] - box[0] > 150 and box[3] - box[1] > 200


def test_page_is_a4(sheet):
    image = Image.open(pictures.printed(sheet[1], 100))
    assert image.width in (826, 827) and image.height in (1169, 1170)


def test_ruled_lines_for_notes(sheet):
    """Lines across the page with room to write above them; more of them below a short code."""
    image = Image.open(pictures.printed(sheet[1], 100)).convert("L")
    rows = [y for y in range(image.height)
            if sum(image.getpixel((x, y)) < 200 for x in range(100, 720)) > 600]
    lines = [y for y in rows if y - 1 not in rows]
    assert len(lines) == (3 if len(sheet[0]) == 99 else 1)
    for line in lines:
        assert image.crop((80, line - 22, 750, line - 2)).getextrema()[0] > 200


def test_svg_refers_to_no_other_file(keytool, backup_password, tmp_path):
    keytool.ok("id", "create", "--id", "ABCD1234")
    keytool.ok("backup", "export", *backup_password, "--sheet", tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text()
    assert "href" not in text and "url(" not in text and "<!" not in text
    assert re.findall(r"https?://[^\"]*", text) == ["http://www.w3.org/2000/svg"]


def test_pdf_is_sound_and_needs_no_other_file(keytool, backup_password, tmp_path, scheme):
    path = tmp_path / "a.pdf"
    keytool.ok("id", "create", "--id", "ABCD1234")
    keytool.ok("backup", "export", *backup_password, "--scheme", scheme, "--sheet", path)
    checked = subprocess.run(["qpdf", "--check", path], capture_output=True, text=True, timeout=60)
    assert checked.returncode == 0 and "No syntax or stream encoding errors" in checked.stdout, checked
    told = subprocess.run(["pdfinfo", path], capture_output=True, text=True, timeout=60).stdout
    assert re.search(r"Pages: +1\n", told) and "(A4)" in told and "JavaScript:      no" in told
    assert "Threema ID backup of ABCD1234" in told
    fonts = subprocess.run(["pdffonts", path], capture_output=True, text=True, timeout=60).stdout.splitlines()[2:]
    assert sorted(line.split()[0] for line in fonts) == ["Courier", "Helvetica", "Helvetica-Bold"]
    # A link, an action or an embedded file would be one of these.
    assert not re.search(rb"/(URI|A|AA|OpenAction|Annots|EmbeddedFiles|CreationDate)\b", path.read_bytes())


def test_the_same_page_in_both_formats(keytool, backup_password, tmp_path):
    """As far as the two programs that draw them have the same fonts."""
    keytool.ok("id", "create", "--id", "ABCD1234")
    boxes = []
    for name in ("a.pdf", "a.svg"):
        keytool.ok("backup", "export", *backup_password, "--sheet", tmp_path / name)
        boxes.append(pictures.ink(pictures.printed(tmp_path / name)))
    assert all(abs(one - other) < 0.5 for one, other in zip(*boxes)), boxes


# stdout, for a printer


@pytest.fixture
def identity(keytool):
    return keytool.json("id", "create", "--id", "ABCD1234")


def exported(keytool, *options):
    """stdout and stderr of an export whose stdout is no text."""
    process = keytool.start("backup", "export", *options, "--sheet", "-")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return out, err.decode()


def test_stdout_is_the_pdf_and_nothing_else(identity, keytool, backup_password, tmp_path):
    for options in ([], ["-q"], ["--json"]):
        out, err = exported(keytool, *backup_password, *options)
        assert out.startswith(b"%PDF-1.4\n") and out.endswith(b"%%EOF\n")
        path = tmp_path / "out.pdf"
        path.write_bytes(out)
        code = pixels.read_qr(Image.open(pictures.printed(path)), tmp_path / "read.png").decode()
        assert oracle.open_code(code, BACKUP_PASSWORD).public_key == identity["public_key"]
        assert code not in err and not ROW.fullmatch(err)
        assert (f"check word {oracle.check_word(code)}" in err) == (not options)


def test_stdout_beside_files(identity, keytool, backup_password, tmp_path):
    out, err = exported(keytool, *backup_password, "-o", tmp_path / "code", "--qr-file", tmp_path / "code.png")
    assert out.startswith(b"%PDF-1.4\n")
    code = (tmp_path / "code").read_text().strip()
    assert pictures.read(tmp_path / "code.png") == code
    assert f"wrote the backup code of ABCD1234 to {tmp_path / 'code'}" in err and "code.png" in err
    assert all(row.encode()[:4] in out for row in rows_of(code))


def test_not_to_a_terminal(identity, terminal):
    run = terminal("backup", "export", "--sheet", "-")
    assert run.finish() == 64 and "not written to a terminal" in run.words and "%PDF" not in run.text, run.text
    assert "password" not in run.text


@pytest.mark.parametrize("options", [["--qr"], ["-o", "-"]])
def test_stdout_has_one_thing(identity, keytool, backup_password, options):
    refused = keytool.fails(64, "backup", "export", *backup_password, "--sheet", "-", *options)
    assert "stdout is the page" in refused.err


def test_stdout_that_fails_leaves_no_file(identity, keytool, backup_password, tmp_path):
    with open("/dev/full", "wb") as full:
        run = keytool("backup", "export", *backup_password, "-o", tmp_path / "code", "--sheet", "-", stdout=full)
    assert run.code == 74 and not (tmp_path / "code").exists(), run


# The file, by the rules of every result (test_qr_files has the others)


def test_file_is_ours_alone_and_not_replaced(identity, keytool, backup_password, page):
    keytool.ok("backup", "export", *backup_password, "--sheet", page, umask=0)
    assert stat.S_IMODE(page.lstat().st_mode) == 0o600
    before = page.read_bytes()
    keytool.fails(17, "backup", "export", *backup_password, "--sheet", page)
    assert page.read_bytes() == before
    keytool.ok("backup", "export", *backup_password, "--sheet", page, "--force")
    assert page.read_bytes() != before and os.listdir(page.parent).count(page.name) == 1
