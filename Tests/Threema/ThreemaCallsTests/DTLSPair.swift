import Foundation

/// Two programs `openssl` on 127.0.0.1 that make a handshake of DTLS, and what each has read from the other.
struct DTLSPair {
    /// How one side is started.
    struct Side {
        let version: String
        let ciphers: String
        /// The names of SRTP profiles; empty for none.
        let profiles: String
        /// A file with certificate and key, in PEM.
        let identity: String

        fileprivate var arguments: [String] {
            ["-" + version, "-cipher", ciphers, "-cert", identity, "-key", identity, "-msg"]
                + (profiles.isEmpty ? [] : ["-use_srtp", profiles])
        }
    }

    /// The messages of a handshake, as `openssl` prints them, by their first byte. Each begins with the 12 bytes of DTLS
    /// (RFC 6347, 4.2.2); of several of a kind the last one counts.
    struct Messages {
        private var sent: [UInt8: [UInt8]] = [:]
        private var received: [UInt8: [UInt8]] = [:]

        fileprivate init(_ printed: String) {
            var isSent: Bool?
            var message: [UInt8] = []
            func finish(_ messages: inout Messages) {
                guard let isSent, message.count > 12 else { return }
                if isSent { messages.sent[message[0]] = message } else { messages.received[message[0]] = message }
            }
            for line in printed.split(separator: "\n") {
                if line.hasPrefix("    "), isSent != nil {
                    message += line.split(separator: " ").compactMap { UInt8($0, radix: 16) }
                } else {
                    finish(&self)
                    message = []
                    // OpenSSL 3.0 prints most versions by number.
                    let isHandshake = line.contains("content_type=22)") || line.contains(", Handshake [")
                    isSent = isHandshake ? line.hasPrefix(">>>") : nil
                }
            }
            finish(&self)
        }

        /// Without its 12 bytes.
        var clientHello: [UInt8]? { sent[1].map { Array($0[12...]) } }

        /// Version, suite and SRTP profile of the ServerHello that this side has got (RFC 5246, 7.4.1.3).
        var negotiated: (version: UInt16, suite: UInt16, profile: UInt16?)? {
            guard let hello = received[2].map({ Array($0[12...]) }) else { return nil }
            func number(_ at: Int) -> UInt16 { UInt16(hello[at]) << 8 | UInt16(hello[at + 1]) }
            let suite = 35 + Int(hello[34])
            var profile: UInt16?
            var at = suite + 5
            while at + 4 <= hello.count {
                if number(at) == 14 { profile = number(at + 6) }
                at += 4 + Int(number(at + 2))
            }
            return (number(0), number(suite), profile)
        }

        /// The first certificate that this side has got, in DER.
        var certificate: [UInt8]? { received[11].map { Array($0[18...]) } }

        /// Whether the other side's last message of the handshake has come.
        var isFinished: Bool { received[20] != nil }
    }

    let client: Messages
    let server: Messages

    /// Makes one handshake. Both programs end before it returns; a limit ends them if they do not.
    init(client: Side, server: Side) throws {
        let listening = try Running(["s_server", "-accept", "127.0.0.1:0", "-naccept", "1", "-Verify", "1"], server)
        defer { listening.end() }
        let address = try listening.line(after: "ACCEPT ")
        let connecting = try Running(["s_client", "-connect", address], client)
        defer { connecting.end() }
        // Its stdin ends, so it closes after the handshake, and the server with it.
        connecting.closeInput()
        self.client = Messages(connecting.rest())
        listening.closeInput()
        self.server = Messages(listening.rest())
    }

    /// A file with a new key of P-256 and its certificate, which it has signed itself.
    static func identity(in directory: URL, _ name: String) throws -> String {
        let path = directory.appending(path: name).path()
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/timeout")
        process.arguments = [
            "-s", "KILL", "60", "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
            "-nodes", "-days", "2", "-subj", "/CN=WebRTC", "-keyout", path, "-out", path + ".crt",
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        let whole = try Data(contentsOf: URL(filePath: path)) + Data(contentsOf: URL(filePath: path + ".crt"))
        try whole.write(to: URL(filePath: path))
        return path
    }
}

/// A program `openssl` with a limit.
private final class Running {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var printed = ""

    struct Ended: Error {}

    init(_ arguments: [String], _ side: DTLSPair.Side) throws {
        process.executableURL = URL(filePath: "/usr/bin/timeout")
        process.arguments = ["-s", "KILL", "60", "openssl"] + arguments + side.arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Waits for a line with this start.
    func line(after start: String) throws -> String {
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
            if byte.first != UInt8(ascii: "\n") {
                line += byte
                continue
            }
            let text = String(decoding: line, as: UTF8.self)
            if text.hasPrefix(start) { return String(text.dropFirst(start.count)) }
            line = Data()
        }
        throw Ended()
    }

    func closeInput() { try? input.fileHandleForWriting.close() }

    /// What it prints until its end.
    func rest() -> String {
        String(decoding: (try? output.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
    }

    /// `timeout` passes SIGTERM on.
    func end() {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
    }
}
