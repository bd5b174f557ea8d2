import Foundation

/// Runs a program of the system and waits for it.
/// - Returns: its exit status.
@discardableResult
func run(_ program: String, _ arguments: String...) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
}
