"""What an archive check compares, and what an export leaves out: when paper was made and checked is remembered, but an
archive without it is whole."""

import pytest

from kit import archives, identityfiles, masterkey
from kit.archives import IDENTITY, RECIPIENT
from kit.known import BACKUP_PASSWORD

ID = "ABCD1234"
TO = ("--recipient", RECIPIENT)
PAPER = ["shares", "kit"]


@pytest.fixture
def with_key(write):
    return ("--identity", write("agekey", IDENTITY + "\n"))


@pytest.fixture
def paper(keytool, backup_password, tmp_path, write):
    """An identity whose shares and kit are remembered: `share` is a file with the words of one."""
    keytool.ok("id", "create", "--id", ID)
    words = keytool.json("backup", "split", "--shares", "2/3", "--reveal-shares")["shares"][0]["words"]
    keytool.share = write("share", words)
    keytool.ok("backup", "kit", *backup_password, "-o", tmp_path / "kit.pdf")
    return keytool


def damage(keytool, record):
    path = identityfiles.path(keytool.keystore, ID, record)
    path.write_bytes(path.read_bytes()[:-1])


def found(keytool, archive, with_key):
    result = keytool("archive", "check", archive, *with_key)
    assert result.code == 19
    return result.out


def seal(keytool, record, content):
    """A record that opens, and is not one that keytool writes."""
    path = identityfiles.path(keytool.keystore, ID, record)
    path.write_bytes(identityfiles.sealed(content, masterkey.read(keytool), record, identityfiles.names(path), bytes(24)))


def test_dates_of_paper_are_no_difference(paper, with_key, backup_password, tmp_path):
    archive = tmp_path / "a.age"
    paper.ok("archive", "export", "-o", archive, *TO)
    for command in (["check", "--share", paper.share], ["split", "--shares", "2/2", "--reveal-shares"],
                    ["kit", *backup_password, "-o", tmp_path / "later.pdf"]):
        paper.ok("backup", *command)
        assert f"same threema/{ID}" in paper.ok("archive", "check", archive, *with_key).out


def test_paper_that_only_one_of_both_has(keytool, with_key, backup_password, tmp_path, other_keytool):
    keytool.ok("id", "create", "--id", ID)
    bare, full = tmp_path / "bare.age", tmp_path / "full.age"
    keytool.ok("archive", "export", "-o", bare, *TO)
    other_keytool.ok("archive", "import", bare, *with_key)
    keytool.ok("backup", "split", "--shares", "2/3", "--reveal-shares")
    keytool.ok("backup", "kit", *backup_password, "-o", tmp_path / "kit.pdf")
    keytool.ok("archive", "check", bare, *with_key)
    keytool.ok("archive", "export", "-o", full, *TO)
    other_keytool.ok("archive", "check", full, *with_key)
    # What an import finds it does not change, unless that is asked for.
    other_keytool.ok("archive", "import", full, *with_key)
    assert "shares" not in other_keytool("doctor").out
    other_keytool.ok("archive", "import", full, *with_key, "--replace", f"threema/{ID}")
    assert "shares" in other_keytool("doctor").out


def records(keytool):
    return [identityfiles.opened(identityfiles.path(keytool.keystore, ID, record), masterkey.read(keytool)) for record in PAPER]


def test_what_is_known_of_paper_stays_if_the_private_key_does(paper, with_key, backup_password, tmp_path, write):
    """Back to what was exported: that is no reason to forget the kit, later shares, and checks."""
    archive, first = tmp_path / "a.age", paper.share
    paper.ok("archive", "export", "-o", archive, *TO)
    later = write("later", paper.json("backup", "split", "--shares", "2/3", "--reveal-shares")["shares"][0]["words"])
    paper.ok("backup", "kit", *backup_password, "-o", tmp_path / "later.pdf")
    paper.ok("backup", "check", write("code", paper.json("backup", "export", *backup_password)["code"]), *backup_password)
    paper.ok("backup", "check", "--share", later)
    paper.ok("profile", "set", "--nickname", "Anna")
    known = records(paper)
    replaced = paper.json("archive", "import", archive, *with_key, "--replace", f"threema/{ID}")["results"][0]
    assert (replaced["result"], [one["record"] for one in replaced["differences"]]) == ("replaced", ["profile"])
    assert records(paper) == known
    for share in (first, later):
        paper.ok("backup", "check", "--share", share)
    assert paper.json("id", "remove", ID, "--yes")["code_proven"] is True


