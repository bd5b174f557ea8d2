"""Finds what a page names: `path` or `path#name`, where the path is below the repository, and the name stands in the file."""

import pathlib
import re


def path_faults(root, path):
    if pathlib.PurePath(path).is_absolute() or ".." in path.split("/") or not (root / path).is_file():
        yield f"is not a file: {path}"


def test_faults(root, reference, places=r"Tests/|Scripts/test-"):
    """Why a reference is not one to a test; `places` is how paths of tests begin."""
    path, mark, name = reference.partition("#")
    faults = list(path_faults(root, path))
    if not re.match(places, path):
        faults.append(f"is not a test: {path}")
    if not faults and mark and not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", (root / path).read_text()):
        faults.append(f"is not in {path}: {name}")
    return faults
