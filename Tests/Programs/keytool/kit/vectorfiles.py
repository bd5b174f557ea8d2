"""Reads Tests/Vectors, the known answers that the unit tests read, too."""

import importlib.util
import json

from kit.runner import REPOSITORY

ARGON2ID_CHARACTERS = 104


def _computing(name):
    """The module that computes the vectors of an area."""
    spec = importlib.util.spec_from_file_location(name, REPOSITORY / f"Tests/Vectors/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sophaxgroups = _computing("sophaxgroups")


def read_vectors(area):
    """The vectors of an area, in the order of its file: id, inputs and expected values in one dictionary.

    Where a password stands as text only, its bytes are added.
    """
    found = []
    for vector in json.loads((REPOSITORY / f"Tests/Vectors/{area}.json").read_text()):
        flat = {"id": vector["id"], **vector["inputs"], **vector["expected"]}
        if "password" in flat:
            flat.setdefault("password_utf8_hex", flat["password"].encode().hex())
        found.append(flat)
    return found


def read_codes(argon2id):
    """The vectors of one of the two kinds of backup code."""
    return [vector for vector in read_vectors("id_backup")
            if (len(vector["backup"].replace("-", "")) == ARGON2ID_CHARACTERS) == argon2id]
