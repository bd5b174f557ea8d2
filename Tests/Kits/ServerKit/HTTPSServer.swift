import Foundation

/// A WebDAV directory over HTTPS in a process of Python's, with a certificate of its own.
public final class HTTPSServer: @unchecked Sendable {
    private static let webDAV = """
        import base64, hashlib, http.server, os, ssl, sys, time
        root, certificate = sys.argv[1:3]
        login = "Basic " + base64.b64encode(b"alice:correct horse").decode()

        connections, vanished = [], []

        class Handler(http.server.BaseHTTPRequestHandler):
            def setup(self):
                super().setup()
                connections.append(1)
            protocol_version = "HTTP/1.1"
            def log_message(self, *arguments):
                pass
            def answer(self, status, body=b"", tag=None):
                self.send_response(status)
                if tag:
                    self.send_header("ETag", tag)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)
            def do(self, act):
                if self.path == "/stall/unread":
                    time.sleep(60)
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                if self.path == "/stall":
                    time.sleep(60)
                if self.path == "/counts":
                    return self.answer(200, f"{len(connections)} {len(vanished)}".encode())
                if self.path == "/echo":
                    kind = self.headers.get_all("Content-Type")
                    return self.answer(200, f"{self.command} {kind} ".encode() + body)
                if self.path == "/vanish":
                    vanished.append(1)
                    self.close_connection = True
                    return
                if self.path == "/drip":
                    self.send_response(200)
                    self.end_headers()
                    for _ in range(5):
                        self.wfile.write(b".")
                        time.sleep(0.8)
                    self.close_connection = True
                    return
                if self.headers.get("Authorization") != login:
                    return self.answer(401)
                if self.headers.get("User-Agent") != "Threema" or "Transfer-Encoding" in self.headers:
                    return self.answer(400)
                path = root + self.path.removeprefix("/safe")
                tag = self.tag(path)
                if self.headers.get("If-None-Match") == "*" and tag:
                    return self.answer(412)
                if self.headers.get("If-Match", tag) != tag:
                    return self.answer(412)
                act(path, body)
            def tag(self, path):
                if not os.path.isfile(path):
                    return None
                with open(path, "rb") as file:
                    return '"' + hashlib.sha256(file.read()).hexdigest() + '"'
            def do_GET(self):
                def act(path, body):
                    if not os.path.isfile(path):
                        return self.answer(404)
                    with open(path, "rb") as file:
                        self.answer(200, file.read(), self.tag(path))
                self.do(act)
            do_HEAD = do_GET
            def do_POST(self):
                self.do(lambda path, body: self.answer(405))
            def do_PUT(self):
                def act(path, body):
                    if not os.path.isdir(os.path.dirname(path)):
                        return self.answer(409, b"<html>no such directory</html>")
                    is_new = not os.path.exists(path)
                    with open(path, "wb") as file:
                        file.write(body)
                    self.answer(201 if is_new else 204)
                self.do(act)
            def do_DELETE(self):
                def act(path, body):
                    if not os.path.exists(path):
                        return self.answer(404)
                    os.remove(path)
                    self.answer(204)
                self.do(act)
            def do_MKCOL(self):
                def act(path, body):
                    if os.path.exists(path):
                        return self.answer(405)
                    os.mkdir(path)
                    self.answer(201)
                self.do(act)

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        if sys.argv[3:]:
            context.maximum_version = ssl.TLSVersion.TLSv1_2
            context.set_ciphers(sys.argv[3])
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """

    /// Of the directory, `https://127.0.0.1:PORT/safe/`.
    public let address: String
    private let directory: URL
    /// Its own certificate, in PEM.
    public let authority: [UInt8]
    private let process = Process()

    /// An empty directory, not prepared.
    /// - Parameters:
    ///   - ciphers: of TLS 1.2, which is then the only version; nil for OpenSSL's defaults.
    ///   - others: certificates in PEM that it sends after its own.
    public convenience init(ciphers: String? = nil, sendingAlso others: [UInt8] = []) throws {
        try self.init(running: Self.webDAV, ciphers.map { [$0] } ?? [], sendingAlso: others)
    }

    /// - Parameters:
    ///   - program: Python. Its first arguments are an empty directory and a file with certificate and key; it prints the
    ///     port of 127.0.0.1 where it listens.
    ///   - arguments: those that follow.
    init(running program: String, _ arguments: [String] = [], sendingAlso others: [UInt8] = []) throws {
        directory = URL(filePath: NSTemporaryDirectory()).appending(path: "https-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let certificate = directory.appending(path: "certificate.pem")
        let openssl = Process()
        openssl.executableURL = URL(filePath: "/usr/bin/openssl")
        openssl.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", certificate.path(),
            "-out", certificate.path() + ".crt",
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        authority = try [UInt8](Data(contentsOf: URL(filePath: certificate.path() + ".crt")))
        let handle = try FileHandle(forWritingTo: certificate)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(authority + others))
        try handle.close()

        let root = directory.appending(path: "root")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", program, root.path(), certificate.path()] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = UInt16(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw CocoaError(.executableLoad)
        }
        address = "https://127.0.0.1:\(port)/safe/"
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        try? FileManager.default.removeItem(at: directory)
    }

    /// The address without its path.
    public var origin: String { String(address.dropLast("/safe/".count)) }

    /// Puts a file into the directory.
    public func put(_ name: String, _ content: [UInt8]) throws {
        try Data(content).write(to: directory.appending(path: "root/" + name))
    }

    /// From here on nothing answers.
    public func takeAway() throws {
        // Not by `terminate`: a child of these threads may have SIGTERM blocked.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
