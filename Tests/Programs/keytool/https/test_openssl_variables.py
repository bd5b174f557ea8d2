"""Variables by which OpenSSL would be configured, or load code, do not reach it."""

import pytest

from kit.known import CODE_PASSWORD
from kit.servers.webservers import Nginx

# It would break every connection, which shows that it was read.
CONFIGURATION = """
openssl_conf = start
[start]
ssl_conf = connections
[connections]
system_default = all
[all]
MaxProtocol = TLSv1
CipherString = DHE-RSA-AES128-SHA@SECLEVEL=0
"""


@pytest.fixture
def configured(owner, tmp_path):
    configuration = tmp_path / "openssl.cnf"
    configuration.write_text(CONFIGURATION)
    return owner.with_environment(
        OPENSSL_CONF=configuration, OPENSSL_MODULES=tmp_path, OPENSSL_ENGINES=tmp_path,
        SSLKEYLOGFILE=tmp_path / "keys")


def test_a_connection_is_not_configured_from_outside(configured, web_server, way, safe_password, tmp_path):
    server = web_server(Nginx).prepare()
    configured.ok("safe", "setup", *way(server), *safe_password)
    configured.ok("safe", "push")
    assert not (tmp_path / "keys").exists()


def test_a_command_for_a_secret_keeps_them(configured, code_file, tmp_path):
    """It may need them to reach a key in a token."""
    seen = tmp_path / "seen"
    configured.ok("backup", "check", code_file, "--backup-password-command",
                  f"env > {seen}; echo {CODE_PASSWORD.decode()}")
    variables = dict(line.split("=", 1) for line in seen.read_text().splitlines())
    expected = {name: value for name, value in configured.environment.items() if "SSL" in name}
    assert len(expected) == 4 and {**variables, **expected} == variables
