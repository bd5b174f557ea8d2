"""Whatever is typed at any prompt: a documented exit code within seconds, the terminal as it was,
and nothing half made.

Each case is a script of (question, answer) and the exit code; an answer is bytes, or `hang_up`.
"""

import signal
from dataclasses import dataclass

import pytest

from kit import keyfiles, masterkey, oracle
from kit.known import CODE, SAFE_PASSWORD
from kit.masterkey import PASSPHRASE
from kit.runner import TRAP, snapshot
from kit.screens.terminal import Terminal

SECONDS = 10
ENTER, CTRL_C, CTRL_D = b"\r", b"\x03", b"\x04"
GOOD, OTHER = b"Copper-Willow-58\r", b"Copper-Willow-59\r"
PASTE = b"x" * 1_000_000 + ENTER
NUL, NOT_UTF8 = b"Copper\0Willow-58\r", b"Copper\xff\xfeWillow-58\r"
SHOWN = r"press Enter[^\n]*$"


def hang_up(run):
    run.hang_up()


def endings(*asked):
    """What ends any question at once, behind these (question, answer)."""
    *before, question = asked
    yield "Ctrl-C", [*before, (question, CTRL_C)], 130
    yield "hang-up", [*before, (question, hang_up)], 129


def creating(question, again, empty):
    """Asked twice, three pairs; `empty`: what a mere Enter leads to."""
    yield "empty", *empty
    yield "too short", [(question, b"seven77\r")] * 3, 64
    yield "mismatch", [(question, GOOD), (again, OTHER)] * 3, 64
    yield "Ctrl-D", [(question, CTRL_D)], 16
    yield "paste", [(question, PASTE)] * 3, 65
    yield "NUL", [(question, NUL)] * 3, 65
    yield "not UTF-8", [(question, NOT_UTF8)] * 3, 65
    yield from endings(question)
    yield "again: empty", [(question, GOOD), (again, ENTER)] * 3, 64
    yield "again: Ctrl-D", [(question, GOOD), (again, CTRL_D)], 16
    yield "again: paste", [(question, GOOD), (again, PASTE)] * 3, 65
    for name, script, code in endings((question, GOOD), again):
        yield f"again: {name}", script, code


def generated(question):
    """A random one is offered."""
    return [(question, ENTER), (SHOWN, CTRL_C)], 130


def opening(question, wrong, tries=3, short=None):
    """`wrong`: the code for what does not open, after so many tries."""
    yield "empty", [(question, ENTER)] * 3, 65
    yield "too short", *(short or ([(question, b"x\r")] * tries, wrong))
    yield "Ctrl-D", [(question, CTRL_D)], 16
    yield "paste", [(question, PASTE)], 65
    yield "NUL", [(question, NUL)] * tries, wrong
    yield "not UTF-8", [(question, NOT_UTF8)] * tries, wrong
    yield from endings(question)


def confirming(question):
    yield "empty", [(question, ENTER)], 64
    yield "too short", [(question, b"ABC\r")], 64
    yield "Ctrl-D", [(question, CTRL_D)], 64
    yield "paste", [(question, PASTE)], 65
    yield "NUL", [(question, b"\0y\r")], 64
    yield "not UTF-8", [(question, b"\xff\xfe\r")], 64
    yield from endings(question)


def entering_code():
    first, again, second = r"Backup code: $", r"Group 1 again \(it was [^\n]*\): $", r"Group 2: $"
    yield "empty", [(first, ENTER)], 64
    yield "too short", [(first, b"4K4\r"), (again, CTRL_D)], 65
    yield "mismatch", [(first, b"0000\r"), (again, CTRL_C)], 130
    yield "Ctrl-D", [(first, CTRL_D)], 64
    yield "paste", [(first, PASTE)], 65
    yield "NUL", [(first, b"4K4\0\r"), (again, CTRL_C)], 130
    yield "not UTF-8", [(first, b"4K4\xff\r"), (again, CTRL_C)], 130
    yield from endings(first)
    yield "second: Ctrl-D", [(first, b"4K4M\r"), (second, CTRL_D)], 65
    yield "second: empty", [(first, b"4K4M\r"), (second, ENTER), (second, CTRL_C)], 130
    yield "open paste", [(first, b"\x1b[200~4K4M\r"), ("", b"5Q6T\r"), ("", CTRL_D), (r"Group 3: $", CTRL_C)], 130
    for name, script, code in endings((first, b"4K4M\r"), second):
        yield f"second: {name}", script, code


