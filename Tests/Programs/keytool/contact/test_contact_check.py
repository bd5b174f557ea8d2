"""contact check: what a directory says of contacts is stored beside the profile, and stays a failure until it is
settled."""

import csv
import io
import json
import re
from datetime import UTC, datetime, timedelta

import pytest

from kit import identityfiles, masterkey
from kit.damage import flip
from kit.processes.clock import Clocked
from kit.runner import snapshot
from kit.servers.directoryrequests import INACTIVE, INVALID

ID, ANN, BOB, CARL = "ABCD1234", "ANNANNAN", "BOBBOBBO", "CARLCARL"
KEYS = {ANN: bytes(range(32)), BOB: bytes(range(1, 33)), CARL: bytes(range(2, 34))}
CHECK, BULK = ("identity/check", 1), ("identity/fetch_bulk", 1)


@pytest.fixture
def owner(keytool, id_directory, at):
    """ABCD1234 with three contacts, whom the directory knows."""
    own = keytool.json("id", "create", "--id", ID)["public_key"]
    id_directory.add(ID, bytes.fromhex(own))
    for contact, key in KEYS.items():
        keytool.ok("contact", "add", contact, key.hex(), "--first-name", contact[:3].title())
        id_directory.add(contact, key)
    keytool.ok("contact", "check", *at)
    id_directory.asked.clear()
    return keytool


def states(keytool, *options):
    return {each["id"]: each["state"] for each in keytool("contact", "check", "--json", *options).json["contacts"]}


def ends(keytool, code, *arguments):
    """With findings on stdout, and one error."""
    result = keytool(*arguments)
    assert result.code == code and (result.err.count("keytool: error: ") == 1 or "--json" in arguments), result
    return result


def record(keytool, id=ID):
    path = identityfiles.path(keytool.keystore, id, "contactstates")
    return identityfiles.opened(path, masterkey.read(keytool)) if path.exists() else None


def revoke(id_directory, contact):
    id_directory.identities[contact].state = INVALID


# Findings


def test_all_is_well(owner, id_directory):
    result = owner.ok("contact", "check")
    assert result.out == f"asked {id_directory.url} for 3 contacts of {ID}: 3 in order\n"
    assert id_directory.asked == [CHECK, BULK]
    assert owner.ok("contact", "check", "--quiet").out == ""
    shown = owner.json("contact", "check")
    assert shown == {
        "schema": "keytool/1", "command": "contact check", "id": ID, "directory": id_directory.url,
        "own": {"id": ID, "state": "active", "changed": False},
        "contacts": [{"id": contact, "state": "active", "changed": False} for contact in KEYS]}


def test_the_profile_does_not_change(owner, id_directory):
    before = snapshot(owner.keystore)
    revoke(id_directory, ANN)
    ends(owner, 10, "contact", "check")
    after = snapshot(owner.keystore)
    assert {name for name in after if after[name] != before.get(name)} == {f"identities/threema/{ID}/contactstates"}


def test_a_revoked_contact_fails_until_it_is_acknowledged(owner, id_directory):
    revoke(id_directory, ANN)
    result = owner("contact", "check")
    assert result.code == 10 and result.out.splitlines()[0] == f"{ANN}  revoked  Ann", result
    assert f"says that {ANN} was revoked" in result.err and f"--seen {ANN}" in result.err
    # A run that nobody has read hides nothing.
    for _ in range(2):
        result = owner("contact", "check", "--quiet")
        assert result.code == 10 and result.out == "" and ANN in result.err, result
    assert owner.json("contact", "check", "--seen", ANN) == {
        "schema": "keytool/1", "command": "contact check", "id": ID, "acknowledged": [ANN]}
    assert "1 revoked and acknowledged" in owner.ok("contact", "check").out
    # Another one is another matter.
    revoke(id_directory, BOB)
    result = owner("contact", "check", "--quiet")
    assert result.code == 10 and result.out == f"{BOB}  revoked  Bob\n" and ANN not in result.err, result


