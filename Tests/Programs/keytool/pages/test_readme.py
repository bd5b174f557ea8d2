"""What README and the guide show can be typed: commands and options exist."""

import re
import shlex
import subprocess

import pytest

from kit import databackup, oracle
from kit.pages import commands
from kit.runner import BINARY, REPOSITORY
from kit.servers.phone import Phone

README = (REPOSITORY / "README.md").read_text()
GUIDE = (REPOSITORY / "docs/guide.md").read_text()
OTHERS = ("compatibility.md", "passphrase.md", "phone.md")
TEXT = README + GUIDE + "".join((REPOSITORY / "docs" / name).read_text() for name in OTHERS)
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


def test_pictures(built):
    """They show what keytool prints."""
    drawn = subprocess.run([REPOSITORY / "Scripts/draw-pictures", BINARY, "--check"], capture_output=True, text=True)
    assert drawn.returncode == 0, drawn.stdout + drawn.stderr


INSTALL = re.search(r"^## Install\n(.*?)^## ", README, re.M | re.S)[1]
ADDRESS = re.search(r"^git clone (\S+)$", INSTALL, re.M)[1]


def test_install(tmp_path):
    """The lines as they stand there, in a clone of this repository; make only says what it would do."""
    lines = re.search(r"^```\n(git clone .*?)^```$", INSTALL, re.M | re.S)[1]
    lines = lines.replace(ADDRESS, shlex.quote(str(REPOSITORY)) + " keytool").replace("sudo ", "")
    lines = re.sub(r"^make ", "make --dry-run ", lines, flags=re.M)
    done = subprocess.run(["sh", "-e", "-c", lines], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for step in ("Scripts/demo .build-demo/debug/keytool", "swift build -c release --product keytool", "/usr/local/bin/keytool"):
        assert step in done.stdout, step


def test_address_stands_in_one_place():
    found = subprocess.run(["git", "grep", "-lF", ADDRESS], cwd=REPOSITORY, capture_output=True, text=True).stdout
    assert found.split() == ["README.md"]


def test_toolchain():
    """README has the line that find-swift prints."""
    said = subprocess.run([REPOSITORY / "Scripts/find-swift"], env={"PATH": "/usr/bin:/bin", "SWIFT": "/bin/false"},
                          capture_output=True, text=True).stderr
    [line] = re.findall(r"^ +(curl .*)$", said, re.M)
    assert f"\n{line}\n" in INSTALL


def task(title):
    """The commands of a task's block, and all its lines that are not empty."""
    text = re.search(rf"^## {title}\n(.*?)^##", GUIDE, re.M | re.S)[1]
    block = re.search(r"^```\n(.*?)^```$", text, re.M | re.S)[1].splitlines()
    return [shlex.split(line)[1:] for line in block], [line for line in text.splitlines() if line.strip("`")]


@pytest.mark.parametrize("title", ["Bring your identity over from a phone", "Guard your phone's backup"])
def test_a_task_is_short(title):
    assert len(task(title)[1]) < 10


def test_bringing_an_identity_over(keytool, write, given):
    """The commands as they stand there, on a data backup of another writer."""
    bring, name, show = task("Bring your identity over from a phone")[0]
    me = oracle.Identity("ABCD1234", bytes(range(1, 33)))
    contact = databackup.Contact("ECHOECHO", bytes(range(32)), 2, "Echo", "", "", None)
    write(bring[-1], databackup.write(databackup.Backup(me, (contact,)), "battery staple 9"))
    password = given("backup-password", b"battery staple 9")
    keytool.ok(*bring, *password, "--no-passphrase", cwd=keytool.home.parent)
    keytool.ok(*name)
    assert "Alice" in keytool.ok("profile", "show").out
    assert "ECHOECHO" in keytool.ok(*show).out


def test_guarding_a_phone(keytool, directory, safe_password):
    """The commands as they stand there, beside a phone; only the server is another one."""
    phone = Phone(keytool, directory)
    phone.writes("first")
    pull, mirror, history = task("Guard your phone's backup")[0]
    pull[pull.index("--server") + 1] = directory.url
    keytool.ok(*pull, *safe_password)
    keytool.ok(*mirror)
    assert "10 contacts" in keytool.ok(*history).out
