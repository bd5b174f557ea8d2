"""The guide's task of running a Safe server, as it stands there: short, and typed into the binaries. Only the place, the
name and the port are the test's; the first line, which builds and installs, is that of test_unit.py and test_deb.py."""

import os
import re
import shlex
import subprocess

from server import BINARY, REPOSITORY, environment

TEXT = (REPOSITORY / "docs/guide.md").read_text()


def task():
    block = re.search(r"^## Run a Safe server for your family\n+```\n(.*?)^```$", TEXT, re.M | re.S)[1]
    return [shlex.split(line) for line in block.splitlines()]


def test_the_task(serve, client, tmp_path):
    lines = task()
    assert len(lines) == 6 and lines[0][:3] == ["make", "server", "&&"]
    store = f"file://{tmp_path}/store"
    program, verb, *options = lines[3]
    assert (program, verb) == ("keytool-server", "serve")
    named = dict(zip(options[::2], options[1::2]))
    assert set(named) == {"--store", "--tls-self-signed"}
    # Only root can make it where the page has it.
    sudo, *install = lines[1]
    assert sudo == "sudo" and f"file://{install[-1]}" == named["--store"]
    install = [word.replace("$USER", str(os.geteuid())) for word in install[:-1]]
    subprocess.run([*install, tmp_path / "store"], check=True)
    assert (tmp_path / "store").stat().st_mode & 0o777 == 0o700

    password = tmp_path / "server-password"
    password.write_text("three tin roofs\n")
    password.chmod(0o600)
    add = [word.replace(named["--store"], store) for word in lines[2]]
    subprocess.run([BINARY, *add[1:], "--account-password-file", password], check=True, env=environment(),
                   capture_output=True, stdin=subprocess.DEVNULL)
    server = serve("--tls-self-signed", "localhost")
    assert lines[4][0] == lines[5][0] == "keytool"
    setup = [word.replace(f"{named['--tls-self-signed']}:8443", f"localhost:{server.port}").replace(
        "authority.pem", str(server.directory / "tls/authority.pem")) for word in lines[4][1:]]
    client.ok(*setup, "--server-password-file", password, "--safe-password-file", tmp_path / "safe-password")
    assert "uploaded" in client.ok(*lines[5][1:]).out
    assert len(list((server.directory / "accounts/alice/backups").iterdir())) == 1
