"""What README shows can be typed: commands and options exist, and the exit codes are those of the binary."""

import re
import shlex

import pytest

from kit import commands
from kit.runner import REPOSITORY
from test_manual import statuses

TEXT = (REPOSITORY / "README.md").read_text()
BLOCKS = re.findall(r"^```\n(.*?)^```$", TEXT, re.M | re.S)
QUOTED = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", TEXT, flags=re.M | re.S))


def command_lines():
    for block in BLOCKS:
        for line in block.splitlines():
            if match := re.match(r"(?:\$ |[\d* ]*/usr/local/bin/)?(keytool .*)", line):
                if not line.startswith("keytool: "):
                    yield match[1]
    yield from (text for text in QUOTED if re.match(r"keytool -?[a-z]", text))


def leaf(words):
    words = [word for word in words if not word.startswith("-")]
    return next((tuple(words[:count]) for count in (2, 1) if tuple(words[:count]) in commands.leaves()), None)


@pytest.mark.parametrize("line", sorted(set(command_lines())))
def test_command_lines(built, line):
    words = shlex.split(line)[1:]
    if words == ["--version"]:
        return
    found = leaf(words)
    assert found, "no such command"
    named = {word for word in words if word.startswith("--")}
    assert named <= commands.leaves()[found]


def test_options_in_running_text(built):
    known = set().union(*commands.leaves().values()) | {"--version"}
    own = [text for text in QUOTED if not text.startswith("sudo ")]
    named = {word for text in own for word in re.findall(r"(?<![\w-])--[a-z][a-z-]*[a-z]", text)}
    assert named <= known, named - known
    assert len(named) > 20


def test_exit_codes():
    rows = re.findall(r"^\| ([\d, ]+) \| ([\w, ]*)\| ", TEXT, re.M)
    listed = {code: name.strip() for codes, names in rows
              for code, name in zip(codes.split(", "), names.split(", "), strict=True)}
    assert listed == {"0": "", **statuses()}
