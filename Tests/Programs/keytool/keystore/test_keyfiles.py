"""Checks the tests' own implementation of key files: published and generated vectors, both ways."""

import json

import pytest

from kit import keyfiles, oracle
from kit.runner import REPOSITORY


def vectors(area, *wanted):
    found = json.loads((REPOSITORY / f"Tests/Vectors/{area}.json").read_text())
    by_id = {vector["id"]: vector for vector in found}
    return pytest.mark.parametrize("vector", [by_id[id] for id in wanted], ids=lambda v: v["id"])


def unhex(vector, part, name):
    return bytes.fromhex(vector[part][name])


def passphrase(vector):
    text = vector["inputs"].get("passphrase")
    return text and text.encode()


@vectors("masterkey_v1", "mk-v1-unprotected", "mk-v1-passphrase", "mk-v1-gen-zero")
def test_first_layout(vector):
    file, key = unhex(vector, "inputs", "file_hex"), unhex(vector, "expected", "master_key")
    assert keyfiles.unwrap(file, passphrase(vector)) == key
    assert keyfiles.wrap_v1(key, passphrase(vector), salt=file[33:41]) == file


@vectors("masterkey_v2", "mk-v2-unprotected", "mk-v2-gen-test", "mk-v2-gen-zero")
def test_second_layout(vector):
    file, key = unhex(vector, "inputs", "file_hex"), unhex(vector, "expected", "master_key")
    assert keyfiles.unwrap(file, passphrase(vector)) == key
    drawn = {name: bytes.fromhex(vector["inputs"][name])
             for name in ("salt", "nonce") if name in vector["inputs"]}
    if drawn:
        assert keyfiles.cost(file) == (131_072, 8, drawn["salt"])
    assert keyfiles.wrap_v2(key, passphrase(vector), **drawn) == file


@vectors("masterkey_v2", "mk-v2-gen-neg-wrong", "mk-v2-gen-neg-version")
def test_second_layout_refused(vector):
    with pytest.raises(ValueError):
        keyfiles.unwrap(unhex(vector, "inputs", "file_hex"), passphrase(vector))


@vectors("desktop_keystorage", "dk-argon-supersafe-25-2e2e", "dk-argon-supersafe-50-2a2e",
         "dk-argon-verys3cur3-50-2e2e")
def test_derivation_of_the_desktop_app(vector):
    given = vector["inputs"]
    key = keyfiles.argon2id(given["password"].encode(), bytes.fromhex(given["salt"]),
                            given["memory_bytes"] // 1024, given["iterations"])
    assert key == unhex(vector, "expected", "key")


def test_desktop_both_ways():
    identity = oracle.Identity("ABCD1234", bytes(range(32)))
    found = keyfiles.open_desktop(keyfiles.seal_desktop(identity, b"supersafe"), b"supersafe")
    assert keyfiles.fields(found[1]) == {1: b"ABCD1234", 2: bytes(range(32)), 4: b"0f"}


def test_wrong_passphrases_do_not_open():
    key = bytes(range(32))
    for file in (keyfiles.wrap_v1(key, b"right"),
                 keyfiles.wrap_v2(key, b"right", **keyfiles.LEAST_COST)):
        assert keyfiles.unwrap(file, b"right") == key
        for other in (b"wrong", None):
            with pytest.raises(ValueError):
                keyfiles.unwrap(file, other)
