import CLinux
import Glibc

/// Who else can use a file that holds a secret: who reads it knows it, and who writes it chooses the next one.
struct SecretFileAccess {
    /// Each goes on where the file's path ends; none for what is no plain file.
    let warnings: [String]

    /// - Parameter file: its descriptor.
    init(of file: Int32, _ path: String) {
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            warnings = []
            return
        }
        let isReadable = status.st_mode & 0o044 != 0
        let isWritable = status.st_mode & 0o022 != 0
        var warnings: [String] = []
        if isReadable || isWritable {
            let verbs = [isReadable ? "read" : nil, isWritable ? "written" : nil].compactMap { $0 }
            let mode = String(status.st_mode & 0o777, radix: 8)
            warnings.append("can be \(verbs.joined(separator: " and ")) by others (mode 0\(mode))")
        }
        // Root can do as it likes anyway.
        if status.st_uid != 0 && status.st_uid != geteuid() {
            warnings.append("belongs to \(accountName(status.st_uid))")
        }
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = end.map { String(path[..<$0]) + "/" } ?? "."
        if unsafe stat(folder, &status) == 0, status.st_mode & 0o002 != 0, status.st_mode & S_ISVTX == 0 {
            warnings.append("can be replaced by others: everybody may write in its directory")
        }
        self.warnings = warnings
    }
}