def test_paper_of_a_replaced_private_key_is_outdated(paper, with_key, tmp_path, other_keytool):
    """It is the last moment at which the former key is known, and the paper lies in somebody's safe."""
    archive, known = tmp_path / "a.age", records(paper)
    former = paper.json("id", "show", ID)["public_key"]
    other_keytool.ok("id", "create", "--id", ID)
    other_keytool.ok("archive", "export", "-o", archive, *TO)
    replaced = paper.ok("archive", "import", archive, *with_key, "--replace", f"threema/{ID}")
    assert f"another private key was replaced: the one of the public key {former}" in replaced.err
    assert records(paper) == known and "restore an earlier private key" in paper("doctor").out
    refused = paper("backup", "check", "--share", paper.share)
    assert refused.code == 19 and f"of an earlier private key of {ID}" in refused.err
    assert "was replaced" not in paper.ok("archive", "import", archive, *with_key, "--replace", f"threema/{ID}").err
    assert paper.json("id", "remove", ID, "--yes")["code_proven"] is False


def test_outdated_paper_of_an_archive_replaces_no_other(paper, with_key, backup_password, tmp_path, other_keytool, write):
    first, second = tmp_path / "a.age", tmp_path / "b.age"
    other_keytool.ok("id", "create", "--id", ID)
    other_keytool.ok("archive", "export", "-o", first, *TO)
    paper.ok("archive", "import", first, *with_key, "--replace", f"threema/{ID}")
    # The key is the present one, the paper that of the former one.
    paper.ok("archive", "export", "-o", second, *TO)
    words = paper.json("backup", "split", "--shares", "2/3", "--reveal-shares")["shares"][0]["words"]
    paper.ok("backup", "kit", *backup_password, "-o", tmp_path / "new.pdf")
    known = records(paper)
    unchanged = paper.json("archive", "import", second, *with_key, "--replace", f"threema/{ID}")["results"][0]
    assert unchanged["result"] == "unchanged" and records(paper) == known
    paper.ok("backup", "check", "--share", write("new", words), "--expect-id", ID)
    # And the other way round.
    third, known = tmp_path / "c.age", records(paper)
    paper.ok("archive", "export", "-o", third, *TO)
    other_keytool.ok("archive", "import", second, *with_key, "--replace", f"threema/{ID}")
    other_keytool.ok("archive", "import", third, *with_key, "--replace", f"threema/{ID}")
    assert records(other_keytool) == known


def test_the_archive_has_paper_of_the_key_that_it_brings(paper, with_key, tmp_path, other_keytool):
    archive, known = tmp_path / "a.age", records(paper)
    paper.ok("archive", "export", "-o", archive, *TO)
    other_keytool.ok("id", "create", "--id", ID)
    other_keytool.ok("backup", "split", "--shares", "2/2", "--reveal-shares")
    other_keytool.ok("archive", "import", archive, *with_key, "--replace", f"threema/{ID}")
    assert records(other_keytool) == known and "paper" not in other_keytool("doctor").out


@pytest.mark.parametrize("record", PAPER)
def test_damaged_paper_is_a_difference(paper, with_key, tmp_path, record):
    archive = tmp_path / "a.age"
    paper.ok("archive", "export", "-o", archive, *TO)
    seal(paper, record, b"\1" + bytes(200))
    checked = paper("archive", "check", archive, *with_key, "--json")
    assert checked.code == 19
    assert checked.json["results"][0]["differences"] == [{"record": record, "difference": "different"}]
    damage(paper, record)
    assert f"{record} (damaged in the keystore)" in found(paper, archive, with_key)


