internal import Primitives
internal import SecureMemory

/// One level of sharing (SLIP-0039, "Sharing a secret"): a secret of n bytes and values of which so many join to it.
///
///     at 255     the secret
///     at 254     digest: HMAC-SHA-256(key: R, message: secret), first 4 bytes ‖ R, n − 4 random bytes
///
/// A threshold of one has no polynomial: each value is the secret.
enum Polynomial {
    private static let secretPlace: UInt8 = 255
    private static let digestPlace: UInt8 = 254
    private static let digestCount = 4

    /// - Parameters:
    ///   - count: at least `threshold`, at most 16.
    ///   - random: makes so many bytes.
    /// - Returns: the values at 0, 1, …
    static func split(
        _ secret: HeldValue, threshold: UInt8, count: Int, random: (Int) -> SecureBytes
    ) -> [HeldValue] {
        guard threshold > 1 else { return Array(repeating: secret, count: count) }
        let key = random(secret.bytes.count - digestCount)
        var digest = SecureBuffer(capacity: secret.bytes.count)
        Self.digest(of: secret, key: key).withBytes { digest.append($0) }
        digest.append(key)
        var points = (0..<threshold - 2).map { SharePoint(x: $0, value: HeldValue(random(secret.bytes.count))) }
        let values = points.map(\.value)
        points.append(SharePoint(x: digestPlace, value: HeldValue(digest.finish())))
        points.append(SharePoint(x: secretPlace, value: secret))
        return values
            + (values.count..<count).map { HeldValue(SharePoint.interpolate(at: UInt8($0), points)) }
    }

    /// - Parameter points: exactly as many as are needed.
    /// - Throws: `.digest` if they do not belong together. One point alone always joins.
    static func join(_ points: [SharePoint]) throws(ShareJoinError) -> HeldValue {
        guard points.count > 1 else { return points[0].value }
        let secret = HeldValue(SharePoint.interpolate(at: secretPlace, points))
        let stored = SharePoint.interpolate(at: digestPlace, points)
        let isRight = stored.withBytes { stored in
            let key = SecureBytes(copying: stored.extracting(digestCount..<stored.count))
            return digest(of: secret, key: key).withBytes {
                ConstantTime.areEqual($0, stored.extracting(0..<digestCount))
            }
        }
        guard isRight else { throw .digest }
        return secret
    }

    /// 4 bytes.
    private static func digest(of secret: HeldValue, key: borrowing SecureBytes) -> SecureBytes {
        let code = secret.bytes.withBytes { secret in key.withBytes { HMACSHA256.derive(secret, key: $0) } }
        return code.withBytes { SecureBytes(copying: $0.extracting(0..<digestCount)) }
    }
}
