"""The keys of a TextSecure account: in guarded pages and nowhere else when a command exits."""

import base64

import pytest

from kit import archives, textsecure
from kit.processes.memoryleft import unexpected
from kit.processes.promptmemory import is_clean
from kit.processes.tracing import run_to_exit
from kit.stages.everysecret import EverySecret

ACCOUNT = textsecure.account()


@pytest.fixture
def house(built, tmp_path):
    house = EverySecret(tmp_path / "house")
    for name in ("identity", "signalingKey"):
        house.secrets[f"TextSecure's {name}"] = base64.b64decode(ACCOUNT[name])
        house.secrets[f"TextSecure's {name}, Base64"] = ACCOUNT[name].encode()
    for key in ACCOUNT["prekeys"] + [ACCOUNT["lastResort"]]:
        house.secrets[f"prekey {key['id']}"] = base64.b64decode(key["private"])
        house.secrets[f"prekey {key['id']}, Base64"] = key["private"].encode()
    house.secrets["account's password"] = ACCOUNT["password"].encode()
    return house


def imported(house):
    return ["textsecure", "import", house.file("account.age", archives.seal(textsecure.text(ACCOUNT))), "--identity",
            house.file("agekey", archives.IDENTITY.encode())]


def held(house):
    house.keytool.ok(*imported(house))
    return house.learn()


COMMANDS = {
    "import": imported,
    "import again": lambda house: held(house) and imported(house),
    "verify": lambda house: [each if each != "import" else "verify" for each in imported(house)],
    "list": lambda house: held(house) and ["textsecure", "list"],
    "show": lambda house: held(house) and ["textsecure", "show"],
    "show, revealed": lambda house: held(house) and ["textsecure", "show", "--reveal-private-key"],
    "show, revealed, JSON": lambda house: held(house) and ["textsecure", "show", "--reveal-private-key", "--json"],
    "fingerprint": lambda house: held(house) and ["textsecure", "fingerprint"],
    "prekeys": lambda house: held(house) and ["textsecure", "prekeys"],
    "refill-prekeys": lambda house: held(house) and ["textsecure", "refill-prekeys"],
    "export": lambda house: held(house) and ["textsecure", "export", "-o", house.home / "out", "--recipient",
                                             archives.RECIPIENT],
    "request": lambda house: held(house) and ["textsecure", "request", "upload-keys", "-o", house.home / "out"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_at_exit(house, name):
    arguments = COMMANDS[name](house)
    result, memory = run_to_exit(house.keytool.command_line(*arguments), house.keytool.environment, house.home)
    assert result.code == 0, result
    house.learn()
    is_clean(unexpected(memory, house))
