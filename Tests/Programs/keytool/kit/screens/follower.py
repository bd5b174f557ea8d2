"""A person who never saw keytool: has the paper of an emergency kit, the passwords in its fields, and an empty machine."""

import re

from kit.screens.printed import texts
from kit.screens.terminal import Terminal

QUESTION = r"(?<=\n)[^\n]*[:?\]] $"


class Paper:
    """The lines of a kit, as they can be selected."""

    def __init__(self, page):
        self.lines = texts(page)
        self.words = " ".join(self.lines)
        self.commands = []
        continued = False
        for line in self.lines:
            if continued:
                self.commands[-1] += "\n" + line
            elif re.match(r"keytool (safe pull|backup import|id show)\b", line) and not line.endswith("."):
                self.commands.append(line)
            else:
                continue
            continued = line.endswith("\\")

    def command(self, verb):
        """The one command that begins so."""
        found = [command for command in self.commands if command.startswith(f"keytool {verb}")]
        assert len(found) == 1, (verb, self.commands)
        return found[0]

    @property
    def rows(self):
        """Rows of the code, with or without their checks."""
        found = re.findall(r"(?<!\S)((?:[A-Z2-7]{4}-){4}[A-Z2-7]{4})(?!\S)", self.words.replace("- ", "-"))
        assert len(found) == 4, self.words
        return found

    @property
    def check_word(self):
        return re.search(r"(?:Check word of this code|Prüfwort dieses Codes) ([A-Z2-7]{4}-[A-Z2-7]{4})(?!\S)", self.words)[1]

    @property
    def public_key(self):
        return re.search(r"(?<!\S)(?:[0-9a-f]{8} ){7}[0-9a-f]{8}(?!\S)", self.words)[0].replace(" ", "")


class Follower:
    """Types what stands on the paper, and answers what is asked from it."""

    def __init__(self, paper, home, keytool, passwords):
        """`passwords`: what was written into the fields, by a word of the question."""
        self.paper, self.passwords, self.home = paper, passwords, home
        binaries = home / "bin"
        binaries.mkdir(parents=True)
        words = " ".join(f"'{word}'" for word in keytool.command_line())
        (binaries / "keytool").write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        (binaries / "keytool").chmod(0o755)
        self.environment = {**keytool.environment, "PATH": f"{binaries}:/usr/bin:/bin", "HOME": str(home)}
        self.questions = []

    def types(self, verb):
        """The command's text on the terminal, and its exit code."""
        run = Terminal(["bash", "-c", "echo; " + self.paper.command(verb)], self.environment, columns=400, rows=60)
        rows = iter(self.paper.rows)
        try:
            while True:
                question = run.expect(rf"{QUESTION}|(?:(?<=\n)|(?<=\x1b\[K))(?:restored|imported|ID|keytool: error:) [^\n]*\n").group()
                if not question.endswith(" "):
                    break
                self.questions.append(question)
                run.send(self.answer(question, rows))
            return run.finish(), run.text
        finally:
            run.close()

    def answer(self, question, rows):
        if "Enter if the code is complete" in question or "eystore passphrase" in question:
            return ""
        if "Create it without one?" in question:
            return "y"
        if question.startswith(("Backup code", "Group ")):
            return next(rows)
        if "heck word" in question:
            return self.paper.check_word
        return next(password for name, password in self.passwords.items() if name in question)
