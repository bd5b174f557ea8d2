public import Foundation

/// A program of the system, run by a test that waits for it.
public enum Program {
    /// It ended with this status instead of 0.
    public struct Failed: Error {
        /// As a shell would show it, if no signal ended it.
        public let status: Int32
        /// What it printed on stderr: for a Python program that lacks a module, the module's name.
        public let errors: String
    }

    /// - Returns: its exit status. What it prints is dropped.
    @discardableResult
    public static func run(_ program: String, _ arguments: String...) throws -> Int32 {
        try finish(program, arguments, input: nil, output: FileHandle.nullDevice, errors: FileHandle.nullDevice)
    }

    /// - Parameter input: the file that is its stdin.
    /// - Returns: what it printed on stdout.
    /// - Throws: `Failed`.
    public static func output(of program: String, _ arguments: [String], reading input: URL? = nil) throws -> Data {
        // A file, not a second pipe: nobody has to read both at once.
        let errors = URL(filePath: NSTemporaryDirectory()).appending(path: "errors-\(UUID().uuidString)")
        try Data().write(to: errors)
        defer { try? FileManager.default.removeItem(at: errors) }
        let pipe = Pipe()
        var printed = Data()
        let status = try finish(
            program, arguments, input: input, output: pipe, errors: FileHandle(forWritingTo: errors)
        ) {
            printed = try pipe.fileHandleForReading.readToEnd() ?? Data()
        }
        guard status == 0 else {
            throw Failed(status: status, errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
        }
        return printed
    }

    private static func finish(
        _ program: String, _ arguments: [String], input: URL?, output: Any, errors: FileHandle,
        reading read: () throws -> Void = {}
    ) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = errors
        if let input { process.standardInput = try FileHandle(forReadingFrom: input) }
        try process.run()
        try read()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
