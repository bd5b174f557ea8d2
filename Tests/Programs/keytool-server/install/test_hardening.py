"""How the release is linked: what makes a mistake in memory harder to use. It has no C code of ours."""

import pytest

from kit.hardening import builders_paths, missing
from server import BINARY, REPOSITORY

pytestmark = pytest.mark.release


def test_nothing_is_missing(built):
    assert missing(BINARY) == []


def test_no_path_of_the_builder_is_inside(built):
    assert builders_paths(BINARY, REPOSITORY, BINARY.resolve().parent) == []
