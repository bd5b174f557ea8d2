"""The options that every command has, in every place: before the noun, before the verb, after it."""

import pytest

from kit import archives, oracle, shamir, sophax, textsecure
from kit.pages.commands import of_both_programs
from kit.sampling import some
from kit.servers import onpremserver

# What some commands need before they look at the keystore.
NEEDED = {("key", "import"): "key", ("backup", "import"): "code", ("backup", "check"): "code",
          ("backup", "split"): "sharing", ("backup", "join"): "key shares", ("backup", "kit"): "kit",
          ("archive", "export"): "new archive", ("archive", "import"): "archive", ("archive", "check"): "archive",
          ("id", "fetch"): "id", ("contact", "remove"): "id", ("contact", "match"): "addresses",
          ("contact", "add"): "contact", ("contact", "verify"): "contact", ("profile", "set"): "change",
          ("profile", "export"): "output", ("profile", "import"): "document", ("safe", "card"): "card",
          ("onprem", "import"): "provisioning file", ("onprem", "forget"): "company",
          ("telegram", "import"): "telegram key", ("telegram", "export"): "output",
          ("telegram", "mark-lost"): "key id", ("telegram", "open-packet"): "packet",
          ("telegram", "seal-packet"): "body",
          ("textsecure", "init"): "phone number", ("textsecure", "import"): "textsecure account",
          ("textsecure", "export"): "output", ("textsecure", "request"): "request",
          ("textsecure", "open-push"): "push payload", ("textsecure", "seal-push"): "push signal",
          ("sophaxchat", "import"): "shared identity", ("sophaxchat", "export"): "output",
          ("sophaxchat", "split"): "split", ("sophaxchat", "join"): "shares",
          ("sophaxchat", "safety"): "peer", ("sophaxchat", "verify-peer"): "number",
          ("sophaxchat", "show-session"): "peer name", ("sophaxchat", "rekey-group"): "group and members",
          ("sophaxchat", "show-group"): "group name",
          ("mainkey", "protect"): "protection", ("mainkey", "remove"): "protection", ("mainkey", "timeout"): "minutes",
          ("mainkey", "import"): "main key", ("mainkey", "export"): "output", ("mainkey", "open-value"): "locked value",
          ("mainkey", "seal-value"): "value", ("mainkey", "rewrap-value"): "old value"}
# These look at no keystore.
WITHOUT_KEYSTORE = [("archive", "list"), ("mainkey", "verify"), ("sophaxchat", "verify"),
                    ("sophaxchat", "open-backup"), ("qr", "show"), ("revoke", "hash"),
                    *(("textsecure", verb) for verb in ("verify", "seal-attachment", "open-attachment", "hash-numbers",
                                                        "match-tokens", "import-client")),
                    *(("telegram", verb) for verb in ("protect", "passwd", "unprotect", "verify"))]
PLACES = {"before": 0, "between": 1, "after": 2}
USAGE = {"unknown noun": ["frobnicate"], "unknown verb": ["safe", "psuh"], "unknown option": ["id", "list", "--frob"],
         "missing value": ["id", "create", "--id"], "bad value": ["id", "list", "--color", "purple"],
         "flag with a value": ["id", "list", "--no-input=x"], "too many words": ["id", "show", "ABCD1234", "ABCD1234"],
         "no verb": ["safe"], "not UTF-8": ["id", "show", "\udcff"], "no such help": ["help", "frobnicate"],
         "no such shell": ["--generate-completion-script=tcsh"],
         "options that cannot be combined": ["safe", "push", "ABCD1234", "--all"]}


@pytest.fixture
def exposed(keytool):
    """A keystore that others can read, which every command that looks at it refuses with 77."""
    keytool.ok("id", "create", "--id", "ABCD1234")
    keytool.keystore.chmod(0o755)
    return keytool


def placed(path, place, options):
    words = list(path)
    words[PLACES[place]:PLACES[place]] = options
    return words