def test_a_revoked_contact_fails_until_it_is_removed(owner, id_directory):
    revoke(id_directory, ANN)
    assert ends(owner, 10, "contact", "check", "--quiet", "--json").json["error"]["reason"] == "revoked"
    owner.ok("contact", "remove", ANN, "--yes")
    owner.ok("contact", "check")
    # An acknowledgement does not outlive the contact, nor its revocation.
    owner.ok("contact", "add", ANN, KEYS[ANN].hex())
    ends(owner, 10, "contact", "check")
    owner.ok("contact", "check", "--seen", ANN)
    id_directory.add(ANN, KEYS[ANN])
    assert owner.ok("contact", "check", "--quiet").out == f"{ANN}  in order again\n"
    revoke(id_directory, ANN)
    ends(owner, 10, "contact", "check")


def test_only_revoked_contacts_are_acknowledged(owner, id_directory):
    assert owner.fails(10, "contact", "check", "--seen", ANN, "--json").error["reason"] == "not_revoked"
    assert owner.fails(10, "contact", "check", "--seen", "ZZZZZZZZ", "--json").error["reason"] == "no_contact"
    revoke(id_directory, BOB)
    ends(owner, 10, "contact", "check")
    before = snapshot(owner.keystore)
    ends(owner, 10, "contact", "check", "--seen", BOB, "--seen", ANN)
    assert snapshot(owner.keystore) == before


def test_another_key(owner, id_directory):
    id_directory.add(BOB, KEYS[CARL])
    revoke(id_directory, ANN)
    result = owner("contact", "check")
    assert result.code == 19 and f"{BOB}  another key  Bob\n" in result.out, result
    assert "WRONG KEY" in result.err and KEYS[BOB].hex() in result.err and KEYS[CARL].hex() in result.err
    shown = owner("contact", "check", "--json")
    assert shown.code == 19 and shown.json["error"]["reason"] == "other_key"
    assert shown.json["contacts"][1] == {
        "id": BOB, "state": "other_key", "stored_key": KEYS[BOB].hex(), "directory_key": KEYS[CARL].hex(),
        "changed": False}
    id_directory.add(BOB, bytes(32))
    assert "no usable public key" in ends(owner, 19, "contact", "check").err
    # It is settled by the key in the profile, without another check.
    id_directory.add(BOB, KEYS[CARL])
    ends(owner, 19, "contact", "check")
    owner.ok("contact", "remove", BOB, "--yes")
    owner.ok("contact", "add", BOB, KEYS[CARL].hex())
    assert owner.json("contact", "list")["contacts"][-1]["state"] == "active"


@pytest.mark.parametrize("act, words", [("revoke", "itself was revoked"), ("key", "WRONG KEY")])
def test_the_identity_itself(owner, id_directory, act, words):
    if act == "revoke":
        revoke(id_directory, ID)
    else:
        id_directory.add(ID, KEYS[ANN])
    for options in ([], ["--quiet"], [ANN], ["--all"]):
        assert words in ends(owner, 19, "contact", "check", *options).err


def test_inactive_is_told_and_no_failure(owner, id_directory):
    id_directory.identities[ANN].state = INACTIVE
    assert owner.ok("contact", "check", "--quiet").out == ""
    assert owner.ok("contact", "check").out.splitlines()[0] == f"{ANN}  inactive  Ann"


def test_some_contacts(owner, id_directory):
    before = record(owner)
    revoke(id_directory, BOB)
    assert states(owner, ANN.lower()) == {ANN: "active"}
    asked = json.loads(id_directory.requests[-2].body)["identities"]
    assert asked == [ID, ANN] and len(record(owner)) == len(before)
    owner.ok("contact", "check", ANN)
    assert owner.fails(10, "contact", "check", "ZZZZZZZZ", "--json").error["reason"] == "no_contact"
    ends(owner, 10, "contact", "check", ANN, BOB)


def test_a_key_that_vanishes_between_the_requests_was_revoked(owner, id_directory):
    def check(call, outcome):
        done = outcome()
        revoke(id_directory, ANN)
        call.answer(*done)

    id_directory.script("identity/check", check)
    assert states(owner)[ANN] == "revoked"


