"""The shells with keytool's completion installed: what each offers for a line that is being typed."""

import re

from kit.runner import BINARY, REPOSITORY
from kit.screens.terminal import Terminal

COMPLETIONS = REPOSITORY / "completions"
# Where `make install` puts each script below share/, and where the shells look for it by themselves.
PLACES = {"bash": ("keytool.bash", "bash-completion/completions/keytool"),
          "zsh": ("_keytool", "zsh/site-functions/_keytool"),
          "fish": ("keytool.fish", "fish/vendor_completions.d/keytool.fish")}
READY = "ready> "


class Shell:
    """A shell on a terminal, in a home of its own, where the binary is called `keytool`."""

    def __init__(self, home, keytool):
        self.home, share = home, home / "share"
        (home / "bin").mkdir(parents=True)
        (home / "bin/keytool").symlink_to(BINARY.resolve())
        for name, place in PLACES.values():
            (share / place).parent.mkdir(parents=True)
            (share / place).symlink_to(COMPLETIONS / name)
        # Without this directory fish goes through the machine's manual pages first.
        (home / ".local/share/fish/generated_completions").mkdir(parents=True)
        environment = keytool.with_environment(
            PATH=f"{home}/bin:{keytool.environment['PATH']}", HOME=home, PS1=READY, TERM="dumb",
            KEYTOOL_KEYSTORE=keytool.keystore, XDG_DATA_DIRS=f"{share}:/usr/share").environment
        self.terminal = Terminal(self.command(share), environment, columns=4000, cwd=home)
        self.terminal.expect(READY)
        for line in self.preparation(share):
            self.run(line)

    def preparation(self, share):
        return []

    def offers(self, line, key=None):
        """The words that may stand in place of the last one.

        One key inserts them all; then the line becomes what printf is given, which shows the words
        that the shell makes of it.
        """
        self.terminal.press(line.encode() + (key or self.insert_all) + b"\x01printf '<%s>\\n' \r")
        self.terminal.expect(r"\n<keytool>\r*\n")
        shown = re.findall(r"^<(.*)>\r*$", self.terminal.expect(rf"(?s)(.*?){READY}")[1], re.M)
        *before, typed = line.split(" ")[1:]
        assert shown[:len(before)] == before, (line, shown)
        return [word for word in shown[len(before):] if word != typed]

    def run(self, line):
        self.terminal.send(line)
        self.terminal.expect(READY)

    def close(self):
        self.terminal.close()


class Bash(Shell):
    insert_all = b"\x1b*"

    def command(self, share):
        return ["bash", "--norc", "--noprofile", "-i"]

    def preparation(self, share):
        return [f"source {share / PLACES['bash'][1]}"]


class BashCompletion(Bash):
    """With the package bash-completion, which finds the script when it is first wanted."""

    def preparation(self, share):
        return ["source /usr/share/bash-completion/bash_completion"]


class Zsh(Shell):
    insert_all = b"\t"

    def command(self, share):
        return ["zsh", "-f", "-i"]

    def preparation(self, share):
        return [f"fpath=({(share / PLACES['zsh'][1]).parent} $fpath); bindkey -e; unsetopt prompt_sp",
                "autoload -Uz compinit; compinit -u -D",
                "zstyle ':completion:*' completer _all_matches _complete",
                "zstyle ':completion:*' insert true"]


class Fish(Shell):
    """It paints its prompt more than once, so words around each answer tell where that is."""

    asked = 0

    def command(self, share):
        return ["fish", "-i", "-C", f"function fish_prompt; echo -n '{READY}'; end"]

    def run(self, line):
        self.asked += 1
        self.terminal.send(f"echo BE''GIN{self.asked}; {line}; echo E''ND{self.asked}")
        shown = self.terminal.expect(rf"(?s)BEGIN{self.asked}\r*\n(.*?)END{self.asked}\r*\n")[1]
        # It switches the terminal's paste mode off and on around each line.
        return re.sub(r"\x1b\[\?2004[hl]|\r", "", shown)

    def offers(self, line):
        return [entry.split("\t")[0] for entry in self.run(f"complete -C '{line}'").splitlines()]


SHELLS = {"bash": Bash, "bash-completion": BashCompletion, "zsh": Zsh, "fish": Fish}
