"""When a command that talks to a server over HTTPS exits, the password on the server, the `Authorization` header (its
Base64 has every alignment) and the address that is pinged are in guarded pages and nowhere else in its memory."""

import shutil

import pytest

from kit import identityfiles
from kit.processes.memoryleft import unexpected
from kit.processes.tracing import run_to_exit
from kit.servers import faults as f
from kit.servers.faultserver import FaultServer
from kit.servers.pingservice import PingService
from kit.servers.webservers import Apache, Login, Nginx
from kit.stages.everysecret import ID, EverySecret

SERVER_PASSWORD, OTHER_PASSWORD = b"Walnut-Glacier-34", b"Copper-Orchard-57"
# Behind the host, which is no secret: it goes out in clear, as the handshake's server name.
PING = b"/report/Bramble-Turret-68-Hollow"


class HTTPSHouse(EverySecret):
    """A Safe on an HTTPS server that wants a login, in a keystore under a passphrase."""

    def __init__(self, path, certificate):
        super().__init__(path)
        self.authority = certificate.authority.path
        self.server = FaultServer(certificate, b"somebody:" + SERVER_PASSWORD)
        self.service = PingService(certificate)
        self.ping = f"{self.service.url.removesuffix('/ping/7d0c')}{PING.decode()}"
        self.file("server-password", SERVER_PASSWORD)
        self.file("other-password", OTHER_PASSWORD)
        self.file("ping", self.ping.encode())
        self.file("url", self.server.url.encode().replace(b"://", b"://somebody:" + SERVER_PASSWORD + b"@"))

    @property
    def login(self):
        return ["--server-user", "somebody", "--server-password-file", self.home / "server-password"]

    @property
    def way(self):
        return ["--server", self.server.url, "--ca-file", self.authority, *self.login]

    def identity(self):
        self.keytool.ok("id", "create", "--id", ID)
        self.keytool.ok("safe", "setup", *self.way, *self.given("safe-password"))
        self.keytool.ok("safe", "push")
        self.stored = dict(self.server.stored)
        return self

    def bring_back(self):
        super().bring_back()
        self.secrets |= {"server password": SERVER_PASSWORD, "other server password": OTHER_PASSWORD,
                         "ping address": PING}
        self.server.reset()
        self.server.stored |= self.stored
        return self.protect("argon2id").learn()


def opening(*arguments, stems=(), code=0, fault=None):
    def command(house):
        if fault:
            house.server.fault(*fault)
        return [*arguments, *house.given("passphrase", *stems), "--retry-max-time", "1s"]

    command.code = code
    return command


def expecting(code=0):
    def decorated(command):
        command.code = code
        return command

    return decorated


@expecting()
def set_up(house):
    identityfiles.path(house.keystore, ID, "safe").unlink()
    return ["safe", "setup", *house.way, *house.given("passphrase", "safe-password")]


@expecting()
def set_up_by_file(house):
    identityfiles.path(house.keystore, ID, "safe").unlink()
    return ["safe", "setup", "--server-file", house.home / "url", "--ca-file", house.authority,
            *house.given("passphrase", "safe-password")]


@expecting()
def set_up_preparing(house):
    house.server.fault("MKCOL", lambda call: call.answer(201))
    return [*set_up(house), "--create"]


@expecting(75)
def set_up_refused(house):
    house.server.fault("PUT", f.status(503))
    return [*set_up(house), "--retry-max-time", "1s"]


def moving(house):
    """To another directory of the same server."""
    return ["safe", "move", "--server", f"{house.server.origin}/other/", "--ca-file", house.authority,
            *house.login, *house.given("passphrase"), "--retry-max-time", "1s"]


@expecting()
def move(house):
    return moving(house)


def refuse_the_backup(house):
    """The probe is stored, found and deleted; the backup is not stored."""
    house.server.fault("PUT", f.status(503), after="DELETE")


@expecting(75)
def move_refused(house):
    refuse_the_backup(house)
    return moving(house)


@expecting()
def take_back(house):
    refuse_the_backup(house)
    house.keytool.fails(75, *moving(house))
    house.server.heal()
    assert house.keytool.json("safe", "status", *house.given("passphrase"))["changing"]
    return ["safe", "move", "--abort", *house.given("passphrase"), "--retry-max-time", "1s"]


@expecting()
def pull_to_empty(house):
    shutil.rmtree(house.keystore)
    return ["safe", "pull", "--id", ID, *house.way, *house.given("passphrase", "safe-password")]


@expecting(21)
def pull_from_nobody_known(house):
    shutil.rmtree(house.keystore)
    return ["safe", "pull", "--id", ID, "--server", house.server.url, *house.login,
            *house.given("passphrase", "safe-password")]


@expecting(13)
def wrong_login(house):
    house.server.login = b"somebody:changed-there-8"
    return ["safe", "push", "--force", *house.given("passphrase")]


