"""Names that cannot be looked up: a name server that is silent, one that cannot tell, and one that knows of none.

Each runs on an address of its own, which /etc/resolv.conf names in a mount namespace of the command's own.
"""

import socket
import subprocess
import threading
import time

import pytest

from kit.servers.httpsmachine import ID, SLACK
from kit.servers.listener import OWN_ADDRESS

pytestmark = pytest.mark.alone  # they measure time

SILENT, SERVFAIL, NXDOMAIN = None, 2, 3
NO_ANSWER = "cannot be found: no name server answered in time\n"
NO_ADDRESS = "cannot be found: its name has no address\n"


@pytest.fixture
def looked_up(keytool, tmp_path, safe_password):
    """looked_up(code, options, *patience, command): what the command says, and how many seconds it takes."""
    servers = []

    def run(code, options, *patience, command=("safe", "pull", "--id", ID)):
        (tmp_path / "resolv.conf").write_text(f"nameserver {OWN_ADDRESS}\n{options}\n")
        inside = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /etc/resolv.conf && exec "$@"',
                  str(tmp_path / "resolv.conf")]
        if subprocess.run([*inside, "true"], capture_output=True, timeout=60).returncode:
            pytest.skip("needs root and the right to mount")
        server = NameServer(code)
        servers.append(server)
        line = keytool.command_line(*command, "--server", "https://safe.example.net/",
                                    *safe_password, *patience)
        start = time.monotonic()
        result = subprocess.run([*inside, *line], env=keytool.environment, capture_output=True, timeout=60, text=True)
        assert result.returncode == 75, result
        return result.stderr, time.monotonic() - start

    yield run
    for server in servers:
        server.close()


class NameServer:
    """Answers every question with this code and no records, or not at all."""

    def __init__(self, code):
        self.code, self.ended = code, threading.Event()
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((OWN_ADDRESS, 53))
        self.socket.settimeout(0.05)
        self.thread = threading.Thread(target=self._serve)
        self.thread.start()

    def close(self):
        self.ended.set()
        self.thread.join()
        self.socket.close()

    def _serve(self):
        while not self.ended.is_set():
            try:
                question, client = self.socket.recvfrom(4096)
            except TimeoutError:
                continue
            if self.code is not SILENT:
                head = question[:2] + bytes([0x81, 0x80 | self.code]) + question[4:6] + bytes(6)
                # The first question alone, without the additional record that announces EDNS.
                end = question.index(0, 12) + 5
                self.socket.sendto(head + question[12:end], client)


# So long the C library waits for an answer.
MINUTE = "options timeout:30 attempts:2"


def test_silence_is_not_waited_for_beyond_the_timeout(looked_up):
    said, seconds = looked_up(SILENT, MINUTE, "--timeout", "2s", "--retry-max-time", "2s")
    assert NO_ANSWER in said and seconds < 2 + SLACK, (said, seconds)


def test_setup_does_not_wait_for_silence_twice(keytool, looked_up):
    """A person waits, and can correct the address or the network."""
    keytool.ok("id", "create", "--id", ID)
    said, seconds = looked_up(SILENT, MINUTE, "--timeout", "2s", command=("safe", "setup"))
    assert NO_ANSWER in said and seconds < 2 + SLACK, (said, seconds)


def test_silence_that_the_system_gives_up_on_before_the_timeout(looked_up):
    """As with the default timeout, and the ten seconds after which the C library says that the name is unknown."""
    said, seconds = looked_up(SILENT, "options timeout:1 attempts:1", "--timeout", "20s", "--retry-max-time", "3s")
    assert NO_ANSWER in said and seconds < 3 + SLACK, (said, seconds)


def test_name_server_that_cannot_tell(looked_up):
    said, _ = looked_up(SERVFAIL, "options timeout:1 attempts:1", "--timeout", "20s", "--retry-max-time", "2s")
    assert NO_ANSWER in said, said


def test_name_that_does_not_exist(looked_up):
    said, _ = looked_up(NXDOMAIN, "", "--timeout", "20s", "--retry-max-time", "20s")
    assert NO_ADDRESS in said and "trying again" not in said, said
