"""keytool-formats(5) says the truth: each example follows from the page's own text, and the binary opens it."""

import base64
import hashlib
import json
import re
import time

import pytest

from kit import agefile, archives, masterkey, sessions, sophax
from kit.keyfiles import message
from kit.pages import manual
from kit.pages.formatexamples import EXAMPLES, PAGE, sealed, unhex
from kit.runner import REPOSITORY

FORMATS = manual.page("keytool-formats.5")


def test_every_example_is_computed():
    assert set(EXAMPLES) == set(PAGE)


@pytest.mark.parametrize("title", PAGE)
def test_example(title):
    given, compute = EXAMPLES[title]
    found = PAGE[title]
    expected = compute(found)
    assert set(found) == {*given, *expected}
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize("name", [
    "id", "private-key", "public-key", "identity", "master-key", "backup-id", "encryption-key", "place", "profile",
    "document", "writer"])
def test_all_examples_are_of_one(name):
    found = [e[name] for e in PAGE.values() if name in e]
    assert len(found) > 1 and len(set(found)) == 1


def tables_of(section):
    """The tables of offsets and lengths in a section: lists of (offset, length)."""
    tables = []
    for line in section.lines:
        if line.startswith(".It "):
            cells = line[4:].split(" Ta ")
            if len(cells) < 3:
                continue
            if cells[0] == "Em offset":
                tables.append([])
            else:
                tables[-1].append(tuple(cells[:2]))
    return tables


def check_offsets(table):
    """Each offset is what the lengths before it add up to. Gives the whole length, 0 for n."""
    fixed, unknown = 0, ""
    for offset, length in table:
        assert offset == f"{fixed}{unknown}"
        fixed, unknown = (fixed, " + n") if length in ("n", "m") else (fixed + int(length), unknown)
    return fixed


@pytest.mark.parametrize("title, example", [
    ("IDENTITY/Identity", "identity"), ("BACKUP CODES/Code of 80 characters", "bytes"),
    ("BACKUP CODES/Code of 104 characters", "bytes"), ("KEYSTORE/Master key without a passphrase", "file"),
    ("KEYSTORE/Master key under scrypt", "protected"), ("ARCHIVES/Archive", "header")])
def test_table_of_fixed_length(title, example):
    [table] = tables_of(FORMATS.sections[title])
    assert check_offsets(table) == len(unhex(PAGE[title.partition("/")[2]][example]))


@pytest.mark.parametrize("title, overheads", [
    ("SAFE BACKUPS/Safe keys", [64]), ("SAFE BACKUPS/Encrypted backup", [24 + 16, 10 + 5 + 8]),
    ("KEYSTORE/Sealed record", [4 + 24 + 16]), ("KEYSTORE/The file commit", [4 + 32, 1 + 1 + 4]),
    ("KEYSTORE/History", [1 + 8 + 32 + 64]), ("MAINKEY/Key under a PIN", [16]),
    ("MAINKEY/Locked value", [4 + 24 + 16])])
def test_table(title, overheads):
    assert [check_offsets(table) for table in tables_of(FORMATS.sections[title])] == overheads


# The binary on the page's bytes


def test_archive(keytool, write):
    """The page's header and identity, between files that tarfile has written."""
    example = PAGE["Archive"]
    content = unhex(example["identity"])
    own = unhex(example["header"]) + content + bytes(-len(content) % 512)
    others = archives.tar([archives.VERSION, ("threema/ABCD1234/profile.json", archives.PROFILE)])
    key = write("agekey", archives.IDENTITY)
    path = write("a.age", archives.seal(own + others))
    keytool.ok("archive", "import", path, "--identity", key)
    assert keytool.json("id", "show")["public_key"] == PAGE["Identity"]["public-key"]
    again = path.with_name("b.age")
    keytool.ok("archive", "export", "-o", again, "--recipient", archives.RECIPIENT)
    tar = agefile.open_file(again.read_bytes(), archives.SECRET)
    [start] = [at for at in range(0, len(tar), 512) if tar[at:].startswith(example["name"].encode() + b"\0")]
    written, shown = tar[start:start + 512], unhex(example["header"])
    # But for time and checksum.
    assert (written[:136], written[156:]) == (shown[:136], shown[156:])


