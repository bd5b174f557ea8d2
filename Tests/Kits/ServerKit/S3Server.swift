import Foundation

/// An S3 server over HTTPS in a process of Python's, with objects in memory. It verifies signatures by its own code.
public final class S3Server: Sendable {
    /// Beside the tests of the program, which run it, too.
    private static var source: String {
        get throws {
            let tests = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
            return try String(contentsOf: tests.appending(path: "Programs/keytool-server/s3server.py"), encoding: .utf8)
        }
    }

    /// The access key that it accepts.
    public static let accessKey = "test:key"
    /// The secret key that it accepts.
    public static let secretKey = "a secret key"

    private let server: HTTPSServer

    /// A server without buckets.
    public init() throws { server = try HTTPSServer(running: Self.source) }

    /// `127.0.0.1:PORT`.
    public var authority: String { String(server.origin.dropFirst("https://".count)) }
    /// Its own certificate, in PEM.
    public var certificate: [UInt8] { server.authority }

    /// From here on nothing answers.
    public func takeAway() throws { try server.takeAway() }
}
