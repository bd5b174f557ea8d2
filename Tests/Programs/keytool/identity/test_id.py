"""id create, id list, id show."""

import re

import pytest

from kit import oracle
from kit.known import BACKUP_PASSWORD
from kit.runner import snapshot

HEX64 = re.compile(r"[0-9a-f]{64}")


def test_create_reports_what_it_made(keytool):
    made = keytool.json("id", "create")
    assert made["command"] == "id create"
    assert re.fullmatch("[0-9A-Z]{8}", made["id"])
    assert HEX64.fullmatch(made["public_key"])
    assert made["contact"] == f"3mid:{made['id']},{made['public_key']}"
    assert made["registered"] is False
    assert made["protection"] == "none"


def test_create_in_words(keytool):
    result = keytool.ok("id", "create", "--id", "ABCD1234")
    assert "ABCD1234" in result.out
    assert "directory" in result.err, "no directory knows an offline ID"
    assert "passphrase" in result.err, "the keystore is not protected"


def test_no_passphrase_silences_only_the_notice_on_protection(keytool):
    result = keytool.ok("id", "create", "--no-passphrase")
    assert "passphrase" not in result.err
    assert "directory" in result.err


def test_advice_for_a_missing_gateway_secret_can_be_followed(keytool, tmp_path):
    keytool.ok("id", "create", "--id", "*RICHTIG")
    failed = keytool.fails(10, "id", "show", "--reveal-gateway-secret")
    (advised,) = re.findall(r"keytool (backup export .*) writes the key", failed.err)
    words = {"ID": "*RICHTIG", "FILE": tmp_path / "key"}
    keytool.ok(*(words.get(word, word) for word in advised.split()))
    assert (tmp_path / "key").read_text().startswith("private:")


def test_ids_and_keys_are_drawn_anew(keytool):
    made = [keytool.json("id", "create") for _ in range(3)]
    assert len({one["id"] for one in made}) == 3
    assert len({one["public_key"] for one in made}) == 3


def test_public_key_belongs_to_the_stored_client_key(keytool, backup_password):
    made = keytool.json("id", "create")
    code = keytool.json("backup", "export", *backup_password)["code"]
    identity = oracle.open_code(code, BACKUP_PASSWORD)
    assert identity.id == made["id"]
    assert identity.public_key == made["public_key"]


@pytest.mark.parametrize("id", ["01234567", "YZ987654", "*RICHTIG", "ECHOECHO"])
def test_chosen_id(keytool, id):
    assert keytool.json("id", "create", "--id", id)["id"] == id
    assert keytool.json("id", "show", id)["id"] == id


INVALID = ["", "ZUWENIG", "NEUNSTELL", "A*CDEFGH", "@BCDEFGH", "**CDEFGH", "ABCD 123",
           "ÄBCDEFG", "ÄBCDËFGH", "٠١٢٣٤٥٦٧", "../../AA", "ABCDEFG\n"]


@pytest.mark.parametrize("id", INVALID)
def test_invalid_id_is_a_usage_error(keytool, id):
    before = snapshot(keytool.keystore)
    keytool.fails(64, "id", "create", "--id", id)
    keytool.fails(64, "id", "show", id)
    assert snapshot(keytool.keystore) == before


def test_existing_id_is_never_overwritten(keytool):
    keytool.ok("id", "create", "--id", "ABCD1234")
    before = snapshot(keytool.keystore)
    keytool.fails(17, "id", "create", "--id", "ABCD1234")
    assert snapshot(keytool.keystore) == before


def test_show_gives_the_key_in_eight_groups_of_eight(keytool):
    made = keytool.json("id", "create", "--id", "ABCD1234")
    out = keytool.ok("id", "show").out
    groups = re.findall(r"\b[0-9a-f]{8}\b", out.replace(made["contact"], ""))
    assert "".join(groups) == made["public_key"]
    assert made["contact"] in out
    assert "ABCD1234" in out


def test_show_in_json(keytool):
    made = keytool.json("id", "create", "--id", "ABCD1234")
    shown = keytool.json("id", "show", "ABCD1234")
    assert shown["command"] == "id show"
    for field in ("id", "public_key", "contact"):
        assert shown[field] == made[field]


def test_show_of_an_absent_identity(keytool):
    keytool.fails(10, "id", "show", "ABCD1234")
    keytool.ok("id", "create", "--id", "ABCD1234")
    keytool.fails(10, "id", "show", "ABCD9999")


