#if Server
internal import Glibc

/// The file of a Unix socket. NIO removes it when the listener is closed. Nothing here removes it after that: another
/// server may have its own in the same place by then.
struct UnixSocket: Sendable {
    let path: String

    /// Removes the socket of a server that was killed.
    /// - Throws: `.notASocket`; `.system(EADDRINUSE)` if a program is listening on it.
    func makeRoom() throws(ListenError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket }
        if isConnected { throw .system(code: EADDRINUSE) }
        unsafe unlink(path)
    }

    /// Lets the account and its group connect: a proxy runs under another account. The directory can forbid it.
    func open() { unsafe chmod(path, 0o660) }

    private var isConnected: Bool {
        let file = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard file >= 0 else { return false }
        defer { close(file) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) {
            unsafe $0.copyBytes(from: path.utf8.prefix($0.count - 1))
        }
        return unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(file, address, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
#endif
