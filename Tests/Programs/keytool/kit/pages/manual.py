"""The manual pages as the tests read them: sections, list items, options, literal blocks.

Only as much of mdoc(7) as the pages use, and from their source: what a page says of an option stands
in one line, `.It Fl -output Ar file`, `.It Fl -mode Cm auto | utf8`.
"""

import json
import re
import shlex
from functools import cached_property
from typing import NamedTuple

from kit.runner import REPOSITORY

DIRECTORY = REPOSITORY / "man"
MACROS = {"Ar", "Cm", "Ev", "Fl", "Ic", "Nm", "No", "Ns", "Op", "Pa", "Ql", "Sx", "Ta", "Xr"}


class Option(NamedTuple):
    """`name` with its dashes; `argument` is None where the values are listed, or where it has none."""
    name: str
    argument: str | None
    values: tuple = ()


class Item(NamedTuple):
    head: str
    body: str


class Section(NamedTuple):
    title: str  # `.Sh`, or `.Sh` and `.Ss` with a slash between
    lines: list

    @property
    def items(self):
        """What the section lists, literal blocks left out."""
        heads = [n for n, line in enumerate(self.lines) if line.startswith(".It ")]
        ends = [*heads[1:], len(self.lines)]
        return [Item(self.lines[n][4:], "\n".join(self.lines[n + 1 : end]))
                for n, end in zip(heads, ends)]

    @property
    def options(self):
        return [option for item in self.items for option in options(words(item.head))]

    @property
    def operands(self):
        return [words(item.head)[1] for item in self.items if item.head.startswith("Ar ")]

    @property
    def flags(self):
        """Each option named in running text, with the command it is said of; None for that at hand."""
        for line in self.lines:
            if line.startswith("."):
                found = words(line[1:])
                said_of = None
                for n, word in enumerate(found):
                    if word == "Ic":
                        said_of = tuple(without_program(until_macro(found[n + 1 :])))
                    elif word == "Fl":
                        yield "-" + found[n + 1], said_of

    @property
    def commands(self):
        """The commands that running text names."""
        for line in self.lines:
            found = words(line[1:]) if line.startswith(".") else []
            for n, word in enumerate(found):
                if word == "Ic":
                    yield tuple(without_program(until_macro(found[n + 1 :])))


class Page:
    def __init__(self, path):
        self.path = path
        self.name, _, self.section = path.name.rpartition(".")

    @cached_property
    def lines(self):
        return self.path.read_text().splitlines()

    @cached_property
    def _parted(self):
        """Lines with the title of their section, and whether they are literal."""
        parted, heading, title, literal = [], "", "", False
        for line in self.lines:
            if line.startswith(".Sh "):
                title = heading = line[4:]
            elif line.startswith(".Ss "):
                title = f"{heading}/{line[4:]}"
            elif line.startswith((".Bd", ".Ed")):
                literal = line.startswith(".Bd")
            else:
                parted.append((title, literal, line))
        return parted

    @cached_property
    def sections(self):
        found = {}
        for title, literal, line in self._parted:
            lines = found.setdefault(title, Section(title, [])).lines
            if not literal and not line.startswith('.\\"'):
                lines.append(line)
        return found

    @cached_property
    def examples(self):
        """The literal lines of each section, as the reader sees them."""
        found = {}
        for title, literal, line in self._parted:
            if literal:
                found.setdefault(title, []).append(line.replace("\\e", "\\"))
        return found

    @cached_property
    def references(self):
        return {tuple(words(line)[1:3]) for line in self.lines if line.startswith((".Xr ", ".It Xr "))
                for line in [line.removeprefix(".It ").removeprefix(".")]}

    @property
    def command_lines(self):
        """Each call of keytool in an example, as a list of arguments."""
        for lines in self.examples.values():
            for line in "\n".join(lines).replace("\\\n", "").splitlines():
                call = re.search(r"(?:^\$ |^[0-9]+ .* |\| )keytool (?P<rest>[^|<>]*)", line)
                if call:
                    yield shlex.split(call["rest"])


def pages():
    return [Page(path) for path in sorted(DIRECTORY.iterdir())]


def page(name):
    return Page(DIRECTORY / name)


def words(line):
    return shlex.split(line.replace("\\&", "").replace("'", "\\'"))


def until_macro(found):
    for word in found:
        if word in MACROS or word in list(",.;:|"):
            return
        yield word


def without_program(found):
    return (word for word in found if word != "keytool-lab")


def options(found):
    """The options in the head of a list item."""
    options = []
    for n, word in enumerate(found):
        following = found[n + 1 :]
        if word == "Fl":
            options.append(Option("-" + following[0], None))
        elif word == "Ar" and options:
            options[-1] = options[-1]._replace(argument=following[0])
        elif word == "Cm" and options:
            options[-1] = options[-1]._replace(values=tuple(w for w in following if w != "|"))
    return options


class Command(NamedTuple):
    """A command as its program describes it, without the global options."""
    program: str
    path: tuple
    options: dict  # by the way they are written; to the argument that they stand for
    operands: list

    @property
    def title(self):
        return " ".join((self.program, *self.path))

    @property
    def page(self):
        """The name of the page that has it."""
        return self.program if self.program != "keytool" or self.path == ("help",) else f"keytool-{self.path[0]}"


def written(argument):
    """`-o`, `--output`."""
    return ["-" + name["name"] if name["kind"] == "short" else "--" + name["name"]
            for name in argument.get("names") or []]


def described(argument):
    """How each name of an argument has to stand in its page."""
    values = tuple(argument.get("allValues") or ())
    named = argument["valueName"] if argument["kind"] == "option" and not values else None
    return [Option(name, named, values) for name in written(argument)]


class Help:
    """What `--experimental-dump-help` prints of keytool and keytool-lab, which have no verb in common."""

    def __init__(self, *texts):
        self.globals, self.commands = {}, {}
        for text in texts:
            root = json.loads(text)["command"]
            self.program = root["commandName"]
            self.globals |= {name: argument for argument in root["arguments"] for name in written(argument)}
            commands = {command.path: command for command in self._leaves(root, ())}
            self.commands = {**commands, **self.commands}

    def _leaves(self, described, path):
        shown = [below for below in described.get("subcommands") or [] if below.get("shouldDisplay", True)]
        for below in shown:
            yield from self._leaves(below, (*path, below["commandName"]))
        if path and not shown:
            yield self._command(described["arguments"], path)

    def _command(self, arguments, path):
        shown = [a for a in arguments if a.get("shouldDisplay", True)]
        own = [a for a in shown if not set(written(a)) & set(self.globals)]
        return Command(self.program, path, {name: a for a in own for name in written(a)},
                       [a for a in own if a["kind"] == "positional"])
