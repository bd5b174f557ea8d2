"""The choice of cases under CASES=n: a part of the cases of each test, the same in every run."""

import os
import subprocess
import sys
from collections import Counter
from types import SimpleNamespace

import pytest

from kit import cases, sampling
from kit.runner import REPOSITORY


def items(*names):
    return [SimpleNamespace(nodeid=f"test_x.py::{name}") for name in names]


def names(chosen):
    return [item.nodeid.removeprefix("test_x.py::") for item in chosen]


MANY = items("test_a", *(f"test_b[{number}-::c]" for number in range(20)), "Class::test_b[1]", "Class::test_b[2]")


@pytest.mark.parametrize("at_most", [1, 2, 7, 20])
def test_each_function_keeps_at_least_one(at_most):
    chosen, left_out = cases.choose(MANY, at_most)
    counts = Counter(name.split("[")[0] for name in names(chosen))
    assert counts == {"test_a": 1, "test_b": at_most, "Class::test_b": min(2, at_most)}
    assert sorted(names(chosen) + names(left_out)) == sorted(names(MANY))
    assert names(chosen) == [name for name in names(MANY) if name in names(chosen)]


def test_two_runs_choose_the_same():
    assert names(cases.choose(MANY, 3)[0]) == names(cases.choose(MANY, 3)[0])
    # Another function changes nothing of it.
    assert names(cases.choose(MANY[1:], 3)[0]) == names(cases.choose(MANY, 3)[0])[1:]


def test_not_always_the_first_ones():
    assert names(cases.choose(MANY, 5)[0])[1:6] != names(MANY)[1:6]


@pytest.mark.parametrize("environment, number", [
    ({}, None), ({"CASES": ""}, None), ({"CASES": "3"}, 3), ({"CASES": "3", "ALL_CASES": "1"}, None)])
def test_limit(environment, number):
    assert cases.limit(environment) == number


@pytest.mark.parametrize("word", ["0", "-1", "all", "1.5"])
def test_another_word_is_no_number(word):
    with pytest.raises(ValueError):
        cases.limit({"CASES": word})


@pytest.mark.parametrize("number, count", [("1", 8), ("3", 24), ("", 100), ("200", 100)])
def test_loops_within_a_test(monkeypatch, number, count):
    monkeypatch.setenv("CASES", number)
    monkeypatch.delenv("ALL_CASES", raising=False)
    found = sampling.some(range(100))
    assert len(found) == count and list(found) == sorted(set(found)) == list(sampling.some(range(100)))


@pytest.mark.parametrize("file", ["keytool/secrets/test_strength.py", "keytool-server/test_options.py"])
def test_the_suites_obey(file):
    def collected(**more):
        environment = {name: value for name, value in os.environ.items() if name not in ("CASES", "ALL_CASES")} | more
        result = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", f"Tests/Programs/{file}"],
            cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=120)
        return Counter(line.split("[")[0] for line in result.stdout.splitlines() if "::" in line)

    everything, some = collected(), collected(CASES="2")
    assert some == {name: min(2, count) for name, count in everything.items()}
    assert max(everything.values()) > 2
    assert collected(CASES="2", ALL_CASES="1") == everything
