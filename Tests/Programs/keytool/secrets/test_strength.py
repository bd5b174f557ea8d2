"""Weak passwords, by the apps' own tests of theirs: refused where nobody can be asked.

A password that either app calls bad is weak here: common ones are told in any case of their
letters. Under eight characters is another matter, which --weak-ok does not help.
"""

import pytest

from kit import oracle
from kit.runner import snapshot
from kit.vectorfiles import read_vectors

SHORTEST = 8
SHORT, LONG = [], []
for one in read_vectors("safe_password"):
    (LONG if len(one["password"]) >= SHORTEST else SHORT).append(one)


def vectors(wanted):
    return pytest.mark.parametrize("vector", wanted, ids=lambda v: v["id"])


def is_weak(vector):
    return any(vector.get(rule) for rule in ("bad", "bad_android", "bad_ios"))


@pytest.fixture
def export(keytool, given):
    """export(password, *options, code=0): backup export where nobody can be asked."""
    keytool.ok("id", "create", "--id", "ABCD1234")

    def export(password, *options, code=0):
        command = ["backup", "export", "--no-input", *given("backup-password", password), *options]
        return keytool.ok(*command) if code == 0 else keytool.fails(code, *command)

    return export


def test_vectors_have_both_kinds():
    assert len(SHORT) == 2 and {is_weak(one) for one in LONG} == {True, False}


@vectors(LONG)
def test_weak_ones_are_refused_or_taken_with_a_warning(export, vector):
    password, weak = vector["password"], is_weak(vector)
    refused = export(password, code=64 if weak else 0)
    taken = export(password, "--weak-ok")
    for result in (refused, taken):
        assert ("weak" in result.err) == weak
        assert password not in result.out + result.err
    assert ("warning" in taken.err) == weak
    assert oracle.open_code(taken.out.strip(), password.encode()).id == "ABCD1234"


@vectors(SHORT)
def test_short_ones_do_not_pass_at_all(export, vector):
    export(vector["password"], code=64)
    export(vector["password"], "--weak-ok", code=64)


@pytest.mark.parametrize("password", ["ÄÄÄÄÄÄÄÄ", "🔑🔑🔑🔑🔑🔑🔑🔑", "        ", "aAaAaAaA"])
def test_one_character_over_and_over(export, password):
    export(password, code=64)


@pytest.mark.parametrize("password", ["1234567890123456", "12345678901234a", "äbäbäbäb"])
def test_passwords_that_are_not_weak(export, password):
    assert "weak" not in export(password).err


def test_safe_setup_has_the_same_rules(keytool, directory, given):
    keytool.ok("id", "create", "--id", "ABCD1234")
    before = snapshot(keytool.keystore)
    setup = ["safe", "setup", "--no-input", "--create", "--server", directory.url]
    weak = given("safe-password", "Password1")
    keytool.fails(64, *setup, *weak)
    assert snapshot(keytool.keystore) == before and list(directory.path.iterdir()) == []
    assert "weak" in keytool.ok(*setup, *weak, "--weak-ok").err
