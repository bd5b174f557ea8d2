"""mainkey import, export and verify of the app's items, against Python's plistlib, scrypt and AES."""

import base64
import signal

import pytest

from kit import mainkeys, protonitems
from kit.mainkeys import AGE_PIN, KEY, KEY_ID, NEW_PIN, NONE, PIN, WRONG_PIN
from kit.processes import injection
from kit.runner import snapshot


@pytest.fixture
def pin(given):
    return given("pin", PIN)


@pytest.fixture
def new_pin(given):
    return given("new-pin", NEW_PIN)


@pytest.fixture
def folder(tmp_path):
    """folder({name: content}): a directory with these files."""

    def folder(items):
        path = tmp_path / "items"
        path.mkdir(mode=0o700, exist_ok=True)
        for old in path.iterdir():
            old.unlink()
        for name, content in items.items():
            (path / name).write_bytes(content)
        return path

    return folder


@pytest.fixture
def proof(write):
    return ["--proof", write("proof", protonitems.seal_v1(KEY, "wages"))]


def test_import(keytool, folder, pin, new_pin, proof):
    path = folder(protonitems.lock(KEY, PIN))
    result = keytool.ok("mainkey", "import", path, *pin, *new_pin)
    assert "not authenticated" in result.err and "--proof" in result.err
    assert mainkeys.opened(mainkeys.protections(keytool, KEY_ID), NEW_PIN) == {AGE_PIN: KEY}
    again = keytool.json("mainkey", "import", path, *pin, *new_pin, *proof)
    assert (again["stored"], again["proven"], again["authenticated"], again["form"]) == (False, True, False, "pin")


@pytest.mark.parametrize("spelling", [bytes, lambda b: b.hex().encode() + b"\n", lambda b: base64.b64encode(b) + b"\n",
                                      lambda b: b.hex().upper().encode()], ids=["raw", "hex", "base64", "HEX"])
@pytest.mark.parametrize("version", [b"1", b"2", None], ids=["1", "2", "none"])
def test_spellings_and_versions(keytool, folder, pin, spelling, version):
    before = snapshot(keytool.keystore)
    path = folder({name: spelling(content) for name, content in protonitems.lock(KEY, PIN, version).items()})
    kept = snapshot(path)
    done = keytool.json("mainkey", "import", path, "--check", *pin)
    assert (done["id"], done["stored"]) == (KEY_ID, False)
    assert done["form"] == ("pin" if version == b"1" else "pin-legacy")
    assert keytool.json("mainkey", "verify", path, *pin)["id"] == KEY_ID
    assert snapshot(keytool.keystore) == before and snapshot(path) == kept
    if version != b"1":
        assert "keystream" in keytool.ok("mainkey", "verify", path, *pin).err


def test_clear_copies(keytool, folder, pin):
    result = keytool.ok("mainkey", "verify", folder({"NoneProtection": KEY}))
    assert "in the clear" in result.err
    keytool.fails(12, "mainkey", "verify", folder({"NoneProtection": KEY}), *pin)
    path = folder({"NoneProtection": KEY, **protonitems.lock(KEY, PIN)})
    result = keytool.ok("mainkey", "verify", path, *pin)
    assert KEY_ID in result.out
    assert "NoneProtection is a copy in the clear" in result.err
    assert keytool.json("mainkey", "verify", path, *pin)["clear_copy"] is True


@pytest.mark.parametrize("changed", [None, 0, 31], ids=["other", "first", "last"])
def test_clear_copy_of_another_key(keytool, folder, pin, new_pin, changed):
    """The items are not authenticated: the copy in the clear may be the only one that is whole."""
    clear = KEY[::-1]
    if changed is not None:
        clear = bytearray(KEY)
        clear[changed] ^= 1
    path = folder({"NoneProtection": bytes(clear), **protonitems.lock(KEY, PIN)})
    before = snapshot(keytool.keystore)
    for verb in (["verify"], ["import", "--check"], ["import", *new_pin]):
        result = keytool.fails(19, "mainkey", *verb, path, *pin)
        assert "another key" in result.err and "delete neither" in result.err, result
        assert "delete it" not in result.err and not result.out
    assert snapshot(keytool.keystore) == before
    assert keytool.json("mainkey", "verify", path / "NoneProtection")["id"] == mainkeys.check_value(bytes(clear))


LOCKED = protonitems.lock(KEY, PIN)
FLIPPED = bytes([*LOCKED["PinProtection"][:16], LOCKED["PinProtection"][16] ^ 1, *LOCKED["PinProtection"][17:]])
NO_ITEMS = {
    "nothing": ({}, 65), "salt missing": ({**LOCKED, "PinProtection.salt": None}, 65),
    "short salt": ({**LOCKED, "PinProtection.salt": bytes(7)}, 65),
    "other salt": ({**LOCKED, "PinProtection.salt": bytes(8)}, 12),
    "damaged": ({**LOCKED, "PinProtection": FLIPPED}, 12), "empty": ({**LOCKED, "PinProtection": b""}, 12),
    "short": ({**LOCKED, "PinProtection": bytes(16)}, 12),
    "version lost": ({**LOCKED, "PinProtection.version": None}, 12),
    "chip only": ({"BioProtection": bytes(177), "BioProtection.version": b"1"}, 65),
    "short key": ({"NoneProtection": KEY[:-1]}, 65), "other names": ({"PinProtection.SALT": bytes(8)}, 65),
    "huge": ({**LOCKED, "PinProtection": bytes(400_000)}, 65),
}