def test_sessions_in_an_archive(keytool, write):
    example = PAGE["Sessions in an archive"]
    files = archives.archive(*archives.threema("ABCD1234", bytes(range(32))),
                             ("threema/ABCD1234/sessions.values", unhex(example["values"])))
    keytool.ok("archive", "import", write("a.age", files), "--identity", write("agekey", archives.IDENTITY))
    found = sessions.values(keytool.keystore, masterkey.read(keytool), "threema", "ABCD1234")
    assert found[example["kind"], example["name"].encode()] == example["value"].encode()
    assert found["store", b"place"] == b"\1" + bytes(32)


def test_sophaxchat_sessions(keytool, write):
    example, own = PAGE["SophaxChat sessions"], sophax.peer_id(sophax.ALICE)
    peer = hashlib.sha256(unhex(example["peer"])).hexdigest()[:32]
    keytool.ok("sophaxchat", "import", write("a.age", archives.seal(sophax.account_text(sophax.ALICE))), "--identity",
               write("agekey", archives.IDENTITY))
    sessions.create(keytool.keystore, masterkey.read(keytool), "sophaxchat", own, {
        ("session", peer.encode()): unhex(example["record"])})
    [session] = keytool.json("sophaxchat", "show-session", peer)["sessions"]
    assert [session[name] for name in ("sent", "previously_sent", "received", "skipped_keys")] == [
        int(example["sent"]), int(example["before"]), int(example["received"]), 1]


def test_sophaxchat_groups(keytool, write, tmp_path):
    example = PAGE["SophaxChat groups"]
    keytool.ok("sophaxchat", "import", write("a.age", archives.seal(sophax.account_text(sophax.ALICE))), "--identity",
               write("agekey", archives.IDENTITY + "\n"))
    sophax.put_group(keytool, unhex(example["record"]))
    path = tmp_path / "chain.json"
    keytool.ok("sophaxchat", "rekey-group", example["group"], "--members", example["member"], "-o", path)
    [part] = json.loads(path.read_text())["distributions"]
    assert part["member"] == example["member"]
    shown = json.loads(example["text"])
    assert part["distribution"].keys() == shown.keys() and part["distribution"]["generation"] == 1 + shown["generation"]


@pytest.fixture
def owner(keytool):
    """The keystore of the page."""
    directory = keytool.keystore / "identities/threema/ABCD1234"
    place = directory / "places/main"
    place.mkdir(parents=True)
    records = PAGE["The records identity and profile"]
    for path, text in {
            keytool.keystore / "master.key": PAGE["Master key without a passphrase"]["file"],
            keytool.keystore / "keystore": PAGE["Sealed record"]["record"],
            directory / "identity": records["identity-record"], directory / "profile": records["profile-record"],
            place / "safe": PAGE["The record safe"]["record"]}.items():
        path.write_bytes(unhex(text))
    (place / "state.json").write_text(PAGE["state.json"]["file"])
    for path in keytool.keystore.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    return keytool


def test_keystore(owner):
    shown = owner.json("id", "show")
    assert (shown["public_key"], shown["contact"]) == (PAGE["Identity"]["public-key"], PAGE["Contact code"]["code"])
    status = owner.json("safe", "status")
    assert status["server"]["address"] == PAGE["The record safe"]["address"]
    assert (status["uploaded_at"], status["generation"], status["changed"]) == ("2026-11-21T09:23:29Z", 1, False)


def test_unfinished_move(owner):
    """The page's record of a move, beside a state that knows nothing of the next target."""
    record = PAGE["The record safe"]
    path = owner.keystore / "identities/threema/ABCD1234/places/main/safe"
    path.write_bytes(unhex(sealed("safe", record["nonce"], unhex(record["moving"]), "main")))
    status = owner.json("safe", "status")
    assert (status["changing"], status["new_server"]) == (True, record["next-address"])
    assert status["generation"] == 1 and "old_server" not in status
    assert owner.json("safe", "move", "--abort")["aborted"]
    assert owner.json("safe", "status")["changing"] is False


