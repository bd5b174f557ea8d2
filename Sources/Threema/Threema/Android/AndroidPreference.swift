public import KeyWrapping
internal import Primitives
public import SecureMemory

// A file `.crs-NAME` in the Android app's directory `files`: one encrypted preference, in all versions alike.
//
//   offset  length  meaning
//        0      16  initialization vector, random for each write
//       16       …  AES-256-CBC under the master key, with the padding of PKCS#7
//
// Nothing authenticates it: under another key, one of 256 opens to something, and a changed bit of the vector changes the
// same bit of the value. So a private key counts only with the public key that belongs to it.

/// An encrypted preference of the Android app.
public enum AndroidPreference {
    /// The name of the file that has the private key: 64 bytes.
    public static let privateKeyName = ".crs-private_key"
    /// Longest file, in bytes.
    public static let maxCount = 64 * 1024

    /// Decrypts a preference.
    /// - Parameters:
    ///   - file: `.crs-NAME`.
    ///   - masterKey: of the app's key file, by `WrappedKey`.
    /// - Returns: the value as the app has it: bytes are not encoded, text is UTF-8. Empty means that it is not set.
    /// - Throws: `.wrongLength` for less than 32 bytes, more than `maxCount`, or no multiple of 16; `.notOpened`.
    public static func open(
        _ file: Span<UInt8>, masterKey: borrowing MasterKey
    ) throws(AndroidFileError) -> SecureBytes {
        let ivCount = Legacy.PaddedCBC.ivCount
        guard (ivCount + Legacy.PaddedCBC.blockCount...maxCount).contains(file.count),
            file.count.isMultiple(of: Legacy.PaddedCBC.blockCount)
        else { throw .wrongLength(file.count) }
        let opened = Legacy.PaddedCBC.open(
            file.extracting(ivCount..<file.count), key: masterKey.bytes,
            iv: file.extracting(0..<ivCount).revealBytes())
        guard let opened else { throw .notOpened }
        return opened
    }

    /// Decrypts the private key, and proves it by the public one.
    /// - Parameters:
    ///   - file: `privateKeyName`.
    ///   - masterKey: of the app's key file, by `WrappedKey`.
    ///   - account: of the app's settings; or ID and key of the directory's answer.
    /// - Throws: as `open`; `.noPrivateKey` if the value has not 32 bytes; `.otherPrivateKey` if it is not that of the
    ///   account.
    public static func identity(
        in file: Span<UInt8>, masterKey: borrowing MasterKey, of account: AndroidAccount
    ) throws(AndroidFileError) -> Identity {
        let value = try open(file, masterKey: masterKey)
        guard value.count == ClientKey.count else { throw .noPrivateKey(count: value.count) }
        let clientKey = ClientKey(value)
        guard clientKey.publicKey == account.publicKey else { throw .otherPrivateKey }
        return Identity(id: account.id, clientKey: clientKey)
    }
}

/// Why a file of the Android app was not read.
public enum AndroidFileError: Error, Equatable, Sendable {
    /// No preference, or no settings, have so many bytes.
    case wrongLength(Int)
    /// The master key is that of another installation, or the file is damaged.
    case notOpened
    /// The value is no private key. It is empty after the app was reset.
    case noPrivateKey(count: Int)
    /// The private key has another public key: file, master key and account do not belong together, or one is damaged.
    case otherPrivateKey
    /// The settings are no XML of the app.
    case malformed
    /// The settings lack this value, or have it twice.
    case missing(String)
    /// The settings have something else in place of this value.
    case invalid(String)
}
