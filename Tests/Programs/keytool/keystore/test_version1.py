"""A keystore of version 1, as the program made it before version 2 of the keystore, is named and left as it is."""

import re
import tarfile

import pytest

from kit import archives, masterkey
from kit.runner import REPOSITORY, snapshot
from kit.stages.place import ID

FOUND = "has version 1, which this keytool does not read"
WAY_OUT = r"^keytool: hint: commit [0-9a-f]{12} is the last that converts it: build it, and run its keytool id list$"


@pytest.fixture
def old(keytool):
    with tarfile.open(REPOSITORY / "Tests/Vectors/keystore-version1.tar.gz") as archive:
        archive.extractall(keytool.keystore.parent)
    # What a killed process of that program has left stays, too.
    (keytool.keystore / ".master.key.new").write_bytes(b"1")
    return keytool


def everything(keytool):
    return snapshot(keytool.keystore, without=())


@pytest.mark.parametrize("command", [
    ["id", "list"], ["id", "show", ID], ["id", "create", "--id", "NEWONE00"], ["id", "remove", ID, "--yes"],
    ["safe", "status", ID], ["safe", "push", ID], ["safe", "push", "--all"], ["profile", "show", ID],
    ["contact", "list", ID], ["key", "status"], ["key", "unprotect"], ["key", "import", "KEY"], ["telegram", "list"],
    ["archive", "export", "-o", "NEW", "--recipient", archives.RECIPIENT]], ids=" ".join)
def test_refused(old, tmp_path, command):
    (tmp_path / "key.dat").write_bytes(masterkey.file(old).read_bytes())
    before = everything(old)
    paths = {"KEY": tmp_path / "key.dat", "NEW": tmp_path / "new.age"}
    result = old.fails(65, *(paths.get(word, word) for word in command))
    assert f"the keystore {old.keystore} {FOUND}" in result.err, result
    assert re.search(WAY_OUT, result.err, re.M), result
    assert everything(old) == before and not paths["NEW"].exists()


def test_before_its_passphrase_is_asked_for(old):
    masterkey.rewrap(old)
    before = everything(old)
    assert FOUND in old.fails(65, "id", "list").err
    assert everything(old) == before


def test_doctor_reports_it(old):
    before = everything(old)
    result = old("doctor", "--json")
    found = {check["check"]: check for check in result.json["checks"]}
    assert (result.code, found["keystore"]["result"]) == (65, "problem"), result
    assert FOUND in found["keystore"]["detail"] and "identities" not in found
    assert everything(old) == before
