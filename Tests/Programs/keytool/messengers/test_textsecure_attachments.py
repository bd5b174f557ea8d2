"""textsecure seal-attachment and open-attachment, against blobs that Python has sealed."""

import base64
import os
import pathlib
import subprocess

import pytest

from kit import textsecure
from kit.runner import snapshot

KEY = bytes(range(64))
LENGTHS = [0, 1, 15, 16, 17, 65_535, 65_536, 1_000_003]


@pytest.fixture
def key(given):
    """The options that give KEY."""
    return given("attachment-key", base64.b64encode(KEY))


def written_key(path):
    text = path.read_bytes()
    assert len(text) == 89 and text.endswith(b"\n") and path.stat().st_mode & 0o777 == 0o600
    return base64.b64decode(text, validate=False)


@pytest.mark.parametrize("length", LENGTHS)
def test_seal(keytool, write, tmp_path, length):
    content = os.urandom(length)
    done = keytool.json("textsecure", "seal-attachment", write("picture", content), "-o", tmp_path / "blob",
                        "--key-out", tmp_path / "key")
    blob, found = (tmp_path / "blob").read_bytes(), written_key(tmp_path / "key")
    assert textsecure.open_attachment(found, blob) == content
    assert (done["bytes"], done["blob_bytes"]) == (length, len(blob))
    assert (tmp_path / "blob").stat().st_mode & 0o777 == 0o600
    assert base64.b64encode(found).decode()[:20] not in str(done)
    assert list(keytool.keystore.iterdir()) == []


def test_each_file_has_a_key_of_its_own(keytool, write, tmp_path):
    for name in "ab":
        keytool.ok("textsecure", "seal-attachment", write("picture", b"x"), "-o", tmp_path / name, "--key-out",
                   tmp_path / f"{name}.key")
    keys = {written_key(tmp_path / f"{name}.key") for name in "ab"}
    assert len({part for key in keys for part in (key[:32], key[32:])}) == 4


def test_seal_from_stdin_to_stdout(keytool, tmp_path):
    command = keytool.command_line("textsecure", "seal-attachment", "-", "-o", "-", "--key-out", tmp_path / "key")
    done = subprocess.run([*map(str, command)], input=b"from a pipe", capture_output=True, check=True, timeout=60)
    assert textsecure.open_attachment(written_key(tmp_path / "key"), done.stdout) == b"from a pipe"


def test_a_blob_keeps_its_key_where_nothing_can_be_said(keytool, write, tmp_path):
    path, key = write("picture", b"x"), tmp_path / "key"
    with open("/dev/full", "w") as full:
        assert keytool("textsecure", "seal-attachment", path, "-o", path, "--force", "--key-out", key, stdout=full).code == 74
    assert textsecure.open_attachment(written_key(key), path.read_bytes()) == b"x"


def test_a_key_is_never_replaced(keytool, write, tmp_path):
    path, old = write("picture", b"x"), write("key", b"the key of another blob")
    refused = keytool.fails(17, "textsecure", "seal-attachment", path, "-o", tmp_path / "blob", "--key-out", old, "--force")
    assert "hint: name a new file" in refused.err
    keytool.fails(64, "textsecure", "seal-attachment", path, "-o", tmp_path / "blob", "--key-out", "-")
    assert old.read_bytes() == b"the key of another blob" and not (tmp_path / "blob").exists()
    keytool.fails(64, "textsecure", "seal-attachment", path, "-o", tmp_path / "same", "--key-out", tmp_path / "same")
    write("blob", b"there")
    keytool.fails(17, "textsecure", "seal-attachment", path, "-o", tmp_path / "blob", "--key-out", tmp_path / "new")
    keytool.fails(66, "textsecure", "seal-attachment", tmp_path / "absent", "-o", tmp_path / "b", "--key-out",
                  tmp_path / "new")
    assert not (tmp_path / "new").exists() and not (tmp_path / "b").exists() and not (tmp_path / "same").exists()


@pytest.mark.parametrize("length", LENGTHS)
def test_open(keytool, write, tmp_path, key, length):
    content = os.urandom(length)
    done = keytool.json("textsecure", "open-attachment", write("blob", textsecure.seal_attachment(KEY, content)),
                        "-o", tmp_path / "picture", *key)
    assert (tmp_path / "picture").read_bytes() == content and done["bytes"] == length
    assert (tmp_path / "picture").stat().st_mode & 0o777 == 0o600


def wrong_blobs():
    blob = textsecure.seal_attachment(KEY, bytes(200_000))
    for at in (0, 20, 100_000, -33, -1):
        changed = bytearray(blob)
        changed[at] ^= 1
        yield bytes(changed)
    yield from (blob[:-16], blob[:-1], blob + bytes(16), blob[:63], b"")
    yield textsecure.seal_attachment(KEY[::-1], b"another key")


def test_a_wrong_blob_leaves_no_file(keytool, write, tmp_path, key):
    for blob in wrong_blobs():
        before = snapshot(tmp_path)
        path = write("blob", blob)
        before = snapshot(tmp_path)
        keytool.fails(65, "textsecure", "open-attachment", path, "-o", tmp_path / "picture", *key)
        assert snapshot(tmp_path) == before
        assert keytool.fails(65, "textsecure", "open-attachment", path, "-o", "-", *key).out == ""


