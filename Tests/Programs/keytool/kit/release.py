"""Tests that need the release, as it is linked and stripped: on a debug build they are skipped."""

import pytest

MARKER = "release: needs the release; skipped on a debug build"


def skip_without(binary, items):
    """For `pytest_collection_modifyitems`."""
    if binary.parent.name == "debug":
        for item in items:
            if item.get_closest_marker("release"):
                item.add_marker(pytest.mark.skip(reason="needs the release"))