@pytest.mark.parametrize("place", PLACES)
def test_keystore(exposed, place, code_file, code_password, write, tmp_path):
    files = {"key": [write("key.dat", (exposed.keystore / "master.key").read_bytes())],
             "code": [code_file, *code_password],
             "sharing": ["--shares", "2/2", "--reveal-shares"],
             "key shares": [*(write(f"key share{n}", words) for n, words in enumerate(shamir.split(bytes(range(32)))[0][:2])),
                            "--id", "ABCD1234", "--expect-public-key",
                            oracle.Identity("ABCD1234", bytes(range(32))).public_key],
             "kit": ["-o", tmp_path / "kit.pdf"],
             "new archive": ["-o", tmp_path / "new.age"],
             "archive": [write("a.age", archives.archive(*archives.threema("ABCD1234", bytes(32)))), "--identity",
                         write("agekey", archives.IDENTITY)],
             "id": ["ECHOECHO"], "addresses": [write("addresses", "ann@example.org")],
             "contact": [f"3mid:ECHOECHO,{bytes(range(32)).hex()}"], "change": ["--nickname", "Ann"],
             "output": ["-o", tmp_path / "written"], "card": [tmp_path / "card.pdf"],
             "document": [write("document", '{"info":{"version":1},"user":{}}')],
             "provisioning file": [write("config.oppf", onpremserver.PUBLISHED), "--key", onpremserver.key()],
             "company": ["d.example.org"],
             "telegram key": [write("telegram-key", bytes(range(256))), "--dc", "2"], "key id": ["0" * 16],
             "packet": [write("packet", bytes(range(56)))], "body": [write("body", b"data"), "-o", tmp_path / "sealed"],
             "request": ["upload-keys", "-o", tmp_path / "request"],
             "phone number": ["--number", textsecure.NUMBER],
             "textsecure account": [write("ts.age", archives.seal(textsecure.text(textsecure.account()))),
                                    "--identity", write("ts-agekey", archives.IDENTITY)],
             "push payload": [write("push", textsecure.seal_push(bytes(52), b""))],
             "push signal": [write("signal", textsecure.signal(b"")), "-o", tmp_path / "push-sealed"],
             "shared identity": [write("sx.age", archives.seal(sophax.account_text(sophax.ALICE))), "--identity",
                                 write("sx-agekey", archives.IDENTITY)],
             "split": ["-m", "2", "-n", "2", "-o", tmp_path / "share"],
             "shares": [write(f"share{n}", sophax.share(sophax.ALICE, n)) for n in (1, 2)]
             + ["--expect-id", sophax.peer_id(sophax.ALICE)],
             "peer name": [sophax.peer_id(sophax.BOB)],
             "group name": ["G"],
             "group and members": ["G", "--members", sophax.peer_id(sophax.BOB), "-o", tmp_path / "chain.json"],
             "peer": [write("peer", sophax.bundle(sophax.BOB, 1.5))],
             "number": [write("peer2", sophax.bundle(sophax.BOB, 1.5)), "--number", "1" * 30],
             "protection": ["none"], "minutes": ["5"], "main key": [write("main-key", bytes(range(32))), "--no-pin"],
             "locked value": [write("locked", b"KTL2" + bytes(60)), "--name", "token"],
             "value": [write("value", b"secret"), "--name", "token", "-o", tmp_path / "locked-value"],
             "old value": [write("old-value", bytes(80)), "--name", "token", "-o", tmp_path / "rewrapped"]}
    nowhere = exposed.with_keystore(None).with_environment(KEYTOOL_KEYSTORE=tmp_path / "nowhere")
    for path in some(list(of_both_programs())):
        if path in WITHOUT_KEYSTORE:
            continue
        needed = files.get(NEEDED.get(path), [])
        result = nowhere(*placed(path, place, ["--keystore", exposed.keystore]), *needed, "--no-input")
        if path == ("backup", "check"):  # what a code is worth does not depend on the keystore
            assert result.code == 0 and "accessible to other users" in result.err, result
        else:
            assert result.code == 77, result
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("place", PLACES)
def test_json_and_quiet(keytool, place, given):
    password = given("revocation-password", b"plinth otter\n")
    for path, options, stdin in ((("qr", "show"), [], "payload"), (("revoke", "hash"), password, None)):
        assert keytool.ok(*placed(path, place, ["--json"]), *options, stdin=stdin).json["command"] == " ".join(path)
    for path in (("id", "create"), ("key", "unprotect"), ("key", "lock")):
        result = keytool.ok(*placed(path, place, ["-q"]))
        assert result.out == result.err == "", result


@pytest.mark.parametrize("place", PLACES)
def test_every_command_takes_each_of_them(keytool, place):
    """Whatever comes of it, it is no usage error of theirs, and help is help."""
    for path in some(list(of_both_programs())):
        for options in (["--quiet"], ["-v"], ["--json"], ["--no-input"], ["--color", "always"], ["--color=never"]):
            result = keytool(*placed(path, place, options), "--help")
            assert result.code == 0 and result.out.startswith("OVERVIEW"), result
        for options in (["--color", "purple"], ["--json=yes"], ["--frobnicate"]):
            error = keytool.fails(64, *placed(path, place, options), "--json").error
            assert error["name"] == "usage" and "unknown command" not in error["message"], error


def test_the_last_place_wins(keytool, other_keytool):
    keytool.ok("id", "create", "--id", "AAAA0000")
    other_keytool.ok("id", "create", "--id", "BBBB0000")
    here, there = ["--keystore", keytool.keystore], ["--keystore", other_keytool.keystore]
    bare = keytool.with_keystore(None)
    for words in ([*here, "id", *there, "show"], [*here, "id", "show", *there], ["id", *here, "show", *there],
                  ["id", "show", *here, *there]):
        assert bare.json(*words)["id"] == "BBBB0000", words


@pytest.mark.parametrize("words", USAGE.values(), ids=USAGE)
def test_usage_errors_are_one_line_of_json(keytool, words):
    """Wherever --json stands: it is looked for even where the line makes no sense."""
    bare = keytool.with_keystore(None)
    for place in range(len(words) + 1):
        error = bare.fails(64, *words[:place], "--json", *words[place:]).error
        assert error["message"] and "\n" not in error["message"], error


def test_after_two_dashes_it_is_a_word(keytool):
    result = keytool("id", "show", "--", "--json")
    assert result.code == 64 and result.err.startswith("keytool: error: "), result
