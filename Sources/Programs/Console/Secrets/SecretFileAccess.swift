import Glibc

/// Who else can use a file that holds a secret: who reads it knows it, and who writes it chooses the next one.
struct SecretFileAccess {
    /// Each follows the file's path in a sentence. Empty if the file is not regular.
    let warnings: [String]

    /// - Parameter file: its descriptor.
    init(of file: Int32, _ path: String) {
        guard let status = FileStatus(of: file), status.isPlainFile else {
            warnings = []
            return
        }
        let isReadable = status.permissions & 0o044 != 0
        let isWritable = status.permissions & 0o022 != 0
        var warnings: [String] = []
        if isReadable || isWritable {
            let verbs = [isReadable ? "read" : nil, isWritable ? "written" : nil].compactMap { $0 }
            let mode = String(status.permissions & 0o777, radix: 8)
            warnings.append("can be \(verbs.joined(separator: " and ")) by others (mode 0\(mode))")
        }
        // Root can do as it likes anyway.
        if status.owner != 0 && status.owner != geteuid() {
            warnings.append("belongs to \(accountName(status.owner))")
        }
        if Self.places(path).contains(where: { Self.isOpenToAll(Self.directory(of: $0)) }) {
            warnings.append("can be replaced by others: everybody can write to its directory")
        }
        self.warnings = warnings
    }

    /// Links that are followed; as many as the kernel follows.
    private static var maxLinks: Int { 40 }

    /// The path and, while its last step is a link, where that leads. An account that can replace any of them can
    /// replace the secret.
    private static func places(_ path: String) -> [String] {
        var places = [path]
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        while places.count <= maxLinks, let last = places.last {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe readlink(last, bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
            }
            guard count > 0 else { break }
            let target = String(decoding: buffer.prefix(count), as: UTF8.self)
            places.append(target.utf8.first == UInt8(ascii: "/") ? target : directory(of: last) + target)
        }
        return places
    }

    /// The directory that a path is in, with a slash at its end.
    private static func directory(of path: String) -> String {
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        return end.map { String(path[..<$0]) + "/" } ?? "./"
    }

    /// Whether everybody may replace files in a directory.
    private static func isOpenToAll(_ directory: String) -> Bool {
        guard let permissions = FileStatus(directory)?.permissions else { return false }
        return permissions & 0o002 != 0 && permissions & S_ISVTX == 0
    }
}
