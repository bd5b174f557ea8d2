"""Completion in the real shells, and what the binary answers when one asks it for IDs."""

import subprocess
import time

import pytest

from kit.pages.commands import leaves, nouns, verbs
from kit.pages.shells import COMPLETIONS, PLACES, SHELLS
from kit.runner import BINARY, Keytool
from kit.sampling import some

IDS = ["*SUPPORT", "ABCD1234", "ABZZ0000"]
WITH_ID = [("id", "show"), ("backup", "export"), ("safe", "push"), ("qr", "contact"),
           ("safe", "pull", "--id"), ("backup", "check", "--expect-id")]


@pytest.fixture(scope="module")
def protected(built, tmp_path_factory):
    """Three identities, under a passphrase that nobody gives."""
    place = tmp_path_factory.mktemp("protected")
    home, passphrase = place / "home", place / "passphrase"
    home.mkdir(mode=0o700)
    passphrase.write_text("seven lamps and a door\n")
    passphrase.chmod(0o600)
    keytool = Keytool(home, place / "keystore")
    for id in reversed(IDS):
        keytool.ok("id", "create", "--id", id, "--passphrase-file", passphrase)
    keytool.fails(16, "id", "list", "--no-input")
    return keytool


@pytest.fixture(scope="module", params=SHELLS)
def shell(request, protected, tmp_path_factory):
    """One shell for all its tests, in a directory with a file and directories, one named as a noun."""
    home = tmp_path_factory.mktemp("shell")
    shell = SHELLS[request.param](home, protected)
    for directory in ("a directory", "safe"):
        (home / directory).mkdir()
    for file in ("a file", "picture.pdf", "picture.png", "picture.svg", "picture.txt"):
        (home / file).write_text("x")
    yield shell
    shell.close()


@pytest.mark.parametrize("shell", PLACES)
def test_scripts_are_those_that_the_binary_generates(built, shell):
    name = PLACES[shell][0]
    generated = subprocess.run([BINARY, "--generate-completion-script", shell], capture_output=True, check=True)
    assert (COMPLETIONS / name).read_bytes() == generated.stdout, \
        f"keytool --generate-completion-script {shell} >completions/{name} writes it anew"


def test_nouns_and_verbs(shell):
    assert nouns() <= set(shell.offers("keytool "))
    for noun in nouns():
        assert verbs(noun) <= set(shell.offers(f"keytool {noun} ")), noun
    assert set(shell.offers("keytool safe pu")) == {"push", "pull"}
    assert shell.offers("keytool --json sa") == ["safe"]


def test_options_of_every_command(shell):
    for path, options in some(list(leaves().items())):
        missing = options - set(shell.offers(f"keytool {' '.join(path)} --"))
        assert not missing, (path, missing)


def test_ids_of_a_protected_keystore(shell):
    """Nothing is asked: the shell would wait, and the line would be the answer."""
    for words in WITH_ID:
        assert sorted(shell.offers(f"keytool {' '.join(words)} ")) == IDS, words
    assert sorted(shell.offers("keytool id show AB")) == IDS[1:]
    assert [id.upper() for id in shell.offers("keytool safe check abc")] == ["ABCD1234"]
    assert shell.offers("keytool id create --id ") == []


def test_ids_of_the_keystore_on_the_line(shell, keytool):
    keytool.ok("id", "create", "--id", "ZZZZ9999")
    assert shell.offers(f"keytool id show --keystore {keytool.keystore} ") == ["ZZZZ9999"]
    assert shell.offers(f"keytool --keystore {keytool.keystore} id show ") == ["ZZZZ9999"]
    assert shell.offers("keytool id show --keystore /nowhere ") == []


def test_files(shell):
    """Names with blanks arrive as one word."""
    for line in ("backup import a", "key import a", "backup export -o a", "id list --passphrase-file a"):
        offered = {name.rstrip("/") for name in shell.offers(f"keytool {line}")}
        assert offered == {"a file", "a directory"}, line
    assert [name.rstrip("/") for name in shell.offers("keytool --keystore a")] == ["a directory"]


def test_pictures(shell):
    """By their endings, which say what is drawn."""
    for line in ("qr show --qr-file", "backup export --qr-file"):
        assert set(shell.offers(f"keytool {line} p")) == {"picture.png", "picture.svg"}, line
    for line in ("backup export --sheet", "safe card", "safe card ABCD1234"):
        assert set(shell.offers(f"keytool {line} p")) == {"picture.pdf", "picture.svg"}, line


def test_a_directory_named_as_a_noun(shell):
    """It is no reason to write `safe/`, which bash does to names of files."""
    key = {"key": b"\t"} if isinstance(shell, SHELLS["bash"]) else {}
    assert shell.offers("keytool sa", **key) == ["safe"]
    if key:
        assert shell.offers("keytool backup import sa", **key) == ["safe/"]


@pytest.mark.alone
def test_fish_reads_the_line_only_for_commands_that_are_on_it(protected, tmp_path):
    """Else it does so for every option of every command, while somebody waits."""
    fish = SHELLS["fish"](tmp_path / "shell", protected)

    def seconds():
        start = time.perf_counter()
        assert set(fish.offers("keytool safe pu")) == {"push", "pull"}
        return time.perf_counter() - start

    try:
        seconds()  # loads the script
        asked = min(seconds() for _ in range(3))
        fish.run("function __keytool_may_be; end")
        assert asked < 0.7 * min(seconds() for _ in range(3))
    finally:
        fish.close()


