"""The pages are short enough to be read, and what they name exists."""

import os
import re
import subprocess

import pytest

from kit.runner import REPOSITORY

PAGES = [REPOSITORY / "README.md", REPOSITORY / "ARCHITECTURE.md", REPOSITORY / "SECURITY.md",
         *sorted((REPOSITORY / "docs").glob("**/*.md"))]
# How they are built, and why.
INSIDE = [page for page in PAGES if page.stem in ("ARCHITECTURE", "on-disk") or page.parent.name == "decisions"]
INSIDE += sorted((REPOSITORY / "Sources").glob("*/*/Documentation.docc/*.md"))


def name(page):
    return str(page.relative_to(REPOSITORY))


@pytest.mark.parametrize("page, most", [("README.md", 8000), ("ARCHITECTURE.md", 15000)])
def test_length(page, most):
    assert len((REPOSITORY / page).read_bytes()) <= most


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links(page):
    """Each leads to a file, and to a title in it."""
    links = re.findall(r"\]\((?!https?:|mailto:)([^)#]*)(?:#([^)]*))?\)", page.read_text())
    links += re.findall(r'src="([^"]*)"()', page.read_text())
    for path, title in links:
        target = page.parent / path if path else page
        assert target.exists(), path
        if title:
            titles = re.findall(r"^#+ (.*)$", target.read_text(), re.M)
            assert title in [re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in titles], title


def test_versions_it_was_tried_with():
    """Those of PyPI are the versions that the tests install, and each test exists."""
    page = (REPOSITORY / "docs/compatibility.md").read_text().split("## What it was tried with")[1]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| ")][1:]
    pinned = {tuple(line.split()[1:]) for line in (REPOSITORY / "Scripts/python-packages.txt").read_text().splitlines()}
    names = {name for name, _ in pinned}
    assert len({program for program, *_ in rows} & names) >= 7
    for program, version, _, test in rows:
        assert program not in names or (program, version) in pinned, program
        assert (REPOSITORY / test.strip("`")).exists(), test


def test_every_page_can_be_found():
    """docs/README.md leads to each page beside it and below it."""
    start = REPOSITORY / "docs/README.md"
    found, new = set(), {start}
    while new:
        page = new.pop()
        found.add(page)
        linked = {(page.parent / path).resolve() for path in re.findall(r"\]\(([^)#:]+\.md)(?:#[^)]*)?\)", page.read_text())}
        new |= {each for each in linked - found if start.parent in each.parents}
    assert set(start.parent.glob("**/*.md")) == found


@pytest.mark.parametrize("page", INSIDE, ids=name)
def test_files_that_are_named(page):
    """A path begins at the root, with a room, or in the directory of the path before it."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    for path in re.findall(r"`((?:[\w+-]+/)*[\w+.-]+\.(?:swift|py|json|toml|h|c|md|txt))`", text):
        found = [*REPOSITORY.glob(path), *(REPOSITORY / "Sources").glob(f"**/{path}"),
                 *(REPOSITORY / "Tests").glob(f"**/{path}")]
        assert found or path in WRITTEN, path
    for path in re.findall(r"`((?:Sources|Tests|Scripts|Benchmarks|Examples|debian|man|systemd)/[^` *…]*)`", text):
        assert (REPOSITORY / path).exists(), path


def test_commands_that_prove():
    """Each command of the page exists: a target of make, with a room and a stage that exist, or a program."""
    page = (REPOSITORY / "docs/check-it-yourself.md").read_text()
    commands = [each.split() for each in re.findall(r"^\| `([^`]+)` \|", page, re.M)]
    targets = re.findall(r"^([\w-]+):.*##", (REPOSITORY / "Makefile").read_text(), re.M)
    stages = subprocess.run([REPOSITORY / "Scripts/run-tests", "--all", "--list"], stdout=subprocess.PIPE, text=True,
                            check=True, timeout=60).stdout.split()
    assert len(commands) > 20
    for program, *arguments in commands:
        if program != "make":
            assert os.access(REPOSITORY / program, os.X_OK), program
            continue
        target, *settings = arguments
        assert target in targets, target
        for name, value in (each.split("=") for each in settings):
            assert name in ("STAGE", "ROOM", "K", "TIME")
            assert name != "STAGE" or value in stages, value
            assert name != "ROOM" or list(REPOSITORY.glob(f"Tests/*/{value}Tests")), value


def test_changelog():
    """It begins with the version that keytool tells, and its day if it was released."""
    version = re.search(r'let version = "(.*)"', (REPOSITORY / "Sources/Programs/CommandParsing/Release.swift").read_text())[1]
    first = re.search(r"^## (.*)$", (REPOSITORY / "CHANGELOG.md").read_text(), re.M)[1]
    assert re.fullmatch(rf"\[{re.escape(version)}\] - (\d{{4}}-\d\d-\d\d|not yet released)", first)


# Files that keytool writes.
WRITTEN = {"state.json"}


def test_manual_for_browsers():
    """It says what the pages in man/ say."""
    made = subprocess.run([REPOSITORY / "Scripts/make-manual", "--check"], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
