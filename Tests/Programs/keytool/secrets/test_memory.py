"""When a command that holds secrets exits, they are in guarded pages and nowhere else in its memory."""

import hashlib
import resource
import shutil

import pytest

from kit import agefile, archives, databackup, identityfiles, keyfiles, masterkey, oracle, shamir
from kit.processes.memoryleft import unexpected, without_sentences
from kit.processes.tracing import run_to_exit
from kit.screens.follower import Paper
from kit.servers.safedirectory import SafeSetup
from kit.stages import edit
from kit.stages.everysecret import COST, DEVICE_GROUP_KEY, ID, PASSWORDS, EverySecret

IDENTITY = oracle.Identity(ID, bytes.fromhex(
    "8f3a51c2d47e0b96a8125dfe6c3971b0e45f82970ad3bc1648f7692e05dba1c4"))
ANDROID = bytes.fromhex("1b8e46d3a95f7c20e3d61894bf07a25c6de14937f2805bca94d76e31a80fc25b")
GATEWAY_KEY, GATEWAY_SECRET = hashlib.sha256(b"gateway").digest(), b"pK7wQx9ZrT4mVb2NfGh8"


def starting(*, scheme=None, identity=True):
    """Where a command starts from: with ABCD1234 and its Safe, or with an empty keystore."""

    def start(decorated):
        decorated.scheme, decorated.identity = scheme, identity
        return decorated

    return start


def opening(*arguments, scheme="argon2id", stems=(), source="file"):
    """A command of an identity with a Safe, in a keystore under a passphrase."""

    @starting(scheme=scheme)
    def command(house):
        known = ("passphrase",) if scheme != "none" else ()
        return [*arguments, *house.given(*known, *stems, source=source)]

    return command


@starting(identity=False)
def create(house):
    return ["id", "create", "--id", ID, *house.given("passphrase")]


def importing(seal, verb):
    @starting(identity=False)
    def command(house):
        code = seal(IDENTITY, PASSWORDS["backup-password"])
        house.learn_code(code)
        protection = house.given("passphrase") if verb == "import" else []
        return ["backup", verb, house.file("code", code.encode()),
                *house.given("backup-password"), *protection]

    return command


def importing_data_backup(verb):
    """Also the keys of the ZIP file's entry with the code: 1,000 rounds under its salt."""
    @starting(identity=False)
    def command(house):
        password = PASSWORDS["backup-password"]
        file = databackup.write(databackup.Backup(IDENTITY), password.decode())
        house.learn_code(oracle.seal_code(IDENTITY, password))
        del house.secrets["backup code's key"]  # of another salt
        entry = file.index(b"identity")
        salt = file[entry + len(b"identity") + 11 :][:16]
        house.secrets["ZIP entry's keys"] = hashlib.pbkdf2_hmac("sha1", password, salt, 1000, 64)
        protection = house.given("passphrase") if verb == "import" else []
        return ["backup", verb, house.file("backup.zip", file), *house.given("backup-password"), *protection]

    return command


@starting(scheme="argon2id")
def export_to_file(house):
    return ["backup", "export", "--qr", "-o", house.home / "written",
            *house.given("passphrase", "backup-password")]


@starting(scheme="argon2id")
def set_up_safe(house):
    identityfiles.path(house.keystore, ID, "safe").unlink()
    return ["safe", "setup", "--server", house.directory.url,
            *house.given("passphrase", "safe-password")]


@starting(scheme="none")
def push_changed(house):
    machine = SafeSetup(house.keytool, house.directory, ID, PASSWORDS["safe-password"])
    edit.edit(machine, "ECHOECHO")
    house.protect("argon2id")
    return ["safe", "push", "--force", *house.given("passphrase")]


@starting()
def pull_to_empty(house):
    house.learn()
    shutil.rmtree(house.keystore)
    return ["safe", "pull", "--id", ID, "--server", house.directory.url,
            *house.given("passphrase", "safe-password")]


