"""The examples of keytool-server(8), typed in their order into the binaries.

Compared without blanks and line breaks, because the page breaks long lines. Ids, times and pins are masked; places and
names are the test's."""

import re
import shlex
import subprocess

from kit.screens.terminal import Terminal
from page import PAGE
from server import BINARY

STORE, NAME, ADDRESS = "/srv/safe", "nas.example.net", "https://[::]:8443"
PASSWORD = "three tin roofs"


def examples():
    found = []
    for line in "\n".join(PAGE.examples["EXAMPLES"]).replace("\\\n", "").splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return [(typed, "\n".join(shown)) for typed, shown in found]


def masked(text):
    text = re.sub(r"sha256//[\w+/]{43}=", "PIN", text)
    text = re.sub(r"\d{8}T\d{9}Z", "TIME", re.sub(r"[0-9a-f]{64}", "ID", text))
    text = re.sub(r"\d+ bytes(?=\n|$)", "SIZE", text)
    return re.sub(r"\s+", "", text)


class Machine:
    def __init__(self, directory, client, safe_password):
        self.store, self.client, self.safe_password = directory / "store", client, safe_password
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(directory), "LC_ALL": "C.UTF-8"}
        self.server = None
        self.address = self.time = self.id = None

    def real(self, line):
        line = line.replace(STORE, str(self.store)).replace(f"https://{NAME}:8443", f"https://localhost:{self.port}")
        line = line.replace(NAME, "localhost").replace("authority.pem", f"{self.store}/tls/authority.pem")
        line = re.sub(r"\b[0-9a-f]{64}\b", self.id or "", line)
        return re.sub(r"\d{8}T\d{9}Z", self.time or "", line)

    @property
    def port(self):
        return self.address.rpartition(":")[2] if self.address else ""

    def as_on_the_page(self, text):
        text = text.replace(str(self.store), STORE)
        if self.address is None:
            return text
        text = text.replace(self.address, ADDRESS)
        return text.replace(f"https://localhost:{self.port}", f"https://{NAME}:8443")

    def does(self, typed):
        """Gives what the terminal shows."""
        words = shlex.split(self.real(typed))
        match words[0], words[1:]:
            case "export", [setting]:
                self.environment |= [setting.split("=", 1)]
                return ""
            case "sudo", ["install", *_, directory]:
                # Elsewhere than on the page, nobody needs root for it; test_readme_task.py types the line.
                assert directory == str(self.store)
                self.store.mkdir(mode=0o700)
                return ""
            case "ls", _:
                shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout
                self.id = shown.strip()
                return shown
            case "keytool", ["safe", "setup", *options]:
                self.client.ok("safe", "setup", *options, "--server-password-file", self.password,
                               "--safe-password-file", self.safe_password)
                # The page's next push is the second one.
                self.client.ok("safe", "push")
                return ""
            case "keytool", arguments:
                self.client.ok(*arguments)
                return ""
            case "keytool-server", ["serve", *options]:
                return self.serves(options)
            case "keytool-server", arguments:
                return self.operates(arguments)
        raise AssertionError(typed)

    def serves(self, options):
        self.server = Terminal(
            [str(BINARY), "serve", *options], self.environment | {"KEYTOOL_SERVER_LISTEN": "127.0.0.1:0"}, columns=1000)
        self.address = self.server.expect(r"listening on (\S+:\d+)")[1]
        self.server.expect(r"--pin \S+\n")
        return self.server.text

    def operates(self, arguments):
        terminal = Terminal([str(BINARY), *arguments], self.environment, columns=1000)
        try:
            while True:
                try:
                    terminal.expect(r"Account password for alice[^\n]*: ")
                except AssertionError:
                    assert terminal.process.wait(60) == 0, terminal.text
                    break
                terminal.send(PASSWORD)
            shown = terminal.text
        finally:
            terminal.close()
        if arguments[0] == "versions":
            self.time = re.search(r"\d{8}T\d{9}Z", shown)[0]
        return shown


def test_examples(client, tmp_path):
    machine = Machine(tmp_path, client, tmp_path / "safe-password")
    machine.password = tmp_path / "server-password"
    machine.password.write_text(PASSWORD + "\n")
    machine.password.chmod(0o600)
    try:
        for typed, shown in examples():
            found = machine.does(typed)
            if typed.startswith("keytool "):
                assert shown.strip() == ""
            else:
                plain = re.sub(r"\x1b\[[0-9;]*m|[^\n]*\r\x1b\[K", "", machine.as_on_the_page(found))
                assert masked(plain) == masked(shown), f"$ {typed}\n{plain}"
    finally:
        if machine.server:
            machine.server.close()
