internal import CLinux
internal import Glibc
internal import Primitives
internal import Encodings
internal import SecureMemory

/// Keys of type "user" in the kernel's keyring of this account (`@u`, keyrings(7)).
///
/// A key in the keyring is not on disk and not swapped, and the kernel removes it after a timeout. Until then every
/// process of this account, and root, can read it.
package enum KernelKeyring {
    /// The possessor may view, read and search, but not change or extend. Others have no permission.
    private static let permissions: UInt32 = 0x0b00_0000

    /// The name of a key: the first 16 bytes of SHA-256 over a file of the keystore, in hex.
    static func digest(of file: Span<UInt8>) -> String { Hex.encode(Array(SHA256.hash(file).prefix(16))) }

    /// Stores a key, and replaces one of the same name.
    ///
    /// It is made in this process's keyring, which dies with the process, and linked into the account's keyring after
    /// its timeout is set. So the account's keyring never holds a key without a timeout.
    /// - Throws: the account's keyring does not hold the key then.
    static func keep(_ secret: borrowing SecureBytes, as name: String, seconds: UInt32) throws(KernelKeyringError) {
        let key = secret.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe keytool_add_key(name, $0.baseAddress, $0.count) }
        }
        try check(key)
        try check(keytool_keyctl_set_timeout(Int32(key), seconds))
        try check(keytool_keyctl_link(Int32(key), keytool_user_keyring))
        do {
            try check(keytool_keyctl_set_permissions(Int32(key), permissions))
            // Otherwise this process would still find a key that it has removed, and could not replace it.
            try check(keytool_keyctl_unlink(Int32(key), keytool_process_keyring))
        } catch {
            // The caller says that nothing was stored. Best effort: the timeout removes the key otherwise.
            _ = keytool_keyctl_unlink(Int32(key), keytool_user_keyring)
            throw error
        }
    }

    /// Stores, finds and removes a random key.
    /// - Throws: `KernelKeyringError` if the kernel refuses, as in many containers.
    package static func test() throws(KernelKeyringError) {
        let secret = Random.secret(16)
        let name = "keytool-test:" + Hex.encode(Random.bytes(8))
        try keep(secret, as: name, seconds: 10)
        let isFound = find(name) != nil
        guard try remove(name), isFound else { throw KernelKeyringError(code: EACCES) }
    }

    /// - Returns: nil if the key is missing, has expired, or may not be read.
    static func find(_ name: String) -> SecureBytes? {
        guard let key = try? search(name) else { return nil }
        return try? SecureBytes(capacity: 64) { (bytes) throws(KernelKeyringError) in
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe keytool_keyctl_read(key, buffer.baseAddress, buffer.count)
            }
            try check(count)
            // The kernel returns the length of the key, even if the buffer is shorter.
            guard count <= bytes.count else { throw KernelKeyringError(code: EMSGSIZE) }
            return count
        }
    }

    /// - Returns: whether the key existed.
    static func remove(_ name: String) throws(KernelKeyringError) -> Bool {
        guard let key = try search(name) else { return false }
        try check(keytool_keyctl_unlink(key, keytool_user_keyring))
        return true
    }

    /// Finds a key through this process's keyring. A key must be possessed to be read, and a session that was not
    /// started by login does not possess the keys in the account's keyring.
    private static func search(_ name: String) throws(KernelKeyringError) -> Int32? {
        try check(keytool_keyctl_link(keytool_user_keyring, keytool_process_keyring))
        let key = unsafe keytool_keyctl_search(keytool_process_keyring, name)
        if key < 0 && [ENOKEY, EKEYEXPIRED, EKEYREVOKED].contains(errno) { return nil }
        try check(key)
        return Int32(key)
    }

    private static func check(_ result: Int) throws(KernelKeyringError) {
        guard result >= 0 else { throw KernelKeyringError(code: errno) }
    }
}

/// The kernel refuses the use of its keyring, as in many containers.
public struct KernelKeyringError: Error, Equatable, Sendable {
    /// The errno of keyctl(2) or add_key(2).
    public let code: Int32
}
