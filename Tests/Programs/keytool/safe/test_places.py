"""Several Safe places of one identity: each is pushed, judged and ended by itself."""

import os
import re
import shutil
from datetime import datetime, timedelta, timezone

import pytest

from kit import identityfiles, oracle
from kit.known import SAFE_PASSWORD
from kit.processes.clock import Clocked
from kit.runner import snapshot
from kit.servers import faults as f
from kit.servers.faultserver import BASE, FaultServer
from kit.servers.phone import Phone
from kit.servers.safedirectory import SafeDirectory
from kit.stages.place import NEW_PASSWORD

ID = "ABCD1234"
KEYS = oracle.safe_keys(SAFE_PASSWORD, ID)
PLACE = f"{BASE}backups/{KEYS.backup_id}"


@pytest.fixture
def nas(tmp_path):
    path = tmp_path / "nas-directory"
    path.mkdir(mode=0o700)
    return SafeDirectory(path)


@pytest.fixture
def two(safe, nas):
    """The places `main` and `nas` in directories, with one Safe password; nothing pushed yet."""
    safe.keytool.ok("safe", "setup", "--name", "nas", "--same-password", "--create", "--server", nas.url)
    safe.nas = nas
    return safe


@pytest.fixture
def pushed(two):
    two.keytool.ok("safe", "push")
    return two


@pytest.fixture
def server(certificates):
    """A server over TLS."""
    server = FaultServer(certificates.good)
    yield server
    server.close()


@pytest.fixture
def remote(safe, server, certificates):
    """The places `main` in a directory and `nas` over TLS, both pushed."""
    safe.keytool.ok("safe", "setup", "--name", "nas", "--same-password", "--server", server.url,
                    "--ca-file", certificates.authority.path)
    safe.keytool.ok("safe", "push")
    safe.server = server
    server.forget()
    return safe


def edited(keytool, nickname):
    keytool.ok("profile", "set", "--nickname", nickname)


def nickname(blob, keys=KEYS):
    return oracle.open_safe(blob, keys)["user"].get("nickname")


def results(result):
    return {one["place"]: one for one in result.json["results"]}


def place_of(safe, name):
    return identityfiles.directory(safe.keytool.keystore, ID) / "places" / name


# Setting up


def test_setup(safe, nas, safe_password):
    done = safe.keytool.json("safe", "setup", "--name", "nas", "--create", "--server", nas.url, *safe_password)
    assert (done["id"], done["place"], done["tested"]) == (ID, "nas", True)
    assert safe.keytool.fails(17, "safe", "setup", "--name", "nas", "--create", "--server", nas.url,
                              *safe_password, "--json").error["reason"] == "setup_exists"
    assert safe.keytool.json("safe", "push", "--name", "nas")["place"] == "nas"
    assert nas.names() == [KEYS.backup_id] and safe.directory.names() == []


def test_the_same_password_asks_for_none(two):
    before = two.record("safe").read_bytes()
    two.keytool.ok("safe", "push")
    assert two.nas.names() == two.directory.names() == [KEYS.backup_id]
    assert nickname(two.nas.backup(KEYS).read_bytes()) == nickname(two.blob)
    assert two.nas.backup(KEYS).read_bytes() != two.blob
    assert two.record("safe").read_bytes() == before


def test_the_same_password_of_nothing(keytool, nas):
    keytool.ok("id", "create", "--id", ID)
    assert "no Safe is set up" in keytool.fails(
        64, "safe", "setup", "--same-password", "--create", "--server", nas.url).err
    assert list(nas.path.iterdir()) == []


def test_the_same_password_as_which(safe, nas, given, tmp_path):
    """That of main; without main the one that all have."""
    safe.keytool.ok("safe", "setup", "--name", "nas", "--create", "--server", nas.url,
                    *given("safe-password", NEW_PASSWORD))
    third, fourth = (SafeDirectory(tmp_path / name) for name in ("third", "fourth"))
    safe.keytool.ok("safe", "setup", "--name", "third", "--same-password", "--create", "--server", third.url)
    safe.keytool.ok("safe", "push")
    assert third.names() == [KEYS.backup_id]
    safe.keytool.ok("safe", "delete", "--name", "main", "--yes")
    result = safe.keytool.fails(64, "safe", "setup", "--same-password", "--create", "--server", fourth.url)
    assert "different passwords" in result.err and not fourth.path.exists()


