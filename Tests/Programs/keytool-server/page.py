"""keytool-server(8), and the program that it describes."""

import subprocess
import sys

from server import BINARY, REPOSITORY, environment

sys.path.insert(0, str(REPOSITORY / "Tests/Programs/keytool"))

from kit.pages import manual  # noqa: E402

PAGE = manual.page("keytool-server.8")


def command_help():
    return manual.Help(subprocess.run(
        [BINARY, "--experimental-dump-help"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True,
        env=environment()).stdout)


def title(command):
    return " ".join(("keytool-server", *command.path))


def example(section, start=None):
    """The literal lines of a section; from one of them on."""
    lines = PAGE.examples[section]
    return "\n".join(lines[lines.index(start) if start else 0:]) + "\n"