def test_what_the_keystore_lacks_is_imported(keytool, with_key, tmp_path):
    """A new archive would lack it, too."""
    archive = tmp_path / "a.age"
    for id in (ID, "ZZZZ9999"):
        keytool.ok("id", "create", "--id", id)
    keytool.ok("archive", "export", "-o", archive, *TO)
    keytool.ok("id", "remove", "ZZZZ9999", "--yes")
    keytool.ok("profile", "set", "--nickname", "Anna")
    refused = keytool("archive", "check", archive, *with_key)
    assert refused.code == 19 and f"keytool archive import {archive} adds what the keystore lacks" in refused.err
    assert "archive export" not in refused.err and "threema/" not in refused.err
    quiet = keytool("archive", "check", archive, *with_key, "-q")
    assert f"the archive and the keystore differ: threema/ZZZZ9999, threema/{ID}\n" in quiet.err and quiet.out == ""
    assert "adds what the keystore lacks" in keytool("archive", "check", archive, *with_key, "--json").error["hint"]
    keytool.ok("archive", "import", archive, *with_key, "--replace", f"threema/{ID}")
    keytool.ok("archive", "check", archive, *with_key)


def test_other_records_are_compared(paper, with_key, tmp_path):
    archive = tmp_path / "a.age"
    paper.ok("archive", "export", "-o", archive, *TO)
    paper.ok("profile", "set", "--nickname", "Anna")
    assert f"differs threema/{ID}: profile" in found(paper, archive, with_key)


@pytest.mark.parametrize("spoil", [damage, lambda keytool, record: seal(keytool, record, b"\1" + bytes(200))],
                         ids=["damaged", "malformed"])
@pytest.mark.parametrize("records", [["kit"], ["shares"], PAPER])
def test_an_export_without_damaged_paper(paper, with_key, other_keytool, tmp_path, records, spoil):
    for record in records:
        spoil(paper, record)
    archive = tmp_path / "a.age"
    refused = paper("archive", "export", "-o", archive, *TO)
    assert refused.code == 65 and f"--skip-damaged exports threema/{ID} without its " in refused.err and not archive.exists()
    made = paper("archive", "export", "-o", archive, *TO, "--skip-damaged", "--json")
    assert made.code == 65 and made.json["identities"][0]["left_out"] == sorted(records)
    assert set(archives.opened(archive)) >= {f"threema/{ID}/identity", f"threema/{ID}/profile.json"}
    other_keytool.ok("archive", "import", archive, *with_key)
    assert other_keytool.json("id", "show")["public_key"] == paper.json("id", "show")["public_key"]


def test_other_verbs_do_not_need_paper(paper, backup_password, directory, safe_password, tmp_path, write):
    for record in PAPER:
        damage(paper, record)
    code = paper.ok("backup", "export", *backup_password).out
    paper.ok("safe", "setup", "--create", "--server", directory.url, *safe_password)
    for command in (["id", "show"], ["id", "list"], ["safe", "push"], ["safe", "status"], ["safe", "check"],
                    ["profile", "set", "--nickname", "Anna"], ["safe", "pull", "--replace"],
                    ["backup", "check", write("code", code), *backup_password],
                    ["backup", "import", write("code", code), *backup_password],
                    ["backup", "check", "--share", paper.share]):
        paper.ok(*command)
    assert paper("doctor").code == 65
    # Both are written again.
    paper.ok("backup", "split", "--shares", "2/3", "--reveal-shares")
    paper.ok("backup", "kit", *backup_password, "-o", tmp_path / "new.pdf")
    paper.ok("archive", "export", "-o", tmp_path / "a.age", *TO)
    assert BACKUP_PASSWORD not in (tmp_path / "new.pdf").read_bytes()
