import Foundation
import HTTP
import HTTPTransport
import Threema

@testable import ThreemaDirectory

/// The directory of the command line's tests, in a process of Python's: it has implementations of its own for proofs
/// and hashes, and TLS.
final class LoopbackDirectory: @unchecked Sendable {
    let server: DirectoryServer
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let directory: URL

    init() throws {
        directory = URL(filePath: NSTemporaryDirectory()).appending(path: "directory-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.currentDirectoryURL =
            URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../KeytoolTests").standardized
        process.arguments = ["-B", "-m", "kit.directoryserver", directory.path()]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let words = Self.line(output).split(separator: " ").map(String.init)
        guard words.count == 2, let pin = PublicKeyPin(text: words[1]) else { throw CocoaError(.fileReadUnknown) }
        let authority = try [UInt8](Data(contentsOf: directory.appending(path: "authority.crt")))
        server = try DirectoryServer(url: words[0], authority: authority, pins: [pin])
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: directory)
    }

    /// Has the directory do what a person or a fault would do.
    /// - Returns: what it answers.
    @discardableResult
    func tell(_ words: String) throws -> String {
        try input.fileHandleForWriting.write(contentsOf: Data((words + "\n").utf8))
        return Self.line(output)
    }

    func client(pins: [PublicKeyPin]? = nil) throws -> DirectoryClient {
        let server = try DirectoryServer(url: server.url, authority: server.authority, pins: pins ?? server.pins)
        return DirectoryClient(CurlClient(), server.endpoint(), userAgent: "test/1", now: { 0 })
    }

    private static func line(_ pipe: Pipe) -> String {
        var line = Data()
        while let byte = try? pipe.fileHandleForReading.read(upToCount: 1), byte.first != UInt8(ascii: "\n"),
            !byte.isEmpty
        {
            line += byte
        }
        return String(decoding: line, as: UTF8.self)
    }
}
