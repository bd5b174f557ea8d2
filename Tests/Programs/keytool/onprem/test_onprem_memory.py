"""When a command that uses a licence exits, its password and the `Authorization` header (its Base64 has every alignment)
are in guarded pages and nowhere else in its memory: also after a request whose body has the password."""

import shutil

import pytest

from kit.processes.memoryleft import unexpected
from kit.processes.tracing import run_to_exit
from kit.servers.onpremserver import PASSWORD, USER, OnPrem, key
from kit.stages.everysecret import EverySecret


class Company(EverySecret):
    """An identity at the servers of a company, in a keystore without a passphrase."""

    def __init__(self, path, certificates):
        super().__init__(path)
        self.servers = OnPrem(certificates)
        self.keytool = self.keytool.with_environment(**self.servers.environment)
        self.file("licence", PASSWORD)

    @property
    def importing(self):
        return ["onprem", "import", self.servers.url, "--key", key(), "--onprem-user", USER,
                "--onprem-password-file", self.home / "licence"]

    def identity(self):
        self.keytool.ok(*self.importing)
        self.id = self.keytool.json("id", "create", "--onprem", "localhost")["id"]
        self.keytool.ok("safe", "setup", "--onprem", "localhost", *self.given("safe-password"))
        self.keytool.ok("safe", "push")
        return self

    def bring_back(self):
        super().bring_back()
        self.secrets = {"licence password": PASSWORD}
        self.servers.provisioning.heal()
        return self

    def due(self):
        (self.keystore / "identities" / "onprem" / "localhost" / "fetched").unlink()


def first(house):
    shutil.rmtree(house.keystore)
    return house.importing


def again(house):
    return [*house.importing, "--replace"]


def refused(house):
    house.servers.provisioning.fault("GET", lambda call: call.answer(401))
    return house.importing


def create(house):
    return ["id", "create", "--onprem", "localhost"]


def refused_creation(house):
    house.servers.directory.script("identity/create", house.servers.directory.refuse("No more"), phase=2)
    return create(house)


def push(house):
    house.due()
    return ["safe", "push", "--force"]


def show(house):
    return ["onprem", "show"]


def forget(house):
    return ["onprem", "forget", "localhost", "--yes"]


COMMANDS = {first: 0, again: 0, refused: 13, create: 0, refused_creation: 1, push: 0, show: 0, forget: 17,
            lambda house: ["id", "fetch", house.id]: 0}


@pytest.fixture(scope="module")
def kept(built, tmp_path_factory, certificates):
    house = Company(tmp_path_factory.mktemp("houses") / "company", certificates).identity().keep()
    yield house
    house.servers.close()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.__name__)
def test_at_exit(kept, command):
    house = kept.bring_back()
    arguments = command(house)
    result, memory = run_to_exit(house.keytool.command_line(*arguments), house.keytool.environment, house.home)
    assert result.code == COMMANDS[command], result
    left = unexpected(memory, house)
    assert not left, f"{result}" + "\n".join(map(str, left))


def test_the_password_was_sent(kept):
    """Or nothing of the above says anything."""
    house = kept.bring_back()
    house.servers.forget()
    house.keytool.ok(*create(house))
    assert PASSWORD in house.servers.directory.requests[1].body
