"""Real nginx and Apache over TLS on a loopback port, as WebDAV servers that hold a Safe.

Each has a directory of its own, where all its files are: below /tmp and not among the tests' own,
because as root the tests start it as nobody, who must be able to get there.
"""

import http.client
import os
import shutil
import signal
import ssl
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from kit.servers.certificates import openssl
from kit.servers.listener import kept
from kit.servers.safedirectory import MAX_BACKUP_BYTES, SafeDirectory

PATIENCE = 60  # seconds
USER = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}


class Login(NamedTuple):
    user: str
    password: bytes


ANNA = Login("anna", "Säntis: 2502 m \"hoch\" %41+&".encode())


class Request(NamedTuple):
    """As the server's log has it; `-` for a header that did not come."""
    method: str
    path: str
    status: str
    user: str
    agent: str
    accept: str
    type: str
    length: str
    encoding: str


class WebServer(SafeDirectory):
    """Serves `path`, which is there only once it was made. What is changed counts from the next
    start on; the port stays."""

    MARK = "/mark"  # asked for by us alone

    def __init__(self, certificate, login=None):
        self.directory = Path(tempfile.mkdtemp(prefix="keytool-web-", dir="/tmp"))
        (self.directory / "root").mkdir()
        super().__init__(self.directory / "root" / "safe")
        # Also while the server is restarted.
        self._kept = kept()
        self.port = self._kept.getsockname()[1]
        self.host = "localhost"
        self.certificate, self.login = certificate, login
        self.max_body_bytes = MAX_BACKUP_BYTES
        self.process = None

    @property
    def url(self):
        return f"https://{self.host}:{self.port}/safe"

    @url.setter
    def url(self, _):
        """It follows from the port."""

    @property
    def log(self):
        return self.directory / "access.log"

    def prepare(self, *limits, **named):
        self.path.mkdir(exist_ok=True)
        super().prepare(*limits, **named)
        return self._hand_over()

    def put(self, keys, blob):
        super().put(keys, blob)
        self._hand_over()

    def names(self):
        return [name for name in super().names() if not name.startswith(".")]  # Apache's .DAV

    # Running it

    def start(self):
        for name, source in {"crt": self.certificate.path, "key": self.certificate.key}.items():
            shutil.copyfile(source, self.directory / f"server.{name}")
        if self.login:
            hashed = openssl("passwd", "-apr1", "-stdin", given=self.login.password + b"\n")
            (self.directory / "users").write_bytes(self.login.user.encode() + b":" + hashed)
        (self.directory / "server.conf").write_text(self.configuration())
        self._hand_over()
        with (self.directory / "said").open("wb") as said:
            self.process = subprocess.Popen(
                self.command(), cwd=self.directory, stdin=subprocess.DEVNULL, stdout=said,
                stderr=said, start_new_session=True, env={"PATH": "/usr/sbin:/usr/bin"}, **USER)
        deadline = time.monotonic() + PATIENCE
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise AssertionError(f"{self.command()} does not run: {self._complaints()}")
            time.sleep(0.01)
        return self

    def stop(self):
        """At once, but by its own hand, so that it waits for its children."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)  # a session of our own making
            self.process.wait()
        self.process = None

    def restart(self, **changes):
        self.stop()
        for name, value in changes.items():
            assert hasattr(self, name), name
            setattr(self, name, value)
        return self.start()

    def requests(self):
        """All since the last time this was asked, or the server was started."""
        lines = self._lines_up_to_a_mark()[self.seen :]
        self.seen += len(lines) + 1
        return [Request(*line.split("\t")) for line in lines]

    def _lines_up_to_a_mark(self):
        """Once our own request is in the log, those before it are, too."""
        marks = self._log().count(self.MARK)
        self._ask_for_mark()
        deadline = time.monotonic() + PATIENCE
        while self._log().count(self.MARK) == marks or not self._log().endswith("\n"):
            assert time.monotonic() < deadline, f"nothing is logged: {self._complaints()}"
            time.sleep(0.005)
        lines = self._log().splitlines()
        return lines[: max(n for n, line in enumerate(lines) if self.MARK in line)]

    def _log(self):
        return self.log.read_text() if self.log.exists() else ""

    def _ask_for_mark(self):
        trust = ssl.create_default_context()
        trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
        trust.set_ciphers("ALL")  # more than keytool offers
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=trust)
        try:
            connection.request("GET", self.MARK)
            connection.getresponse().read()
        finally:
            connection.close()

    def close(self):
        self.stop()
        self._kept.close()
        shutil.rmtree(self.directory)

    def _hand_over(self):
        """All files become the server's own."""
        if USER:
            for path in (self.directory, *self.directory.rglob("*")):
                shutil.chown(path, USER["user"], USER["group"])
        return self

    def _answers(self):
        try:
            self.seen = len(self._lines_up_to_a_mark()) + 1
            return True
        except OSError:
            return False

    def _complaints(self):
        names = ("said", "error.log")
        return [path.read_text() for path in map(self.directory.joinpath, names) if path.exists()]


