import Foundation
import Glibc

/// Another descriptor of a file that this process has open, as a process has it that was forked and did not call exec yet.
struct OpenFile {
    private let descriptor: Int32

    /// - Parameter path: a file that this process has open once.
    static func copy(of path: String) throws -> OpenFile {
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let open = descriptors.first {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }
        guard let open, let number = Int32(open) else { throw CocoaError(.fileNoSuchFile) }
        return OpenFile(descriptor: fcntl(number, F_DUPFD_CLOEXEC, 0))
    }

    func close() {
        Glibc.close(descriptor)
    }
}
