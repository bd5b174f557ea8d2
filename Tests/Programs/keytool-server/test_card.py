"""A Safe on a server that has made its own certificate, restored on an empty machine from the printed card alone."""

import shlex

from kit.runner import Keytool
from kit.screens.printed import command_of, texts
from server import run


def test_the_card_of_a_self_signed_server(serve, client, tmp_path):
    server = serve("--tls-self-signed", "localhost")
    safe, login = tmp_path / "safe-password", tmp_path / "server-password"
    login.write_text("correct horse battery\n")
    login.chmod(0o600)
    added = run("account", "add", "alice", "--store", f"file://{server.directory}", "--account-password-file", login)
    assert added.returncode == 0, added.stderr
    client.ok("safe", "setup", "--server", f"https://localhost:{server.port}/alice", "--server-user", "alice",
              "--ca-file", server.directory / "tls/authority.pem", "--server-password-file", login,
              "--safe-password-file", safe)
    client.ok("safe", "push")
    client.ok("safe", "card", tmp_path / "card.pdf")
    assert "ca.pem" not in " ".join(texts(tmp_path / "card.pdf"))

    # A line that is continued is one for a shell, not for shlex.
    words = shlex.split(command_of(tmp_path / "card.pdf").replace("\\\n", ""))
    assert words[0] == "keytool" and "--ca-fingerprint" in words and "--ca-file" not in words
    (tmp_path / "new machine").mkdir(mode=0o700)
    (tmp_path / "new home").mkdir(mode=0o700)
    new = Keytool(tmp_path / "new home", tmp_path / "new machine")
    new.ok(*words[1:], "--no-passphrase", "--server-password-file", login, "--safe-password-file", safe)
    assert new.json("id", "show")["public_key"] == client.json("id", "show")["public_key"]
    # It trusts the authority, and so the next certificate.
    (server.directory / "tls/certificate.pem").unlink()
    assert server.stop() == 0
    again = serve("--tls-self-signed", "localhost", listen=f"127.0.0.1:{server.port}")
    assert new.json("safe", "push", "--force")["result"] == "uploaded" and again.stop() == 0
