"""textsecure import-client, against master secrets that Python has wrapped as the clients did."""

import base64
import json

import pytest

from kit import agefile, archives, textsecure
from kit.stages.everysecret import PASSWORDS

SECRET = bytes(range(50, 86))
PASSWORD = "Pässwörd 🔑".encode()
TO = ["--recipient", archives.RECIPIENT]
FORMS = {
    "rncryptor": lambda: textsecure.rncryptor(PASSWORD, SECRET),
    "base64": lambda: base64.encodebytes(textsecure.rncryptor(PASSWORD, SECRET)),
    "unpadded": lambda: textsecure.unpadded(textsecure.rncryptor(PASSWORD, SECRET)).encode(),
    "android": lambda: textsecure.android_preferences(PASSWORD, SECRET),
    "android, 20": lambda: b"\n" + textsecure.android_preferences(PASSWORD, SECRET, 20),
}


@pytest.fixture(params=FORMS)
def wrapped(request, write):
    return write("wrapped", FORMS[request.param]())


@pytest.fixture
def password(given):
    return given("client-password", PASSWORD)


def test_import(keytool, wrapped, password, tmp_path, write):
    before = wrapped.read_bytes()
    done = keytool.json("textsecure", "import-client", wrapped, "-o", tmp_path / "secret.age", *TO, *password)
    assert agefile.open_file((tmp_path / "secret.age").read_bytes(), archives.SECRET) == SECRET
    assert (tmp_path / "secret.age").stat().st_mode & 0o777 == 0o600
    assert done["form"] == ("android" if b"<map>" in before else "rncryptor")
    assert wrapped.read_bytes() == before and list(keytool.keystore.iterdir()) == []
    for form in (SECRET.hex(), base64.b64encode(SECRET).decode()):
        assert form[:16] not in json.dumps(done)
    keys = ["--identity", write("agekey", archives.IDENTITY)]
    assert keytool.json("textsecure", "verify", tmp_path / "secret.age", *keys)["content"] == "master_secret"
    keytool.fails(65, "textsecure", "import", tmp_path / "secret.age", *keys)
    keytool.fails(17, "textsecure", "import-client", wrapped, "-o", tmp_path / "secret.age", *TO, *password)


def test_wrong_password(keytool, wrapped, given, tmp_path):
    for password in (b"wrong", PASSWORD[:-1], PASSWORD + b" "):
        keytool.fails(12, "textsecure", "import-client", wrapped, "-o", tmp_path / "o", *TO,
                      *given("client-password", password))
    keytool.fails(16, "textsecure", "import-client", wrapped, "-o", tmp_path / "o", *TO, "--no-input")
    assert not (tmp_path / "o").exists()


def test_verify(keytool, wrapped, password, given):
    """The client's own file opens, too; nothing is written."""
    done = keytool.json("textsecure", "verify", wrapped, *password)
    android = b"<map>" in wrapped.read_bytes()
    assert (done["content"], done["form"]) == ("master_secret", "android" if android else "rncryptor")
    assert SECRET.hex()[:16] not in json.dumps(done) and list(keytool.keystore.iterdir()) == []
    assert "master secret" in keytool.ok("textsecure", "verify", wrapped, *password).out
    keytool.fails(12, "textsecure", "verify", wrapped, *given("client-password", b"wrong"))
    keytool.fails(16, "textsecure", "verify", wrapped, "--no-input")


def test_verify_of_another_file(keytool, write, password):
    """114 bytes with the header of RNCryptor, and files of no form."""
    blob = FORMS["rncryptor"]()
    keytool.fails(12, "textsecure", "verify", write("changed", blob[:2] + bytes(112)), *password)
    keytool.fails(65, "textsecure", "verify", write("short", blob[:-1]), *password)
    for content in (b"", b"x", bytes(114), b"<?xml version='1.0'?><other/>", b"{}"):
        keytool.fails(65, "textsecure", "verify", write("other", content), *password)
    hints = keytool.fails(65, "textsecure", "verify", write("other", bytes(64))).err
    assert "--attachment-key-file" in hints and "open-push" in hints


def test_under_a_passphrase(keytool, write, given, password, tmp_path):
    path = write("wrapped", FORMS["base64"]())
    passphrase = PASSWORDS["file-passphrase"]
    keytool.ok("textsecure", "import-client", path, "-o", tmp_path / "s", *given("file-passphrase", passphrase),
               *password)
    assert agefile.open_file((tmp_path / "s").read_bytes(), passphrase=passphrase) == SECRET


def test_result_on_stdout_is_the_file_alone(keytool, write, password, tmp_path):
    process = keytool.start("textsecure", "import-client", write("wrapped", FORMS["android"]()), "-o", "-", *TO, *password)
    assert agefile.open_file(process.communicate(timeout=60)[0], archives.SECRET) == SECRET


def damaged():
    blob, file = FORMS["rncryptor"](), FORMS["android"]()
    yield 65, b""
    yield 65, b"\n"
    yield 65, blob[:-1]
    yield 65, b"\3\2" + blob[2:]
    yield 65, b"\2\1" + blob[2:]
    yield 65, base64.b64encode(blob[:-3])
    yield 65, base64.b64encode(b"\3\0" + blob[2:])
    yield 65, b"*" + base64.b64encode(blob)
    yield 65, file.replace(b"mac_salt", b"mac_sal")
    yield 65, file.replace(b"</map>", b"")
    yield 65, b"<map></map>"
    yield 65, b"<map>" + b" " * (1 << 20) + b"</map>"
    yield 65, textsecure.rncryptor(PASSWORD, SECRET[:31])
    yield 12, blob[:40] + bytes([blob[40] ^ 1]) + blob[41:]
    yield 12, textsecure.rncryptor(PASSWORD, SECRET[:35])
    yield 12, textsecure.android_preferences(PASSWORD, SECRET[:35])


@pytest.mark.parametrize("code, content", [pytest.param(*each, id=str(at)) for at, each in enumerate(damaged())])
def test_damaged(keytool, write, password, tmp_path, code, content):
    keytool.fails(code, "textsecure", "import-client", write("w", content), "-o", tmp_path / "o", *TO, *password)
    assert not (tmp_path / "o").exists()


def test_form_is_checked_before_the_password_is_asked_for(keytool, write, tmp_path):
    keytool.fails(65, "textsecure", "import-client", write("w", b"\3\1short"), "-o", tmp_path / "o", *TO, "--no-input")


def test_at_the_prompt(keytool, write, terminal, tmp_path):
    """A wrong password, then the right one."""
    process = terminal("textsecure", "import-client", write("wrapped", FORMS["android"]()), "-o", tmp_path / "o", *TO)
    for password, answer in ((b"wrong", r"try again\n"), (PASSWORD, r"wrote the master secret[^\n]*\n")):
        process.expect(r"Password of the client[^\n]*: $")
        process.send(password.decode())
        process.expect(answer)
    assert process.finish() == 0
    assert agefile.open_file((tmp_path / "o").read_bytes(), archives.SECRET) == SECRET


def test_a_result_in_the_place_of_the_clients_file(keytool, write, password, tmp_path):
    """It is the only copy: nobody is told to delete it."""
    file = write("wrapped", FORMS["android"]())
    verb = ["textsecure", "import-client", file, *TO, *password]
    assert "still opens with its password" in keytool.ok(*verb, "-o", tmp_path / "secret.age").err
    assert "still opens" not in keytool.ok(*verb, "-o", file, "--force").err
    assert agefile.open_file(file.read_bytes(), archives.SECRET) == SECRET
