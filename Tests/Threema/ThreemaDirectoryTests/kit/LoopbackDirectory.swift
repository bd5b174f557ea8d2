import Foundation
import HTTP
import HTTPTransport
import ServerKit
import Threema

@testable import ThreemaDirectory

/// The directory of the command line's tests, which has implementations of its own for proofs and hashes, and TLS.
struct LoopbackDirectory {
    let server: DirectoryServer
    private let process: KitServer

    init() throws {
        process = try KitServer("directoryserver")
        guard process.words.count == 2, let pin = PublicKeyPin(text: process.words[1]) else {
            throw CocoaError(.fileReadUnknown)
        }
        server = try DirectoryServer(url: process.words[0], authority: process.authority, pins: [pin])
    }

    /// Has the directory do what a person or a fault would do.
    /// - Returns: what it answers.
    @discardableResult
    func tell(_ words: String) throws -> String { try process.tell(words) }

    func client(pins: [PublicKeyPin]? = nil) throws -> DirectoryClient {
        let server = try DirectoryServer(url: server.url, authority: server.authority, pins: pins ?? server.pins)
        return DirectoryClient(CurlClient(), server.endpoint(), userAgent: "test/1", now: { 0 })
    }
}
