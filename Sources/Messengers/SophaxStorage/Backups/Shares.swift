internal import Encodings
internal import Primitives
public import SecureMemory
internal import Ratchet
public import SophaxChat

// Shares of an identity: for each byte of signing seed ‖ DH key a polynomial over GF(2⁸), modulus 0x11B, whose value at
// 0 is the byte; a share has the values at its index.
//
// JSON: id (UUID), index, threshold, total, data (Base64 of 64 bytes), createdAt; ours also `peerID`. Shares have no
// other check: any shares of the right number join to some identity.

/// A part of an identity's keys. Fewer than the threshold tell nothing of them.
public struct IdentityShare: Sendable {
    /// Length of the data in bytes.
    public static let count = 64
    /// Longest text in bytes.
    public static let maxCount = 2048
    /// Names the split, a UUID.
    public let id: String
    /// 1 to `total`.
    public let index: UInt8
    /// How many are needed, 2 or more.
    public let threshold: UInt8
    /// How many shares were made, as the share says.
    public let total: UInt8
    /// When the shares were made, by the clock of the device that made them.
    public let created: AppTime
    /// The identity that they join to; nil in the app's.
    public let peerID: PeerID?
    /// 64 bytes.
    let data: HeldKey

    /// Makes shares.
    /// - Parameters:
    ///   - threshold: 2 to `total`.
    ///   - total: 2 to 255.
    /// - Throws: `.malformed` for other numbers.
    public static func split(
        _ identity: borrowing SophaxIdentity, threshold: UInt8, total: UInt8, at time: AppTime
    ) throws(BackupError) -> [IdentityShare] {
        guard (2...max(2, total)).contains(threshold), total >= 2 else { throw .malformed }
        let secret = identity.joined()
        // Uniform, also the highest: a coefficient that is never 0 would rule out one value of each byte.
        let coefficients = Random.secret(count * Int(threshold - 1))
        let id = uuid()
        return (1...total).map { index in
            IdentityShare(
                id: id, index: index, threshold: threshold, total: total, created: time, peerID: identity.peerID,
                data: HeldKey(values(secret, coefficients, at: index)))
        }
    }

    init(
        id: String, index: UInt8, threshold: UInt8, total: UInt8, created: AppTime, peerID: PeerID?, data: HeldKey
    ) {
        self.id = id
        self.index = index
        self.threshold = threshold
        self.total = total
        self.created = created
        self.peerID = peerID
        self.data = data
    }

    private static func uuid() -> String {
        var bytes = Random.bytes(16)
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        let digits = Hex.encode(bytes).uppercased()
        var parts: [Substring] = []
        var rest = digits[...]
        for length in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return parts.joined(separator: "-")
    }

    /// The polynomials' values.
    /// - Parameter coefficients: those of x, then those of x², each as long as the secret.
    package static func values(
        _ secret: borrowing SecureBytes, _ coefficients: borrowing SecureBytes, at x: UInt8
    ) -> SecureBytes {
        let length = secret.count
        precondition(coefficients.count.isMultiple(of: length))
        return secret.withBytes { secret in
            coefficients.withBytes { coefficients in
                SecureBytes(count: length) { values in
                    for index in 0..<length {
                        var value: UInt8 = 0
                        for power in stride(from: coefficients.count / length - 1, through: 0, by: -1) {
                            value = GF256.multiply(value ^ coefficients[power * length + index], x)
                        }
                        values[index] = value ^ secret[index]
                    }
                }
            }
        }
    }