@pytest.mark.parametrize("name", ["NAS", "", "a" * 33, "n/s", "..", "n.s"])
def test_malformed_names(safe, nas, name):
    safe.keytool.fails(64, "safe", "setup", "--name", name, "--same-password", "--create", "--server", nas.url)
    assert list(nas.path.iterdir()) == []


@pytest.mark.parametrize("option", [[], ["--no-test"], ["--read-only"]], ids=["tested", "untested", "read-only"])
def test_one_place_under_two_names(safe, tmp_path, option):
    safe.keytool.ok("safe", "push")
    before, records = snapshot(safe.directory.path), snapshot(safe.keytool.keystore, without=("lock",))
    link = tmp_path / "another-name"
    link.symlink_to(safe.directory.path)
    for address in (f"file://{link}", safe.directory.url):
        error = safe.keytool.fails(17, "safe", "setup", "--name", "nas", "--same-password", *option,
                                   "--server", address, "--json").error
        assert error["reason"] == "same_place" and '"main"' in error["message"]
    assert snapshot(safe.directory.path) == before
    assert snapshot(safe.keytool.keystore, without=("lock",)) == records


def test_one_directory_and_two_passwords(safe, given):
    """Two files, so two places."""
    safe.keytool.ok("safe", "setup", "--name", "second", "--server", safe.directory.url,
                    *given("safe-password", NEW_PASSWORD))
    safe.keytool.ok("safe", "push")
    assert len(safe.directory.names()) == 2
    safe.keytool.ok("safe", "delete", "--name", "second", "--yes")
    assert safe.directory.names() == [KEYS.backup_id]
    result = safe.keytool.fails(17, "safe", "setup", "--name", "third", "--same-password",
                                "--server", safe.directory.url)
    assert '"main"' in result.err


def test_no_proof_while_the_other_is_away(safe, nas):
    safe.directory.go_away()
    for option in ([], ["--no-test"]):
        result = safe.keytool.fails(75, "safe", "setup", "--name", "nas", "--same-password", *option,
                                    "--server", nas.prepare().url)
        assert str(safe.directory.path) in result.err
        assert nas.names() == []
    safe.directory.come_back()
    assert safe.keytool.json("safe", "push").get("place") == "main"


def test_nothing_is_written_to_a_place_for_reading_only(keytool, directory, nas, safe_password):
    phone = Phone(keytool, directory)
    phone.writes("phone")
    phone.guarded_by(*safe_password)
    directory.backups.chmod(0o500)
    before = snapshot(directory.path)
    keytool.ok("safe", "setup", "--name", "nas", "--same-password", "--create", "--server", nas.url)
    done = keytool.json("safe", "push")
    assert [one["place"] for one in done["results"]] == ["nas"]
    done = keytool.json("safe", "mirror")
    assert [(one["place"], one["result"]) for one in done["results"]] == [("main", "mirrored")]
    assert snapshot(directory.path) == before and nas.names() == [KEYS.backup_id]


def test_at_most_eight(safe, tmp_path):
    for number in range(7):
        safe.keytool.ok("safe", "setup", "--name", f"place-{number}", "--same-password", "--create",
                        "--server", f"file://{tmp_path}/place-{number}")
    safe.keytool.fails(64, "safe", "setup", "--name", "ninth", "--same-password", "--create",
                       "--server", f"file://{tmp_path}/ninth")
    assert len(safe.keytool.json("safe", "push")["results"]) == 8


# All of them, or one


