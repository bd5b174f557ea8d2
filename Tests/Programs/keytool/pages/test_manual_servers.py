"""The configurations of keytool-cron(7), as they stand there, in a real nginx and a real Apache: only places and
ports are the test's. A Safe is set up, pushed, restored and deleted on them, and nobody else gets in."""

import pytest

from kit.known import SAFE_PASSWORD
from kit.pages import manual
from kit.servers.safedirectory import SafeSetup
from kit.servers.webservers import Apache, Login, Nginx

ALICE = Login("alice", b"three grey geese")


WRITTEN = {
    "port": ["listen 443", "*:443"], "certificate": ["/etc/ssl/safe.example.net.pem"],
    "key": ["/etc/ssl/private/safe.example.net.key"], "incoming": ["/srv/safe-incoming"], "root": ["/srv/safe"],
    "users": ["/etc/nginx/safe.users", "/etc/apache2/safe.users"], "locks": ["/var/lib/apache2/dav/locks"]}


def of_page(section, **places):
    text = "\n".join(manual.page("keytool-cron.7").examples[section]).partition("\n$ ")[0]
    for place, ours in places.items():
        [written] = [written for written in WRITTEN[place] if written in text]
        text = text.replace(written, str(ours))
    return text


class PageServer:
    @property
    def url(self):
        return f"https://localhost:{self.port}/alice"

    @url.setter
    def url(self, _):
        """It follows from the port."""

    @property
    def places(self):
        return {"certificate": self.directory / "server.crt", "key": self.directory / "server.key",
                "root": self.directory / "root", "users": self.directory / "users"}


class PageNginx(PageServer, Nginx):
    def configuration(self):
        """Ours around the page's."""
        server = of_page("NGINX", incoming=self.directory / "body", port=f"listen 127.0.0.1:{self.port}", **self.places)
        ours = super().configuration()
        return ours[: ours.index("server {")].replace("client_body_temp_path body; ", "") + server + "}"


class PageApache(PageServer, Apache):
    def configuration(self):
        ours = super().configuration()
        return ours[: ours.index("SSLEngine")] + of_page(
            "APACHE", locks=self.directory / "locks", port=f"*:{self.port}", **self.places)


@pytest.mark.parametrize("kind", [PageNginx, PageApache])
def test_server(owner, web_server, way, other_keytool, safe_password, kind):
    server = web_server(kind, ALICE)
    owner.ok("safe", "setup", "--create", *way(server), *safe_password)
    # As the page says of each.
    assert owner.json("safe", "status")["honours_conditions"] is (kind is PageApache)
    machine = SafeSetup(owner, server, "ABCD1234", SAFE_PASSWORD)
    assert machine.push()["backup"]["verified"] is True
    pulled = other_keytool.json("safe", "pull", "--id", "ABCD1234", *way(server), *safe_password)
    assert pulled["public_key"] == owner.json("id", "show")["public_key"]

    nobody = ["--server", server.url, *way(server)[2:4]]  # the authority, no login
    other_keytool.ok("id", "remove", "--yes")
    other_keytool.fails(13, "safe", "pull", "--id", "ABCD1234", *nobody, *safe_password)

    owner.ok("safe", "delete", "--yes")
    backups = server.directory / "root/alice/backups"
    assert [path for path in backups.iterdir() if not path.name.startswith(".")] == []
