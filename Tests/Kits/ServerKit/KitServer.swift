import Foundation

/// A server of `Tests/Programs/keytool/kit/servers`, which the command line's tests have, too, in a process of Python's:
/// it has implementations and TLS of its own.
public final class KitServer: @unchecked Sendable {
    /// The words of the line that it prints when it listens.
    public let words: [String]
    /// The certificate authority of its certificate, in PEM.
    public let authority: [UInt8]
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let directory: URL

    /// - Parameter module: of Python. Its argument is an empty directory, into which it writes `authority.crt`. It
    ///   serves until its stdin ends, and answers each line of it by a line.
    public init(_ module: String) throws {
        directory = URL(filePath: NSTemporaryDirectory()).appending(path: "kit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.currentDirectoryURL =
            URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Programs/keytool").standardized
        process.arguments = ["-B", "-m", "kit.servers." + module, directory.path()]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        words = Self.line(output).split(separator: " ").map(String.init)
        authority = try [UInt8](Data(contentsOf: directory.appending(path: "authority.crt")))
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: directory)
    }

    /// Has the server do what a person or a fault would do.
    /// - Returns: what it answers.
    @discardableResult
    public func tell(_ words: String) throws -> String {
        try input.fileHandleForWriting.write(contentsOf: Data((words + "\n").utf8))
        return Self.line(output)
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