def test_place_name_of_earlier_versions(owner):
    """A record without field 7: the address stands for the place in the digests of the state."""
    record = PAGE["The record safe"]
    target = message((1, unhex(record["safe-keys"])), (2, record["address"].encode()))
    content = b"\1" + message((1, target))
    directory = owner.keystore / "identities/threema/ABCD1234/places/main"
    (directory / "safe").write_bytes(unhex(sealed("safe", record["nonce"], content, "main")))
    assert "uploaded_at" not in owner.json("safe", "status")
    _, compute = EXAMPLES["state.json"]
    place = record["address"].encode().hex()
    (directory / "state.json").write_text(compute({**PAGE["state.json"], "place": place})["file"])
    assert owner.json("safe", "status")["uploaded_at"] == "2026-11-21T09:23:29Z"


def test_state_members():
    """The page's table names what the program writes."""
    safe = REPOSITORY / "Sources/Programs/SafeKeeping"
    text = "".join((safe / f"{name}.swift").read_text() for name in ("UploadState", "MirrorStateCoding"))
    written = set(re.findall(r'^ +\("([a-z_]+)", ', text, re.M)) | set(re.findall(r'setting\("([a-z_]+)"', text))
    written |= {f"{name}_{part}" for name in re.findall(r'members\("([a-z]+)"\)', text) for part in ("at", "sum", "latest")}
    heads = [item.head for item in FORMATS.sections["KEYSTORE/state.json"].items]
    named = {found[1] for head in heads if (found := re.match(r"Cm ([a-z_]+) Ta", head))}
    assert "journal" in written and named == written | {"version"}


def test_findings():
    text = (REPOSITORY / "Sources/Safe/SafeRules/PlaceState.swift").read_text()
    known = re.findall(r"^    case (\w+)$", text.partition("enum Finding")[2], re.M)
    heads = [item.head for item in FORMATS.sections["KEYSTORE/state.json"].items if " " not in item.head]
    assert len(known) == 6 and heads == known


def test_commit(owner, directory):
    """Read before it is written out, and written out by the next command that takes the lock."""
    file = owner.keystore / "identities/threema/ABCD1234/commit"
    file.write_bytes(unhex(PAGE["The file commit"]["file"]))
    file.chmod(0o600)
    assert owner.json("id", "show")["public_key"] == PAGE["Identity"]["public-key"]
    owner.fails(10, "safe", "status")
    place = file.parent / "places/main"
    assert (place / "safe").exists() and file.exists()
    owner.fails(10, "safe", "push")
    owner.ok("profile", "set", "--nickname", "news")
    assert sorted(path.name for path in file.parent.iterdir()) == ["identity", "lock", "places", "profile"]
    assert [path.name for path in place.iterdir()] == ["state.json"]
    assert (place / "state.json").read_text() == '{"version":1}'


@pytest.mark.parametrize("damage", [b"", b"KTC1", b"KTC2", b"\0" * 100])
def test_damaged_commit(owner, damage):
    file = owner.keystore / "identities/threema/ABCD1234/commit"
    file.write_bytes(damage)
    file.chmod(0o600)
    for command in (["id", "show"], ["safe", "status"], ["safe", "push"]):
        assert "commit" in owner.fails(65, *command).err
    assert file.read_bytes() == damage


@pytest.mark.parametrize("form, file", [
    ("Master key under Argon2id", "file"), ("Master key under scrypt", "protected"),
    ("Master key under scrypt", "unprotected")])
def test_master_key(owner, given, form, file):
    (owner.keystore / "master.key").write_bytes(unhex(PAGE[form][file]))
    passphrase = given("passphrase", PAGE[form]["passphrase"]) if file != "unprotected" else []
    shown = owner.json("id", "show", *passphrase)
    assert shown["public_key"] == PAGE["Identity"]["public-key"]


@pytest.mark.parametrize("form", ["Code of 80 characters", "Code of 104 characters"])
def test_code(keytool, write, given, form):
    checked = keytool.json("backup", "check", write("code", PAGE[form]["code"]),
                           *given("backup-password", PAGE[form]["password"]))
    assert checked["public_key"] == PAGE["Identity"]["public-key"]
    assert form != "Code of 80 characters" or checked["check"] == PAGE["Check word"]["word"]


