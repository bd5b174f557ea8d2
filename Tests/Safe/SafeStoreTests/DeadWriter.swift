import Foundation

@testable import AtomicFiles

/// The WRITER in the names of the temporary files of a process that was there, and is no more.
func deadWriter() throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/true")
    try process.run()
    process.waitUntilExit()
    return Writer(run: Writer.present.run, process: process.processIdentifier).text
}
