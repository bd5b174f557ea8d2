internal import SecureMemory

/// The items of one MainKey that were found in the app's keychain, or in files with their contents.
public struct ProtectionItems: ~Copyable, Sendable {
    /// Whether the items hold a key, and whether it is protected.
    public enum State: Hashable, Sendable {
        /// No item holds a key.
        case absent
        /// The key is there in the clear, and not protected.
        case open
        /// The key is protected. It may be there in the clear, too.
        case locked
    }

    /// The names of the items that `add(_:file:)` has accepted.
    public private(set) var found: Set<ProtectionItem> = []
    private var clear: SecureBytes?
    private var contents: [ProtectionItem: [UInt8]] = [:]

    /// Begins without items; add each one that was found.
    public init() {}

    /// Adds an item.
    /// - Parameter file: the content as it is, in hexadecimal or in Base64 (`ProtectionItem.content`).
    /// - Throws: `.duplicate`, `.tooLong`, `.notReadable`; then nothing is added.
    public mutating func add(_ item: ProtectionItem, file: Span<UInt8>) throws(ProtectionItemError) {
        guard !found.contains(item) else { throw .duplicate(item) }
        let content = try item.content(of: file)
        switch item {
        case .none: clear = consume content
        default:
            // Salt, version and ciphertext are not secret.
            contents[item] = content.revealBytes()
        }
        found.insert(item)
    }

    /// What protects the key. An item of biometric protection counts, although nothing here opens it.
    public var state: State {
        if !found.isDisjoint(with: [.pin, .randomPIN, .bio]) { return .locked }
        return found.contains(.none) ? .open : .absent
    }

    /// Whether the key is there in the clear although it is protected: then the protection is worth nothing.
    public var hasClearCopyBesideProtection: Bool { state == .locked && found.contains(.none) }

    /// Whether there is a copy that only the Secure Enclave of one device opens.
    public var hasUnreadableCopy: Bool { found.contains(.bio) }

    /// The key in the clear; nil if there is none.
    public borrowing func clearKey() -> MainKey? {
        switch clear {
        case .some(let bytes): bytes.withBytes { try? MainKey(SecureBytes(copying: $0)) }
        case .none: nil
        }
    }

    /// The key under the PIN; nil if there is none.
    /// - Throws: `.missing` without a salt: nothing opens the key then. `.tooLong`.
    public borrowing func pinProtection() throws(ProtectionItemError) -> PINProtection? {
        try protection(.pin, .pinSalt, .pinVersion)
    }

    /// The key under a text that the app has made; nil if there is none.
    /// - Throws: as `pinProtection`.
    public borrowing func randomPINProtection() throws(ProtectionItemError) -> PINProtection? {
        try protection(.randomPIN, .randomPINSalt, .randomPINVersion)
    }

    private borrowing func protection(
        _ item: ProtectionItem, _ saltItem: ProtectionItem, _ versionItem: ProtectionItem
    ) throws(ProtectionItemError) -> PINProtection? {
        guard let blob = contents[item] else { return nil }
        guard let salt = contents[saltItem] else { throw .missing(saltItem) }
        let isVersion1 = contents[versionItem].map { $0 == Array("1".utf8) } ?? false
        do {
            return try PINProtection(version: isVersion1 ? .version1 : .legacy, salt: salt, blob: blob)
        } catch {
            // The salt has its length.
            throw .tooLong(item, limit: PINProtection.maxCount)
        }
    }
}

extension PINProtection {
    /// The three items as the app's library reads them. Store all of them or none. There are none for `legacy`.
    public var items: [(item: ProtectionItem, content: [UInt8])] {
        guard version == .version1 else { return [] }
        return [(.pin, blob), (.pinSalt, salt), (.pinVersion, Array("1".utf8))]
    }
}