@expecting(13)
def new_login(house):
    return ["safe", "server", "--server-user", "somebody",
            "--server-password-file", house.home / "other-password", *house.given("passphrase")]


@expecting()
def push_pinging(house):
    return ["safe", "push", "--force", "--ping-url-file", house.home / "ping", *house.given("passphrase")]


@expecting()
def push_pinging_nobody(house):
    house.service.status = 500
    return ["safe", "push", "--force", "-v", "--ping-url-file", house.home / "ping", *house.given("passphrase")]


@expecting()
def doctor(house):
    return ["doctor", *house.given("passphrase")]


COMMANDS = {
    "setup": set_up,
    "setup, with an address that holds the login": set_up_by_file,
    "setup, preparing the server": set_up_preparing,
    "setup, refused": set_up_refused,
    "push, all": opening("safe", "push", "--all", "--force"),
    "push, unchanged": opening("safe", "push"),
    "push": opening("safe", "push", "--force"),
    "push, refused": opening("safe", "push", "--force", code=75, fault=("PUT", f.status(503))),
    "push, broken off": opening("safe", "push", "--force", code=75, fault=("PUT", f.reset_within)),
    "push, stalled": opening("safe", "push", "--force", "--timeout", "1s", code=75, fault=("PUT", f.stall)),
    "push, redirected": opening("safe", "push", "--force", code=15, fault=(
        "GET", f.status(302, Location="https://localhost:1/"))),
    "push, wrong login": wrong_login,
    "push, pinging": push_pinging,
    "push, pinging in vain": push_pinging_nobody,
    "check": opening("safe", "check"),
    "check, with the password": opening("safe", "check", "--with-password", stems=["safe-password"]),
    "check, refused": opening("safe", "check", code=75, fault=("GET", f.status(503))),
    "status": opening("safe", "status", "--remote"),
    "status, refused": opening("safe", "status", "--remote", code=75, fault=("GET", f.status(503))),
    "pull": opening("safe", "pull"),
    "pull, refused": opening("safe", "pull", code=75, fault=("GET", f.status(503))),
    "pull, to empty": pull_to_empty,
    "pull, from a server that is not trusted": pull_from_nobody_known,
    "passwd": opening("safe", "passwd", stems=["new-safe-password"]),
    "passwd, refused": opening("safe", "passwd", stems=["new-safe-password"], code=75, fault=("PUT", f.status(503))),
    "move": move,
    "move, refused": move_refused,
    "move, taken back": take_back,
    "server, new login": new_login,
    "delete": opening("safe", "delete", "--yes"),
    "delete, refused": opening("safe", "delete", "--yes", code=75, fault=("DELETE", f.status(503))),
    "doctor": doctor,
}


@pytest.fixture(scope="module")
def kept(built, tmp_path_factory, certificates):
    house = HTTPSHouse(tmp_path_factory.mktemp("houses") / "https", certificates.good).identity().keep()
    yield house
    house.server.close()
    house.service.close()


@pytest.mark.parametrize("name", COMMANDS)
def test_at_exit(kept, name):
    house, command = kept.bring_back(), COMMANDS[name]
    house.server.login, house.service.status = b"somebody:" + SERVER_PASSWORD, 200
    arguments = command(house)
    keytool = house.keytool
    if any("ping" in str(argument) for argument in arguments):
        keytool = keytool.with_environment(**house.service.environment)
    result, memory = run_to_exit(keytool.command_line(*arguments), keytool.environment, house.home)
    assert result.code == command.code, result
    left = unexpected(memory, house)
    assert not left, f"{result}" + "\n".join(map(str, left))


def test_the_server_was_asked_for_the_login(kept):
    """Or nothing of the above says anything."""
    house = kept.bring_back()
    house.keytool.ok("safe", "check", *house.given("passphrase"))
    assert house.server.requests[0].login == b"somebody:" + SERVER_PASSWORD


@pytest.mark.parametrize("kind", [Nginx, Apache])
@pytest.mark.parametrize("verb", ["push", "check", "delete"])
def test_at_exit_of_a_real_server(web_server, way, tmp_path, kind, verb):
    """nginx offers HTTP/2, whose library would keep the headers in memory of its own."""
    server = web_server(kind, Login("somebody", SERVER_PASSWORD)).prepare()
    house = EverySecret(tmp_path / "house")
    house.keytool.ok("id", "create", "--id", ID)
    house.keytool.ok("safe", "setup", *way(server), *house.given("safe-password"))
    house.keytool.ok("safe", "push")
    house.secrets["server password"] = SERVER_PASSWORD
    arguments = {"push": ["push", "--force"], "check": ["check"], "delete": ["delete", "--yes"]}[verb]
    result, memory = run_to_exit(
        house.keytool.command_line("safe", *arguments), house.keytool.environment, house.home)
    assert result.code == 0 and {one.user for one in server.requests()} == {"somebody"}, result
    left = unexpected(memory, house.learn())
    assert not left, f"{result}" + "\n".join(map(str, left))
