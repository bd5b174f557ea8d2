"""A monitoring service of one job on a loopback port, over HTTPS: it notes what it is told."""

from kit.servers.faultserver import FaultServer


class PingService(FaultServer):
    """Runs at once; `status` is what it answers."""

    def __init__(self, certificate, status=200):
        super().__init__(certificate)
        self.status = status
        self.url = f"{self.origin}/ping/7d0c"
        self.environment = {"SSL_CERT_FILE": str(certificate.authority.path)}
        self.fault("GET", self._note)

    @property
    def told(self):
        """The paths that were asked for."""
        return [request.path for request in self.requests if request.method == "GET"]

    def _note(self, call):
        """More than a client has to read, and then the end of the connection."""
        call.is_last = True
        call.answer(self.status, b"OK" * 50_000)