def test_values(shell):
    for line, values in {"--color": {"auto", "always", "never"}, "backup export --scheme": {"pbkdf2", "argon2id"},
                         "key protect --scheme": {"argon2id", "scrypt"}, "revoke hash --format": {"base64", "hex"},
                         "qr show --mode": {"auto", "utf8", "blocks", "ascii"}}.items():
        assert set(shell.offers(f"keytool {line} ")) == values, line


# What the binary answers.

def asked(keytool, *words, line=("keytool", "id", "show")):
    """The answer to a shell that completes the word after these."""
    words = [*line, *words, ""]
    result = keytool.with_keystore(None)(
        "---completion", *line[1:], "--", "positional@0", len(words) - 1, 0, *words)
    assert result.err == "", result
    return result.out.split()


def test_spellings_of_the_keystore(protected):
    (protected.home / "here").unlink(missing_ok=True)
    (protected.home / "here").symlink_to(protected.keystore)
    path = str(protected.keystore)
    for words in (["--keystore", path], [f"--keystore={path}"], ["--keystore", "=", path],
                  ["--keystore", f"'{path}'"], [f'--keystore="{path}"'], ["--keystore", path[:2] + "\\" + path[2:]],
                  ["--keystore", "~/here"], ["--keystore", "/nowhere", "--keystore", path]):
        assert asked(protected, *words) == IDS, words
    assert asked(protected.with_environment(KEYTOOL_KEYSTORE=path)) == IDS
    for words in (["--keystore"], ["--keystore="], ["--keystore", "/nowhere"], []):
        assert asked(protected, *words) == [], words


def test_no_key_is_opened(keytool):
    keytool.ok("id", "create", "--id", "ABCD1234")
    (keytool.keystore / "master.key").write_bytes(b"no key")
    keytool.fails(65, "id", "list")
    assert asked(keytool, "--keystore", keytool.keystore) == ["ABCD1234"]


def test_directories_that_are_no_ids_are_not_offered(keytool):
    keytool.ok("id", "create", "--id", "ABCD1234")
    for name in ("\x1b[2J", "abcd1234", "ABCD 123", "AAAA\nBBB", "ABCD12345", ".new"):
        (keytool.keystore / "identities/threema" / name).mkdir()
    assert asked(keytool, "--keystore", keytool.keystore) == ["ABCD1234"]


@pytest.mark.parametrize("noun, verb, id", [
    ("telegram", "show", "0123456789abcdef"), ("textsecure", "export", "41790000000"),
    ("mainkey", "status", "fedcba9876543210"), ("sophaxchat", "show", "0123456789abcdef" * 2)])
def test_ids_of_every_messenger(keytool, noun, verb, id):
    """Each verb is offered the identities of its messenger, `id show` all of them."""
    keytool.ok("id", "create", "--id", "ABCD1234")
    place = keytool.keystore / "identities" / noun
    place.mkdir(mode=0o700)
    for name in (id, "0123", id.upper() + "X"):
        (place / name).mkdir(mode=0o700)
    assert asked(keytool, "--keystore", keytool.keystore, line=("keytool", noun, verb)) == [id]
    assert {"ABCD1234", f"{noun}/{id}"} <= set(asked(keytool, "--keystore", keytool.keystore))


def test_completion_prints_no_errors(keytool):
    keytool.ok("id", "create", "--id", "ABCD1234")
    keytool.keystore.chmod(0o755)  # others can read it: 77 elsewhere
    assert asked(keytool, "--keystore", keytool.keystore, "--json") == []
    keytool.keystore.chmod(0o700)
    broken = subprocess.run(
        [BINARY, "---completion", "id", "show", "--", "positional@0", "4", "0", "keytool", "id", "show", b"\xff",
         "--keystore", keytool.keystore, ""], capture_output=True, env=keytool.environment, timeout=60)
    assert (broken.returncode, broken.stdout, broken.stderr) == (0, b"ABCD1234\n", b"")
    for nonsense in ((), ("--json",), ("id", "--", "positional@7", "1", "1"), ("id", "--", "--nothing", "x", "y")):
        result = keytool.with_keystore(None)("---completion", *nonsense)
        assert (result.code, result.out, result.err) == (64, "", ""), result


@pytest.mark.alone
def test_ids_come_at_once(protected):
    """Among 500, within a few times of what it takes to start and end; measured, that is 1."""
    many = protected.home / "many"
    (many / "identities/threema").mkdir(parents=True, exist_ok=True, mode=0o700)
    for place in (many, many / "identities", many / "identities/threema"):
        place.chmod(0o700)
    for number in range(500):
        (many / "identities/threema" / f"AAAAA{number:03}").mkdir(exist_ok=True)

    def fastest(work):
        times = []
        for _ in range(10):
            start = time.perf_counter()
            work()
            times.append(time.perf_counter() - start)
        return min(times)

    version = fastest(lambda: protected.with_keystore(None).ok("--version"))
    assert len(asked(protected, "--keystore", many)) == 500
    completion = fastest(lambda: asked(protected, "--keystore", many))
    assert completion < 8 * version, (completion, version)
