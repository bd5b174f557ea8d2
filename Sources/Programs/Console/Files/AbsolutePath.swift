import Glibc

/// Paths that mean the same in every working directory.
package enum AbsolutePath {
    /// The path from the root. Links, "." and ".." in it stay.
    package static func of(_ path: String) -> String {
        guard path.utf8.first != UInt8(ascii: "/"), let here = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(here) }
        return unsafe String(cString: here) + "/" + path
    }

    /// The file of this program, links followed; nil if /proc is missing.
    package static var ofProgram: String? {
        guard let path = unsafe realpath("/proc/self/exe", nil) else { return nil }
        defer { unsafe free(path) }
        return unsafe String(validatingCString: path)
    }
}
