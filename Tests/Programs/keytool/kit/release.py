"""Tests that need the release, as it is linked and stripped: on other builds they are skipped."""

import pytest

from kit.runner import BUILT

MARKER = "release: needs the release; skipped on another build"


def skip_without(binary, items):
    """For `pytest_collection_modifyitems`."""
    if binary.parent.name == "debug" or binary.parent.resolve() == BUILT.resolve():
        for item in items:
            if item.get_closest_marker("release"):
                item.add_marker(pytest.mark.skip(reason="needs the release"))
