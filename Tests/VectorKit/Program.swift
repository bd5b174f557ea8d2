public import Foundation

/// A program of the system, run by a test that waits for it.
public enum Program {
    /// It ended with this status instead of 0.
    public struct Failed: Error {
        /// As a shell would show it, if no signal ended it.
        public let status: Int32
    }

    /// - Returns: its exit status. What it prints on stderr is dropped.
    @discardableResult
    public static func run(_ program: String, _ arguments: String...) throws -> Int32 {
        try finish(program, arguments, input: nil, output: nil).status
    }

    /// - Parameter input: the file that is its stdin.
    /// - Returns: what it printed on stdout.
    /// - Throws: `Failed`.
    public static func output(of program: String, _ arguments: [String], reading input: URL? = nil) throws -> Data {
        let (status, output) = try finish(program, arguments, input: input, output: Pipe())
        guard status == 0 else { throw Failed(status: status) }
        return output
    }

    private static func finish(
        _ program: String, _ arguments: [String], input: URL?, output: Pipe?
    ) throws -> (status: Int32, output: Data) {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        if let input { process.standardInput = try FileHandle(forReadingFrom: input) }
        if let output { process.standardOutput = output }
        try process.run()
        let printed = try output?.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, printed)
    }
}
