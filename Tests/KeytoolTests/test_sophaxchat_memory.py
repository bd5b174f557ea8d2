"""SophaxChat's private keys, PINs and passphrases: in guarded pages and nowhere else when a command exits.

A debug build binds symbols late, which saves registers on the stack: there, it needs LD_BIND_NOW=1."""

import base64
import json

import pytest

from kit import archives, sophax
from kit.everysecret import PASSWORDS, EverySecret
from kit.memoryleft import unexpected
from kit.sophax import ALICE
from kit.tracing import run_to_exit
from test_memory_prompt import is_clean

ID = sophax.peer_id(ALICE)
PASSPHRASE = PASSWORDS["file-passphrase"]


@pytest.fixture
def house(built, tmp_path):
    house = EverySecret(tmp_path / "house")
    house.secrets |= {"signing seed": ALICE[0], "DH key": ALICE[1],
                      **{f"{name} in Base64": base64.b64encode(key).rstrip(b"=")
                         for name, key in zip(("signing seed", "DH key"), ALICE, strict=True)}}
    return house


def age_file(house):
    house.secrets["identity's text"] = archives.IDENTITY.encode()[len("AGE-SECRET-KEY-1"):]
    house.secrets["age identity"] = archives.SECRET
    file = house.file("alice.age", archives.seal(sophax.account_text(ALICE)))
    return [file, "--identity", house.file("agekey", archives.IDENTITY.encode() + b"\n")]


def sxid(house):
    return house.file("alice.sxid", sophax.sxid(ALICE, PASSPHRASE))


def held(house, *more):
    """The house with the identity and its prekeys in its keystore."""
    house.keytool.ok("sophaxchat", "import", *age_file(house))
    house.keytool.ok("sophaxchat", "refill-prekeys")
    for verb in more:
        house.keytool.ok("sophaxchat", *verb)
    for number, (_, _, key, last, _) in enumerate(sophax.prekeys(sophax.record(house.keytool, ID, "prekeys"))[0]):
        house.secrets |= {f"signed prekey {number}": key, f"last-resort key {number}": last}
    return house


def with_pin(house):
    return held(house, ["set-pin", *house.given("new-pin")])


def shares(house):
    files = [house.file(f"share{index}", sophax.share(ALICE, index, peerID=ID)) for index in (1, 2)]
    for number, file in enumerate(files):
        house.secrets[f"share {number}"] = base64.b64decode(json.loads(file.read_bytes())["data"])
    return files


COMMANDS = {
    "import, age": lambda house: ["sophaxchat", "import", *age_file(house)],
    "import, SXID": lambda house: ["sophaxchat", "import", sxid(house), *house.given("file-passphrase", "passphrase")],
    "verify": lambda house: ["sophaxchat", "verify", sxid(house), *house.given("file-passphrase")],
    "show": lambda house: held(house) and ["sophaxchat", "show"],
    "export": lambda house: held(house) and ["sophaxchat", "export", "-o", house.home / "out", "--recipient",
                                             archives.RECIPIENT],
    "export, SXID": lambda house: held(house) and ["sophaxchat", "export", "--sxid", "-o", house.home / "out",
                                                   *house.given("file-passphrase")],
    "split": lambda house: held(house) and ["sophaxchat", "split", "-m", "2", "-n", "3", "-o", house.home / "out"],
    "join": lambda house: ["sophaxchat", "join", *shares(house)],
    "refill-prekeys": lambda house: held(house) and ["sophaxchat", "refill-prekeys"],
    "rotate-prekeys": lambda house: held(house) and ["sophaxchat", "rotate-prekeys", "--force"],
    "export-bundle": lambda house: held(house) and ["sophaxchat", "export-bundle", "-o", house.home / "out"],
    "set-pin": lambda house: held(house) and ["sophaxchat", "set-pin", *house.given("new-pin")],
    "set-duress-pin": lambda house: with_pin(house) and [
        "sophaxchat", "set-duress-pin", "--pin-file", house.home / "new-pin", *house.given("duress-pin")],
    "check-pin": lambda house: with_pin(house) and ["sophaxchat", "check-pin", "--pin-file", house.home / "new-pin"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_at_exit(house, name):
    arguments = COMMANDS[name](house)
    result, memory = run_to_exit(house.keytool.command_line(*arguments), house.keytool.environment, house.home)
    assert result.code == 0, result
    house.learn()
    is_clean(unexpected(memory, house))
