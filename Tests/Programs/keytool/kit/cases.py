"""How many cases of each test function a run tries: CASES=3 in the environment for at most three, or all of them.

They are chosen with a fixed seed, so that two runs try the same. Each function keeps at least one.
"""

import os
import random

SEED = 20_261_127


def limit(environment=os.environ):
    """The number of CASES; none if all are to run."""
    number = environment.get("CASES", "")
    if not number or environment.get("ALL_CASES") == "1":
        return None
    if not number.isdecimal() or int(number) < 1:
        raise ValueError(f"CASES is a number from 1, not {number!r}")
    return int(number)


def choose(items, at_most):
    """Splits pytest's items, in their order, into those that run and those that do not."""
    functions = {}
    for item in items:
        functions.setdefault(function(item), []).append(item)
    chosen = set()
    for name, cases in functions.items():
        if len(cases) > at_most:
            # Seeded by the name, so that a new test changes nothing of the others.
            cases = random.Random(f"{SEED} {name}").sample(cases, at_most)
        chosen.update(id(item) for item in cases)
    return [item for item in items if id(item) in chosen], [item for item in items if id(item) not in chosen]


def function(item):
    """What the cases of one function have in common, also on two machines."""
    path, _, rest = item.nodeid.partition("::")
    return f"{path}::{rest.split('[')[0]}"


def leave_out(config, items):
    """For `pytest_collection_modifyitems`, after the selection by -k and -m."""
    if at_most := limit():
        items[:], left_out = choose(items, at_most)
        config.hook.pytest_deselected(items=left_out)
