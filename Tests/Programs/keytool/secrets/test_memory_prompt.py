"""While keytool waits at a prompt, after a secret was entered: its memory, a core, and the exit."""

import pytest

from kit import archives, oracle, shamir
from kit.processes.corefile import require_gcore
from kit.processes.memory import Memory
from kit.processes.memoryleft import unexpected, without_sentences
from kit.processes.promptmemory import answer, is_clean, left_at_exit, left_waiting
from kit.stages.everysecret import ID, PASSWORDS, EverySecret

IDENTITY = oracle.Identity(ID, bytes.fromhex(
    "d5137ea8460bf29c31685be70cda94f2716e03bd589f24c8a0e71b36f84d92c5"))


@pytest.fixture(scope="module", autouse=True)
def gcore(built):
    require_gcore()


@pytest.fixture
def house(tmp_path):
    return EverySecret(tmp_path / "house")


def test_key_passwd(house, terminal):
    house.identity().protect("argon2id").learn()
    process = terminal("key", "passwd", "--scheme", "scrypt", runner=house.keytool)
    answer(process, "passphrase")
    left = left_waiting(process, house, "new-passphrase", "master key")
    process.send(PASSWORDS["new-passphrase"].decode())
    left += left_waiting(process, house, "new-passphrase", "new-passphrase")
    is_clean(left + left_at_exit(process, house, PASSWORDS["new-passphrase"]))


def test_safe_setup(house, terminal):
    house.keytool.ok("id", "create", "--id", ID)
    house.protect("argon2id").learn()
    process = terminal("safe", "setup", "--create", "--server", house.directory.url,
                       runner=house.keytool)
    answer(process, "passphrase")
    left = left_waiting(process, house, "safe-password", "master key")
    process.send(PASSWORDS["safe-password"].decode())
    process.expect(r", again: $")
    is_clean(left + left_at_exit(
        process, house, PASSWORDS["safe-password"], b"", b"",
        question=r"(Upload the first backup now\? \[y/N\]|Recovery card to print [^\n]*:) $"))


def test_archive_export(house, terminal):
    house.identity().protect("argon2id").learn()
    process = terminal("archive", "export", "-o", house.home / "archive.age", runner=house.keytool)
    answer(process, "passphrase")
    left = left_waiting(process, house, "archive-passphrase", "master key")
    process.send(PASSWORDS["archive-passphrase"].decode())
    left += left_waiting(process, house, "archive-passphrase", "archive-passphrase")
    is_clean(left + left_at_exit(process, house, PASSWORDS["archive-passphrase"]))


def test_archive_import(house, terminal):
    house.secrets["client key"] = IDENTITY.client_key
    file = house.file("archive.age", archives.archive(
        *archives.threema(ID, IDENTITY.client_key), passphrase=PASSWORDS["archive-passphrase"]))
    process = terminal("archive", "import", file, runner=house.keytool)
    answer(process, "archive-passphrase")
    left = left_waiting(process, house, "passphrase", "client key")
    is_clean(left + left_at_exit(process, house, *[PASSWORDS["passphrase"]] * 2))


def test_backup_import(house, terminal):
    code = oracle.seal_code(IDENTITY, PASSWORDS["backup-password"], salt=bytes(range(2, 10)))
    house.learn_code(code)
    process = terminal("backup", "import", runner=house.keytool)
    process.expect(r"Backup code: $")
    process.send(code)
    process.expect(r"Check word[^\n]*: $")
    process.send("")
    answer(process, "backup-password")
    left = left_waiting(process, house, "passphrase", "client key")
    is_clean(left + left_at_exit(process, house, *[PASSWORDS["passphrase"]] * 2))


def typing_shares(process, house, words, question, answer):
    """What is left of typed words at the next questions: the last one is asked when the key was joined."""
    left = []
    for question, typed in ((r"Share 1, word 1: $", words[0]), (r"Share 2, word 1: $", words[1]), (question, answer)):
        process.expect(question)
        if typed != words[0]:
            memory = Memory(process.process.pid)
            left += unexpected(memory.snapshot(), house)
            memory.close()
        process.send(typed)
    return without_sentences(left)


def test_backup_join(house, terminal):
    words = shamir.split(IDENTITY.client_key, 2, 3)[0]
    shamir.learn(house, words[:2])
    house.secrets["client key"] = IDENTITY.client_key
    process = terminal("backup", "join", "--id", ID, "--no-passphrase", runner=house.keytool)
    left = typing_shares(process, house, words, r"check word [^\n]*$", "y")
    assert process.finish() == 0, process.text
    is_clean(left)


def test_archive_import_with_shares(house, terminal):
    file, words = house.shared_archive(IDENTITY.client_key)
    process = terminal("archive", "import", file, "--shares", runner=house.keytool)
    left = typing_shares(process, house, words, r"Keystore passphrase \(Enter for none\): $", PASSWORDS["passphrase"].decode())
    process.expect(r", again: $")
    is_clean(left + without_sentences(left_at_exit(process, house, PASSWORDS["passphrase"])))
