public import SecureMemory

/// A file whose header was read: it says what opens it, and it opens with a passphrase or an identity.
///
/// Nothing of it is authenticated until then. A wrong passphrase or identity costs nothing but time: try the next one.
public struct AgeFile: ~Copyable {
    /// How a file is written.
    public enum Form: Sendable {
        case binary
        /// As text, between the lines `-----BEGIN AGE ENCRYPTED FILE-----` and `-----END AGE ENCRYPTED FILE-----`.
        case armored
        /// Armored, if it begins with five dashes, perhaps behind white space.
        case either
    }

    /// The greatest work factor that is read without being asked for: 1 GiB of memory, some 4 seconds.
    public static let defaultMaxWorkFactor = 20
    /// The greatest work factor that may be asked for, as in age: 4 GiB of memory.
    public static let greatestWorkFactor = 22

    private let source: ByteSource
    let header: AgeHeader
    private let scrypt: ScryptStanza?
    private let x25519: [X25519Stanza]

    /// Reads the header of a file. Up to 16 KiB behind it may be taken from `read`, too; `open` begins with them.
    /// - Parameter read: fills a span from the front, and returns how many bytes it has; 0 only at the end.
    /// - Throws: `.header` or `.armor`, or what `read` throws.
    public init(_ form: Form = .either, read: @escaping (inout MutableSpan<UInt8>) throws -> Int) throws {
        let received = ByteSource(read)
        let isArmored =
            switch form {
            case .binary: false
            case .armored: true
            case .either: try Armor.isLikely(received)
            }
        let source = isArmored ? ByteSource(ArmorReader(received).read) : received
        try self.init(source, try HeaderReader.read(from: source))
    }

    private init(_ source: ByteSource, _ header: AgeHeader) throws(AgeError) {
        var scrypt: ScryptStanza?
        var x25519: [X25519Stanza] = []
        for stanza in header.stanzas {
            switch stanza.type {
            case ScryptStanza.type: scrypt = try ScryptStanza(stanza)
            case X25519Stanza.type: x25519.append(try X25519Stanza(stanza))
            default: break
            }
        }
        guard scrypt == nil || header.stanzas.count == 1 else { throw .header(.scryptNotAlone) }
        self.source = source
        self.header = header
        self.scrypt = scrypt
        self.x25519 = x25519
    }

    /// Reads the header of a file in memory.
    /// - Throws: `.header` or `.armor`.
    public init(_ bytes: [UInt8], _ form: Form = .either) throws {
        var done = 0
        try self.init(form) { output in
            let count = min(output.count, bytes.count - done)
            output.copy(bytes.span.extracting(done..<done + count))
            done += count
            return count
        }
    }

    /// Whether a content begins as an age file, armored or not: to tell age files from others, which may be secret.
    ///
    /// The bytes stay where they are. As for `Form.either`, up to 1024 bytes of white space may be before an armor.
    public static func isLikely(_ content: Span<UInt8>) -> Bool {
        var start = 0
        while start < min(content.count, Armor.maxWhiteSpace), Armor.isWhiteSpace(content[start]) { start += 1 }
        return begins(content, at: 0, with: "age-encryption.org/")
            || begins(content, at: start, with: "-----BEGIN AGE ")
    }

    private static func begins(_ content: Span<UInt8>, at start: Int, with text: String) -> Bool {
        let text = text.utf8
        return content.count - start >= text.count
            && zip(text, start...).allSatisfy { byte, index in content[index] == byte }
    }

    /// The kinds of recipients, each once, in their order.
    public var recipientKinds: [AgeRecipientKind] {
        var seen: Set<AgeRecipientKind> = []
        return header.stanzas.map { AgeRecipientKind(type: $0.type) }.filter { seen.insert($0).inserted }
    }

    /// The work factor of a file under a passphrase, the binary logarithm of scrypt's N; nil for other files. It is
    /// `Int.max` if the number in the file is greater.
    public var workFactor: Int? { scrypt?.workFactor }

    /// The memory that a passphrase of this work factor takes, in bytes; `Int.max` if it does not fit.
    /// - Parameter workFactor: any number, as in `workFactor` of any file.
    public static func memory(workFactor: Int) -> Int { ScryptStanza.memory(workFactor: workFactor) }

    /// Finds the file key with a passphrase, which takes the memory and time of the work factor.
    /// - Parameter maxWorkFactor: the greatest work factor to try. Above `greatestWorkFactor`, that one counts.
    /// - Throws: `.workFactor` before any work; `.noMatch` if the passphrase is wrong, or if the file is not under a
    ///   passphrase; `.headerChanged`; `.emptyPassphrase`; `.derivation`.
    public borrowing func unlock(
        passphrase: borrowing SecureBytes, maxWorkFactor: Int = AgeFile.defaultMaxWorkFactor
    ) throws(AgeError) -> AgeFileKey {
        let maxWorkFactor = min(maxWorkFactor, Self.greatestWorkFactor)
        guard let scrypt, let key = try scrypt.unwrap(passphrase, maxWorkFactor: maxWorkFactor) else {
            throw .noMatch(recipientKinds)
        }
        try header.authenticate(with: key)
        return key
    }

    /// Finds the file key with an identity.
    /// - Throws: `.noMatch` if the file is not for this identity; `.headerChanged`.
    public borrowing func unlock(_ identity: borrowing AgeIdentity) throws(AgeError) -> AgeFileKey {
        for stanza in x25519 {
            guard let key = stanza.unwrap(identity) else { continue }
            try header.authenticate(with: key)
            return key
        }
        throw .noMatch(recipientKinds)
    }

    /// Begins to read the content.
    /// - Parameter key: what `unlock` of this file has returned.
    /// - Throws: `.header(.truncated)` if the file ends before the content, or what the input throws.
    public consuming func open(_ key: consuming AgeFileKey) throws -> AgeReader {
        var nonce = [UInt8](repeating: 0, count: PayloadCipher.nonceCount)
        var bytes = nonce.mutableSpan
        guard try source.read(into: &bytes) == PayloadCipher.nonceCount else { throw AgeError.header(.truncated) }
        return AgeReader(source, PayloadCipher(key, nonce: nonce))
    }
}