def test_one_line_for_each(two):
    lines = two.keytool.ok("safe", "push").out.splitlines()
    assert [line.split(": ")[0] for line in lines] == [f"{ID} main", f"{ID} nas"]
    assert all(": uploaded " in line for line in lines)
    for verb in ("status", "check"):
        lines = two.keytool.ok("safe", verb).out.splitlines()
        assert [line.split(": ")[0] for line in lines] == [f"{ID} main", f"{ID} nas"]
        shown = two.keytool.json("safe", verb)
        assert [(one["id"], one["place"]) for one in shown["results"]] == [(ID, "main"), (ID, "nas")]
    assert two.keytool.json("safe", "status", "--name", "nas")["place"] == "nas"
    assert two.keytool.ok("safe", "status", "--name", "nas").out.startswith(f"safe        {ID} on {two.nas.url}")
    assert two.keytool.ok("safe", "push", "-q").out == ""


def test_all_covers_every_identity_and_place(two, tmp_path, safe_password):
    two.keytool.ok("id", "create", "--id", "ZZZZ9999")
    two.keytool.ok("safe", "setup", "ZZZZ9999", "--create", "--server", f"file://{tmp_path}/z", *safe_password)
    lines = two.keytool.ok("safe", "push", "--all").out.splitlines()
    assert [line.split(": ")[0] for line in lines] == [f"{ID} main", f"{ID} nas", "ZZZZ9999"]
    two.keytool.fails(64, "safe", "push", "--all", "--name", "nas")


def test_what_all_says_names_the_identity(two, given, tmp_path, safe_password):
    """Also of an identity with one place: under -q, a warning is all that a mail shows."""
    two.keytool.ok("id", "create", "--id", "ZZZZ9999")
    two.keytool.ok("safe", "setup", "ZZZZ9999", "--create", "--server", f"file://{tmp_path}/z", *safe_password)
    two.keytool.ok("safe", "push", "--all")
    [backup] = (tmp_path / "z/backups").iterdir()
    backup.unlink()
    two.keytool.fails(10, "safe", "check", "ZZZZ9999")
    said = two.keytool.ok("safe", "push", "--all", "-q")
    assert "warning: ZZZZ9999: the backup was missing on the server" in said.err and said.out == ""


def test_hints_of_all_name_the_identity(remote):
    """Also if the others have no Safe."""
    for others, words in ([], ""), (["ZZZZ9999"], f" {ID}"):
        for id in others:
            remote.keytool.ok("id", "create", "--id", id)
        remote.server.fault("GET", f.status(401))
        said = remote.keytool("safe", "push", "--all", "--force")
        assert f"keytool safe server --name nas{words} --server-user NAME" in said.err, said


def test_one_place_stays_flat(safe):
    done = safe.keytool.json("safe", "push")
    assert (done["id"], done["place"], done["result"]) == (ID, "main", "uploaded")
    assert safe.keytool.ok("safe", "push", "--force").out.startswith("uploaded ")
    assert safe.keytool.json("safe", "status")["place"] == safe.keytool.json("safe", "check")["place"] == "main"


def test_an_unknown_name(two):
    for verb in ("push", "status", "check", "mirror", "server", "history", "pull"):
        error = two.keytool.fails(10, "safe", verb, "--name", "bank", "--json").error
        assert error["reason"] == "no_place" and error["hint"] == "it has: main nas"
    two.keytool.fails(10, "profile", "diff", "--name", "bank")


def test_verbs_of_one_place(two, given, tmp_path):
    for command in (["pull"], ["server"], ["history"], ["delete", "--yes"],
                    ["move", "--server", f"file://{tmp_path}/new", "--create"],
                    ["passwd", *given("new-safe-password", NEW_PASSWORD)]):
        error = two.keytool.fails(64, "safe", *command, "--json").error
        assert "2 Safe places" in error["message"] and error["hint"] == "main nas", command
    two.keytool.fails(64, "profile", "diff")
    two.keytool.fails(64, "safe", "push", "--overwrite")
    two.keytool.fails(64, "safe", "check", "--with-password", *given("safe-password", SAFE_PASSWORD))
    two.keytool.ok("safe", "push")
    two.keytool.ok("safe", "check", "--name", "nas", "--with-password", *given("safe-password", SAFE_PASSWORD))
    shown = results(two.keytool("safe", "status", "--json"))
    assert "password_proven_at" in shown["nas"] and "password_proven_at" not in shown["main"]
    two.keytool.ok("profile", "diff", "--name", "nas")


