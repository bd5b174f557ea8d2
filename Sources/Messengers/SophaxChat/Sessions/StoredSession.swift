internal import Encodings
internal import Primitives
public import SecureMemory

/// A session as the app stores it: HMAC-SHA-256(MAC key, JSON) (32) ‖ JSON.
public enum StoredSession {
    /// The JSON has fewer bytes.
    public static let maxCount = 100_000
    static let macCount = 32
    /// Most stored keys and header keys with stored keys.
    static let (maxSkipped, maxBuckets) = (1000, 50)

    /// Puts the MAC in front.
    /// - Throws: `.malformed` for 100,000 bytes or more.
    public static func seal(_ state: Span<UInt8>, key: borrowing SecureBytes) throws(StoredRecordError) -> SecureBytes {
        guard state.count < maxCount else { throw .malformed }
        let mac = key.withBytes { HMACSHA256.authenticate(state, key: $0) }
        var buffer = SecureBuffer(capacity: macCount + state.count)
        buffer.append(mac.span)
        buffer.append(state)
        return buffer.finish()
    }

    /// Checks length and MAC, the latter in constant time, and takes the MAC off. Nothing is parsed before.
    /// - Throws: `.malformed` for a wrong length, `.notAuthentic`.
    public static func open(_ record: Span<UInt8>, key: borrowing SecureBytes) throws(StoredRecordError) -> SecureBytes
    {
        guard record.count > macCount, record.count - macCount < maxCount else { throw .malformed }
        let state = record.extracting(macCount..<record.count)
        let mac = key.withBytes { HMACSHA256.authenticate(state, key: $0) }
        guard ConstantTime.areEqual(mac.span, record.extracting(0..<macCount)) else { throw .notAuthentic }
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
    public static func summarize(_ state: Span<UInt8>) throws(StoredRecordError) -> Summary {
        guard state.count < maxCount else { throw .malformed }
        do {
            let fields = try Fields(JSONScanner.parse(state, cutting: keys, limits: Fields.limits).value)
            func counter(_ name: String) throws -> UInt32 {
                let number = try fields.integer(name, as: UInt32.self)
                guard number < .max else { throw StoredRecordError.malformed }
                return number
            }
            let buckets = fields.value["skippedKeyBundles"]?.members ?? []
            var skipped = 0
            for bucket in buckets {
                guard let entries = bucket.value.members else { throw StoredRecordError.malformed }
                guard entries.allSatisfy({ UInt32($0.name) != nil }) else { throw StoredRecordError.malformed }
                skipped += entries.count
            }
            guard buckets.count <= maxBuckets, skipped <= maxSkipped else { throw StoredRecordError.malformed }
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
