"""The manual pages hold what the program holds: every option, code, variable and file, and nothing else."""

import re
import shutil
import subprocess

import pytest

from kit.pages import manual
from kit.runner import BINARY, LABORATORY, REPOSITORY

PAGES = manual.pages()
# Tests/Programs/keytool-server compare the server's page with the server.
CLIENT_PAGES = [page for page in PAGES if page.name != "keytool-server"]
# The server has a manual of its own.
SOURCES = sorted(path for path in (REPOSITORY / "Sources").rglob("*.swift") if "keytool-server" not in path.parts)
EXTERNAL = {  # other people's pages
    ("age", "1"), ("anacron", "8"), ("certbot", "1"), ("cron", "8"), ("crontab", "5"), ("curl", "1"), ("keyrings", "7"),
    ("restic", "1"), ("sh", "1"), ("systemd.exec", "5"), ("systemd.timer", "5"), ("tar", "1"), ("timeout", "1"), ("lp", "1"), ("zbarimg", "1")}
# Understood by the argument parser's library; the dump leaves it out.
COMPLETION = "--generate-completion-script"
PROXIES = {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"}  # libcurl's

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path.name)
every_client_page = pytest.mark.parametrize("page", CLIENT_PAGES, ids=lambda page: page.path.name)


@pytest.fixture(scope="session")
def help(built):
    return manual.Help(*(subprocess.run(
        [program, "--experimental-dump-help"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True).stdout
        for program in (BINARY, LABORATORY)))


def section(page, title):
    return page.sections[title]


# Form


def mandoc(*arguments):
    assert shutil.which("mandoc"), "mandoc is missing: package mandoc"
    return subprocess.run(["mandoc", *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, cwd=manual.DIRECTORY, text=True).stdout


@every_page
def test_lint(page):
    """Which of other people's pages are installed says nothing about ours; test_references looks at the names."""
    found = mandoc("-T", "lint", "-W", "style", page.path.name).splitlines()
    assert [line for line in found if "referenced manual not found" not in line] == []


@every_page
def test_width(page):
    shown = re.sub(".\b", "", mandoc("-T", "utf8", page.path.name))
    assert [line for line in shown.splitlines() if len(line) > 80] == []


@every_page
def test_references(page):
    own = {(page.name, page.section) for page in PAGES}
    assert page.references <= own | EXTERNAL
    assert page.name == "keytool" or ("keytool", "1") in page.references


def test_every_page_is_referred_to():
    assert manual.page("keytool.1").references >= {(page.name, page.section) for page in PAGES} - {("keytool", "1")}


# Options


def test_every_command_has_a_section(help):
    found = {title.partition("/")[2]: page.path.name for page in PAGES for title in page.sections
             if title.partition("/")[2].startswith(("keytool ", "keytool-lab "))}
    assert found == {command.title: f"{command.page}.1" for command in help.commands.values()}


def test_list_of_nouns(help):
    """keytool(1) has a line for each noun, and no other one."""
    listed = re.findall(r"^\.It Xr keytool-(\S+) 1$", (manual.DIRECTORY / "keytool.1").read_text(), re.MULTILINE)
    nouns = {path[0] for path, command in help.commands.items() if command.program == "keytool"}
    assert sorted(listed) == sorted(nouns - {"help"})


def sections(help):
    for command in help.commands.values():
        under = "DESCRIPTION" if command.path == ("help",) else "COMMANDS"
        yield command, section(manual.page(f"{command.page}.1"), f"{under}/{command.title}")


def test_options(help):
    """Each one under its command, with its argument or its values, and no other."""
    for command, section in sections(help):
        expected = [option for a in {id(a): a for a in command.options.values()}.values()
                    for option in manual.described(a)]
        assert sorted(section.options) == sorted(expected), command.title


def test_operands(help):
    for command, section in sections(help):
        assert section.operands == [a["valueName"] for a in command.operands], command.title


def test_synopses(help):
    for page in PAGES:
        if page.section != "1" or page.name == "keytool":
            continue
        text = "\n".join(section(page, "SYNOPSIS").lines)
        found = [part.splitlines() for part in re.split(r"^\.Nm ", text, flags=re.M)[1:]]
        own = [c for c in help.commands.values() if c.page == page.name]
        assert sorted(found) == sorted(
            [command.title, ".Op Ar options"]
            + [f".{'Op ' if a['isOptional'] else ''}Ar {a['valueName']}" for a in command.operands]
            for command in own), page.name


def test_defaults_and_repetition(help):
    for command, section in sections(help):
        bodies = {option.name: item.body for item in section.items
                  for option in manual.options(manual.words(item.head))}
        for name, argument in command.options.items():
            if argument.get("defaultValue"):
                assert f"The default is\n.Cm {argument['defaultValue']} " in bodies[name], (command.title, name)
            if argument["isRepeating"]:
                assert "repeated" in bodies[name], (command.title, name)


def test_global_options(help):
    found = section(manual.page("keytool.1"), "DESCRIPTION/Global options").options
    assert sorted(found) == sorted(option for a in {id(a): a for a in help.globals.values()}.values()
                                   for option in manual.described(a))


@every_client_page
def test_options_in_running_text(help, page):
    """In a command's section they are its own, elsewhere the page's, unless a command is named with them."""
    of_page = {name for c in help.commands.values() for name in c.options if c.page == page.name}
    for part in page.sections.values():
        command = tuple(part.title.partition("/keytool")[2].split(" ")[1:])
        for name, said_of in part.flags:
            at_hand = help.commands[command].options if command else of_page or {
                name for c in help.commands.values() for name in c.options} | {COMPLETION}
            allowed = help.commands[said_of].options if said_of else at_hand
            assert name in allowed or name in help.globals, (part.title, name)
        assert set(part.commands) <= set(help.commands), part.title


@every_client_page
def test_options_in_examples(help, page):
    for arguments in page.command_lines:
        names = [argument for argument in arguments if re.match("-.", argument)]
        path = tuple(word for word in arguments if not word.startswith("-"))
        command = help.commands.get(path[:2]) or help.commands.get(path[:1])
        assert command, arguments
        assert set(names) <= set(command.options) | set(help.globals), arguments


def test_completion_script(keytool):
    for shell in ("bash", "zsh", "fish"):
        assert "keytool" in keytool.with_keystore(None).ok(COMPLETION, shell).out
    assert f".Fl {COMPLETION[1:]} Cm bash | zsh | fish" in manual.page("keytool.1").lines


# Codes and variables


def statuses():
    text = "".join((REPOSITORY / f"Sources/Programs/{room}/Failure/ExitCodes.swift").read_text() for room in ("Console", "CommandLine"))
    return dict(re.findall(r'^ +(?:package )?static let \S+ = Self\((\d+), "(\w+)"\)$', text, re.M))


def listed_statuses(page):
    listed = page.sections.get("EXIT STATUS")
    return re.findall(r"^\.It (\d+) (\w+)$", "\n".join(listed.lines if listed else []), re.M)


def test_exit_codes():
    found = listed_statuses(manual.page("keytool.1"))
    assert len(found) == len(dict(found)) and statuses()["75"] == "tempfail"
    assert dict(found) == {"0": "ok", **statuses()}


@every_client_page
def test_exit_codes_of_a_noun(page):
    assert set(listed_statuses(page)) <= {("0", "ok"), *statuses().items()}


def test_reasons():
    """Each word of a refusal of the Safe's rules, beside the exit code that it tells apart."""
    source = (REPOSITORY / "Sources/Programs/keytool/Failure/Safes.swift").read_text()
    words = source.partition("var word: String {")[2].partition("\n    }\n")[0]
    reasons = set(re.findall(r': "([a-z_]+)"', words))
    listed = "\n".join(section(manual.page("keytool-safe.1"), "EXIT STATUS").lines)
    found = set(re.findall(r"Cm ([a-z_]+)", listed))
    assert len(reasons) > 15 and reasons <= found


NAME = '"([A-Z][A-Z0-9_]+)"'
# How the sources ask for a variable: `getenv` in two places alone, and on top of one of them by other names.
ASKED = re.compile(rf"(?:\bEnvironment\.value|\bsetting|\bvalue|\bnumber|\bvariable|\bunsetenv|\bwithhold)\({NAME}|ariable = {NAME}")
COMPUTED = {"name", "Self.variable", "GlobalOptions.keystoreVariable", *(
    f'Kind.variable + "_{source}"' for source in ("FILE", "COMMAND", "FD"))}


def variables_asked_for(text):
    asked = re.findall(r"Environment\.(?:value|setting)\((.*?)\)", text)
    assert len(re.findall(r"\bgetenv\(", text)) == 2, "a new way to ask for a variable: teach it to this test"
    assert {how for how in asked if not how.startswith('"')} <= COMPUTED
    return {direct or constant for direct, constant in ASKED.findall(text)}


def test_variables():
    """All that the program asks for, and what its libraries do."""
    text = "\n".join(path.read_text() for path in SOURCES)
    found = variables_asked_for(text)
    stems = re.findall(r'static let stem = "([a-z-]+)"', text)
    assert len(stems) >= 8 and "KEYTOOL_KEYSTORE" in found
    secret = {f"KEYTOOL_{stem.upper().replace('-', '_')}_{source}"
              for stem in stems for source in ("FILE", "COMMAND", "FD")}
    listed = [name for item in section(manual.page("keytool.1"), "ENVIRONMENT").items
              for name in item.head.removeprefix("Ev ").split(" , ")]
    assert sorted(listed) == sorted(found | secret | PROXIES)
    table = section(manual.page("keytool.1"), "SECRETS").items
    assert {item.head.split(" Ta ")[0] for item in table} >= set(stems)


# Files

# There after an interruption, when backups were replaced, if a backup was for linking a device, or if a directory knows
# the identity.
AT_TIMES = {f"identities/threema/ID/{name}"
            for name in ("commit", "places/PLACE/history/TIME-DIGEST-ORIGIN", "devicegroupkey", "directory",
                         "gatewaysecret", "linking", "matchtoken", "contactstates", "shares", "kit")}
AT_TIMES |= {"identities/threema/.pending-KEY", "identities/MESSENGER/ID/sessions.db"}
AT_TIMES |= {"identities/telegram/ID/account", "identities/telegram/ID/lock",
             "identities/textsecure/NUMBER/account", "identities/textsecure/NUMBER/lock"}
AT_TIMES |= {f"identities/sophaxchat/PEERID/{name}" for name in ("identity", "prekeys", "pin", "attempts", "changes",
                                                            "clearings", "lock")}
AT_TIMES |= {f"identities/onprem/NAME/{name}" for name in ("file", "trust", "source", "password", "fetched", "lock")}
AT_TIMES |= {f"identities/mainkey/CHECK-VALUE/{name}" for name in ("protections", "autolock", "lock")}


def test_files(safe):
    safe.push()
    found = {str(path.relative_to(safe.keytool.keystore)).replace(safe.id, "ID").replace("places/main", "places/PLACE")
             for path in safe.keytool.keystore.rglob("*") if path.is_file()}
    found |= AT_TIMES
    files = section(manual.page("keytool.1"), "FILES").items
    assert {item.head.removeprefix("Pa ") for item in files} == found
    directory = section(manual.page("keytool-formats.5"), "KEYSTORE/Directory").items
    assert {item.head.split()[1] for item in directory[1:]} == found


# JSON

def members(value):
    """The names of all members of a JSON value, but for those that every result has."""
    if isinstance(value, list):
        for each in value:
            yield from members(each)
    if isinstance(value, dict):
        for name, each in value.items():
            yield name
            yield from members(each)


def test_members_of_the_results_of_the_safe(safe, safe_password, tmp_path):
    """The page names all that the verbs print as JSON."""
    lines = section(manual.page("keytool-safe.1"), "OUTPUT").lines
    named = set(re.findall(r"[a-z_]+", " ".join(line for line in lines if re.match(r"\.(It )?Cm ", line))))
    new = f"file://{tmp_path}/new"
    commands = [
        ("status",), ("push",), ("push", "--force"), ("status", "--remote"), ("check",), ("history",), ("mirror",), ("server",),
        ("schedule",), ("card", str(tmp_path / "card.pdf")), ("pull", "-o", str(tmp_path / "document")),
        ("move", "--create", "--server", new), ("server", "--forget-old"), ("move", "--abort"), ("delete", "--yes"),
        ("setup", "--create", "--server", f"{new}er", *safe_password)]
    found = set()
    for command in commands:
        run = safe.keytool("--json", "safe", *command)
        assert run.code == 0, run
        found |= set(members(run.json))
    assert found - {"schema", "command"} <= named, found - named
    assert {"place", "attempts", "next"} <= found