@starting(scheme="argon2id")
def pull_to_file(house):
    return ["safe", "pull", "-o", house.home / "document", *house.given("passphrase")]


@starting(scheme="argon2id")
def reveal(house):
    return [*pull_to_file(house), "--reveal-private-key"]


@starting()
def protect(house, scheme="argon2id"):
    return ["key", "protect", "--scheme", scheme, *house.given("passphrase")]


@starting()
def protect_scrypt(house):
    return protect(house, "scrypt")


@starting(identity=False)
def import_android(house):
    file = keyfiles.wrap_v2(ANDROID, PASSWORDS["file-passphrase"], **COST)
    return ["key", "import", house.file("master_key.dat", file), *house.given("file-passphrase")]


def gateway_key(house):
    house.secrets |= {"Gateway's key": GATEWAY_KEY, "its text": GATEWAY_KEY.hex().encode(),
                      "API secret": GATEWAY_SECRET}
    return ["backup", "import", house.file("bot.private", b"private:" + GATEWAY_KEY.hex().encode() + b"\n"), "--id",
            "*TESTGW1", "--gateway-secret-file", house.file("api", GATEWAY_SECRET)]


@starting(identity=False)
def import_gateway(house):
    return gateway_key(house)


@starting(identity=False)
def import_bare_gateway(house):
    command = gateway_key(house)
    house.file("bot.private", GATEWAY_KEY.hex().encode() + b"\n")
    return command


@starting(identity=False)
def export_gateway(house):
    house.keytool.ok(*gateway_key(house))
    house.learn()
    return ["backup", "export", "--format", "gateway", "--reveal-private-key", "-o", house.home / "out"]


@starting(identity=False)
def show_gateway_secret(house):
    house.keytool.ok(*gateway_key(house))
    house.learn()
    return ["id", "show", "--reveal-gateway-secret"]