# One of them is not as it should be


def test_one_is_away(pushed):
    edited(pushed.keytool, "news")
    pushed.directory.go_away()
    result = pushed.keytool("safe", "push", "--force")
    assert result.code == 75 and f"error: {ID} main: " in result.err and str(pushed.directory.path) in result.err
    assert result.out.startswith(f"{ID} nas: uploaded ") and nickname(pushed.nas.backup(KEYS).read_bytes()) == "news"
    result = pushed.keytool("safe", "push", "--force", "--json")
    assert result.code == 75
    found = results(result)
    assert found["nas"]["result"] == "uploaded" and found["main"]["error"]["code"] == 75
    pushed.directory.come_back()
    assert results(pushed.keytool("safe", "push", "--json"))["main"]["result"] == "uploaded"
    assert nickname(pushed.blob) == "news"


@pytest.mark.parametrize("status", [413, 507])
def test_one_is_full(remote, status):
    edited(remote.keytool, "news")
    remote.server.fault("PUT", f.status(status))
    result = remote.keytool("safe", "push", "--force")
    assert result.code == 14 and f"error: {ID} nas: " in result.err
    assert result.out.startswith(f"{ID} main: uploaded ") and nickname(remote.blob) == "news"


def test_one_is_foreign(pushed):
    document = {**pushed.document, "contacts": [{"identity": "ECHOECHO", "verification": 2}]}
    document.pop("keytool", None)
    foreign = oracle.seal_safe(document, KEYS)
    pushed.nas.put(KEYS, foreign)
    result = pushed.keytool("safe", "push", "--force")
    assert result.code == 20 and f"error: {ID} nas: " in result.err
    assert f"keytool safe push --name nas --overwrite {ID}" in result.err
    assert result.out.startswith(f"{ID} main: uploaded ")
    assert pushed.nas.backup(KEYS).read_bytes() == foreign
    assert pushed.keytool("safe", "check").code == 20
    assert pushed.keytool("safe", "check", "--name", "main").code == 0
    pushed.keytool.ok("safe", "push", "--name", "nas", "--overwrite")
    pushed.keytool.ok("safe", "check")


def test_what_one_place_has_is_foreign_at_another(pushed):
    """Known is judged for each place."""
    pushed.nas.put(KEYS, pushed.blob)
    result = pushed.keytool("safe", "push", "--force")
    assert result.code == 20 and f"error: {ID} nas: " in result.err


def test_one_lies(remote):
    edited(remote.keytool, "news")
    remote.server.fault("PUT", f.lie())
    result = remote.keytool("safe", "push", "--force")
    assert result.code == 19 and f"error: {ID} nas: " in result.err
    assert nickname(remote.blob) == "news"


def test_one_is_silent(remote):
    edited(remote.keytool, "news")
    remote.server.fault("GET", f.stall)
    result = remote.keytool("safe", "push", "--force", "--timeout", "1s", "--retry-max-time", "1s")
    assert result.code == 75 and nickname(remote.blob) == "news"


def test_the_worst_decides(pushed, tmp_path):
    """A failure that may pass comes after one that does not."""
    pushed.directory.go_away()
    document = {**oracle.open_safe(pushed.nas.backup(KEYS).read_bytes(), KEYS), "contacts": []}
    document.pop("keytool", None)
    pushed.nas.put(KEYS, oracle.seal_safe(document, KEYS))
    result = pushed.keytool("safe", "push", "--force")
    assert result.code == 20
    assert re.findall(f"error: {ID} (.*?):", result.err) == ["main", "nas"]