def naming_server():
    """`setup` with nothing given."""
    server, user = r"Safe server \([^\n]*\): $", r"User on 127\.0\.0\.1 \([^\n]*\): $"
    there = (server, b"https://127.0.0.1:9/\r")
    yield "empty", [(server, ENTER)], 64
    yield "too short", [(server, b"x\r"), (server, CTRL_C)], 130
    yield "Ctrl-D", [(server, CTRL_D)], 64
    yield "paste", [(server, PASTE)], 65
    yield "NUL", [(server, b"file:///\0x\r"), (server, CTRL_D)], 64
    yield "not UTF-8", [(server, b"https://\xff.example/\r"), (server, CTRL_D)], 64
    yield from endings(server)
    yield "user: empty", [there, (user, ENTER), (server, CTRL_C)], 130
    yield "user: colon", [there, (user, b"a:b\r"), (user, CTRL_C)], 130
    yield "user: Ctrl-D", [there, (user, CTRL_D)], 64
    yield "user: paste", [there, (user, PASTE)], 65
    yield "user: NUL", [there, (user, b"ab\0c\r"), (user, CTRL_D)], 64
    yield "user: not UTF-8", [there, (user, b"\xff\r"), (user, CTRL_D)], 64
    for name, script, code in endings(there, user):
        yield f"user: {name}", script, code


def showing(before, question, then):
    """A screen that waits for Enter; `then`: where any line leads to."""
    yield "Ctrl-D", [*before, (question, CTRL_D)], 16
    yield "paste", [*before, (question, PASTE), *then], 130
    yield "NUL", [*before, (question, b"\0\r"), *then], 130
    yield "not UTF-8", [*before, (question, b"\xff\r"), *then], 130
    yield from endings(*before, question)


# The prompts


class Scene:
    """A keystore with ABCD1234, and what else a prompt needs."""

    def __init__(self, keytool, directory, write):
        self.keytool, self.directory, self.write = keytool, directory, write

    def nothing(self):
        return self

    def identity(self):
        self.keytool.ok("id", "create", "--id", "ABCD1234")
        return self

    def prepared(self):
        self.directory.prepare()
        return self.identity()

    def protected(self):
        self.identity()
        masterkey.rewrap(self.keytool)
        return self

    def with_safe(self):
        self.identity()
        self.keytool.ok("safe", "setup", "--create", "--server", self.directory.url,
                        "--safe-password-file", self.write("safe", SAFE_PASSWORD))
        self.keytool.ok("safe", "push")
        return self

    def backup(self):
        """On the server of an empty keystore."""
        keys = oracle.safe_keys(SAFE_PASSWORD, "ABCD1234")
        self.directory.prepare().put(keys, oracle.seal_safe(oracle.safe_document(bytes(32)), keys))
        return self

    def code(self):
        self.write("code", CODE)
        return self

    def key_file(self):
        self.write("key.dat", keyfiles.wrap_v2(bytes(range(32)), PASSPHRASE, **keyfiles.LEAST_COST))
        return self


@dataclass
class Prompt:
    scene: object
    command: list  # "@name" stands for a file of the scene, "@server" for its server
    scripts: list


def secret(title, more=""):
    return rf"{title}[^\n,]*{more}: $"


RIGHT = PASSPHRASE + ENTER
OFFERED, NONE = r" \(Enter for a random one\)", r" \(Enter for none\)"
PRESENT, NEWER = secret("Keystore passphrase"), secret("New keystore passphrase")
SERVER = ["--server", "@server"]
HTTPS = ["--server", "https://127.0.0.1:9/", "--server-user", "somebody"]