    /// Joins shares.
    /// - Parameter expected: the identity that they should join to.
    /// - Throws: `.malformed` for shares of different splits, too few, or the same one twice; `.wrongIdentity` if they
    ///   join to another identity than `expected` or one of them says. Compare `peerID` yourself if neither does.
    public static func join(
        _ shares: [IdentityShare], expected: PeerID? = nil
    ) throws(BackupError) -> SophaxIdentity {
        guard let first = shares.first, shares.count >= Int(first.threshold) else { throw .malformed }
        guard
            shares.allSatisfy({
                $0.id == first.id && $0.threshold == first.threshold && $0.total == first.total
                    && $0.data.bytes.count == count
            }), Set(shares.map(\.index)).count == shares.count
        else { throw .malformed }
        let used = Array(shares.prefix(Int(first.threshold)))
        let weights = used.map { share in GF256.weight(of: share.index, among: used.map(\.index)) }
        let joined = SecureBytes(count: count) { secret in
            for (share, weight) in zip(used, weights) {
                share.data.bytes.withBytes { data in
                    for index in 0..<count { secret[index] ^= GF256.multiply(data[index], weight) }
                }
            }
        }
        let identity = SophaxIdentity(joined: joined)
        for name in [expected] + shares.map(\.peerID) {
            if let name, !identity.publicIdentity.has(name) { throw .wrongIdentity }
        }
        return identity
    }

    // MARK: JSON

    /// The share as JSON. It is secret.
    public func encoded() -> SecureBytes {
        let (bytes, offsets) = JSONValue.object(present: [
            ("id", .string(id)), ("index", .number(index)), ("threshold", .number(threshold)),
            ("total", .number(total)), ("createdAt", .time(created)),
            ("peerID", peerID.map { .string($0.description) }),
        ]).encoded(splitting: [["data"]])
        var buffer = SecureBuffer(capacity: bytes.count + Base64.encodedCount(Self.count))
        let text = bytes.span
        buffer.append(text.extracting(0..<offsets[0]))
        data.bytes.withBytes { Base64.encode($0, appendingTo: &buffer) }
        buffer.append(text.extracting(offsets[0]..<text.count))
        return buffer.finish()
    }

    /// Reads a share.
    /// - Throws: `.malformed`.
    public init(parsing text: Span<UInt8>) throws(BackupError) {
        guard text.count <= Self.maxCount else { throw .malformed }
        do {
            let (value, cuts) = try JSONScanner.parse(text, cutting: [["data"]], limits: Fields.limits)
            let fields = try Fields(value)
            guard let cut = cuts[0] else { throw BackupError.malformed }
            let characters = try JSONScanner.unescape(cut, of: text)
            let decoded = characters.withBytes { Base64.decode($0) }
            guard let bytes = decoded, bytes.count == Self.count else { throw BackupError.malformed }
            data = HeldKey(bytes)
            id = try fields.text("id", 36...36)
            index = try fields.integer("index", as: UInt8.self)
            threshold = try fields.integer("threshold", as: UInt8.self)
            total = try fields.integer("total", as: UInt8.self)
            created = try fields.time("createdAt")
            peerID = try fields.optional("peerID") { name throws(FieldError) in try fields.peer(name) }
            guard threshold >= 2, threshold <= total, (1...total).contains(index) else { throw BackupError.malformed }
        } catch {
            throw .malformed
        }
    }
}

/// The field with 256 elements, modulus x⁸ + x⁴ + x³ + x + 1. No tables: an index would be a secret.
enum GF256 {
    static func multiply(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var (product, left) = (UInt8(0), left)
        for bit in 0..<8 {
            product ^= left & (0 &- (right >> UInt8(bit) & 1))
            left = left << 1 ^ 0x1b & (0 &- (left >> 7))
        }
        return product
    }

    /// The 254th power. 0 has no inverse and gives 0.
    static func inverse(_ value: UInt8) -> UInt8 {
        var (result, square) = (UInt8(1), value)
        for _ in 0..<7 {
            square = multiply(square, square)
            result = multiply(result, square)
        }
        return result
    }

    /// Lagrange's coefficient of a share at 0. Indices are not secret.
    static func weight(of index: UInt8, among indices: [UInt8]) -> UInt8 {
        indices.filter { $0 != index }.reduce(1) { multiply($0, multiply($1, inverse($1 ^ index))) }
    }
}