def test_status_of_all(pushed, tmp_path, safe_password):
    """One line and one member for each, with and without the server's word; the worst decides."""
    keytool = pushed.keytool
    keytool.ok("id", "create", "--id", "ZZZZ9999")
    keytool.fails(64, "safe", "status", "--all", "ZZZZ9999")
    keytool.fails(64, "safe", "status", "--all", "--name", "nas")
    keytool.ok("safe", "setup", "ZZZZ9999", "--create", "--server", f"file://{tmp_path}/z", *safe_password)
    labels = [f"{ID} main", f"{ID} nas", "ZZZZ9999"]
    # What was never pushed is overdue, and on its server there is nothing.
    result = keytool("safe", "status", "--all", "--max-age", "8d")
    assert result.code == 18 and [line.split(": ")[0] for line in result.out.splitlines()] == labels
    result = keytool("safe", "status", "--all", "--remote")
    assert result.code == 10 and [line.split(": ")[0] for line in result.out.splitlines()] == labels
    keytool.ok("safe", "push", "--all")
    assert len(keytool.ok("safe", "status", "--all", "--remote", "--max-age", "8d").out.splitlines()) == 3
    found = keytool.json("safe", "status", "--all", "--remote")["results"]
    assert [(one["id"], one["place"], one["remote"]["known"]) for one in found] == [
        (ID, "main", True), (ID, "nas", True), ("ZZZZ9999", "main", True)]
    # One is away, one is damaged: the damage is worse, and the third is told all the same.
    pushed.directory.go_away()
    pushed.nas.put(KEYS, b"damaged")
    result = keytool("safe", "status", "--all", "--remote", "--json")
    assert result.code == 65, result
    errors = {(one["id"], one["place"]): one.get("error", {}).get("code") for one in result.json["results"]}
    assert errors == {(ID, "main"): 75, (ID, "nas"): 65, ("ZZZZ9999", "main"): None}
    # The finding makes the place overdue without the server, too.
    assert keytool("safe", "status", "--all", "--max-age", "8d").code == 18


def test_status_of_all_without_a_safe(keytool):
    keytool.ok("id", "create", "--id", ID)
    assert keytool.fails(10, "safe", "status", "--all", "--json").error["reason"] == "no_setup"


def test_tolerated_for_each_place(pushed, write, tmp_path):
    metrics = tmp_path / "metrics"
    pushed.directory.go_away()
    result = pushed.keytool("safe", "push", "--force", "--tolerate", "1d", "--metrics-file", metrics)
    assert result.code == 0 and "error" not in result.err
    assert "keytool_safe_last_exit_code 75" in metrics.read_text()
    assert place_of(pushed, "nas").joinpath("success").stat().st_size == 0
    # The last success of main is long ago; nas has succeeded meanwhile.
    os.utime(place_of(pushed, "main") / "success", (0, 0))
    later = Clocked(pushed.keytool, datetime.now(timezone.utc) + timedelta(days=2))
    result = later("safe", "push", "--tolerate", "1d")
    assert result.code == 75 and f"error: {ID} main: " in result.err


def test_metrics_of_a_place_that_fails(pushed, tmp_path):
    """It is the one that is worst off, although nothing is entered for it but what was known."""
    metrics = tmp_path / "metrics"

    def expiry():
        return int(re.search(r"^keytool_safe_backup_expires_timestamp_seconds (\d+)$", metrics.read_text(), re.M)[1])

    pushed.keytool.ok("safe", "push", "--metrics-file", metrics)
    before = expiry()
    pushed.directory.go_away()
    later = Clocked(pushed.keytool, datetime.now(timezone.utc) + timedelta(days=91))
    later.ok("safe", "push", "--all", "--tolerate", "200d", "--metrics-file", metrics)
    assert expiry() == before


