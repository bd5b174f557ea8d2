public import SecureMemory

// What a client tells the chat server about push notifications (payload 0x20):
//
//   offset  length  meaning
//        0       1  type
//        1       …  APNs: token ‖ | ‖ bundle ID ‖ | ‖ push key (32)
//                   FCM:  token
//                   HMS:  app ID ‖ | ‖ token
//                   none: nothing
//
// Token and push key of APNs are binary and may hold the delimiter: a reader has to begin at the end.

/// Where the chat server sends push notifications.
public enum PushToken: Equatable, Sendable {
    /// Apple's service, for apps that may change a notification before it is shown. A bundle ID has no `|`.
    case apns(token: [UInt8], bundleID: String, isProduction: Bool)
    /// Google's service. Its notifications are empty.
    case fcm(token: String)
    /// Huawei's service. Its notifications are empty. An app ID has no `|`.
    case hms(appID: String, token: String)
    /// Nowhere any more.
    case none

    private static let delimiter = UInt8(ascii: "|")

    private var type: UInt8 {
        switch self {
        case .none: 0x00
        case .apns(_, _, true): 0x05
        case .apns(_, _, false): 0x06
        case .fcm: 0x11
        case .hms: 0x13
        }
    }

    /// The payload for the chat server. It holds the push key if the type is APNs.
    public func encoded(key: borrowing PushKey) -> SecureBytes {
        let text: [UInt8] =
            switch self {
            case .none: []
            case .apns(let token, let bundleID, _): token + [Self.delimiter] + Array(bundleID.utf8) + [Self.delimiter]
            case .fcm(let token): Array(token.utf8)
            case .hms(let appID, let token): Array("\(appID)|\(token)".utf8)
            }
        let hasKey = if case .apns = self { true } else { false }
        var buffer = SecureBuffer(capacity: 1 + text.count + PushKey.count)
        buffer.append(type)
        buffer.append(text.span)
        if hasKey { buffer.append(key.bytes) }
        return buffer.finish()
    }

    /// Reads a payload, as a server does.
    /// - Parameter foundKey: is called with the push key of an APNs token.
    /// - Returns: nil if it is malformed.
    public static func decode(
        _ payload: Span<UInt8>, foundKey: (consuming PushKey) -> Void = { _ in }
    ) -> PushToken? {
        guard payload.count > 0 else { return nil }
        let rest = payload.extracting(1..<payload.count)
        switch payload[0] {
        case 0x00: return rest.isEmpty ? PushToken.none : nil
        case 0x05, 0x06: return apns(rest, isProduction: payload[0] == 0x05, foundKey)
        case 0x11: return rest.text().map { .fcm(token: $0) }
        case 0x13: return decodeHMS(rest)
        default: return nil
        }
    }

    private static func decodeHMS(_ bytes: Span<UInt8>) -> PushToken? {
        // Bytes are compared, not characters: the delimiter and a combining mark behind it are one character.
        guard let end = bytes.indices.first(where: { bytes[$0] == delimiter }),
            let appID = bytes.extracting(0..<end).text(),
            let token = bytes.extracting(end + 1..<bytes.count).text()
        else { return nil }
        return .hms(appID: appID, token: token)
    }

    private static func apns(
        _ bytes: Span<UInt8>, isProduction: Bool, _ foundKey: (consuming PushKey) -> Void
    ) -> PushToken? {
        let keyStart = bytes.count - PushKey.count
        guard keyStart >= 2, bytes[keyStart - 1] == delimiter else { return nil }
        // The bundle ID is text without the delimiter.
        guard let end = bytes.indices[..<(keyStart - 1)].last(where: { bytes[$0] == delimiter }),
            let bundleID = bytes.extracting(end + 1..<keyStart - 1).text()
        else { return nil }
        foundKey(PushKey(SecureBytes(copying: bytes.extracting(keyStart..<bytes.count))))
        return .apns(token: bytes.publicBytes(0..<end), bundleID: bundleID, isProduction: isProduction)
    }
}
