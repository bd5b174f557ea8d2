"""The recipes of docs/passphrase.md, typed and run as they stand there: by a person on a terminal, then by cron.

All that is executed meanwhile is watched, so that a test can tell that no secret was an argument or in the environment.
"""

import re

from kit.processes import cron
from kit.runner import BINARY, REPOSITORY
from kit.screens.terminal import Terminal

PAGE = (REPOSITORY / "docs/passphrase.md").read_text()
WATCH = ["strace", "-DDD", "-f", "--seccomp-bpf", "-qq", "-v", "-s", "65536", "-e", "trace=execve"]
# Programs that ask again, or that wait, are slow on a busy machine.
PATIENCE = 60


class Recipe:
    """A section of the page: blocks that a person types, blocks of a crontab, and what cron sends if the place is closed."""

    def __init__(self, title):
        text = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)[1]
        blocks = re.findall(r"^```\n(.*?)^```$", text, re.M | re.S)
        self.mails = [block for block in blocks if "keytool: error: " in block]
        self.crontabs = [block for block in blocks if re.search(r"^\d+ \d+ ", block, re.M)]
        self.typed = [block for block in blocks if block not in self.mails + self.crontabs]


class Person:
    """Types and schedules what the page says.

    `environment`: that of the person's terminal. `places`: what stands on the page, and what it is here. `shared`: variables
    that keep the person's programs apart from those of whoever runs the tests, for cron, too. `under`: what is put before
    each command.
    """

    def __init__(self, home, environment, places={}, shared={}, under=()):
        self.home, self.shared, self.under = home, dict(shared), under
        self.environment = {**environment, "SHELL": "/bin/sh", **shared}
        self.places = {"/usr/local/bin/keytool": str(BINARY), **places}
        self.watched = home.parent / "watched"
        self.watched.mkdir()

    def _here(self, text):
        for shown, real in self.places.items():
            text = text.replace(shown, real)
        return text

    def _watch(self):
        return [*self.under, *WATCH, "-o", str(self.watched / str(len(list(self.watched.iterdir()))))]

    def types(self, block, answers=(), code=0):
        """Types a block, and answers its questions: (what is asked, what is typed). Gives what the terminal shows."""
        # -m: a group of processes for each line, as a shell on a terminal has. The end of the shell ends no other group.
        shell = [*self._watch(), "/bin/sh", "-e", "-m", "-c", self._here(block)]
        terminal = Terminal(shell, self.environment, cwd=self.home)
        try:
            for question, answer in answers:
                terminal.expect(question, timeout=PATIENCE)
                terminal.send(answer)
            assert terminal.finish(timeout=PATIENCE) == code, terminal.text
            return terminal.text
        finally:
            terminal.close()

    def _runs(self, crontab):
        """The result of each line. The lines before it set its variables, as in cron."""
        variables, results = dict(self.shared), []
        for line in self._here(crontab).splitlines():
            if setting := re.fullmatch(r"([A-Z_]+)=(.*)", line):
                variables[setting[1]] = setting[2]
            else:
                results.append(cron.run(line, self.home, self._watch(), **variables))
        assert results
        return results

    def is_served(self, crontab):
        """Each line succeeds, and cron has nothing to send."""
        for result in self._runs(crontab):
            assert (result.returncode, result.stdout) == (0, ""), result

    def is_refused(self, crontab, mail, code):
        """Each line ends in this code, and cron sends what is on the page, where `...` stands for lines that are left out."""
        expected = re.escape(self._here(mail).strip()).replace(re.escape("...\n"), r"(?:.*\n)*")
        for result in self._runs(crontab):
            assert result.returncode == code, result
            assert re.fullmatch(expected, result.stdout.strip()), f"{result.stdout}\ninstead of\n{mail}"

    def told_nobody(self, *secrets):
        """None of them was in an argument or in the environment of anything that was executed."""
        executed = "".join(path.read_text(errors="replace") for path in self.watched.iterdir())
        assert executed.count("execve(") > 5
        for secret in secrets:
            assert len(secret) > 10 and secret not in executed