@pytest.mark.parametrize("name", NO_ITEMS)
def test_items_that_are_none(keytool, folder, pin, new_pin, name):
    items, code = NO_ITEMS[name]
    path = folder({name: content for name, content in items.items() if content is not None})
    before = snapshot(keytool.keystore)
    for verb in (["verify"], ["import", *new_pin], ["import", "--check"]):
        result = keytool.fails(code, "mainkey", *verb, path, *(pin if "PinProtection" in items else []))
        assert code != 12 or "wrong PIN, or the items are damaged" in result.err, result
    assert snapshot(keytool.keystore) == before


def test_only_a_random_pin(keytool, folder, pin, new_pin):
    """The PIN is not wrong, and nobody has replaced anything: no PIN of the user opens these items."""
    path = folder({name.replace("Pin", "RandomPin", 1): content for name, content in LOCKED.items()})
    before = snapshot(keytool.keystore)
    for options in ([], pin):
        for verb in (["verify"], ["import", *new_pin]):
            result = keytool.fails(65, "mainkey", *verb, path, *options)
            assert "text that the app made" in result.err and "replaced" not in result.err, result
    assert snapshot(keytool.keystore) == before
    for items in ({"BioProtection": bytes(177)}, {}):
        assert "replaced" not in keytool.fails(65, "mainkey", "verify", folder(items), *pin).err


def test_wrong_and_missing_pins(keytool, folder, given, new_pin, terminal):
    path = folder(LOCKED)
    keytool.fails(12, "mainkey", "verify", path, *given("pin", WRONG_PIN))
    keytool.fails(16, "mainkey", "verify", path)
    run = terminal("mainkey", "verify", path)
    run.expect("PIN of .*items: ")
    run.send("nonsense")
    run.expect("wrong PIN; try again")
    run.expect("PIN of .*items: ")
    assert not run.echo
    run.send(PIN.decode())
    assert run.finish() == 0, run.text


def test_proof(keytool, folder, write, pin, new_pin, proof):
    """One bit of the blob is one bit of the key, and nothing but a value of the app shows it."""
    digits = protonitems.plist([*KEY])
    changed = bytearray(LOCKED["PinProtection"])
    changed[16 + digits.index(bytes([0x10, KEY[7]])) + 1] ^= 0x40
    path = folder({**LOCKED, "PinProtection": bytes(changed)})
    assert keytool.json("mainkey", "import", path, "--check", *pin)["id"] != KEY_ID
    before = snapshot(keytool.keystore)
    keytool.fails(19, "mainkey", "import", path, *pin, *new_pin, *proof)
    keytool.fails(19, "mainkey", "import", folder(LOCKED), *pin, *new_pin, "--proof", write("short", b"x"))
    keytool.fails(66, "mainkey", "import", folder(LOCKED), *pin, *new_pin, "--proof", "absent")
    assert snapshot(keytool.keystore) == before
    assert keytool.json("mainkey", "import", folder(LOCKED), *pin, *new_pin, *proof)["stored"] is True


# Export


@pytest.fixture
def key(keytool):
    keytool.ok("id", "create", "--id", "ABCD1234")
    mainkeys.put(keytool, KEY_ID, {NONE: KEY})
    return keytool


def test_export(key, new_pin, tmp_path, pin):
    path = tmp_path / "exported"
    done = key.json("mainkey", "export", "--format", "v1", "-o", f"{path}/", *new_pin)
    assert done["form"] == "v1"
    items = {file.name: file.read_bytes() for file in path.iterdir()}
    assert set(items) == {"PinProtection", "PinProtection.salt", "PinProtection.version"}
    assert protonitems.unlock(items, NEW_PIN) == KEY
    assert path.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in path.iterdir()} == {0o600}
    before = snapshot(path)
    error = key.fails(17, "mainkey", "export", "--format", "v1", "-o", path, *new_pin).err
    assert "name a new directory" in error and "--force" not in error
    assert snapshot(path) == before
    assert key.json("mainkey", "verify", path, "--pin-file", new_pin[1])["id"] == KEY_ID


@pytest.mark.parametrize("options", [["--force"], ["--reveal-private-key"], ["--recipient", "age1x"]], ids=" ".join)
def test_usage_of_export(key, new_pin, tmp_path, options):
    key.fails(64, "mainkey", "export", "--format", "v1", "-o", tmp_path / "x", *new_pin, *options)
    key.fails(64, "mainkey", "export", "-o", tmp_path / "x", *new_pin)
    assert "--output DIR" in key.fails(64, "mainkey", "export", "--format", "v1", "-o", "-", *new_pin).err
    key.fails(73, "mainkey", "export", "--format", "v1", "-o", tmp_path / "no" / "x", *new_pin)
    assert not (tmp_path / "x").exists()


def test_items_appear_together(key, new_pin, tmp_path):
    """Killed or failing at any call: all of them are there, or none."""
    injection.require_tracing()
    home = tmp_path / "out"
    home.mkdir()
    path = home / "exported"
    command = ["mainkey", "export", "--format", "v1", "-o", path, *new_pin]
    points = [point for point in injection.points(key, *command) if "export" in point.text or "Pin" in point.text]
    assert len(points) > 5
    for point in points:
        for fault in ("kill", "EIO", "TERM"):
            for left in home.iterdir():
                for file in left.iterdir():
                    file.unlink()
                left.rmdir()
            if fault == "kill":
                injection.kill(key, point, *command)
            elif fault == "TERM":
                assert injection.send(key, point, "SIGTERM", *command) == -signal.SIGTERM
                assert {left.name for left in home.iterdir()} <= {"exported"}, f"{point}: a signal leaves something"
            else:
                result = injection.fail(key, point, "EIO", *command)
                assert result.code in (73, 74) and not list(home.iterdir()), f"{point}: {result}"
            if path.exists():
                items = {file.name: file.read_bytes() for file in path.iterdir()}
                assert protonitems.unlock(items, NEW_PIN) == KEY
