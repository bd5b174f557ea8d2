"""Keys of attachments, signaling keys, master secrets and their passwords: in guarded pages and nowhere else when a
command exits."""

import base64

import pytest

from kit import archives, textsecure
from kit.processes.memoryleft import unexpected
from kit.processes.promptmemory import is_clean
from kit.processes.tracing import run_to_exit
from kit.stages.everysecret import PASSWORDS, EverySecret

ACCOUNT = textsecure.account()
SIGNALING_KEY = base64.b64decode(ACCOUNT["signalingKey"])
ATTACHMENT_KEY = base64.b64decode(PASSWORDS["attachment-key"])
MASTER_SECRET = bytes(range(7, 250, 7))[:35] + b"\x93"


@pytest.fixture
def house(built, tmp_path):
    house = EverySecret(tmp_path / "house")
    house.secrets |= {
        "signaling key": SIGNALING_KEY, "signaling MAC key": SIGNALING_KEY[32:], "attachment key": ATTACHMENT_KEY,
        "attachment MAC key": ATTACHMENT_KEY[32:], "master secret": MASTER_SECRET,
        "identity": base64.b64decode(ACCOUNT["identity"])}
    return house


def held(house):
    """The house with the account in its keystore."""
    file = house.file("account.age", archives.seal(textsecure.text(ACCOUNT)))
    house.keytool.ok("textsecure", "import", file, "--identity", house.file("agekey", archives.IDENTITY.encode()))
    return house.learn()


def plain_text():
    """The key of an attachment stands in it."""
    return textsecure.signal(textsecure.field(2, textsecure.field(3, ATTACHMENT_KEY)))


def open_push(house, *options):
    payload = textsecure.seal_push(SIGNALING_KEY, plain_text())
    return ["textsecure", "open-push", held(house).file("payload", payload), *options]


def import_client(house, wrapped):
    return ["textsecure", "import-client", house.file("wrapped", wrapped), "-o", house.home / "out", "--recipient",
            archives.RECIPIENT, *house.given("client-password")]


COMMANDS = {
    "open-push": open_push,
    "open-push, written": lambda house: open_push(house, "-o", house.home / "out"),
    "seal-push": lambda house: ["textsecure", "seal-push", held(house).file("signal", plain_text()), "-o",
                                house.home / "out"],
    "open-attachment": lambda house: [
        "textsecure", "open-attachment", house.file("blob", textsecure.seal_attachment(ATTACHMENT_KEY, bytes(200_000))),
        "-o", house.home / "out", *house.given("attachment-key")],
    "import-client, iOS": lambda house: import_client(
        house, textsecure.rncryptor(PASSWORDS["client-password"], MASTER_SECRET)),
    "import-client, Android": lambda house: import_client(
        house, textsecure.android_preferences(PASSWORDS["client-password"], MASTER_SECRET)),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_at_exit(house, name):
    arguments = COMMANDS[name](house)
    result, memory = run_to_exit(house.keytool.command_line(*arguments), house.keytool.environment, house.home)
    assert result.code == 0, result
    is_clean(unexpected(memory, house))
    for secret in (ATTACHMENT_KEY, PASSWORDS["attachment-key"], MASTER_SECRET, base64.b64encode(MASTER_SECRET)):
        assert secret[:16] not in result.out.encode() + result.err.encode()
