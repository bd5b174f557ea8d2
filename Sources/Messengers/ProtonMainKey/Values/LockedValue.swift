internal import Primitives
public import SecureMemory

// A value under a MainKey. What the app writes, which is version 1:
//
//   offset  length  meaning
//        0      16  random initialization vector
//       16       n  AES-256-CTR(MainKey, IV, binary property list)
//
// The list of a text or of data is an array with it as the only element. Nothing is authenticated. Version 2, which the
// app does not know:
//
//   offset  length  meaning
//        0       4  `KTL2`
//        4      24  random nonce
//       28  n + 16  XChaCha20-Poly1305 of the content. The key is HKDF-SHA256 of the MainKey, without salt, with the info
//                   `KTL2`, 32 bytes; the additional data are `KTL2` ‖ name of the value

/// Encrypts and decrypts values under a MainKey.
public enum LockedValue {
    /// The form of a value.
    public enum Version: Hashable, Sendable, CaseIterable {
        /// The app's. It is not authenticated: changed bytes open to another value.
        case version1
        /// keytool's. It is authenticated, and bound to the name of the value.
        case version2
    }

    /// How the app sees a content.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// UTF-8.
        case string
        case data
        /// A binary property list.
        case list
    }

    /// A content in guarded memory.
    public struct Content: ~Copyable, Sendable {
        /// How the app sees it.
        public let kind: Kind
        /// The text as UTF-8, the data, or the binary property list.
        public let bytes: SecureBytes

        /// - Parameter bytes: the text as UTF-8, the data, or the binary property list. They are checked when they are locked.
        public init(_ kind: Kind, _ bytes: consuming SecureBytes) {
            self.kind = kind
            self.bytes = bytes
        }
    }

    /// Longest content in bytes, and longest property list.
    public static let maxContentCount = PropertyList.maxCount
    /// Longest name of a value in bytes; the shortest has 1.
    public static let maxNameCount = 255
    /// Longest value of any version in bytes.
    public static let maxCount = beginning.count + XChaChaPoly.nonceCount + maxContentCount + XChaChaPoly.tagCount
    static let beginning = Array("KTL2".utf8)
    private static let ivCount = Legacy.AESCTR.ivCount

    /// The version of a value. One of version 1 has the beginning of version 2 with a chance of 2^-32.
    public static func version(of value: Span<UInt8>) -> Version {
        value.count >= beginning.count && beginning.indices.allSatisfy { value[$0] == beginning[$0] }
            ? .version2 : .version1
    }

    // MARK: Version 2

    /// Encrypts and authenticates a content.
    /// - Parameter name: of the value. It is not stored, and opens the value together with the key.
    /// - Throws: `.tooLong`, `.wrongName`.
    public static func seal(
        _ content: Span<UInt8>, name: String, key: borrowing MainKey
    ) throws(LockedValueError) -> [UInt8] {
        try seal(content, name: name, key: key, nonce: Random.bytes(XChaChaPoly.nonceCount))
    }

    /// Seals with a nonce (24 bytes) of the caller.
    package static func seal(
        _ content: Span<UInt8>, name: String, key: borrowing MainKey, nonce: [UInt8]
    ) throws(LockedValueError) -> [UInt8] {
        let additionalData = try additionalData(name)
        guard content.count <= maxContentCount else { throw .tooLong(limit: maxContentCount) }
        return beginning + nonce
            + XChaChaPoly.seal(content, nonce: nonce, key: valueKey(key), additionalData: additionalData)
    }

    /// Decrypts a value of version 2.
    /// - Throws: `.notAuthentic` for another key or name, and for changed bytes; `.otherVersion`, `.tooLong`,
    ///   `.tooShort`, `.wrongName`.
    public static func open(
        _ value: Span<UInt8>, name: String, key: borrowing MainKey
    ) throws(LockedValueError) -> SecureBytes {
        guard value.count <= maxCount else { throw .tooLong(limit: maxCount) }
        guard version(of: value) == .version2 else { throw .otherVersion }
        let start = beginning.count + XChaChaPoly.nonceCount
        guard value.count >= start + XChaChaPoly.tagCount else { throw .tooShort }
        let additionalData = try additionalData(name)
        let nonce = value.extracting(beginning.count..<start).revealBytes()
        do {
            return try XChaChaPoly.open(
                value.extracting(start..<value.count), nonce: nonce, key: valueKey(key), additionalData: additionalData)
        } catch { throw .notAuthentic }
    }

    private static func additionalData(_ name: String) throws(LockedValueError) -> [UInt8] {
        guard (1...maxNameCount).contains(name.utf8.count) else { throw .wrongName(limit: maxNameCount) }
        return beginning + Array(name.utf8)
    }

    private static func valueKey(_ key: borrowing MainKey) -> SecureBytes {
        let info = beginning
        return key.bytes.withBytes {
            HKDFSHA256.deriveKey(from: $0, salt: Span(), info: info.span, count: XChaChaPoly.keyCount)
        }
    }

    // MARK: Version 1

    /// Encrypts a content as the app does. The result is not authenticated.
    /// - Throws: `.malformedContent` for a text that is not UTF-8, for a list that is not one, and for what is too long.
    public static func sealVersion1(
        _ content: borrowing Content, key: borrowing MainKey
    ) throws(LockedValueError) -> [UInt8] {
        try sealVersion1(content, key: key, iv: Random.bytes(ivCount))
    }

    /// Seals with an initialization vector (16 bytes) of the caller.
    package static func sealVersion1(
        _ content: borrowing Content, key: borrowing MainKey, iv: [UInt8]
    ) throws(LockedValueError) -> [UInt8] {
        let list: PropertyList
        do { list = try propertyList(content) } catch { throw .malformedContent(error) }
        return iv + list.bytes.withBytes { Legacy.AESCTR.encrypt($0, key: key.bytes, iv: iv.span) }
    }

    /// Decrypts a value of version 1. What opens need not be what the app has locked: nothing shows changed bytes, unless
    /// they are no property list.
    /// - Returns: a list with one text or data as that text or data; else the list.
    /// - Throws: `.wrongKeyOrDamaged`, `.tooLong`, `.tooShort`.
    public static func openVersion1(
        _ value: Span<UInt8>, key: borrowing MainKey
    ) throws(LockedValueError) -> Content {
        guard value.count <= ivCount + PropertyList.maxCount else {
            throw .tooLong(limit: ivCount + PropertyList.maxCount)
        }
        guard value.count > ivCount else { throw .tooShort }
        let plain = Legacy.AESCTR.decrypt(
            value.extracting(ivCount..<value.count), key: key.bytes, iv: value.extracting(first: ivCount))
        let list: PropertyList
        do { list = try PropertyList(reading: plain) } catch { throw .wrongKeyOrDamaged(error) }
        guard list.kind(of: list.root) == .array else { return Content(.list, list.consumeBytes()) }
        let elements = list.elements(of: list.root)
        guard elements.count == 1 else { return Content(.list, list.consumeBytes()) }
        switch list.kind(of: elements[0]) {
        case .string: return Content(.string, list.content(of: elements[0]))
        case .data: return Content(.data, list.content(of: elements[0]))
        default: return Content(.list, list.consumeBytes())
        }
    }

    /// The property list that the app encrypts for a content.
    package static func propertyList(_ content: borrowing Content) throws(PropertyListError) -> PropertyList {
        let kind = content.kind
        return try content.bytes.withBytes { (bytes) throws(PropertyListError) in
            var writer = PropertyListWriter()
            switch kind {
            case .list: return try PropertyList(reading: SecureBytes(copying: bytes)).rewritten()
            case .string:
                let text = try writer.string(bytes)
                return try writer.finish(try writer.array([text]))
            case .data:
                let data = try writer.data(bytes)
                return try writer.finish(try writer.array([data]))
            }
        }
    }

    // MARK: Both

    /// Turns a value of version 1 into one of version 2, whose content is the text, the data, or the list.
    /// - Throws: what `openVersion1` and `seal` throw.
    public static func rewrap(
        version1 value: Span<UInt8>, name: String, key: borrowing MainKey
    ) throws(LockedValueError) -> [UInt8] {
        let content = try openVersion1(value, key: key)
        return try content.bytes.withBytes { (bytes) throws(LockedValueError) in
            try seal(bytes, name: name, key: key)
        }
    }

    /// Turns a value of version 2 into one of version 1, for the app.
    /// - Parameter kind: how the app sees the content, which version 2 does not store.
    /// - Throws: what `open` and `sealVersion1` throw.
    public static func rewrap(
        version2 value: Span<UInt8>, name: String, as kind: Kind, key: borrowing MainKey
    ) throws(LockedValueError) -> [UInt8] {
        try sealVersion1(Content(kind, try open(value, name: name, key: key)), key: key)
    }
}

/// Why a value was not encrypted or decrypted.
public enum LockedValueError: Error, Equatable, Sendable {
    /// Value or content are longer than `limit` bytes.
    case tooLong(limit: Int)
    /// There are fewer bytes than any value has.
    case tooShort
    /// The name of a value has 1 byte to `limit` bytes.
    case wrongName(limit: Int)
    /// It is not of version 2.
    case otherVersion
    /// Version 2: another key or name, or changed bytes.
    case notAuthentic
    /// Version 1: another key, or damage. The error says what the decrypted bytes are not.
    case wrongKeyOrDamaged(PropertyListError)
    /// The content cannot be written as a property list.
    case malformedContent(PropertyListError)
}
