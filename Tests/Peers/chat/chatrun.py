"""chat-run: the library's halves of the protocol, as processes."""

import os
import subprocess
from pathlib import Path

BUILT = Path(__file__).resolve().parents[3] / os.environ.get("KEYTOOL_BUILD", ".build-all")
BINARY = Path(os.environ.get("CHAT_RUN") or BUILT / "tests/release/chat-run")


class Process:
    def __init__(self, mode):
        self.process = subprocess.Popen(
            [BINARY, mode], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def say(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()

    def line(self):
        return self.process.stdout.readline().rstrip("\n")

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(timeout=20) == 0
        self.process.stdout.close()


class ChatServer(Process):
    """The library's server."""

    def __init__(self, keys, identities, **settings):
        super().__init__("serve")
        self.say("key", keys.secret.hex())
        for identity, public in identities.items():
            self.say("identity", identity, public.hex())
        for name, value in settings.items():
            self.say(name, value)
        self.say("go")
        self.port = int(self.line())


class ChatClient(Process):
    """The library's client."""

    def __init__(self, identity, keys, *server_keys, **settings):
        super().__init__("client")
        self.ask("identity", identity, keys.secret.hex())
        for key in server_keys:
            self.ask("server-key", key.hex())
        for name, value in settings.items():
            self.ask(name, value)

    def ask(self, *words):
        self.say(*words)
        return self.line()

    def receive(self, seconds=20):
        return self.ask("receive", seconds)