def behind(question, answer, scripts):
    """The same scripts, after another question was answered well."""
    return [(name, [(question, answer), *script], code) for name, script, code in scripts]


BACKUP = secret("Backup password", OFFERED)
SAFE, NEW_SAFE = (secret(title, OFFERED) for title in ("Safe password", "New Safe password"))
SAFE_AGAIN = r"Safe password[^\n]*, again: $"
KEYSTORE, REVOCATION = secret("Keystore passphrase", NONE), secret("Revocation password")
PICTURE = "picture on the second screen"
PROMPTS = {
    "new keystore's passphrase": Prompt(Scene.nothing, ["id", "create"], creating(
        KEYSTORE, r"Keystore passphrase, again: $", ([(KEYSTORE, ENTER), (r"Create it without one\? \[y/N\] $", b"y\r")], 0))),
    "keystore passphrase": Prompt(Scene.protected, ["id", "show"], opening(PRESENT, 12)),
    "another passphrase": Prompt(Scene.protected, ["key", "passwd"], behind(PRESENT, RIGHT, creating(
        NEWER, r"New keystore passphrase, again: $", ([(NEWER, ENTER)] * 3, 64)))),
    "passphrase of a key file": Prompt(Scene.key_file, ["key", "import", "@key.dat"], opening(
        r"Passphrase of the file [^\n]*: $", 12)),
    "new backup password": Prompt(Scene.identity, ["backup", "export"], creating(
        BACKUP, r"Backup password[^\n]*, again: $", generated(BACKUP))),
    "backup password": Prompt(Scene.code, ["backup", "import", "@code"], opening(
        secret("Backup password"), 12, short=([(secret("Backup password"), b"abc\r")] * 3, 64))),
    "backup code": Prompt(Scene.nothing, ["backup", "import"], entering_code()),
    "new Safe's password": Prompt(Scene.prepared, ["safe", "setup", *SERVER], creating(
        SAFE, SAFE_AGAIN, generated(SAFE))),
    "another Safe password": Prompt(Scene.with_safe, ["safe", "passwd"], creating(
        NEW_SAFE, r"New Safe password[^\n]*, again: $", generated(NEW_SAFE))),
    "Safe password": Prompt(Scene.backup, ["safe", "pull", "--id", "ABCD1234", *SERVER], opening(
        secret("Safe password"), 10, tries=1)),
    "Safe password, proven": Prompt(Scene.with_safe, ["safe", "check", "--with-password"], opening(
        secret("Safe password"), 12)),
    "server password": Prompt(Scene.identity, ["safe", "setup", *HTTPS], [
        (name, [*script, (r"Safe server \([^\n]*: $", CTRL_C)] if code == 130 and script[-1][1] != CTRL_C else script, code)
        for name, script, code in opening(secret("Safe server password"), 130, tries=1)]),
    "server": Prompt(Scene.identity, ["safe", "setup"], list(naming_server())),
    "bare directory, yes or no": Prompt(Scene.identity, ["safe", "setup", *SERVER], [
        (name, script, 15 if code == 64 else code)
        for name, script, code in confirming(r"\[y/N\] $")]),
    "revocation password": Prompt(Scene.nothing, ["revoke", "hash"], creating(
        REVOCATION, r"Revocation password, again: $", ([(REVOCATION, ENTER)] * 3, 64))),
    "ID before it is removed": Prompt(
        Scene.identity, ["id", "remove"], confirming(r"type ABCD1234: $")),
    "ID before its Safe is deleted": Prompt(
        Scene.with_safe, ["safe", "delete"], confirming(r"type ABCD1234: $")),
    "yes or no": Prompt(Scene.protected, ["key", "unprotect"], confirming(r"\[y/N\] $")),
    "weak, yes or no": Prompt(Scene.nothing, ["id", "create"], [
        (name, [(KEYSTORE, b"12345678\r"), *script] + [(KEYSTORE, CTRL_D)] * (code == 64), 16 if code == 64 else code)
        for name, script, code in confirming(r"\[y/N\] $") if name != "paste"]),
    "chosen password": Prompt(Scene.identity, ["backup", "export"], showing(
        [(BACKUP, ENTER)], SHOWN, [(r"Now type it: $", CTRL_C)])),
    "chosen password, typed": Prompt(Scene.identity, ["backup", "export"], behind(
        BACKUP, ENTER, behind(SHOWN, ENTER, [
            ("wrong", [(r"Now type it: $", OTHER), (SHOWN, CTRL_C)], 130),
            ("empty", [(r"Now type it: $", ENTER), (SHOWN, CTRL_C)], 130),
            ("Ctrl-D", [(r"Now type it: $", CTRL_D)], 16),
            ("paste", [(r"Now type it: $", PASTE), (BACKUP, CTRL_C)], 130),
            *endings(r"Now type it: $")]))),
    PICTURE: Prompt(
        Scene.identity, ["qr", "contact", "--qr-wait"], list(endings(r"clear the screen: $"))),
    "keys at random": Prompt(
        Scene.nothing, ["id", "create", "--entropy", "keyboard"], list(endings(r"at random: $"))),
}
CASES = {f"{name}: {what}": (prompt, script, code)
         for name, prompt in PROMPTS.items() for what, script, code in prompt.scripts}


