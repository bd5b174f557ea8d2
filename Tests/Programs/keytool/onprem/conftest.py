import json

import pytest

from kit import identityfiles, masterkey
from kit.servers import onpremserver
from kit.stages.place import committed


@pytest.fixture
def company(certificates):
    servers = onpremserver.OnPrem(certificates)
    yield servers
    servers.close()


@pytest.fixture
def licence(given):
    return ["--onprem-user", onpremserver.USER, *given("onprem-password", onpremserver.PASSWORD)]


@pytest.fixture
def bare(keytool, company):
    """The keystore has no provisioning file yet."""
    return keytool.with_environment(**company.environment)


@pytest.fixture
def owner(bare, company, licence):
    """The keystore has the company's file, as `localhost`."""
    bare.ok("onprem", "import", company.url, "--key", onpremserver.key(), *licence)
    company.forget()
    return bare


@pytest.fixture
def member(owner, company, safe_password):
    """An identity that the company's directory has registered, with its Safe at the company's server."""
    owner.id = owner.json("id", "create", "--onprem", "localhost")["id"]
    owner.ok("safe", "setup", "--onprem", "localhost", *safe_password)
    owner.ok("safe", "push")
    company.forget()
    return owner


@pytest.fixture
def due():
    """due(keytool): from now on the file has to be fetched again."""

    def due(keytool):
        record(keytool, "fetched").unlink()

    return due


@pytest.fixture
def held():
    """held(keytool): the file that the keystore has, also if it is not written out yet."""

    def held(keytool):
        path = record(keytool, "file")
        sealed = committed(path.with_name("commit")).get("file", path.read_bytes())
        return identityfiles.unsealed(sealed, masterkey.read(keytool), "file", identityfiles.names(path))

    return held


@pytest.fixture
def remembered():
    """remembered(keytool): the directory of the identity `keytool.id`, as the keystore has it."""

    def remembered(keytool):
        path = identityfiles.path(keytool.keystore, keytool.id, "directory")
        return json.loads(identityfiles.opened(path, masterkey.read(keytool)))

    return remembered


def record(keytool, name):
    return keytool.keystore / "identities" / "onprem" / "localhost" / name
