"""mainkey open-value, seal-value and rewrap-value, against Python's plistlib and libsodium."""

import plistlib

import pytest

from kit import mainkeys, protonitems
from kit.damage import flipped
from kit.mainkeys import KEY, KEY_ID, NONE, PIN
from kit.runner import snapshot

OTHER_KEY = bytes(range(100, 132))
TEXT = "Zürich, 🗝 and tea"


@pytest.fixture
def key(keytool):
    keytool.ok("id", "create", "--id", "ABCD1234")
    mainkeys.put(keytool, KEY_ID, {NONE: KEY})
    return keytool


VALUES = {
    "text": (TEXT, "string", TEXT.encode()), "empty": ("", "string", b""), "data": (bytes(range(256)), "data", None),
    "list": (["a", "b", 7], "list", None), "dictionary": ({"a": [1, 2.5, True]}, "list", None),
}


@pytest.mark.parametrize("name", VALUES)
def test_open_v1(key, write, tmp_path, name):
    value, kind, content = VALUES[name]
    content = content if content is not None else value if isinstance(value, bytes) else protonitems.plist(value)
    file = write("value", protonitems.seal_v1(KEY, value))
    result = key.ok("mainkey", "open-value", file)
    assert result.out_bytes == content and "not authenticated" in result.err
    done = key.json("mainkey", "open-value", file, "-o", tmp_path / "out")
    assert (done["type"], done["form"], done["authenticated"], done["id"]) == (kind, "v1", False, KEY_ID)
    assert (tmp_path / "out").read_bytes() == content and (tmp_path / "out").stat().st_mode & 0o777 == 0o600
    key.fails(17, "mainkey", "open-value", file, "-o", tmp_path / "out")
    key.fails(64, "mainkey", "open-value", file, "--json")
    assert key.ok("mainkey", "open-value", "-", stdin=file.read_bytes()).out_bytes == content


def test_ktl2(key, write, tmp_path):
    file = write("value", protonitems.seal_ktl2(KEY, "token", b"secret"))
    result = key.ok("mainkey", "open-value", file, "--name", "token")
    assert (result.out, result.err) == ("secret", "")
    key.fails(12, "mainkey", "open-value", file, "--name", "other")
    assert "--name" in key.fails(64, "mainkey", "open-value", file).err
    sealed = tmp_path / "sealed"
    key.ok("mainkey", "seal-value", "-", "--name", "token", "-o", sealed, stdin=b"secret\n")
    assert protonitems.open_ktl2(KEY, "token", sealed.read_bytes()) == b"secret\n"
    assert sealed.stat().st_mode & 0o777 == 0o600
    piped = key.ok("mainkey", "seal-value", file, "--name", "x" * 255, "-o", "-")
    assert protonitems.open_ktl2(KEY, "x" * 255, piped.out_bytes) == file.read_bytes()
    for name in ("", "x" * 256):
        key.fails(64, "mainkey", "seal-value", file, "--name", name, "-o", "-")


@pytest.mark.parametrize("kind, content, value", [
    ("string", TEXT.encode(), [TEXT]), ("data", b"\0\1", [b"\0\1"]),
    ("list", protonitems.plist(["a", {"b": 1}]), ["a", {"b": 1}])], ids=["string", "data", "list"])
def test_seal_v1(key, write, tmp_path, kind, content, value):
    sealed = tmp_path / "sealed"
    result = key.ok("mainkey", "seal-value", write("content", content), "--format", "v1", "--type", kind, "-o", sealed)
    assert "not authenticated" in result.err
    assert protonitems.open_v1(KEY, sealed.read_bytes()) == value
    assert key.ok("mainkey", "open-value", sealed).out_bytes == content


@pytest.mark.parametrize("name", VALUES)
def test_rewrap(key, write, tmp_path, name):
    value, kind, _ = VALUES[name]
    file, middle, back = write("value", protonitems.seal_v1(KEY, value)), tmp_path / "middle", tmp_path / "back"
    done = key.json("mainkey", "rewrap-value", file, "--name", "n", "-o", middle)
    assert (done["form"], done["type"], done["authenticated"]) == ("ktl2", kind, True)
    opened = protonitems.open_ktl2(KEY, "n", middle.read_bytes())
    assert opened == key.ok("mainkey", "open-value", file).out_bytes
    done = key.json("mainkey", "rewrap-value", middle, "--name", "n", "--type", kind, "-o", back)
    assert (done["form"], done["type"]) == ("v1", kind)
    expected = value if isinstance(value, (list, dict)) else [value]
    assert protonitems.open_v1(KEY, back.read_bytes()) == expected
    key.fails(64, "mainkey", "rewrap-value", middle, "--name", "n", "-o", tmp_path / "x")
    key.fails(64, "mainkey", "rewrap-value", file, "--name", "n", "--type", kind, "-o", tmp_path / "x")
    key.fails(64, "mainkey", "rewrap-value", file, "-o", tmp_path / "x")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("way", ["mv", "cp"])
