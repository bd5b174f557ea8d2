import Foundation

/// A Python with packages from PyPI, other implementations among them. Scripts/set-up installs each in a directory of
/// its own.
public struct InstalledPython: Sendable {
    /// Scripts/set-up has not run.
    public struct Missing: Error, CustomStringConvertible {
        /// Where it should be.
        public let path: String
        /// Says what to do.
        public var description: String { "\(path) is missing: run Scripts/set-up test" }
    }

    private let path: String

    /// - Parameter name: of the directory below `.build`.
    public init(_ name: String) {
        // Not standardized as a whole: that would resolve the link to the system's Python.
        path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
            .appending(path: ".build/\(name)/bin/python").path()
    }

    /// Runs a program.
    /// - Parameter lines: what it reads on stdin.
    /// - Returns: what it printed on stdout.
    /// - Throws: `Missing`; `Program.Failed`.
    public func run(_ source: String, _ arguments: [String] = [], reading lines: [Data] = []) throws -> Data {
        guard FileManager.default.isExecutableFile(atPath: path) else { throw Missing(path: path) }
        let input = FileManager.default.temporaryDirectory.appending(path: "python-\(UUID()).txt")
        try Data(lines.joined(separator: [UInt8(ascii: "\n")])).write(to: input)
        defer { try? FileManager.default.removeItem(at: input) }
        // A test that waits for ever would hold the lock of the build.
        return try Program.output(
            of: "/usr/bin/timeout", ["--signal=KILL", "300", path, "-c", source] + arguments, reading: input)
    }
}
