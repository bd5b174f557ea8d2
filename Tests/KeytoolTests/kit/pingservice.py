"""A monitoring service of one job on a loopback port, over HTTPS: it notes what it is told."""

import http.server
import ssl
import threading


class PingService:
    """Runs at once; `status` is what it answers."""

    def __init__(self, certificate, status=200):
        self.told, self.status = [], status
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                service.told.append(self.path)
                self.send_response(service.status)
                self.end_headers()
                self.wfile.write(b"OK" * 50_000)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate.path, certificate.key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f"https://localhost:{self.server.server_address[1]}/ping/7d0c"
        self.environment = {"SSL_CERT_FILE": str(certificate.authority.path)}
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
