"""The examples of the commands' pages are real: typed into the binary on a terminal, they give what the page shows.

Compared without blanks and line breaks, because the pages break long lines; `...` is what a page has left out, and
questions for the passphrases of keystore and archive are left out on both sides.
"""

import re
import shlex

import pytest

from kit import botsessions, databackup, oracle, sophax, telegram
from kit.pages import manual
from kit.processes import keyring
from kit.runner import Keytool
from kit.screens.terminal import Terminal
from kit.servers import onpremserver

NAS = "file:///mnt/nas/keytool"
USB = "file:///mnt/usb/keytool"
CODE = "DANC-3O6K-VIQ2-K3AB-LMIA-A3BP-NM6B-EOPP-35SF-DEZY-YYEL-26T3-ZWGK-AYGT-ASJE-DQYT-LSJU-IRCC-FDTH-RCGF"
PASSPHRASE = "grey owls never hurry home"
ANSWERS = {
    "Archive passphrase": "seven boats at the old pier",
    "Backup password": "summer rain on 3 tin roofs", "Keystore passphrase": PASSPHRASE,
    "Safe password": "nine lamps above the harbour", "Revocation password": "a word that only I can give back",
    "Passphrase of the file": "six gulls on a grey roof", "New passphrase of the file": "seven gulls on a red roof",
    "Upload the first backup now?": "y", "Recovery card to print": ""}

needs_keyring = pytest.mark.skipif(keyring.refusal() is not None, reason="the kernel's keyring cannot be used here")

QUESTION = re.compile(rf"({'|'.join(map(re.escape, ANSWERS))})[^\n]*(?::|\[y/N\]) ")


def examples(name):
    """What is typed in a page's EXAMPLES, each with what the page shows below it."""
    found = []
    for line in "\n".join(manual.page(name).examples["EXAMPLES"]).replace("\\\n", "").splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return [(typed, "\n".join(shown)) for typed, shown in found]


class Person:
    """Types examples, answers questions, and looks at what comes."""

    def __init__(self, home, nas):
        self.home, self.status = home, None
        self.places = {NAS: nas.url, USB: f"file://{home}/usb"}
        self.environment = {**Keytool(home).environment, "PATH": f"{home}/bin:/usr/bin:/bin"}

    def does(self, unshown):
        self.types(f"keytool --quiet {unshown}")
        assert self.status == 0, unshown

    def goes_to(self, keystore):
        """Another machine, as far as anybody can tell."""
        self.environment["KEYTOOL_KEYSTORE"] = str(self.home / keystore)

    def types(self, typed):
        """Gives what the terminal shows."""
        if typed == "echo $?":
            return str(self.status)
        line = typed
        for shown, real in self.places.items():
            line = line.replace(shown, real)
        keytool = Keytool(self.home).command_line()
        command = ["sh", "-c", re.sub(r"\bkeytool ", f"{shlex.join(keytool)} ", line, count=1)]
        terminal = Terminal(command, self.environment, cwd=self.home)
        try:
            self._answers(terminal)
            self.status = terminal.process.wait()
            return terminal.text
        finally:
            terminal.close()

    def _answers(self, terminal):
        while True:
            try:
                question = terminal.expect(QUESTION)
            except AssertionError:
                assert terminal.process.poll() is not None, terminal.text
                return
            terminal.send(ANSWERS[question[1]])

    def plain(self, text):
        """Without colours, moments, blanks and what was wiped again, and with the places of the page."""
        text = re.sub(r"[^\n]*\r\x1b\[K", "", text)
        text = re.sub(r"\x1b\[[0-9;]*m", "", text)
        for shown, real in (*self.places.items(), ("/home/alice", str(self.home))):
            text = text.replace(real, shown)
        text = re.sub(r"\d{4}-\d\d-\d\d(T[0-9:]+Z)?", "DAY", text)
        return re.sub(r"(?:Keystore|Archive)passphrase[^:\n]*?:", "", re.sub(r"\s+", "", text))

    def sees(self, typed, shown):
        found = self.plain(self.types(typed))
        expected = re.escape(self.plain(shown)).replace(r"\.\.\.", ".*")
        assert re.fullmatch(expected, found), f"$ {typed}\n{found}\ninstead of\n{expected}"


@pytest.fixture
def person(built, home, directory):
    for name, content in {
            "code.txt": CODE + "\n", "typed.txt": CODE.replace("VIQ2", "VIO2") + "\n",
            "p": ANSWERS["Revocation password"], "bin/lp": "#!/bin/sh\ngrep -qa '^%PDF-1.4' || echo no PDF\n",
            "bin/pass": f"#!/bin/sh\necho '{PASSPHRASE}'\n",
            "master_key.dat": bytes.fromhex("00000a2800000a2400000a20") + bytes(32)}.items():
        path = home / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(0o700 if path.parent.name == "bin" else 0o600)
    return Person(home, directory)


