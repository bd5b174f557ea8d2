"""How much of a large matrix a run tries: a part that is the same in every run, or all of it under `make test-all`."""

import os
import random

from kit import cases as test_cases

TRIES_ALL = os.environ.get("ALL_CASES") == "1"
SEED = 20_261_122


def sample(cases, one_in):
    """One in so many of the cases, in their order."""
    cases = list(cases)
    if TRIES_ALL:
        return cases
    chosen = random.Random(SEED).sample(range(len(cases)), -(-len(cases) // one_in))
    return [cases[number] for number in sorted(chosen)]


def some(items):
    """What a loop within one test tries: 8 items for each case of CASES, in their order; all of them without CASES. A kill
    at one call of a command differs little from one at the next."""
    limit = test_cases.limit()
    if limit is None or len(items) <= 8 * limit:
        return items
    return [items[number] for number in sorted(random.Random(SEED).sample(range(len(items)), 8 * limit))]


def share(cases, number, count):
    """What the test of this number, from 0, tries, where so many tests differ in little: each case is tried by one."""
    return cases if TRIES_ALL else cases[number::count]


def in_turn(cases, number):
    """What the repetition of this number, from 0, tries, where so many repetitions differ in little."""
    return cases if TRIES_ALL else [cases[number % len(cases)]]


def often(times, one_in):
    """How often something random is repeated; its seed is the same, so that a short run begins as a long one does."""
    return times if TRIES_ALL else times // one_in