def test_a_wrong_blob_replaces_no_file(keytool, write, tmp_path, key):
    write("picture", b"there")
    blob = write("blob", textsecure.seal_attachment(KEY[::-1], b"x"))
    keytool.fails(65, "textsecure", "open-attachment", blob, "-o", tmp_path / "picture", "--force", *key)
    assert (tmp_path / "picture").read_bytes() == b"there"


@pytest.mark.parametrize("text", [b"AAAA", b"x" * 88, base64.b64encode(bytes(63)), base64.b64encode(bytes(65)),
                                  base64.b64encode(KEY)[:-2]])
def test_malformed_keys(keytool, write, tmp_path, given, text):
    blob = write("blob", textsecure.seal_attachment(KEY, b"x"))
    refused = keytool.fails(65, "textsecure", "open-attachment", blob, "-o", tmp_path / "p",
                            *given("attachment-key", text))
    assert not (tmp_path / "p").exists() and text.decode() not in refused.err


def test_a_key_has_to_be_given(keytool, write, tmp_path):
    blob = write("blob", textsecure.seal_attachment(KEY, b"x"))
    keytool.fails(16, "textsecure", "open-attachment", blob, "-o", tmp_path / "p", "--no-input")


def begun(process, directory):
    """Whether it has opened a file in a directory."""
    for link in pathlib.Path(f"/proc/{process.pid}/fd").iterdir():
        try:
            if os.readlink(link).startswith(f"{directory}/"):
                return True
        except FileNotFoundError:
            pass
    return False


def test_blob_that_changes_between_the_passes(keytool, write, tmp_path, key):
    """The file is begun in the second pass, without a name: then the end of the blob is changed."""
    blob = write("blob", textsecure.seal_attachment(KEY, bytes(64 << 20)))
    (tmp_path / "out").mkdir(mode=0o700)
    process = keytool.start("textsecure", "open-attachment", blob, "-o", tmp_path / "out" / "picture", *key)
    while not begun(process, tmp_path / "out"):
        assert process.poll() is None
    with open(blob, "r+b") as file:
        file.seek(-100, os.SEEK_END)
        file.write(b"changed")
    refused = keytool.finish(process)
    assert refused.code == 65, refused
    assert list((tmp_path / "out").iterdir()) == []


def test_a_pipe_is_no_blob(keytool, tmp_path, key):
    os.mkfifo(tmp_path / "pipe")
    keytool.fails(66, "textsecure", "open-attachment", tmp_path / "pipe", "-o", tmp_path / "p", *key)
    keytool.fails(66, "textsecure", "open-attachment", tmp_path, "-o", tmp_path / "p", *key)
    keytool.fails(66, "textsecure", "open-attachment", tmp_path / "absent", "-o", tmp_path / "p", *key)


def test_large_files_in_little_memory(keytool, write, tmp_path, key):
    """10 MB both ways; 160 MB in the same memory."""
    content = os.urandom(1 << 20)
    memory = {}
    for count in (10, 160):
        with open(tmp_path / "large", "wb") as file:
            for _ in range(count):
                file.write(content)
        keytool.ok("textsecure", "seal-attachment", tmp_path / "large", "-o", tmp_path / f"{count}.blob", "--key-out",
                   tmp_path / f"{count}.key", timeout=120)
        process = keytool.start("textsecure", "open-attachment", tmp_path / f"{count}.blob", "-o", tmp_path / f"{count}",
                                "--attachment-key-file", tmp_path / f"{count}.key")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        assert status == 0
        memory[count] = usage.ru_maxrss
        with open(tmp_path / f"{count}", "rb") as opened:
            assert all(opened.read(1 << 20) == content for _ in range(count)) and opened.read() == b""
    assert memory[160] - memory[10] < 8 * 1024, memory  # KiB
    assert textsecure.open_attachment(
        written_key(tmp_path / "10.key"), (tmp_path / "10.blob").read_bytes()) == content * 10


def test_at_the_prompt(write, terminal, tmp_path):
    """What is no key, then the key."""
    process = terminal("textsecure", "open-attachment", write("blob", textsecure.seal_attachment(KEY, b"x")), "-o",
                       tmp_path / "picture")
    for text, answer in ((b"AAAA", r"try again\n"), (base64.b64encode(KEY), r"wrote 1 byte[^\n]*\n")):
        process.expect(r"Key of the attachment[^\n]*: $")
        process.send(text.decode())
        process.expect(answer)
    assert process.finish() == 0
    assert (tmp_path / "picture").read_bytes() == b"x" and base64.b64encode(KEY).decode() not in process.text


@pytest.mark.parametrize("length", [0, 16, 1_000_003])
def test_verify(keytool, write, key, tmp_path, length):
    blob = textsecure.seal_attachment(KEY, os.urandom(length))
    before = sorted(tmp_path.iterdir())
    path = write("blob", blob)
    done = keytool.json("textsecure", "verify", path, *key)
    assert (done["content"], done["bytes"]) == ("attachment", length)
    assert "attachment" in keytool.ok("textsecure", "verify", path, *key).out
    changed = bytearray(blob)
    changed[-40] ^= 1
    for wrong in (bytes(changed), blob[:-1], blob[:63]):
        keytool.fails(65, "textsecure", "verify", write("wrong", wrong), *key)
    assert [path for path in tmp_path.iterdir() if path not in before and path.name not in ("blob", "wrong")] == []
    assert list(keytool.keystore.iterdir()) == []
    keytool.fails(66, "textsecure", "verify", tmp_path / "absent", *key)
    keytool.fails(64, "textsecure", "verify", "-", *key, stdin=b"")