class Nginx(WebServer):
    tls = ""  # directives for versions and ciphers; nginx's defaults
    requests_a_minute = None  # more are answered 429, without Retry-After

    def command(self):
        return ["nginx", "-p", str(self.directory), "-c", "server.conf", "-e", "error.log"]

    def configuration(self):
        login = 'auth_basic "Safe"; auth_basic_user_file users;' if self.login else ""
        zone = limit = ""
        if self.requests_a_minute:
            rate = f"{self.requests_a_minute}r/m"
            zone = f"limit_req_zone $binary_remote_addr zone=slow:64k rate={rate};"
            limit = "limit_req zone=slow; limit_req_status 429;"
        return f"""
            daemon off; pid pid; worker_processes 1; error_log error.log;
            events {{ worker_connections 64; }}
            http {{
                log_format seen "$request_method\\t$uri\\t$status\\t$remote_user\\t"
                    "$http_user_agent\\t$http_accept\\t$http_content_type\\t"
                    "$http_content_length\\t$http_transfer_encoding";
                access_log access.log seen;
                client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
                uwsgi_temp_path uwsgi; scgi_temp_path scgi;
                default_type application/json;
                {zone}
                server {{
                    listen 127.0.0.1:{self.port} ssl http2;
                    ssl_certificate server.crt; ssl_certificate_key server.key; {self.tls}
                    root root;
                    create_full_put_path off; dav_access user:rw;
                    client_max_body_size {self.max_body_bytes};
                    {login}
                    location = /safe/ {{ dav_methods MKCOL; }}
                    location = /safe/backups/ {{ dav_methods MKCOL; }}
                    location = /safe/config {{ dav_methods PUT; {limit} }}
                    location ~ "^/safe/backups/[0-9a-f]{{64}}$" {{
                        dav_methods PUT DELETE; {limit}
                    }}
                    location / {{ return 400; }}
                }}
            }}"""


class Apache(WebServer):
    MODULES = ("mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic",
               "dav", "dav_fs", "ssl")

    def command(self):
        return ["apache2", "-d", str(self.directory), "-f", "server.conf", "-D", "FOREGROUND"]

    def configuration(self):
        modules = "\n".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so"
                            for name in self.MODULES)
        login = "Require all granted"
        if self.login:
            login = 'AuthType Basic\nAuthName "Safe"\nAuthUserFile users\nRequire valid-user'
        headers = "\\t".join(f"%{{{name}}}i" for name in (
            "User-Agent", "Accept", "Content-Type", "Content-Length", "Transfer-Encoding"))
        return f"""
{modules}
ServerName localhost
Listen 127.0.0.1:{self.port}
PidFile pid
DefaultRuntimeDir "{self.directory}"
ErrorLog error.log
LogFormat "%m\\t%U\\t%>s\\t%u\\t{headers}" seen
CustomLog access.log seen
ServerLimit 1
StartServers 1
ThreadsPerChild 8
MaxRequestWorkers 8
MinSpareThreads 1
MaxSpareThreads 8
SSLEngine on
SSLCertificateFile server.crt
SSLCertificateKeyFile server.key
DocumentRoot root
DavLockDB locks
<Directory "{self.directory}/root">
Dav On
LimitRequestBody {self.max_body_bytes}
{login}
</Directory>
"""


SERVERS = {"nginx": (Nginx, None), "nginx-login": (Nginx, ANNA),
           "apache": (Apache, None), "apache-login": (Apache, ANNA)}