def test_rewrap_replaces_the_value_that_it_has_read(key, write, way):
    mainkeys.put(key, KEY_ID, {mainkeys.AGE_PIN: mainkeys.under_pin(KEY)})
    file, newer = write("value", protonitems.seal_v1(KEY, "old")), write("newer", protonitems.seal_v1(KEY, "new"))
    content = newer.read_bytes()
    refused = key.fails(17, "mainkey", "rewrap-value", file, "-o", file, "--force", "--name", "n",
                        "--pin-command", f"{way} {newer} {file}; echo {PIN.decode()}")
    assert "meanwhile" in refused.err and file.read_bytes() == content


def test_a_content_that_begins_as_a_zip_file(key, write, tmp_path):
    """Any bytes are sealed, as they are."""
    content = b"PK\x03\x04 and more\r\n"
    key.ok("mainkey", "seal-value", write("content", content), "--name", "n", "-o", tmp_path / "sealed")
    assert protonitems.open_ktl2(KEY, "n", (tmp_path / "sealed").read_bytes()) == content


DAMAGED = {
    "empty": (b"", 65), "short": (bytes(16), 65), "random": (bytes(200), 12),
    "other key": (protonitems.seal_v1(OTHER_KEY, "x"), 12), "huge": (bytes(70_000), 65),
    "xml": (bytes(16) + protonitems.ctr(KEY, bytes(16), plistlib.dumps(["x"])), 12),
    "short ktl2": (b"KTL2" + bytes(30), 65), "ktl2 of another key": (protonitems.seal_ktl2(OTHER_KEY, "n", b"x"), 12),
    "changed ktl2": (flipped(protonitems.seal_ktl2(KEY, "n", b"x")), 12),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_values_that_do_not_open(key, write, tmp_path, name):
    content, code = DAMAGED[name]
    file, before = write("value", content), snapshot(key.keystore)
    key.fails(code, "mainkey", "open-value", file, "--name", "n", "-o", tmp_path / "x")
    key.fails(code, "mainkey", "open-value", file, "--name", "n")
    if not content.startswith(b"KTL2"):
        key.fails(code, "mainkey", "rewrap-value", file, "--name", "n", "-o", tmp_path / "x")
    assert not (tmp_path / "x").exists() and snapshot(key.keystore) == before


@pytest.mark.parametrize("kind, content", [("string", b"\xff"), ("list", b"x"), ("list", plistlib.dumps(["x"]))],
                         ids=["not utf-8", "no list", "xml"])
def test_contents_that_the_app_has_not(key, write, tmp_path, kind, content):
    key.fails(65, "mainkey", "seal-value", write("c", content), "--format", "v1", "--type", kind, "-o", tmp_path / "x")
    key.fails(65, "mainkey", "seal-value", write("c", bytes(65_537)), "--name", "n", "-o", tmp_path / "x")
    key.fails(64, "mainkey", "seal-value", write("c", content), "--format", "v1", "-o", tmp_path / "x")
    key.fails(64, "mainkey", "seal-value", write("c", content), "--type", kind, "-o", tmp_path / "x")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("value, is_shown", [(TEXT, True), ("two\nlines", True), (b"data", True), (b"\xff\xfe", False),
                                             ("esc \x1b[2J", False), ("\x9b2J", False), (["a", "b"], False)], ids=repr)
def test_on_a_terminal(key, terminal, write, value, is_shown):
    run = terminal("mainkey", "open-value", "--color", "never", write("value", protonitems.seal_v1(KEY, value)), runner=key)
    assert run.finish() == (0 if is_shown else 64), run.text
    assert "\x1b" not in run.text and "\x9b" not in run.text
    if value == TEXT:
        assert f"{TEXT}\n" in run.text


def test_pin_and_identity_of_the_key(key, write, given):
    mainkeys.put(key, KEY_ID, {mainkeys.AGE_PIN: mainkeys.under_pin(KEY)})
    file = write("value", protonitems.seal_v1(KEY, "x"))
    key.fails(16, "mainkey", "open-value", file)
    assert key.ok("mainkey", "open-value", file, *given("pin", PIN)).out == "x"
    mainkeys.put(key, mainkeys.check_value(OTHER_KEY), {NONE: OTHER_KEY})
    key.fails(64, "mainkey", "open-value", file, *given("pin", PIN))
    key.fails(12, "mainkey", "open-value", file, "--id", mainkeys.check_value(OTHER_KEY))