def test_metrics_of_a_place_with_nothing_to_do(safe, nas, tmp_path, safe_password):
    """It may be the one that is worst off; and a run with nothing to do knows the size, too."""
    metrics = tmp_path / "metrics"

    def gauge(name):
        return int(re.search(rf"^keytool_safe_backup_{name} (\d+)$", metrics.read_text(), re.M)[1])

    for n in range(9, 30):
        safe.keytool.ok("contact", "add", f"LARGE{n:03}", (bytes([n]) * 32).hex())
    large = safe.push()["backup"]["bytes"]
    safe.keytool.ok("id", "create", "--id", "ZZZZ9999")
    safe.keytool.ok("safe", "setup", "ZZZZ9999", "--create", "--server", nas.url, *safe_password)
    safe.keytool.ok("safe", "push", "--all", "--metrics-file", metrics)
    assert gauge("bytes") == large
    expires = gauge("expires_timestamp_seconds")
    metrics.unlink()
    safe.keytool.ok("safe", "push", "--all", "--metrics-file", metrics)
    assert (gauge("bytes"), gauge("expires_timestamp_seconds")) == (large, expires)


def test_the_time_of_an_earlier_version(safe):
    """It is that of the identity's lock, until the place has one of its own."""
    safe.push()
    success = place_of(safe, "main") / "success"
    lock = identityfiles.directory(safe.keytool.keystore, ID) / "lock"
    success.unlink()
    later = datetime.now(timezone.utc) + timedelta(days=5)
    os.utime(lock, (later.timestamp(), later.timestamp()))
    safe.directory.go_away()
    keytool = Clocked(safe.keytool, later + timedelta(hours=12))
    keytool.ok("safe", "push", "--force", "--tolerate", "1d")
    os.utime(success.parent, None)
    success.touch(mode=0o600)
    os.utime(success, (0, 0))
    assert keytool("safe", "push", "--force", "--tolerate", "1d").code == 75


# What one place does to another


def test_delete_one(pushed, nas):
    main = pushed.blob
    done = pushed.keytool.json("safe", "delete", "--name", "nas", "--yes")
    assert done["place"] == "nas" and done["was_there"] is True
    assert nas.names() == [] and pushed.blob == main
    assert pushed.push()["result"] == "unchanged"
    assert [one["origin"] for one in pushed.keytool.json("safe", "history", "--name", "nas")["backups"]] == ["replaced"]
    # What is left of nas is no second place for a command that names none.
    assert pushed.keytool.json("safe", "history")["backups"] == []
    error = pushed.keytool.fails(10, "safe", "pull", "--from", "1", "--show").err
    assert "2 Safe places" not in error
    pushed.keytool.ok("safe", "pull", "--from", "1", "--name", "nas", "--show")
    # The state of main, which the deletion has marked, was read again.
    status = pushed.keytool.json("safe", "status", "--max-age", "1d")
    assert "finding" not in status and status["place"] == "main"


def test_delete_main(pushed):
    blob = pushed.nas.backup(KEYS).read_bytes()
    pushed.keytool.ok("safe", "delete", "--name", "main", "--yes")
    assert pushed.nas.backup(KEYS).read_bytes() == blob and pushed.directory.names() == []
    done = pushed.push()
    assert (done["place"], done["result"]) == ("nas", "unchanged")
    pushed.keytool.ok("safe", "setup", "--same-password", "--server", pushed.directory.url)
    assert {place: one["result"] for place, one in results(pushed.keytool("safe", "push", "--json")).items()} == {
        "main": "uploaded", "nas": "unchanged"}


def test_the_code_stays_proven(pushed, backup_password, write):
    code = write("its-code", pushed.keytool.ok("backup", "export", *backup_password).out)
    pushed.keytool.ok("backup", "check", code, *backup_password)
    proven = {one["code_proven_at"] for one in pushed.keytool.json("safe", "status")["results"]}
    assert len(proven) == 1
    pushed.keytool.ok("safe", "delete", "--name", "main", "--yes")
    assert pushed.keytool.json("safe", "status")["code_proven_at"] in proven


def test_places_that_have_become_one(pushed):
    """The address of one leads to the other by now. What is deleted there is uploaded again."""
    shutil.rmtree(pushed.nas.path)
    pushed.nas.path.symlink_to(pushed.directory.path)
    pushed.keytool("safe", "push", "--name", "nas", "--overwrite", "--force")
    result = pushed.keytool("safe", "delete", "--name", "nas", "--yes", "--json")
    assert result.code == 19 and result.error["reason"] == "others_lost", result
    assert pushed.directory.names() == [KEYS.backup_id]
    pushed.keytool.ok("safe", "check")