@starting(identity=False)
def import_desktop(house):
    file = keyfiles.seal_desktop(IDENTITY, PASSWORDS["file-passphrase"], **COST)
    argon = keyfiles.fields(keyfiles.fields(file)[2])
    house.secrets["Desktop's key"] = keyfiles.argon2id(
        PASSWORDS["file-passphrase"], argon[2], argon[3] // 1024, argon[4])
    return ["backup", "import", house.file("keystorage.pb3", file),
            *house.given("file-passphrase", "passphrase")]


@starting()
def revoke(house):
    return ["revoke", "hash", *house.given("revocation-password")]


@starting(scheme="argon2id")
def export_archive(house):
    return ["archive", "export", "-o", house.home / "archive.age", *house.given("passphrase", "archive-passphrase")]


@starting(scheme="argon2id")
def export_archive_to_recipient(house):
    return ["archive", "export", "-o", house.home / "archive.age", "--recipient", archives.RECIPIENT,
            *house.given("passphrase")]


def opening_archive(verb, *stems, to_key=False):
    """An archive under a passphrase, or for a key of age. Its tar, too, is in guarded memory only."""
    @starting(identity=False)
    def command(house):
        key = IDENTITY.client_key
        house.secrets["client key"] = key
        files = archives.threema(ID, key, devicegroupkey=DEVICE_GROUP_KEY)
        file = house.file("archive.age", archives.archive(
            *files, passphrase=None if to_key else PASSWORDS["archive-passphrase"]))
        if not to_key:
            return ["archive", verb, file, *house.given("archive-passphrase", *stems)]
        house.secrets["age key"] = archives.SECRET
        house.secrets["age key as text"] = archives.IDENTITY[16:].encode()
        return ["archive", verb, file, "--identity", house.file("agekey", archives.IDENTITY.encode()),
                *house.given(*stems)]

    return command


@starting(scheme="argon2id")
def split(house):
    pages = house.home / "pages"
    pages.mkdir(exist_ok=True)
    return ["backup", "split", "--shares", "2/3", "--sheet", pages, *house.given("passphrase")]


@starting(scheme="argon2id")
def split_revealing(house):
    return ["backup", "split", "--shares", "2/3", "--reveal-shares", *house.given("passphrase")]


@starting(scheme="argon2id")
def kit_page(house):
    return ["backup", "kit", "-o", house.home / "kit.pdf", "--force", *house.given("passphrase", "backup-password")]


@starting(scheme="argon2id")
def share_archive(house):
    return ["archive", "export", "-o", house.home / "shared.age", "--shares", "2/3", "--sheet", house.home / "archive-pages",
            *house.given("passphrase")]


@starting(scheme="argon2id")
def share_archive_revealing(house):
    return ["archive", "export", "-o", house.home / "revealed.age", "--shares", "2/3", "--reveal-shares",
            *house.given("passphrase")]


def opening_shared_archive(verb, *stems):
    @starting(identity=False)
    def command(house):
        file, words = house.shared_archive(IDENTITY.client_key)
        files = [house.file(f"share{number}", share.encode()) for number, share in enumerate(words[:2])]
        return ["archive", verb, file, "--shares", *files, *house.given(*stems)]

    return command


def reading_shares(verb):
    @starting(identity=False)
    def command(house):
        words = shamir.split(IDENTITY.client_key, 2, 3)[0]
        shamir.learn(house, words[:2])
        house.secrets["client key"] = IDENTITY.client_key
        files = [house.file(f"share{number}", share.encode()) for number, share in enumerate(words[:2])]
        if verb == "check":
            return ["backup", "check", "--share", files[0]]
        return ["backup", "join", *files, "--id", ID, "--expect-public-key", IDENTITY.public_key,
                *house.given("passphrase")]

    return command


COMMANDS = {
    "archive export": export_archive,
    "archive export, to a recipient": export_archive_to_recipient,
    "archive import": opening_archive("import", "passphrase"),
    "archive import, with a key": opening_archive("import", "passphrase", to_key=True),
    "archive import, with shares": opening_shared_archive("import", "passphrase"),
    "archive export, for shares": share_archive,
    "archive export, revealing shares": share_archive_revealing,
    "archive list, with shares": opening_shared_archive("list"),
    "archive list": opening_archive("list"),
    "archive list, with a key": opening_archive("list", to_key=True),
    "id create": create,
    **{f"id show, {scheme}": opening("id", "show", scheme=scheme)
       for scheme in ("none", "argon2id", "scrypt")},
    **{f"id list, {scheme}": opening("id", "list", scheme=scheme)
       for scheme in ("none", "argon2id", "scrypt")},
    "id show, from a command": opening("id", "show", source="command"),
    "backup export": opening("backup", "export", stems=["backup-password"]),
    "backup export, argon2id": opening("backup", "export", "--scheme", "argon2id",
                                       stems=["backup-password"]),
    "backup export, to a file": export_to_file,
    "backup import": importing(oracle.seal_code, "import"),
    "backup import, argon2id": importing(oracle.seal_code_argon2id, "import"),
    "backup check": importing(oracle.seal_code, "check"),
    "backup import, data backup": importing_data_backup("import"),
    "backup check, data backup": importing_data_backup("check"),
    "backup split": split,
    "backup kit": kit_page,
    "backup split, revealing": split_revealing,
    "backup join": reading_shares("join"),
    "backup check, share": reading_shares("check"),
    "safe setup": set_up_safe,
    "safe push": opening("safe", "push"),
    "safe push, changed": push_changed,
    "safe pull": opening("safe", "pull"),
    "safe pull, to empty": pull_to_empty,
    "safe pull, to a file": pull_to_file,
    "safe pull, revealing": reveal,
    "safe pull, show": opening("safe", "pull", "--show"),
    "safe check": opening("safe", "check"),
    "safe check, with password": opening("safe", "check", "--with-password",
                                         stems=["safe-password"]),
    "safe passwd": opening("safe", "passwd", stems=["new-safe-password"]),
    "key protect": protect,
    "key protect, scrypt": protect_scrypt,
    "key passwd": opening("key", "passwd", stems=["new-passphrase"]),
    "key passwd, scrypt": opening("key", "passwd", "--scheme", "scrypt", scheme="scrypt",
                                  stems=["new-passphrase"]),
    "key unprotect": opening("key", "unprotect", "--yes"),
    "key unlock": opening("key", "unlock", "--for", "30s"),
    "key import, Android": import_android,
    "backup import, Desktop": import_desktop,
    "backup import, Gateway": import_gateway,
    "backup export, Gateway": export_gateway,
    "id show, API secret": show_gateway_secret,
    "revoke hash": revoke,
}


@pytest.fixture(scope="module")
def houses(built, tmp_path_factory):
    """An empty one, and one with the identity and its Safe."""
    root = tmp_path_factory.mktemp("houses")
    return {False: EverySecret(root / "empty").keep(),
            True: EverySecret(root / "identity").identity().keep()}


def test_device_group_key_is_among_them(houses):
    assert houses[True].bring_back().learn().secrets["device group key"] == DEVICE_GROUP_KEY


@pytest.mark.parametrize("name", COMMANDS)
def test_at_exit(houses, name):
    command = COMMANDS[name]
    house = houses[command.identity].bring_back()
    if command.scheme:
        house.protect(command.scheme).learn()
    arguments, keytool = command(house), house.keytool
    try:
        result, memory = run_to_exit(
            keytool.command_line(*arguments), keytool.environment, house.home)
    finally:
        if "unlock" in arguments:
            keytool.ok("key", "lock")
    assert result.code == 0, result
    if arguments[:2] == ["backup", "export"] and "gateway" not in arguments:
        written = house.home / "written"
        house.learn_code((written.read_text() if written.exists() else result.out).split()[0])
    if arguments[:2] == ["backup", "kit"]:
        house.learn_code("-".join(Paper(house.home / "kit.pdf").rows))
    if "--sheet" in arguments or "--reveal-shares" in arguments:
        pages = sorted(arguments[arguments.index("--sheet") + 1].glob("*.pdf")) if "--sheet" in arguments else []
        words = [shamir.words_on(page) for page in pages] or result.out.splitlines()
        shamir.learn(house, words)
        house.secrets["shared key"] = shamir.join(words[:2])
        house.secrets["shared key as text"] = agefile.identity_text(shamir.join(words[:2]))[16:].encode()
    house.learn()
    left = without_sentences(unexpected(memory, house))
    assert not left, f"{result}" + "\n".join(map(str, left))


def test_no_room_in_the_middle_of_an_archive(houses):
    """The hash of the archive is then unfinished, and its state holds the end of a record."""
    house = houses[True].bring_back()
    # Long enough for a chunk of age. Records of messengers that keytool does not know are exported, too.
    record = hashlib.shake_256(b"nest").digest(150_000 // 64 * 64 + 48)
    home = house.keystore / "identities/pigeon/coop-7"
    home.mkdir(parents=True, mode=0o700)
    home.parent.chmod(0o700)
    where = ("pigeon", "coop-7", "", "nest")
    house.file(home / "nest", identityfiles.sealed(record, masterkey.read(house.keytool), "nest", where, bytes(24)))
    house.secrets["end of a record"] = record[-48:]
    command = house.keytool.command_line(
        "archive", "export", "-o", house.home / "archive.age", "--recipient", archives.RECIPIENT)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    # As if the disk were full. Python ignores the signal, and so does what it starts.
    resource.setrlimit(resource.RLIMIT_FSIZE, (32 * 1024, before[1]))
    try:
        result, memory = run_to_exit(command, house.keytool.environment, house.home, restore_signals=False)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert result.code == 74 and not (house.home / "archive.age").exists(), result
    house.learn()
    left = unexpected(memory, house)
    assert not left, f"{result}" + "\n".join(map(str, left))
