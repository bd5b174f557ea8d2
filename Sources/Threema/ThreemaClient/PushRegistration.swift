internal import Encodings
internal import SecureMemory
internal import ThreemaMessages

// What the store knows of push notifications, one value:
//
//   offset  length  meaning
//        0       1  1 if the server is known to have the payload, else 0
//        1      16  mark: random bytes, which the echo request behind the payload has. Each payload has another one
//       17       1  n, the number of earlier keys: at most 16
//       18     40n  each of them, the latest first: key (32) ‖ end (8, see StoredTimes)
//   18+40n       …  the payload of type 0x20, with token and present key: see PushToken
//
// The end is when an earlier key stops opening notifications. It is the last timestamp until the server is known to use the
// next key, and 14 days after that from then on: no message waits longer (whitepaper, Media Access Protocol, step 8).

/// Where notifications go, and the keys that open them.
struct PushRegistration: Equatable {
    struct EarlierKey: Equatable {
        let key: EnclosedKey
        var end: Timestamp
    }

    static let markCount = 16
    /// Who renews the key once a day loses none that is in use.
    static let maxEarlierKeys = 16
    private static let messageLife = Duration.days(14)
    private static let unknownEnd = Timestamp(milliseconds: .max)
    private static let headerCount = 1 + markCount + 1
    private static let earlierCount = EnclosedKey.count + Timestamp.encodedCount

    /// Whether the server is known to have the payload.
    private(set) var isKnown = false
    /// 16 bytes.
    let mark: [UInt8]
    private var earlier: [EarlierKey] = []
    let token: PushToken
    /// Nil for a service whose notifications are empty.
    let key: EnclosedKey?
    /// For the server.
    let payload: EnclosedBytes

    /// A registration that the server does not have yet. The key is fresh, unless the one before is not known to the
    /// server: then nothing is gained by another one.
    init(_ token: PushToken, after former: PushRegistration?) {
        mark = Random.bytes(Self.markCount)
        self.token = token
        if case .apns = token {
            let unused = former?.isKnown == false ? former?.key : nil
            key = unused ?? .random()
        } else {
            key = nil
        }
        payload = EnclosedBytes(token.encoded(key: key?.pushKey ?? .random()))
        if let former {
            let replaced = former.key.flatMap { $0 == key ? nil : EarlierKey(key: $0, end: Self.unknownEnd) }
            earlier = Array((([replaced].compactMap(\.self)) + former.earlier).prefix(Self.maxEarlierKeys))
        }
    }

    /// The server has the payload.
    mutating func taken(at now: Timestamp) {
        isKnown = true
        for place in earlier.indices where earlier[place].end == Self.unknownEnd {
            earlier[place].end = now + Self.messageLife
        }
    }

    /// Forgets the keys that open no notification any more.
    /// - Returns: whether there were any.
    mutating func forget(at now: Timestamp) -> Bool {
        let before = earlier.count
        earlier.removeAll { $0.end <= now }
        return earlier.count < before
    }

    /// The keys with which the server may have sealed a notification that comes now, the latest first.
    func keys(at now: Timestamp) -> [EnclosedKey] {
        var valid = self
        _ = valid.forget(at: now)
        return [key].compactMap(\.self) + valid.earlier.map(\.key)
    }

    var encoded: SecureBytes {
        var buffer = SecureBuffer(
            capacity: Self.headerCount + earlier.count * Self.earlierCount + payload.bytes.count)
        buffer.append(isKnown ? 1 : 0)
        buffer.append(mark.span)
        buffer.append(UInt8(earlier.count))
        for each in earlier {
            buffer.append(each.key.bytes)
            buffer.append(each.end.encoded.span)
        }
        buffer.append(payload.bytes)
        return buffer.finish()
    }

    /// - Returns: nil for anything but what `encoded` makes.
    init?(decoding bytes: Span<UInt8>) {
        guard bytes.count >= Self.headerCount, bytes[0] <= 1, bytes[1 + Self.markCount] <= Self.maxEarlierKeys else {
            return nil
        }
        isKnown = bytes[0] == 1
        mark = bytes.extracting(1..<1 + Self.markCount).revealBytes()
        var place = Self.headerCount
        let start = place + Int(bytes[place - 1]) * Self.earlierCount
        guard start <= bytes.count else { return nil }
        while place < start {
            let end = place + EnclosedKey.count
            let key = EnclosedKey(copying: bytes.extracting(place..<end))
            place += Self.earlierCount
            guard let time = Timestamp(decoding: bytes.extracting(end..<place)) else { return nil }
            earlier.append(EarlierKey(key: key, end: time))
        }
        payload = EnclosedBytes(copying: bytes.extracting(start..<bytes.count))
        var found: EnclosedKey?
        let token = payload.bytes.withBytes { bytes in
            PushToken.decode(bytes) { (key: consuming PushKey) in
                found = key.bytes.withBytes { EnclosedKey(copying: $0) }
            }
        }
        guard let token else { return nil }
        self.token = token
        key = found
    }
}

extension EnclosedKey {
    /// A copy for what seals and opens notifications.
    var pushKey: PushKey { PushKey(bytes.withBytes { SecureBytes(copying: $0) }) }
}
