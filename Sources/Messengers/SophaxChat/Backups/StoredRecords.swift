internal import Encodings
internal import Primitives
public import SecureMemory

/// Messages at rest: nonce (12) ‖ AES-256-GCM ciphertext ‖ tag (16), under the storage key.
public enum StoredMessages {
    /// Longest name of a value in the app's key store, in characters.
    public static let maxAccount = 256

    /// Seals a file's content under a 32-byte key.
    public static func seal(_ content: Span<UInt8>, key: borrowing SecureBytes) -> [UInt8] {
        seal(content, key: key, nonce: Random.bytes(AES256GCM.nonceCount))
    }

    package static func seal(_ content: Span<UInt8>, key: borrowing SecureBytes, nonce: [UInt8]) -> [UInt8] {
        nonce + AES256GCM(key: key).seal(content, nonce: nonce, additionalData: [])
    }

    /// Opens a file's content.
    /// - Throws: `.wrongKeyOrDamaged`.
    public static func open(_ file: [UInt8], key: borrowing SecureBytes) throws(BackupError) -> SecureBytes {
        guard file.count >= AES256GCM.nonceCount + AES256GCM.tagCount else { throw .wrongKeyOrDamaged }
        let nonce = Array(file[..<AES256GCM.nonceCount])
        do {
            return try AES256GCM(key: key).open(
                file.span.extracting(AES256GCM.nonceCount..<file.count), nonce: nonce, additionalData: [])
        } catch {
            throw .wrongKeyOrDamaged
        }
    }

    /// The name of a peer's file, 32 digits. It does not tell who the peer is without the key.
    public static func fileName(_ peer: PeerID, key: borrowing SecureBytes) -> String {
        let message = Array("SophaxChat_File_v1".utf8) + peer.bytes
        return key.withBytes { Hex.encode(Array(HMACSHA256.authenticate(message.span, key: $0)[..<16])) }
    }

    /// What the app has called a peer's file, to be renamed on first opening.
    public static func oldFileName(_ peer: PeerID) -> String { peer.description }

    /// Whether a name can be one of the key store: 1 to 256 characters.
    public static func isAccount(_ name: String) -> Bool { (1...maxAccount).contains(name.count) }
}

/// A session as the app stores it: HMAC-SHA-256(MAC key, JSON) (32) ‖ JSON.
public enum StoredSession {
    /// The JSON has fewer bytes.
    public static let maxCount = 100_000
    static let macCount = 32
    /// Most stored keys and header keys with stored keys.
    static let (maxSkipped, maxBuckets) = (1000, 50)

    /// Puts the MAC in front.
    /// - Throws: `.malformed` for 100,000 bytes or more.
    public static func seal(_ state: Span<UInt8>, key: borrowing SecureBytes) throws(BackupError) -> SecureBytes {
        guard state.count < maxCount else { throw .malformed }
        let mac = key.withBytes { HMACSHA256.authenticate(state, key: $0) }
        var buffer = SecureBuffer(capacity: macCount + state.count)
        buffer.append(mac.span)
        buffer.append(state)
        return buffer.finish()
    }

    /// Checks length and MAC, the latter in constant time, and takes the MAC off. Nothing is parsed before.
    /// - Throws: `.malformed` for a wrong length, `.wrongKeyOrDamaged`.
    public static func open(_ record: Span<UInt8>, key: borrowing SecureBytes) throws(BackupError) -> SecureBytes {
        guard record.count > macCount, record.count - macCount < maxCount else { throw .malformed }
        let state = record.extracting(macCount..<record.count)
        let mac = key.withBytes { HMACSHA256.authenticate(state, key: $0) }
        guard ConstantTime.areEqual(mac.span, record.extracting(0..<macCount)) else { throw .wrongKeyOrDamaged }
        return SecureBytes(copying: state)
    }

    /// What a state counts; no keys.
    public struct Summary: Equatable, Sendable {
        /// Messages on the sending chain.
        public let sent: UInt32
        /// Messages on the receiving chain.
        public let received: UInt32
        /// Messages on the sending chain before.
        public let previouslySent: UInt32
        /// Stored keys of skipped messages.
        public let skipped: Int
    }

    /// Checks counters and totals of a state: counters below 2³² − 1, at most 1000 stored keys under 50 header keys.
    /// - Throws: `.malformed`.
    public static func summarize(_ state: Span<UInt8>) throws(BackupError) -> Summary {
        guard state.count < maxCount else { throw .malformed }
        do {
            let fields = try Fields(JSONScanner.parse(state, cutting: keys, limits: Fields.limits).value)
            func counter(_ name: String) throws -> UInt32 {
                let number = try fields.integer(name, as: UInt32.self)
                guard number < .max else { throw BackupError.malformed }
                return number
            }
            let buckets = fields.value["skippedKeyBundles"]?.members ?? []
            var skipped = 0
            for bucket in buckets {
                guard let entries = bucket.value.members else { throw BackupError.malformed }
                guard entries.allSatisfy({ UInt32($0.name) != nil }) else { throw BackupError.malformed }
                skipped += entries.count
            }
            guard buckets.count <= maxBuckets, skipped <= maxSkipped else { throw BackupError.malformed }
            return Summary(
                sent: try counter("sendMessageCount"), received: try counter("receiveMessageCount"),
                previouslySent: try counter("previousSendingChainLength"), skipped: skipped)
        } catch {
            throw .malformed
        }
    }

    private static let keys = [
        ["sendingRatchetPrivateKey", "rawData"], ["rootKey", "rawData"], ["sendingChainKey", "rawData"],
        ["receivingChainKey", "rawData"], ["sendingHeaderKey", "rawData"], ["receivingHeaderKey", "rawData"],
        ["nextSendingHeaderKey", "rawData"], ["nextReceivingHeaderKey", "rawData"],
    ]
}
