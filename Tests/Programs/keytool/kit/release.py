"""Tests that need the release, as it is linked and stripped: on other builds they are skipped."""

import os
from pathlib import Path

import pytest

MARKER = "release: needs the release; skipped on another build"
TESTED = Path(__file__).resolve().parents[4] / os.environ.get("KEYTOOL_BUILD", ".build-all") / "tests/release"


def skip_without(binary, items):
    """For `pytest_collection_modifyitems`."""
    if binary.parent.name == "debug" or binary.parent.resolve() == TESTED.resolve():
        for item in items:
            if item.get_closest_marker("release"):
                item.add_marker(pytest.mark.skip(reason="needs the release"))
