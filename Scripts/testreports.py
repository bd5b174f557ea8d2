"""Reads what a stage of the tests has printed: counts, reasons of what was skipped, and the first failure."""

import re
import shlex
from dataclasses import dataclass, field

LAST_LINES = 40
# A failure may show a whole document.
COLUMNS = 200


@dataclass
class Report:
    """Counts of tests; `reasons` {why: how many were skipped}; the first failure as text, and how to repeat it."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    reasons: dict = field(default_factory=dict)
    first: str = ""
    repeat: str = ""


def read(form, text, code, command):
    """The report of a stage that ended with this exit code, negative after a signal."""
    report = {"pytest": read_pytest, "swift": read_swift, "unittest": read_unittest, "check": read_check,
              "build": lambda *_: Report()}[form](
        text, code, command)
    # The exit code decides; a name may contain any words.
    if not code:
        report.failed, report.first, report.repeat = 0, "", ""
    elif not report.failed:
        # It broke off: a crash, a build that failed, a usage error.
        report.failed = 1
        report.repeat = ""
        ending = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        report.first = "\n".join([*text.rstrip().splitlines()[-LAST_LINES:], f"({ending})"])
    report.first = "\n".join(line[:COLUMNS] for line in report.first.splitlines())
    return report


def read_check(text, code, command):
    """A program that counts nothing."""
    return Report(passed=int(code == 0))


def read_pytest(text, code, command):
    """One or more runs of pytest -q -rsfE."""
    report = Report()
    for totals in re.findall(r"^(?:=+ )?((?:\d+ \w+(?:, )?)+) in \d[\d.]*s", text, re.MULTILINE):
        for count, word in re.findall(r"(\d+) (\w+)", totals):
            if word in ("passed", "skipped", "failed"):
                setattr(report, word, getattr(report, word) + int(count))
            elif word in ("error", "errors"):
                report.failed += int(count)
    for count, reason in re.findall(r"^SKIPPED \[(\d+)\] [^:]+:(?:\d+: )?(.*)$", text, re.MULTILINE):
        report.reasons[reason.strip()] = report.reasons.get(reason.strip(), 0) + int(count)
    if tests := re.findall(r"^(?:FAILED|ERROR) (\S+\.py(?:::.*?)?)(?: - .*)?$", text, re.MULTILINE):
        heading = r"^_{3,} [^\n]* _{3,}$"
        shown = re.search(rf"{heading}\n.*?(?={heading}|^={{3,}} |\Z)", text, re.MULTILINE | re.DOTALL)
        report.first = shown[0].rstrip() if shown else tests[0]
        # The heading names the function only, after a class with a dot.
        name = re.sub(r"^(_+ )((ERROR|FAILED) at \w+ of )?|( _+)$", "", report.first.split("\n")[0]).replace(".", "::")
        test = next((each for each in tests if each.replace(".", "::").endswith("::" + name)), tests[0])
        program = command[0] if command[0].startswith("Scripts/") else f"Scripts/test-{command[-1]}"
        report.repeat = f"{program} {shlex.quote(test)}"
    return report


def read_swift(text, code, command):
    """One run of the Swift tests. The first failure has all lines of its first issue."""
    report = Report()
    failed = set(re.findall(r"^✘ Test (.+?) (?:with \d+ test cases? )?failed after", text, re.MULTILINE))
    failed -= {name for name in failed if name.startswith("run with ")}
    for kind, reason in re.findall(r"^➜ (Test|Suite) .+? skipped(?:: \"?(.*?)\"?)?\.?$", text, re.MULTILINE):
        if kind == "Test":
            report.skipped += 1
            report.reasons[reason or "no reason"] = report.reasons.get(reason or "no reason", 0) + 1
    # Those that were skipped are counted in the total.
    if total := re.findall(r"^\S+ Test run with (\d+) tests?", text, re.MULTILINE):
        report.failed = len(failed)
        report.passed = int(total[-1]) - report.failed - report.skipped
    issue = r"^✘ Test .+ recorded an issue.*? at (\w+)\.swift:\d+:\d+: .*\n(?:^(?![◇✔✘➜]).*\n)*"
    if found := re.search(issue, text, re.MULTILINE):
        report.first = found[0].rstrip()
        report.repeat = f"make swift-tests FILTER={found[1]}"
    return report


def read_unittest(text, code, command):
    report = Report()
    if ran := re.search(r"^Ran (\d+) tests? in", text, re.MULTILINE):
        counts = dict(re.findall(r"(\w+)=(\d+)", text[ran.end():]))
        report.failed = int(counts.get("failures", 0)) + int(counts.get("errors", 0))
        report.skipped = int(counts.get("skipped", 0))
        report.passed = int(ran[1]) - report.failed - report.skipped
        if report.skipped:
            report.reasons["see the log"] = report.skipped
    if found := re.search(r"^=+\n(?:FAIL|ERROR): (\w+) \((?:\w+\.)?(\w+)[^)]*\)\n.*?(?=^=+$|^-+\nRan )", text,
                          re.MULTILINE | re.DOTALL):
        report.first = found[0].rstrip()
        report.repeat = f"{command[0]} {found[2]}.{found[1]}"
    return report