def follow(person, name, before={}):
    """Types all examples of a page. `before`: what happens before one of them, by what is typed."""
    typed_ones = examples(name)
    assert set(before) <= {typed for typed, _ in typed_ones}
    for typed, shown in typed_ones:
        before.get(typed, lambda: None)()
        if typed not in SKIPPED:
            person.sees(typed, shown)


IMPORT = "backup import code.txt"
# What is drawn at random, or needs a server.
SKIPPED = {
    "keytool id create", "keytool id remove", "keytool backup export", "keytool doctor",
    "keytool qr show --mode ascii < code.txt", "keytool safe status --remote",
    "keytool safe setup --create --server-user alice     --server https://safe.example.net/alice",
    "keytool safe server     --pin sha256//LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE="}


def test_keytool(person):
    follow(person, "keytool.1")


def test_id(person):
    follow(person, "keytool-id.1", {"keytool id list --json": lambda: person.does(IMPORT)})


def data_backup():
    """Of the identity in the examples, with two contacts, a group and a distribution list."""
    ids = ("ECHOECHO", "ABCD1234")
    backup = databackup.Backup(
        oracle.open_code(CODE, ANSWERS["Backup password"].encode()),
        tuple(databackup.Contact(id, bytes([n + 1]) * 32) for n, id in enumerate(ids)),
        (databackup.Group("0123456789abcdef", "ECHOECHO", "Band", 1, 1, ids),),
        (databackup.DistributionList(1, "All", 1, 1, ids),), conversations=2, media=9)
    return databackup.write(backup, ANSWERS["Backup password"])


def test_backup(person):
    def phone():
        person.goes_to("phone")
        (person.home / "threema-backup.zip").write_bytes(data_backup())

    follow(person, "keytool-backup.1", {"keytool backup import threema-backup.zip": phone})


def test_safe(person):
    pull = f"safe pull --id 3NHH6WCF --server {NAS}"

    def write_elsewhere():
        person.does("safe push --force")
        person.goes_to("here")

    person.goes_to("here")
    follow(person, "keytool-safe.1", {
        f"keytool safe setup --create --server {NAS}": lambda: person.does(IMPORT),
        "keytool safe status --max-age 8d": lambda: person.does("safe push --force"),
        f"keytool {pull}": lambda: person.goes_to("elsewhere"),
        "keytool safe push --force": write_elsewhere})


@needs_keyring
def test_key(person):
    follow(person, "keytool-key.1", {"keytool key protect": lambda: person.does(IMPORT + " --no-passphrase")})


def test_archive(person):
    follow(person, "keytool-archive.1", {"keytool archive export -o keys.age": lambda: person.does(IMPORT)})


def test_revoke(person):
    follow(person, "keytool-revoke.1")


def test_qr(person):
    follow(person, "keytool-qr.1")


def test_doctor(person):
    """What it finds is the machine's; what it looks at is the page's."""
    [(typed, shown)] = examples("keytool-doctor.1")
    check = re.compile(r"^(?:ok|skipped|WARNING|PROBLEM) +([a-z]+) ", re.M)
    person.does(IMPORT + " --no-passphrase")
    looked_at = check.findall(person.types(typed))
    assert "derivation" in looked_at and looked_at == check.findall(shown)
    described = {word for item in manual.page("keytool-doctor.1").sections["DESCRIPTION"].items
                 for word in item.head.split()}
    assert set(looked_at) <= described


def test_code_of_the_page():
    assert oracle.check_word(CODE) == "3UFR-LRKN"
    assert CODE.replace("-", "") in "".join(manual.page("keytool-backup.1").examples["EXAMPLES"]).replace("-", "")


def test_telegram(person):
    desktop = person.home / ".local/share/TelegramDesktop"
    desktop.mkdir(parents=True)
    keys = {2: telegram.KEYS[0], 4: telegram.KEYS[1]}
    telegram.tdata(desktop / "tdata", [telegram.Account(keys, user=777000)])
    password = ANSWERS["Passphrase of the file"].encode()
    (person.home / "key.pem").write_bytes(telegram.FORMS["pem"](keys[2], password))
    botsessions.write("telethon", person.home / "bot.session", telegram.KEYS[2])
    follow(person, "keytool-telegram.1", {
        "keytool telegram import ~/.local/share/TelegramDesktop/tdata": lambda: person.does("id create")})


def test_sophaxchat(person):
    password = ANSWERS["Passphrase of the file"].encode()
    (person.home / "alice.sxid").write_bytes(sophax.sxid(sophax.ALICE, password))
    (person.home / "bob.json").write_bytes(sophax.bundle(sophax.BOB, 788_918_400.25))
    follow(person, "keytool-sophaxchat.1", {
        "keytool sophaxchat import alice.sxid": lambda: person.does("id create")})


def test_onprem(person):
    (person.home / "config.oppf").write_bytes(onpremserver.PUBLISHED)
    follow(person, "keytool-onprem.1")
