"""A MainKey, its PINs and the keys of its protections are in guarded pages and nowhere else: at each question, in a
core, and when a command exits."""

import pytest

from kit import agefile, mainkeys, protonitems
from kit.mainkeys import AGE_KEY, AGE_PIN, NONE, RECIPIENTS
from kit.processes import keyring
from kit.processes.corefile import core, require_gcore
from kit.processes.memory import Memory
from kit.processes.memoryleft import unexpected
from kit.processes.tracing import CONT, exit_snapshot, ptrace, run_to_exit, seize
from kit.stages.everysecret import PASSWORDS, EverySecret

KEY = bytes.fromhex("6b1f94d2c7085ae3317d0e96f2a84bc5581ed937a06cf24b8e15d3706fb9c21a")
KEY_ID = mainkeys.check_value(KEY)
SECRET = bytes.fromhex("c84d13f7962ea05b7ef3189d40c65ab20d71e8f5239b6c84af50d21e97684bc3")
RECIPIENT = agefile.recipient_text(SECRET)
IDENTITY_TEXT, PUBLIC = agefile.identity_text(SECRET), "AGE-SECRET-KEY-1"
VALUE = b"Heron-Lagoon-74-of-the-value"
PIN, NEW_PIN, FILE_PASSPHRASE = (PASSWORDS[stem] for stem in ("pin", "new-pin", "file-passphrase"))


@pytest.fixture
def house(built, tmp_path):
    house = EverySecret(tmp_path / "house")
    house.keytool.ok("id", "create", "--id", "ABCD1234")
    house.secrets |= {"MainKey": KEY, "age identity": SECRET, "identity's text": IDENTITY_TEXT[len(PUBLIC):].encode(),
                      "value": VALUE}
    house.file("identity", IDENTITY_TEXT.encode())
    house.file("app-value", protonitems.seal_v1(KEY, VALUE.decode()))
    house.file("ktl2", protonitems.seal_ktl2(KEY, "name", VALUE))
    house.file("content", VALUE)
    house.file("key.age", learn(house, mainkeys.under_pin(KEY, FILE_PASSPHRASE), FILE_PASSPHRASE))
    items = protonitems.lock(KEY, PIN)
    house.secrets["PIN key of the items"] = protonitems.pin_key(PIN, items["PinProtection.salt"])
    (house.home / "items").mkdir()
    for name, content in items.items():
        house.file(f"items/{name}", content)
    return house.learn()


def learn(house, file, passphrase=None):
    """Adds what opens an age file on the way."""
    stanzas = agefile.parse(file)[0]
    file_key = agefile.unwrap(stanzas, SECRET, passphrase)
    number = len(house.secrets)
    house.secrets[f"file key {number}"] = file_key
    if passphrase:
        _, salt, factor = stanzas[0][0]
        house.secrets[f"wrap key {number}"] = agefile.scrypt_key(passphrase, agefile.decode64(salt), int(factor))
    return file


def held(house, *kinds):
    parts = {}
    if NONE in kinds:
        parts[NONE] = KEY
    if AGE_PIN in kinds:
        parts[AGE_PIN] = learn(house, mainkeys.under_pin(KEY, PIN), PIN)
    if AGE_KEY in kinds:
        parts |= {AGE_KEY: learn(house, mainkeys.for_key(KEY, RECIPIENT)), RECIPIENTS: RECIPIENT.encode()}
    mainkeys.put(house.keytool, KEY_ID, parts)


