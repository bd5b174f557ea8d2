"""Fixtures: both halves in both implementations, which end with the test."""

import os

import pytest

import chatrun
from client import Client
from protocol import KeyPair
from server import Server


@pytest.fixture(scope="session", autouse=True)
def built():
    assert os.access(chatrun.BINARY, os.X_OK), f"{chatrun.BINARY} is missing: make chat"


class People:
    """Two identities and their keys."""

    def __init__(self):
        self.keys = {"000ALICE": KeyPair(), "00000BOB": KeyPair()}
        self.alice, self.bob = self.keys["000ALICE"], self.keys["00000BOB"]
        self.public = {identity: keys.public for identity, keys in self.keys.items()}


@pytest.fixture(scope="session")
def people():
    return People()


@pytest.fixture
def ending():
    """Things that are ended or closed after the test, the last one first."""
    things = []
    yield things
    for each in reversed(things):
        each.end() if isinstance(each, chatrun.Process) else each.close()


@pytest.fixture
def their_server(people, ending):
    def start(**settings):
        ending.append(Server(people.public, **settings))
        return ending[-1]
    return start


@pytest.fixture
def our_client(people, ending):
    """our_client(server) -> a client that knows the server's key and is not connected."""
    def start(server, identity="000ALICE", server_keys=None, keys=None, **settings):
        known = [server.keys.public] if server_keys is None else server_keys
        ending.append(chatrun.ChatClient(identity, keys or people.keys[identity], *known, **settings))
        return ending[-1]
    return start


@pytest.fixture
def our_server(people, ending):
    def start(**settings):
        keys = KeyPair()
        ending.append(chatrun.ChatServer(keys, people.public, **settings))
        ending[-1].keys = keys
        return ending[-1]
    return start


@pytest.fixture
def their_client(people, ending):
    def connect(server, identity="000ALICE", **settings):
        keys = settings.pop("keys", None) or people.keys[identity]
        ending.append(Client(server.port, identity, keys, settings.pop("public", server.keys.public), **settings))
        return ending[-1]
    return connect