@pytest.fixture
def scene(keytool, directory, write):
    return Scene(keytool, directory, write)


def command_line(scene, prompt, tmp_path):
    places = {"@server": scene.directory.url, "@code": tmp_path / "code", "@key.dat": tmp_path / "key.dat"}
    return scene.keytool.command_line(*[places.get(word, word) for word in prompt.command])


def play(run, script):
    for question, answer in script:
        run.expect(question)
        if answer is hang_up:
            hang_up(run)
        elif answer is PASTE:
            run.paste(answer)
        else:
            run.press(answer)


@pytest.mark.parametrize("name", CASES)
def test_wrong_input(scene, tmp_path, name):
    prompt, script, code = CASES[name]
    prompt.scene(scene)
    before, stored = snapshot(scene.keytool.keystore), snapshot(scene.directory.path)
    run = Terminal(command_line(scene, prompt, tmp_path), scene.keytool.environment)
    try:
        play(run, script)
        if script[-1][1] is hang_up:
            assert run.process.wait(SECONDS) in (129, -signal.SIGHUP)
        else:
            assert run.finish(SECONDS) == code, run.text
            assert run.settings == run.untouched
            assert run.text.count("[?1049h") == run.text.count("[?1049l")
        assert not TRAP.search(run.text), run.text
    finally:
        run.close()
    if code != 0:
        assert snapshot(scene.keytool.keystore) == before
        assert snapshot(scene.directory.path) == stored


HUNG_UP = [name for name in CASES if name.endswith("hang-up")]


@pytest.mark.parametrize("name", HUNG_UP)
def test_terminal_that_is_gone(scene, tmp_path, name):
    """Under nohup the signal is ignored, and the terminal answers nothing any more."""
    prompt, script, _ = CASES[name]
    prompt.scene(scene)
    before, stored = snapshot(scene.keytool.keystore), snapshot(scene.directory.path)
    with open(tmp_path / "err", "wb") as err:
        run = Terminal(["/bin/sh", "-c", 'trap "" HUP; exec "$@"', "sh",
                        *command_line(scene, prompt, tmp_path)],
                       scene.keytool.environment, stderr=err)
        try:
            play(run, script)
            code = run.process.wait(SECONDS)
        finally:
            run.close()
    said = (tmp_path / "err").read_text()
    # A picture has been shown by then: that is all there was to do.
    assert code in ((0,) if prompt is PROMPTS[PICTURE] else (15, 16, 64, 65, 74)), said
    assert not TRAP.search(said) and len(said) < 2000, said
    assert snapshot(scene.keytool.keystore) == before
    assert snapshot(scene.directory.path) == stored