BOTH = (AGE_PIN, AGE_KEY)
# Name: the protections before, the words, the stems that are given.
COMMANDS = {
    "status": (BOTH, ["status"], []),
    "protect pin": ((NONE,), ["protect", "pin"], ["new-pin"]),
    "protect key": ((AGE_PIN,), ["protect", "key", RECIPIENT], ["pin"]),
    "protect none": ((AGE_PIN,), ["protect", "none", "--yes"], ["pin"]),
    "passwd": (BOTH, ["passwd"], ["pin", "new-pin"]),
    "passwd, identity": (BOTH, ["passwd", "--identity", "identity"], ["new-pin"]),
    "remove none": ((NONE, *BOTH), ["remove", "none"], ["pin"]),
    "remove last": ((AGE_PIN,), ["remove", "pin", "--yes"], ["pin"]),
    "unlock": ((AGE_PIN,), ["unlock", "--for", "30s"], ["pin"]),
    "export": ((AGE_PIN,), ["export", "-o", "out"], ["pin", "file-passphrase"]),
    "export, recipient": ((AGE_PIN,), ["export", "-o", "out", "--recipient", RECIPIENT], ["pin"]),
    "export, revealing": ((AGE_PIN,), ["export", "-o", "out", "--reveal-private-key"], ["pin"]),
    "export, items": ((AGE_PIN,), ["export", "-o", "out", "--format", "v1"], ["pin", "new-pin"]),
    "import": ((), ["import", "key.age"], ["file-passphrase", "new-pin"]),
    "import, items": ((), ["import", "items", "--proof", "app-value"], ["pin", "new-pin"]),
    "import, bare": ((), ["import", "bare", "--recipient", RECIPIENT, "--identity", "identity"], []),
    "import, hex": ((), ["import", "hex", "--recipient", RECIPIENT, "--yes"], []),
    "verify": ((), ["verify", "key.age"], ["file-passphrase"]),
    "open-value": ((AGE_PIN,), ["open-value", "app-value", "-o", "out"], ["pin"]),
    "open-value, stdout": ((AGE_PIN,), ["open-value", "ktl2", "--name", "name"], ["pin"]),
    "seal-value": ((AGE_PIN,), ["seal-value", "content", "--name", "name", "-o", "out"], ["pin"]),
    "seal-value, v1": ((AGE_PIN,), ["seal-value", "content", "--format", "v1", "--type", "string", "-o", "out"], ["pin"]),
    "rewrap-value": ((AGE_PIN,), ["rewrap-value", "app-value", "--name", "name", "-o", "out"], ["pin"]),
    "wipe": ((AGE_PIN,), ["wipe", "--yes", KEY_ID], []),
}
FILES = ("identity", "out", "key.age", "items", "app-value", "ktl2", "content", "bare", "hex")


@pytest.mark.parametrize("name", COMMANDS)
def test_at_exit(house, name):
    kinds, words, stems = COMMANDS[name]
    if kinds:
        held(house, *kinds)
    house.file("bare", KEY)
    house.file("hex", KEY.hex().encode())
    arguments = ["mainkey", *(house.home / word if word in FILES else word for word in words), *house.given(*stems)]
    entry = mainkeys.entry_name(house.keystore, KEY_ID)
    try:
        result, memory = run_to_exit(house.keytool.command_line(*arguments), house.keytool.environment, house.home)
    finally:
        if not keyring.refusal():
            keyring.remove(entry)
    if name == "unlock" and result.code == 69:
        pytest.skip("the kernel's keyring cannot be used here")
    assert result.code == 0, result
    if KEY_ID in mainkeys.ids(house.keystore):
        parts = mainkeys.protections(house.keytool, KEY_ID)
        if AGE_PIN in parts:
            for pin in (PIN, NEW_PIN):
                try:
                    learn(house, parts[AGE_PIN], pin)
                except agefile.Refused:
                    pass
    left = unexpected(memory, house)
    assert not left, f"{result}" + "\n".join(map(str, left))


def test_at_the_questions(house, terminal):
    require_gcore()
    held(house, AGE_PIN)
    process = terminal("mainkey", "passwd", runner=house.keytool)
    process.expect(r"PIN for the MainKey [^\n]*: $")
    process.send(PIN.decode())
    left = []
    for asked, guarded in ((r"New PIN for the MainKey: $", "MainKey"), (r"MainKey, again: $", "new-pin")):
        process.expect(asked)
        memory = Memory(process.process.pid)
        snapshot = memory.snapshot()
        memory.close()
        assert any(one.mapping.is_guarded for one in snapshot.find({guarded: house.secrets[guarded]}))
        left += unexpected(snapshot, house) + unexpected(core(process.process.pid, house.path), house)
        if guarded == "MainKey":
            process.send(NEW_PIN.decode())
    memory = seize(process.process.pid)
    process.send(NEW_PIN.decode())
    snapshot = exit_snapshot(process.process.pid, memory)
    ptrace(CONT, process.process.pid)
    assert process.finish() == 0, process.text
    learn(house, mainkeys.protections(house.keytool, KEY_ID)[AGE_PIN], NEW_PIN)
    left += unexpected(snapshot, house)
    assert not left, "\n".join(map(str, left))