def test_passwd_and_move_one(pushed, given, tmp_path):
    main = pushed.blob
    pushed.keytool.ok("safe", "passwd", "--name", "nas", *given("new-safe-password", NEW_PASSWORD))
    new_keys = oracle.safe_keys(NEW_PASSWORD, ID)
    assert pushed.nas.names() == [new_keys.backup_id] and pushed.blob == main
    moved = SafeDirectory(tmp_path / "moved")
    pushed.keytool.ok("safe", "move", "--name", "nas", "--create", "--server", moved.url)
    assert moved.names() == [new_keys.backup_id] and pushed.nas.names() == [] and pushed.blob == main
    assert [one["result"] for one in pushed.keytool.json("safe", "push")["results"]] == ["unchanged"] * 2


def test_move_onto_another_place(pushed, tmp_path):
    link = tmp_path / "another-name"
    link.symlink_to(pushed.directory.path)
    blobs = pushed.blob, pushed.nas.backup(KEYS).read_bytes()
    for address in (f"file://{link}", pushed.directory.url):
        error = pushed.keytool.fails(17, "safe", "move", "--name", "nas", "--server", address, "--json").error
        assert error["reason"] == "same_place"
    assert (pushed.blob, pushed.nas.backup(KEYS).read_bytes()) == blobs
    assert pushed.keytool.json("safe", "status", "--name", "nas")["changing"] is False


def test_passwd_onto_another_place(safe, given):
    """Another password makes another file, and may make that of another place."""
    safe.keytool.ok("safe", "setup", "--name", "second", "--server", safe.directory.url,
                    *given("safe-password", NEW_PASSWORD))
    safe.keytool.ok("safe", "push")
    before = snapshot(safe.directory.path)
    result = safe.keytool.fails(17, "safe", "passwd", "--name", "main", *given("new-safe-password", NEW_PASSWORD))
    assert '"second"' in result.err and snapshot(safe.directory.path) == before


def test_a_move_that_is_interrupted(pushed, tmp_path):
    """It goes on in the next push, which leaves the other place alone."""
    main = pushed.blob
    moved = SafeDirectory(tmp_path / "moved")
    pushed.nas.backups.chmod(0o500)
    assert pushed.keytool("safe", "move", "--name", "nas", "--create", "--server", moved.url).code != 70
    pushed.nas.backups.chmod(0o700)
    pushed.keytool.ok("safe", "push")
    assert moved.names() == [KEYS.backup_id] and pushed.nas.names() == [] and pushed.blob == main


# Other commands


def test_pull_from_one(pushed):
    edited(pushed.keytool, "news")
    pushed.keytool.ok("safe", "push", "--name", "nas", "--force")
    result = pushed.keytool.fails(17, "safe", "pull", "--name", "main", "--json")
    assert result.error["reason"] == "unpushed_changes"
    pushed.keytool.ok("safe", "pull", "--name", "nas")
    assert pushed.keytool.json("profile", "show")["nickname"] == "news"
    pushed.keytool.ok("safe", "pull", "--name", "main", "--replace")
    assert pushed.keytool.json("profile", "show").get("nickname") != "news"


def test_unpushed_changes(pushed, tmp_path):
    edited(pushed.keytool, "news")
    document = tmp_path / "document"
    pushed.keytool.ok("profile", "export", "-o", document)
    edited(pushed.keytool, "more news")
    pushed.keytool.ok("safe", "push", "--name", "nas", "--force")
    assert pushed.keytool.fails(17, "profile", "import", document, "--json").error["reason"] == "unpushed_changes"
    pushed.keytool.ok("safe", "push", "--name", "main", "--force")
    pushed.keytool.ok("profile", "import", document)


