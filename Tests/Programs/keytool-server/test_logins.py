"""Wrong logins: they tell nothing, and they do not keep the right ones out."""

import base64
import hashlib
import itertools
import os
import random
import socket
import threading
import time

import pytest

from server import run, statuses
from test_hostile import to_the_end


def account(name, password):
    """A line of the file of accounts, with a new salt."""
    salt = os.urandom(16)
    key = hashlib.scrypt(password.encode(), salt=salt, n=2**14, r=8, p=1, maxmem=2**26, dklen=32)
    return f"{name}:$scrypt$ln=14,r=8,p=1${unpadded(salt)}${unpadded(key)}:\n"


def unpadded(content):
    return base64.b64encode(content).decode().rstrip("=")


@pytest.fixture
def accounts(tmp_path):
    """accounts(lines): writes the file of accounts."""
    store = tmp_path / "store"

    def accounts(lines):
        new = tmp_path / "new-logins"
        new.write_text("".join(lines))
        new.chmod(0o600)
        new.rename(store / "logins")

    password = tmp_path / "password"
    password.write_text("correct horse battery\n")
    password.chmod(0o600)
    added = run("account", "add", "owner0", "--store", f"file://{store}", "--account-password-file", password)
    assert added.returncode == 0, added.stderr
    return accounts


def ask(server, user, password, source):
    """The status of a request for the limits, from this address; None if there is no answer."""
    login = base64.b64encode(f"{user}:{password}".encode()).decode()
    raw = f"GET /{user}/config HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Basic {login}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), 60, (source, 0)) as connection:
        connection.sendall(raw.encode())
        return next(iter(statuses(to_the_end(connection))), None)


def test_an_address_that_is_throttled_does_not_learn_the_password(serve, accounts):
    """Not even while the owner's login is remembered."""
    server = serve()
    owner = ("owner0", "correct horse battery", "127.0.2.1")
    assert ask(server, *owner) == 200
    answers = [ask(server, "owner0", f"guess {number}", "127.0.3.1") for number in range(80)]
    assert answers == [401] * 10 + [429] * 70
    assert ask(server, "owner0", "correct horse battery", "127.0.3.1") == 429
    assert ask(server, *owner) == 200


def test_many_requests_with_one_right_login(serve, accounts):
    """Of an address that has not logged in before."""
    server = serve()
    answers = []

    def one():
        answers.append(ask(server, "owner0", "correct horse battery", "127.0.2.1"))

    threads = [threading.Thread(target=one) for _ in range(64)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert answers == [200] * 64


def test_wrong_logins_of_many_addresses_do_not_keep_the_right_ones_out(serve, accounts):
    """Two hundred a second from five hundred addresses; each of the right ones needs a hash, too."""
    owners = [(f"owner{number}", f"correct horse {number}", f"127.0.2.{1 + number}") for number in range(9)]
    rounds = [[account(name, password) for name, password, _ in owners] for _ in range(12)]
    server = serve("--client-rate", "100000")
    accounts(rounds[0])
    # Each has logged in from its address before.
    assert [ask(server, *owner) for owner in owners] == [200] * 9
    stopping, numbers, wrong = threading.Event(), itertools.count(), []

    def guess():
        while not stopping.wait(0.1):
            number = next(numbers)
            try:
                wrong.append(ask(server, random.choice(owners)[0], f"guess {number}", f"127.1.{number % 500 // 250}.{number % 250 + 1}"))
            except OSError:
                pass

    guessing = [threading.Thread(target=guess) for _ in range(20)]
    for each in guessing:
        each.start()
    try:
        time.sleep(3)
        answers = []
        for lines in rounds:
            accounts(lines)
            answers += [ask(server, *owner) for owner in owners]
    finally:
        stopping.set()
        for each in guessing:
            each.join()
    assert answers.count(200) >= len(answers) * 0.99, answers
    assert 200 not in wrong and wrong.count(401) > 50, "the attack did not take place"
    assert server.stop() == 0