@pytest.mark.parametrize("count", [999, 1000, 2500])
def test_at_most_a_thousand_identities_a_request(owner, id_directory, tmp_path, count):
    document = {"info": {"version": 1}, "user": {}, "contacts": [
        {"identity": f"A{number:07}", "verification": 0} for number in range(count)] + [
        {"identity": "odd", "verification": 0}, {"identity": "A0000000", "verification": 0}]}
    (tmp_path / "document").write_text(json.dumps(document))
    owner.ok("profile", "import", "--replace", tmp_path / "document")
    for number in range(count):
        id_directory.add(f"A{number:07}", KEYS[ANN])
    assert f"for {count} contacts of" in owner.ok("contact", "check").out
    sizes = [len(json.loads(request.body)["identities"]) for request in id_directory.requests[-2 * -(-(count + 1) // 1000):]]
    assert max(sizes) <= 1000 and sum(sizes) == 2 * (count + 1)
    assert len(record(owner)) == 9 + 49 * (count + 1)


# The directory


def test_away(owner, id_directory):
    before = snapshot(owner.keystore)
    id_directory.close()
    ends(owner, 75, "contact", "check", "--retry-max-time", "1s")
    assert snapshot(owner.keystore) == before
    owner.ok("contact", "check", "--retry-max-time", "1s", "--tolerate", "1d", "--quiet")
    # A time in the future proves nothing.
    for days in (-10, 2):
        Clocked(owner, datetime.now(UTC) + timedelta(days=days)).fails(
            75, "contact", "check", "--retry-max-time", "1s", "--tolerate", "1d")


def test_hints_name_the_identity_if_there_are_others(owner, id_directory):
    owner.ok("id", "create", "--id", "WXYZ9876")
    revoke(id_directory, ANN)
    for options in ([], ["--json"]):
        checked = owner("contact", "check", "--identity", ID, *options)
        assert f"keytool contact check --identity {ID} --seen {ANN}" in checked.err + checked.out, checked
    failed = owner.fails(10, "contact", "check", "--identity", ID, "--seen", CARL)
    assert f"keytool contact check --identity {ID} {CARL}" in failed.err


def test_what_is_known_stays_a_failure_while_the_directory_is_away(owner, id_directory):
    revoke(id_directory, ANN)
    ends(owner, 10, "contact", "check")
    id_directory.close()
    for options in ([], ["--tolerate", "1d"]):
        assert ANN in ends(owner, 10, "contact", "check", "--retry-max-time", "1s", *options).err
    owner.ok("contact", "check", "--seen", ANN)
    owner.ok("contact", "check", "--retry-max-time", "1s", "--tolerate", "1d")


@pytest.mark.parametrize("path", ["identity/check", "identity/fetch_bulk"])
@pytest.mark.parametrize("status, code", [(401, 13), (429, 75), (302, 1)])
def test_other_answers(owner, id_directory, path, status, code):
    before = snapshot(owner.keystore)
    id_directory.script(path, id_directory.status(status), times=9)
    ends(owner, code, "contact", "check", "--retry-max-time", "1s")
    assert snapshot(owner.keystore) == before


def test_a_directory_has_to_be_known(keytool, id_directory, at):
    keytool.ok("id", "create", "--id", ID)
    for options in ([], ["--all"]):
        assert "--directory" in keytool.fails(64, "contact", "check", *options).err
    assert "ABCD1234 itself was revoked" in ends(keytool, 19, "contact", "check", *at).err


def test_all_identities(owner, id_directory, at):
    other = owner.json("id", "create", "--id", "OTHER123")["public_key"]
    result = owner.ok("contact", "check", "--all")
    assert result.out == f"{ID}: asked {id_directory.url} for 3 contacts of {ID}: 3 in order\n"
    assert "OTHER123 has no directory" in result.err
    id_directory.add("OTHER123", bytes.fromhex(other))
    owner.ok("contact", "check", "--identity", "OTHER123", *at)
    revoke(id_directory, ANN)
    result = ends(owner, 10, "contact", "check", "--all")
    assert f"--identity {ID} --seen {ANN}" in result.err
    shown = owner("contact", "check", "--all", "--json").json["results"]
    assert [each["id"] for each in shown] == [ID, "OTHER123"] and shown[0]["error"]["reason"] == "revoked"


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["words", "json"])
def test_all_identities_though_stdout_takes_nothing(owner, id_directory, at, tmp_path, options):
    """What was found decides, and each of them is asked."""
    other = owner.json("id", "create", "--id", "OTHER123")["public_key"]
    id_directory.add("OTHER123", bytes.fromhex(other))
    owner.ok("contact", "check", "--identity", "OTHER123", *at)
    id_directory.add("OTHER123", KEYS[CARL])
    metrics = tmp_path / "metrics"
    with open("/dev/full", "wb") as full:
        run = owner("contact", "check", "--all", "--metrics-file", metrics, *options, stdout=full)
        single = owner("contact", "check", "--identity", "OTHER123", *options, stdout=full)
    assert run.code == 19 and "cannot write the result" in run.err, run
    assert "OTHER123" in run.err and "keytool_contact_check_last_exit_code 19\n" in metrics.read_text()
    assert single.code == 19 and "cannot write the result" in single.err, single


def test_all_identities_though_one_is_damaged(owner, id_directory):
    owner.ok("id", "create", "--id", "AAAA0000")
    path = identityfiles.path(owner.keystore, "AAAA0000", "commit")
    path.write_bytes(b"damaged")
    path.chmod(0o600)
    result = owner("contact", "check", "--all")
    assert result.code == 65 and "AAAA0000: " in result.err, result
    assert result.out == f"{ID}: asked {id_directory.url} for 3 contacts of {ID}: 3 in order\n"
    # A wrong key is worse.
    id_directory.add(BOB, KEYS[CARL])
    assert owner("contact", "check", "--all").code == 19


def test_usage(owner):
    for options in (["--all", ANN], ["--all", "--identity", ID], [ANN, "--seen", BOB], ["--all", "--seen", BOB],
                    ["odd"], ["--alias", "x"]):
        ends(owner, 64, "contact", "check", *options)


# What is stored


def test_list_shows_the_state(owner, id_directory, terminal):
    assert [contact["state"] for contact in owner.json("contact", "list")["contacts"]] == ["active"] * 3
    assert "NOTE" not in owner.ok("contact", "list", "--format", "vcard").out
    revoke(id_directory, ANN)
    id_directory.add(BOB, KEYS[CARL])
    id_directory.identities[CARL].state = INACTIVE
    ends(owner, 19, "contact", "check")
    lines = owner.ok("contact", "list").out.splitlines()
    assert lines == [f"{ANN}  1 not verified            Ann (revoked)",
                     f"{BOB}  1 not verified            Bob (another key at the directory)",
                     f"{CARL}  1 not verified            Car (inactive)"]
    assert [(each["state"], each.get("acknowledged")) for each in owner.json("contact", "list")["contacts"]] == [
        ("revoked", False), ("other_key", None), ("inactive", None)]
    rows = csv.DictReader(io.StringIO(owner.ok("contact", "list", "--format", "csv").out))
    assert [row["state"] for row in rows] == ["revoked", "other_key", "inactive"]
    cards = owner.ok("contact", "list", "--format", "vcard").out.splitlines()
    assert [line for line in cards if line.startswith(("X-THREEMA-STATE", "NOTE"))] == [
        "X-THREEMA-STATE:revoked", f"NOTE:Threema ID {ANN}: revoked",
        "X-THREEMA-STATE:other_key", f"NOTE:Threema ID {BOB}: another key at the directory",
        "X-THREEMA-STATE:inactive", f"NOTE:Threema ID {CARL}: inactive"]
    run = terminal("contact", "list", runner=owner)
    assert run.finish() == 0
    line = next(line for line in run.text.splitlines() if ANN in line)
    assert f"\x1b[9m{ANN}\x1b[0m" in line and "\x1b[9mAnn (revoked)\x1b[0m" in line
    assert run.text.count("\x1b[9m") == 2


def test_doctor_counts_and_names_nobody(owner, id_directory):
    assert re.search(r"^ok +contacts +3 contacts checked, the last time 0 days ago; none revoked", owner("doctor").out, re.M)
    revoke(id_directory, ANN)
    ends(owner, 10, "contact", "check")
    assert re.search(r"^WARNING +contacts .*; 1 revoked$", owner("doctor").out, re.M)
    id_directory.add(BOB, KEYS[CARL])
    ends(owner, 19, "contact", "check")
    result = owner("doctor")
    assert result.code == 19 and re.search(
        r"^PROBLEM +contacts .*; 1 with another key at the directory; 1 revoked$", result.out, re.M), result
    assert ANN not in result.out and BOB not in result.out and id_directory.url not in result.out


def test_doctor_doubts_a_check_in_the_future(owner):
    Clocked(owner, datetime.now(UTC) + timedelta(days=400)).ok("contact", "check")
    assert re.search(r"^WARNING +contacts .* at a time in the future: the clock was wrong", owner("doctor").out, re.M)
    owner.ok("contact", "check")
    assert re.search(r"^ok +contacts .* 0 days ago", owner("doctor").out, re.M)


def test_damaged_record(owner, id_directory):
    path = identityfiles.path(owner.keystore, ID, "contactstates")
    flip(path)
    assert "contactstates" in owner("doctor").out
    assert "states of the contacts are not shown" in owner.ok("contact", "list").err
    ends(owner, 65, "contact", "check", "--seen", ANN)
    owner.ok("contact", "check")
    assert len(record(owner)) == 9 + 49 * 4 and owner("doctor").code == 0


def test_an_archive_does_not_have_it(owner, other_keytool, given, tmp_path):
    secret = given("archive-passphrase", b"correct-horse-7\n")
    owner.ok("archive", "export", "-o", tmp_path / "archive", *secret)
    other_keytool.ok("archive", "import", tmp_path / "archive", *secret)
    assert record(other_keytool) is None
    assert "state" not in other_keytool.json("contact", "list")["contacts"][0]


def test_metrics(owner, id_directory, tmp_path):
    file = tmp_path / "collector.prom"
    revoke(id_directory, ANN)
    ends(owner, 10, "contact", "check", "--metrics-file", file, "--alias", "bot")
    values = dict(line.rsplit(" ", 1) for line in file.read_text().splitlines() if not line.startswith("#"))
    label = '{alias="bot"}'
    assert values[f"keytool_contact_check_last_exit_code{label}"] == "10"
    assert values[f"keytool_contact_check_revoked{label}"] == "1"
    assert values[f"keytool_contact_check_other_keys{label}"] == "0"
    assert values[f"keytool_contact_check_last_success_timestamp_seconds{label}"] == "0"
    assert ID not in file.read_text() and ANN not in file.read_text()
    owner.ok("contact", "check", "--seen", ANN)
    owner.ok("contact", "check", "--metrics-file", file, "--alias", "bot")
    assert f"keytool_contact_check_revoked{label} 0\n" in file.read_text()


def test_the_schedule_has_a_line(owner):
    (line,) = owner.ok("safe", "schedule").out.splitlines()
    assert " contact check --all -q --no-input --jitter 30m --tolerate 3d" in line
    (line,) = owner.ok("safe", "schedule", ID).out.splitlines()
    assert f" contact check --identity {ID} -q " in line
    text = owner.ok("safe", "schedule", "--systemd").out
    assert re.search(r"^ExecStart=.* contact check --all --quiet --no-input --tolerate 3d$", text, re.M)


def test_advice_for_a_damaged_record(owner, id_directory):
    """It keeps the identity."""
    revoke(id_directory, ANN)
    owner("contact", "check")
    path = identityfiles.path(owner.keystore, ID, "contactstates")
    flip(path)
    failed = owner.fails(65, "contact", "check", "--seen", ANN)
    (advised,) = re.findall(r"keytool (contact check --identity \S+) writes it again", failed.err)
    assert "id remove" not in failed.err
    owner(*advised.split())
    owner.ok("contact", "check", "--seen", ANN)