def test_other_commands_know_them(pushed):
    listed = pushed.keytool.json("id", "list")["identities"][0]
    assert (listed["safe"], listed["places"]) == (True, ["main", "nas"])
    assert pushed.keytool.ok("id", "list").out.endswith("safe main nas\n")
    assert "main nas" in pushed.keytool.ok("id", "show").out
    checks = {one["check"] for one in pushed.keytool.json("doctor")["checks"]}
    assert {"safe 1", "safe 2"} <= checks and "safe 3" not in checks
    result = pushed.keytool.ok("id", "remove", "--yes")
    assert pushed.directory.url in result.err and pushed.nas.url in result.err


def test_changes_that_one_place_lacks(pushed, safe_password):
    """Whichever way a backup comes back, it does not silently undo what not every place has got."""
    edited(pushed.keytool, "One")
    pushed.keytool.ok("safe", "push", "--force", "--name", "nas")
    for pull in (["--name", "main"], ["--id", ID, "--server", pushed.directory.url, *safe_password]):
        assert pushed.keytool.fails(17, "safe", "pull", *pull, "--json").error["reason"] == "unpushed_changes"
    pushed.keytool.ok("safe", "push", "--force")
    for pull in (["--name", "main"], ["--id", ID, "--server", pushed.directory.url, *safe_password]):
        pushed.keytool.ok("safe", "pull", *pull)


def test_a_pull_does_not_undo_what_another_place_lacks(pushed):
    """`main` is away while the profile changes, and then a phone writes to `nas`."""
    pushed.directory.go_away()
    edited(pushed.keytool, "local")
    pushed.keytool.fails(75, "safe", "push", "--force", "--name", "main")
    pushed.keytool.ok("safe", "push", "--force", "--name", "nas")
    document = {**oracle.open_safe(pushed.nas.backup(KEYS).read_bytes(), KEYS)}
    document.pop("keytool", None)
    document["user"]["nickname"] = "phone"
    pushed.nas.put(KEYS, oracle.seal_safe(document, KEYS))
    failed = pushed.keytool.fails(17, "safe", "pull", "--name", "nas", "--json")
    assert failed.error["reason"] == "unpushed_changes"
    pushed.keytool.ok("safe", "pull", "--name", "nas", "--replace")


def test_a_second_pull_while_another_place_waits(pushed):
    """`nas` gets what was pulled from `main` in 23 hours; nothing of it was made here."""
    document = {**pushed.document}
    document.pop("keytool", None)
    for words in ("phone", "phone again"):
        document["user"]["nickname"] = words
        pushed.directory.put(KEYS, oracle.seal_safe(document, KEYS))
        pushed.keytool.ok("safe", "pull", "--name", "main")
        assert pushed.keytool.json("safe", "push", "--name", "nas")["result"] == "deferred"
        assert pushed.keytool.json("profile", "show")["nickname"] == words


def test_a_pull_from_elsewhere_says_that_the_setup_stays(pushed, tmp_path, safe_password):
    shutil.copytree(pushed.nas.path, tmp_path / "elsewhere")
    result = pushed.keytool.ok("safe", "pull", "--id", ID, "--server", f"file://{tmp_path}/elsewhere", *safe_password)
    assert f"is still set up on {pushed.directory.url}" in result.err


def test_warnings_name_the_place(pushed):
    pushed.nas.backup(KEYS).unlink()
    pushed.keytool("safe", "status", "--remote")
    result = pushed.keytool.ok("safe", "push", "-q")
    assert f"warning: {ID} nas: the backup was missing on the server; it was uploaded again" in result.err


def test_another_key_counts_for_all(pushed, write, backup_password, other_keytool):
    """With another private key no place is up to date any more."""
    other_keytool.ok("id", "create", "--id", ID)
    code = write("other-code", other_keytool.ok("backup", "export", *backup_password).out)
    pushed.keytool.ok("backup", "import", code, "--replace", *backup_password)
    result = pushed.keytool("safe", "push", "--json")
    assert result.code == 20
    assert {place: one["error"]["code"] for place, one in results(result).items()} == {"main": 20, "nas": 20}
