"""SophaxChat's private keys, PINs and passphrases: in guarded pages and nowhere else, at each question, in a core, and
when a command exits.

A debug build binds symbols late, which saves registers on the stack: there, it needs LD_BIND_NOW=1."""

import base64
import json

import pytest

from kit import archives, sophax
from kit.processes.corefile import require_gcore
from kit.processes.memoryleft import unexpected
from kit.processes.promptmemory import answer, is_clean, left_at_exit, left_waiting
from kit.processes.tracing import run_to_exit
from kit.sophax import ALICE, put_group
from kit.stages.everysecret import PASSWORDS, EverySecret
from kit.vectorfiles import sophaxgroups

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


MEMBERS = ["1" * 32, "2" * 32]


def with_group(house):
    house.keytool.ok("sophaxchat", "import", *age_file(house))
    put_group(house.keytool, sophax.group_record(members=MEMBERS))
    house.secrets |= {"former chain key": sophax.OWN_CHAIN[1],
                      "another's chain key": sophaxgroups.walk(sophax.OTHER_CHAIN_KEY, 5)[1]}
    return ["sophaxchat", "rekey-group", "G", "--members", *MEMBERS, "-o", house.home / "out.json"]


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


def test_at_exit_of_rekey_group(house):
    command = with_group(house)
    result, memory = run_to_exit(house.keytool.command_line(*command), house.keytool.environment, house.home)
    assert result.code == 0, result
    text = (house.home / "out.json").read_bytes()
    [key] = {part["distribution"]["chainKey"] for part in json.loads(text)["distributions"]}
    house.secrets |= {"new chain key": base64.b64decode(key), "new chain key in Base64": key.rstrip("=").encode()}
    house.learn()
    is_clean(unexpected(memory, house))


@pytest.mark.parametrize("verb, stem", [("check-pin", "pin"), ("set-pin", "new-pin"), ("set-duress-pin", "duress-pin")])
def test_at_exit_after_a_wrong_pin(house, verb, stem):
    with_pin(house)
    stems = ["pin"] if verb == "check-pin" else ["pin", stem]
    result, memory = run_to_exit(
        house.keytool.command_line("sophaxchat", verb, *house.given(*stems)), house.keytool.environment, house.home)
    assert result.code == 12, result
    house.learn()
    is_clean(unexpected(memory, house))


def test_at_the_prompts_of_import(house, terminal):
    """After the passphrase of the file, and at the end."""
    require_gcore()
    process = terminal("sophaxchat", "import", sxid(house), runner=house.keytool)
    process.expect(r"Passphrase of the file [^\n]*: $")
    process.send(PASSPHRASE.decode())
    left = left_waiting(process, house, "passphrase", "signing seed")
    is_clean(left + left_at_exit(process, house, *[PASSWORDS["passphrase"]] * 2))


@pytest.mark.parametrize("verb, stem", [("set-pin", "new-pin"), ("set-duress-pin", "duress-pin")])
def test_at_the_prompts_of_a_pin(house, terminal, verb, stem):
    """After the keystore's passphrase, after the PIN, after the new one, and at the end."""
    require_gcore()
    held(house, ["set-pin", "--new-pin-file", house.home / "pin"]).protect("argon2id").learn()
    process = terminal("sophaxchat", verb, runner=house.keytool)
    answer(process, "passphrase")
    left = left_waiting(process, house, "pin", "master key")
    process.send(PASSWORDS["pin"].decode())
    left += left_waiting(process, house, stem, "pin")
    process.send(PASSWORDS[stem].decode())
    left += left_waiting(process, house, stem, stem)
    is_clean(left + left_at_exit(process, house, PASSWORDS[stem]))


def test_at_the_prompt_of_a_check(house, terminal):
    require_gcore()
    held(house, ["set-pin", "--new-pin-file", house.home / "pin"]).protect("argon2id").learn()
    process = terminal("sophaxchat", "check-pin", runner=house.keytool)
    answer(process, "passphrase")
    left = left_waiting(process, house, "pin", "master key")
    is_clean(left + left_at_exit(process, house, PASSWORDS["pin"]))
