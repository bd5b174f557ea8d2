import Foundation
import SecureMemory
import VectorKit

@testable import Tar

/// Other implementations of tar.
enum Programs {
    typealias File = (name: String, content: [UInt8])

    /// Lends a new directory.
    static func inDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "tar-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try body(directory)
    }

    /// What GNU tar makes of a directory with these files.
    static func gnuArchive(_ files: [File], _ arguments: [String]) throws -> [UInt8] {
        try inDirectory { directory in
            for file in files {
                let url = directory.appending(path: "in/" + file.name)
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(file.content).write(to: url)
            }
            let archive = directory.appending(path: "archive").path
            _ = try Program.output(
                of: "/usr/bin/tar", ["-C", directory.appending(path: "in").path, "-cf", archive] + arguments)
            return [UInt8](try Data(contentsOf: URL(filePath: archive)))
        }
    }

    /// What GNU tar unpacks, by names.
    static func gnuFiles(_ archive: [UInt8]) throws -> [String: [UInt8]] {
        try inDirectory { directory in
            let path = directory.appending(path: "archive")
            let out = directory.appending(path: "out")
            try Data(archive).write(to: path)
            try FileManager.default.createDirectory(at: out, withIntermediateDirectories: false)
            _ = try Program.output(of: "/usr/bin/tar", ["-C", out.path, "-xf", path.path])
            var files: [String: [UInt8]] = [:]
            for case let name as String in FileManager.default.enumerator(atPath: out.path)! {
                let url = out.appending(path: name)
                if (try url.resourceValues(forKeys: [.isRegularFileKey])).isRegularFile == true {
                    files[name] = [UInt8](try Data(contentsOf: url))
                }
            }
            return files
        }
    }

    /// Runs a Python program whose first argument is the path of this archive.
    static func python(_ program: String, _ archive: [UInt8] = []) throws -> [UInt8] {
        try inDirectory { directory in
            let path = directory.appending(path: "archive")
            try Data(archive).write(to: path)
            return [UInt8](try Program.output(of: "/usr/bin/python3", ["-c", program, path.path]))
        }
    }
}

/// The bytes of an archive while it is written.
final class Written {
    private(set) var bytes: [UInt8] = []

    static func archive(_ files: [Programs.File], modified seconds: Int64 = 1_900_000_000) -> [UInt8] {
        let written = Written()
        let writer = TarWriter(modified: seconds) { piece in
            for index in piece.indices { written.bytes.append(piece[index]) }
        }
        for file in files { try! writer.add(TarName(file.name)!, file.content.span) }
        try! writer.finish()
        return written.bytes
    }
}
