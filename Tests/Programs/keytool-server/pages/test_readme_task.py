"""The guide's task of running a Safe server, as it stands there: short, and typed into the binaries. Only the place, the
name and the port are the test's; the first line, which builds and installs, is that of test_unit.py and test_deb.py."""

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
    assert len(lines) == 5 and lines[0][:3] == ["make", "server", "&&"]
    store = f"file://{tmp_path}/store"
    program, verb, *options = lines[2]
    assert (program, verb) == ("keytool-server", "serve")
    named = dict(zip(options[::2], options[1::2]))
    assert set(named) == {"--store", "--tls-self-signed"}

    password = tmp_path / "server-password"
    password.write_text("three tin roofs\n")
    password.chmod(0o600)
    add = [word.replace(named["--store"], store) for word in lines[1]]
    subprocess.run([BINARY, *add[1:], "--account-password-file", password], check=True, env=environment(),
                   capture_output=True, stdin=subprocess.DEVNULL)
    server = serve("--tls-self-signed", "localhost")
    assert lines[3][0] == lines[4][0] == "keytool"
    setup = [word.replace(f"{named['--tls-self-signed']}:8443", f"localhost:{server.port}").replace(
        "authority.pem", str(server.directory / "tls/authority.pem")) for word in lines[3][1:]]
    client.ok(*setup, "--server-password-file", password, "--safe-password-file", tmp_path / "safe-password")
    assert "uploaded" in client.ok(*lines[4][1:]).out
    assert len(list((server.directory / "accounts/alice/backups").iterdir())) == 1