def test_show_on_an_empty_keystore(keytool):
    keytool.fails(10, "id", "show")


def test_id_may_not_be_left_out_where_there_are_several(keytool):
    for id in ("ABCD1234", "ZZZZ9999"):
        keytool.ok("id", "create", "--id", id)
    result = keytool.fails(64, "id", "show")
    assert "ABCD1234" in result.err and "ZZZZ9999" in result.err
    assert keytool.json("id", "show", "ZZZZ9999")["id"] == "ZZZZ9999"


def test_list(keytool):
    made = [keytool.json("id", "create", "--id", id) for id in ("ZZZZ9999", "ABCD1234")]
    listed = keytool.json("id", "list")
    assert listed["command"] == "id list"
    expected = [{"id": one["id"], "public_key": one["public_key"], "safe": False} for one in made]
    found = [{key: one[key] for key in ("id", "public_key", "safe")}
             for one in listed["identities"]]
    assert sorted(found, key=lambda one: one["id"]) == sorted(expected, key=lambda one: one["id"])


def test_list_in_words_repeats_that_there_is_no_passphrase(keytool):
    for id in ("ZZZZ9999", "ABCD1234"):
        keytool.ok("id", "create", "--id", id, "--no-passphrase")
    result = keytool.ok("id", "list")
    assert "ABCD1234" in result.out and "ZZZZ9999" in result.out
    assert "not protected by a passphrase" in result.out + result.err


def test_list_knows_which_identity_has_a_safe(safe):
    safe.keytool.ok("id", "create", "--id", "ZZZZ9999")
    listed = safe.keytool.json("id", "list")["identities"]
    assert {one["id"]: one["safe"] for one in listed} == {"ABCD1234": True, "ZZZZ9999": False}


def test_list_survives_a_damaged_record(keytool):
    for id in ("ABCD1234", "MMMM5555", "ZZZZ9999"):
        keytool.ok("id", "create", "--id", id)
    (keytool.keystore / "identities/threema/MMMM5555/identity").write_bytes(b"damaged")
    result = keytool("id", "list")
    assert result.code == 65, result
    assert [line.split()[0] for line in result.out.splitlines()] == ["ABCD1234", "ZZZZ9999"]
    assert re.findall("^keytool: error: .*", result.err, re.M) == [
        'keytool: error: the record "identity" of MMMM5555 is damaged']
    listed = keytool("id", "list", "--json")
    assert listed.code == listed.error["code"] == 65
    good, bad, also_good = listed.json["identities"]
    assert (good["id"], also_good["id"]) == ("ABCD1234", "ZZZZ9999")
    assert bad == {"messenger": "threema", "id": "MMMM5555", "error": listed.error}
    # The first failure gives the code.
    (keytool.keystore / "identities/threema/ABCD1234/identity").chmod(0o644)
    assert keytool("id", "list").code == 77


def test_list_of_an_empty_keystore_creates_nothing(keytool):
    before = snapshot(keytool.keystore, without=())
    assert keytool.json("id", "list")["identities"] == []
    assert snapshot(keytool.keystore, without=()) == before


def test_list_of_an_absent_keystore_creates_nothing(keytool, tmp_path):
    absent = keytool.with_keystore(tmp_path / "absent")
    assert absent.json("id", "list")["identities"] == []
    assert not (tmp_path / "absent").exists()


def test_private_key_is_never_shown(keytool, backup_password):
    keytool.ok("id", "create", "--id", "ABCD1234")
    code = keytool.json("backup", "export", *backup_password)["code"]
    key = oracle.open_code(code, BACKUP_PASSWORD).client_key
    for command in (["id", "show"], ["id", "list"], ["id", "show", "--json"], ["id", "show", "-v"]):
        result = keytool.ok(*command)
        assert key.hex() not in result.out + result.err


@pytest.mark.parametrize("noun", ["id", "telegram", "textsecure", "sophaxchat"])
def test_a_list_says_if_there_is_no_keystore(keytool, tmp_path, noun):
    """The path may be mistyped. Nothing is an answer, so the code is 0."""
    absent = keytool.with_keystore(tmp_path / "mistyped")
    listed = absent.ok(noun, "list")
    assert (listed.out, listed.err) == ("", f"keytool: there is no keystore in {tmp_path / 'mistyped'}\n")
    assert absent.ok(noun, "list", "-q").err == "" and absent.ok(noun, "list", "--json").err == ""
    assert not (tmp_path / "mistyped").exists()
