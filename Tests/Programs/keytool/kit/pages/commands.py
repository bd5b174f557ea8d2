"""The commands of keytool by its own help: nouns, verbs, and the options of each."""

import json
import subprocess
from functools import cache

from kit.runner import BINARY, LABORATORY


@cache
def leaves(program=BINARY):
    """{(noun, verb): names of its long options}; a command without verbs stands alone."""
    dump = subprocess.run([program, "--experimental-dump-help"], capture_output=True, check=True)
    found = {}

    def visit(command, path):
        verbs = command.get("subcommands", [])
        for verb in verbs:
            if verb["commandName"] != "help":
                visit(verb, (*path, verb["commandName"]))
        if not verbs:
            found[path] = {f"--{name['name']}" for argument in command["arguments"]
                           for name in argument.get("names", []) if name["kind"] == "long"}

    visit(json.loads(dump.stdout)["command"], ())
    return found


def of_both_programs():
    """Those of keytool-lab, too."""
    return {**leaves(), **leaves(LABORATORY)}


def nouns():
    return {path[0] for path in leaves()}


def verbs(noun):
    return {path[1] for path in leaves() if path[0] == noun and len(path) == 2}
