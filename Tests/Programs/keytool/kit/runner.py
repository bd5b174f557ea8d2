"""Runs the built binary the way a script would, and judges what every run must keep to."""

import json
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from kit.sampling import some

REPOSITORY = Path(__file__).resolve().parents[4]
BUILT = REPOSITORY / os.environ.get("KEYTOOL_BUILD", ".build-all") / "tests/release"
BINARY = Path(os.environ.get("KEYTOOL", BUILT / "keytool"))
# Built beside it.
LABORATORY = BINARY.with_name("keytool-lab")
# The verbs that keytool-lab has.
LABORATORY_VERBS = {
    "telegram": ["open-packet", "seal-packet"],
    "textsecure": ["request", "open-push", "seal-push", "open-attachment", "seal-attachment", "hash-numbers",
                   "match-tokens"],
    "sophaxchat": ["list-sessions", "show-session", "show-group", "rekey-group", "set-pin", "set-duress-pin",
                   "check-pin"],
}

# What a Swift program prints when it traps, and what a sanitizer or the shell adds.
TRAP = re.compile(r"Fatal error|Illegal instruction|Segmentation|stack dump|Program crashed")
SCHEMA = "keytool/1"


def program(arguments):
    """The name of the program that has this verb."""
    words = [str(argument) for argument in arguments]
    # Options may stand before the noun and before the verb.
    return "keytool-lab" if any(set(LABORATORY_VERBS.get(noun, [])) & set(words[place + 1:])
                                for place, noun in enumerate(words)) else "keytool"


class Result:
    """Exit code, stdout and stderr of one finished run."""

    def __init__(self, arguments, code, stdout, stderr):
        self.arguments, self.code = arguments, code
        self.out_bytes, self.out = stdout, stdout.decode(errors="replace")
        self.err = stderr.decode(errors="replace")

    @property
    def json(self):
        assert self.out.endswith("\n"), self
        document = json.loads(self.out)  # one document and nothing after it
        assert document["schema"] == self.schema, self
        return document

    @property
    def error(self):
        """The error object of a run with --json: exactly one line on stderr."""
        assert self.err.count("\n") == 1 and self.err.endswith("\n"), self
        document = json.loads(self.err)
        assert document["schema"] == self.schema and document["error"].get("hint", "none") is not None, self
        return document["error"]

    @property
    def schema(self):
        return program(self.arguments) + "/1"

    def __repr__(self):
        return (f"\n$ {program(self.arguments)} {' '.join(map(str, self.arguments))}\n"
                f"exit {self.code}\nstdout: {self.out[:3000]}\nstderr: {self.err[:3000]}")


class Keytool:
    """The program that has the verb, with an environment of its own: nothing of the caller's leaks in.

    There is no terminal: each run is a session of its own and reads /dev/null.
    """

    def __init__(self, home, keystore=None, environment=None):
        self.home, self.keystore = Path(home), keystore and Path(keystore)
        self.environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(home),
            "TMPDIR": str(home),
            "LC_ALL": "C.UTF-8",
            **(environment or {}),
        }

    def with_keystore(self, keystore):
        return Keytool(self.home, keystore, self.environment)

    def with_environment(self, **variables):
        """A value of None takes the variable away."""
        merged = {**self.environment, **variables}
        kept = {name: str(value) for name, value in merged.items() if value is not None}
        copy = Keytool(self.home, self.keystore)
        copy.environment = kept
        return copy

    def command_line(self, *arguments):
        where = ["--keystore", self.keystore] if self.keystore else []
        binary = LABORATORY if program(arguments) == "keytool-lab" else BINARY
        return [str(part) for part in (binary, *where, *arguments)]

    def start(self, *arguments, **options):
        defaults = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                    "stderr": subprocess.PIPE, "start_new_session": True,
                    "env": self.environment, "cwd": self.home}
        return subprocess.Popen(self.command_line(*arguments), **{**defaults, **options})

    def __call__(self, *arguments, stdin=None, timeout=60, **options):
        """`stdin`: bytes or text to be piped in, else /dev/null."""
        if stdin is not None:
            options["stdin"] = subprocess.PIPE
            stdin = stdin.encode() if isinstance(stdin, str) else stdin
        return self.finish(self.start(*arguments, **options), arguments, stdin, timeout)

    def finish(self, process, arguments=(), stdin=None, timeout=60):
        try:
            stdout, stderr = process.communicate(stdin, timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            stdout, stderr = process.communicate()
            hung = Result(arguments, "timeout", stdout, stderr)
            raise AssertionError(f"still running after {timeout} s: {hung}") from None
        result = Result(arguments, process.returncode, stdout or b"", stderr or b"")
        assert result.code >= 0, f"killed by signal {-result.code}: {result}"
        assert not TRAP.search(result.err), result
        return result

    def ok(self, *arguments, **options):
        result = self(*arguments, **options)
        assert result.code == 0, result
        return result

    def json(self, *arguments, **options):
        """The one document that a successful run with --json prints."""
        return self.ok(*arguments, "--json", **options).json

    def fails(self, code, *arguments, **options):
        """A clean failure: the expected code, nothing on stdout, one error line."""
        result = self(*arguments, **options)
        expected = code if isinstance(code, (tuple, set)) else (code,)
        assert result.code in expected, f"expected {expected}: {result}"
        assert result.out == "", result
        if "--json" in arguments:
            assert result.error["code"] == result.code, result
        else:
            assert len(re.findall(rf"^{program(arguments)}: error: \S", result.err, re.M)) == 1, result
        return result


# For snapshot: what a command may change that finds a Safe backup other than it should be.
BUT_THE_FINDING = ("lock", "state.json")


def snapshot(directory, without=("lock",)):
    """Every path below `directory` with its mode and content; lock files do not count.

    Two equal snapshots mean that a command left nothing behind and changed nothing.
    """
    directory = Path(directory)
    if not directory.exists():
        return None
    found = {".": oct(directory.lstat().st_mode)}
    for path in sorted(directory.rglob("*")):
        if path.name in without:
            continue
        content = path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(directory))] = (oct(path.lstat().st_mode), content)
    return found


def on_two_processors(work, places, items):
    """Runs work(place, its share of the items) in two threads; the first failure counts. `make test` tries some items."""
    items = some(items)
    with ThreadPoolExecutor(2) as pool:
        shares = [pool.submit(work, place, items[n::2]) for n, place in enumerate(places)]
    for share in shares:
        share.result()