def test_safe(keytool, directory, given):
    directory.backups.mkdir()
    directory.config.write_text(PAGE["Safe server"]["config"])
    (directory.backups / PAGE["Safe keys"]["backup-id"]).write_bytes(unhex(PAGE["Encrypted backup"]["backup"]))
    pulled = keytool.json("safe", "pull", "--id", PAGE["Safe keys"]["id"], "--server", directory.url,
                          *given("safe-password", PAGE["Safe keys"]["password"]))
    assert (pulled["public_key"], pulled["generation"]) == (PAGE["Identity"]["public-key"], 1)


def test_desktop(keytool, write, given):
    opened = keytool.json("backup", "check", write("keystorage.pb3", unhex(PAGE["Desktop"]["file"])),
                          *given("file-passphrase", PAGE["Desktop"]["password"]))
    assert (opened["id"], opened["public_key"]) == (PAGE["Desktop"]["id"], PAGE["Identity"]["public-key"])


def test_revocation_key(keytool, given):
    e = PAGE["Revocation key"]
    assert keytool.json("revoke", "hash", *given("revocation-password", e["password"]))["key"] == e["base64"]


def test_telegram(keytool, write, given):
    account, key = PAGE["Telegram account"], PAGE["Telegram key"]
    file = agefile.seal(account["text"].encode(), [agefile.scrypt_stanza(b"0123456789abcdef", b"words", bytes(16), 10)],
                        b"0123456789abcdef", bytes(16))
    keytool.ok("telegram", "import", write("account.age", file), *given("file-passphrase", b"words"))
    shown = keytool.json("telegram", "show", account["account"])
    assert (shown["user_id"], str(shown["main_dc"])) == (account["user"], account["data-centre"])
    opened = keytool.json("telegram", "verify", write("key", unhex(key["file"])),
                          *given("file-passphrase", key["password"].encode()))
    assert (opened["form"], opened["key_id"]) == ("openssl", account["account"])


def test_textsecure(keytool, write):
    account = PAGE["TextSecure account"]
    keytool.ok("textsecure", "import", write("account.age", archives.seal(account["text"].encode())),
               "--identity", write("agekey", archives.IDENTITY))
    shown = keytool.json("textsecure", "show", account["number"])
    assert shown["fingerprint"].replace(" ", "") == account["identity-public"]
    assert (shown["registration_id"], shown["prekeys"]) == (int(account["registration"]), 1)


def test_sophaxchat(keytool, write, given):
    """The texts of the page, in an age file and in the record, and its lock."""
    e, lock = PAGE["SophaxChat identity"], PAGE["SophaxChat lock"]
    text = base64.b64decode(e["text64"])
    file = agefile.seal(text, [agefile.scrypt_stanza(b"0123456789abcdef", b"words", bytes(16), 10)],
                        b"0123456789abcdef", bytes(16))
    shown = keytool.json("sophaxchat", "import", write("identity.age", file), *given("file-passphrase", b"words"))
    assert (shown["id"], shown["safety_number"].replace(" ", "")) == (e["peerid"], e["number"])
    assert sophax.record(keytool, e["peerid"], "identity") == text
    sophax.put(keytool, e["peerid"], "pin", unhex(lock["record"]))
    for pin in (lock["pin"], lock["duress"]):
        keytool.ok("sophaxchat", "check-pin", *given("pin", pin.encode()))
    change = ("set-pin", *given("new-pin", b"314159"), *given("pin", lock["pin"].encode()))
    sophax.put(keytool, e["peerid"], "changes", sophax.allowance(*[round(time.time() * 1000)] * 4))
    assert keytool.fails(75, "sophaxchat", *change, "--json").error["reason"] == "pin_changes"
    sophax.put(keytool, e["peerid"], "changes", unhex(lock["changes"]))
    keytool.ok("sophaxchat", *change)
    sophax.put(keytool, e["peerid"], "attempts", unhex(lock["attempts"]))
    keytool.fails(12, "sophaxchat", "check-pin", *given("pin", b"wrong"))
    assert sophax.attempts(sophax.record(keytool, e["peerid"], "attempts"))[0] == int(lock["failures"]) + 1
