"""The keys of Telegram, passcodes and passphrases of its files: in guarded pages and nowhere else, at the passcode's
prompt, behind it, and when a command exits.

A debug build binds symbols late, which saves registers on the stack: there, protect and export need LD_BIND_NOW=1."""

import hashlib

import pytest

from kit import agefile, botsessions, telegram
from kit.processes.corefile import require_gcore
from kit.processes.memoryleft import unexpected
from kit.processes.promptmemory import is_clean, left_at_exit, left_waiting
from kit.processes.tracing import run_to_exit
from kit.stages.everysecret import PASSWORDS, EverySecret
from kit.telegram import KEYS, Account, key_id

LOCAL = hashlib.shake_256(b"local").digest(256)
ACCOUNT = Account({2: KEYS[0], 4: KEYS[1]}, user=7)
PASSCODE, PASSPHRASE = PASSWORDS["telegram-passcode"], PASSWORDS["file-passphrase"]
FILE_KEY = bytes.fromhex("5a17c9e0384bd26fa1704e8395bc2d68")


@pytest.fixture
def house(built, tmp_path):
    house = EverySecret(tmp_path / "house")
    house.secrets |= {"first key": KEYS[0], "second key": KEYS[1], "third key": KEYS[2]}
    return house


def tdata(house, passcode=PASSCODE):
    path = telegram.tdata(house.path / "tdata", [ACCOUNT], passcode, local=LOCAL)
    house.secrets["local key"] = LOCAL
    return path


def newer_tdata(house):
    wrap = telegram.Wrap(PASSCODE)
    path = telegram.tdata(house.path / "tdata", [ACCOUNT], PASSCODE, LOCAL, telegram.trailer([wrap], 1, LOCAL))
    house.secrets |= {"local key": LOCAL, "wrap key": wrap.key()}
    return ["telegram", "import", path, *house.given("telegram-passcode", "passphrase")]


def held(house):
    """The house with the account in its keystore."""
    house.keytool.ok("telegram", "import", tdata(house, b""))
    return house.learn()


def age_file(house, content):
    salt = b"saltsaltsaltsalt"
    house.secrets["file key"] = FILE_KEY
    house.secrets["wrap key"] = agefile.scrypt_key(PASSPHRASE, salt, 12)
    house.secrets["payload key"] = agefile.derive(FILE_KEY, bytes(16), b"payload")
    stanza = agefile.scrypt_stanza(FILE_KEY, PASSPHRASE, salt, 12)
    return house.file("account.age", agefile.seal(content, [stanza], FILE_KEY, bytes(16)))


def account_file(house):
    return age_file(house, telegram.account_text(ACCOUNT.keys, 2, 7))


def identity_file(house):
    secret = hashlib.sha256(b"identity").digest()
    house.secrets["identity"] = secret
    house.secrets["identity's text"] = agefile.identity_text(secret).encode()[len("AGE-SECRET-KEY-1"):]
    key = house.file("identity", agefile.identity_text(secret).encode() + b"\n")
    public = agefile.public_key(agefile.X25519PrivateKey.from_private_bytes(secret))
    stanza = agefile.x25519_stanza(FILE_KEY, public, bytes(range(32)))
    file = agefile.seal(telegram.account_text(ACCOUNT.keys, 2, 7), [stanza], FILE_KEY, bytes(16))
    return ["telegram", "verify", house.file("account.age", file), "--identity", key]


def legacy(form, verb, *arguments):
    def command(house):
        file = house.file("legacy", telegram.FORMS[form](KEYS[2], PASSPHRASE))
        return ["telegram", verb, file, *arguments,
                *(house.given("file-passphrase") if form not in ("raw", "hashed") else [])]
    return command


def packet(house):
    held(house)
    body = house.file("body", b"abcd")
    house.keytool.ok("telegram", "seal-packet", body, "-o", house.home / "packet")
    return house.home / "packet"


def session(house):
    path = house.home / "bot.session"
    botsessions.open_telethon(path, KEYS[0], "wal").close()
    return path


def session_text(house, text):
    house.secrets["text"] = text.encode()[20:]
    return house.file("text", text.encode())


def exported(form):
    def command(house):
        held(house)
        house.secrets["text"] = botsessions.telethon_text(KEYS[0]).encode()[20:]
        return ["telegram", "export", "--format", form, "--reveal-private-key", "-o", house.home / "out"]
    return command


COMMANDS = {
    "import, session file": lambda house: ["telegram", "import", session(house)],
    "import, session text": lambda house: [
        "telegram", "import", session_text(house, botsessions.telethon_text(KEYS[0]))],
    "verify, session text": lambda house: [
        "telegram", "verify", session_text(house, botsessions.pyrogram_text(KEYS[0]))],
    **{f"export, {form}": exported(form) for form in ("telethon", "pyrogram", "telethon-text", "pyrogram-text")},
    "import, passcode": lambda house: ["telegram", "import", tdata(house), *house.given(
        "telegram-passcode", "passphrase")],
    "import, passcode of 7.3": newer_tdata,
    "import, no passcode": lambda house: ["telegram", "import", tdata(house, b"")],
    "import, age": lambda house: ["telegram", "import", account_file(house), *house.given("file-passphrase")],
    **{f"import, {form}": legacy(form, "import", "--dc", "2") for form in telegram.FORMS},
    "list": lambda house: held(house) and ["telegram", "list"],
    "show": lambda house: held(house) and ["telegram", "show"],
    "show, revealed": lambda house: held(house) and ["telegram", "show", "--reveal-private-key"],
    "show, revealed, JSON": lambda house: held(house) and ["telegram", "show", "--reveal-private-key", "--json"],
    "mark-lost": lambda house: held(house) and ["telegram", "mark-lost", key_id(KEYS[0])],
    "export": lambda house: held(house) and ["telegram", "export", "-o", house.home / "out", *house.given(
        "file-passphrase")],
    "verify, identity": identity_file,
    "protect": lambda house: [*legacy("raw", "protect")(house), *house.given("new-file-passphrase")],
    "passwd": lambda house: ["telegram", "passwd", account_file(house), *house.given(
        "file-passphrase", "new-file-passphrase")],
    "unprotect": lambda house: ["telegram", "unprotect", account_file(house), "-o", house.home / "raw", "--yes",
                                "--dc", "4", *house.given("file-passphrase")],
    "open-packet": lambda house: ["telegram", "open-packet", packet(house)],
    "seal-packet": lambda house: ["telegram", "seal-packet", packet(house), "-o", house.home / "out"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_at_exit(house, name):
    arguments = COMMANDS[name](house)
    result, memory = run_to_exit(house.keytool.command_line(*arguments), house.keytool.environment, house.home)
    assert result.code == 0, result
    house.learn()
    is_clean(unexpected(memory, house))


def test_at_the_prompts(house, terminal):
    """After a wrong passcode, after the right one, and at the end."""
    require_gcore()
    process = terminal("telegram", "import", tdata(house), runner=house.keytool)
    process.expect(r"Telegram passcode[^\n]*: $")
    process.send(PASSPHRASE.decode())
    process.expect(r"try again\n")
    process.expect(r"Telegram passcode[^\n]*: $")
    process.send(PASSCODE.decode())
    left = left_waiting(process, house, "passphrase", "first key")
    is_clean(left + left_at_exit(process, house, *[PASSWORDS["passphrase"]] * 2))
