import Foundation
import VectorKit

/// The system's gzip(1): what it writes has to open, and what is stored here it has to read.
enum GzipProgram {
    /// - Parameter level: 1 to 9.
    static func compress(_ content: [UInt8], level: Int) throws -> [UInt8] {
        try run(["-\(level)", "-c"], reading: content)
    }

    /// - Throws: where gzip finds anything to complain about.
    static func decompress(_ member: [UInt8]) throws -> [UInt8] {
        try run(["-d", "-c"], reading: member)
    }

    private static func run(_ arguments: [String], reading input: [UInt8]) throws -> [UInt8] {
        // Through a file: a pipe that nobody empties while it is filled would never end.
        let directory = FileManager.default.temporaryDirectory.appending(path: "gzip-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "input")
        try Data(input).write(to: file)
        return [UInt8](try Program.output(of: "/usr/bin/gzip", arguments, reading: file))
    }
}
