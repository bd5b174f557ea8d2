internal import SecureMemory
internal import ThreemaMessages

// Extensions, one after the other until the length is used up, in any order:
//
//   offset  length  meaning
//        0       1  type
//        1       2  n, little-endian
//        3       n  00: client info, UTF-8: version;platform;language/country;…
//                   01: device ID, 8 bytes, little-endian; only with several devices
//                   02: supported features, a bit mask of 1 byte
//                   03: device cookie, 16 bytes

/// What a client says of itself at the login.
public struct LoginExtensions: Equatable, Sendable {
    /// In the order of the wire. Each type occurs once.
    public let list: [LoginExtension]

    /// - Throws: `.repeated`, `.wrongLength`, `.tooLong`: also what is sent is well-formed.
    public init(_ list: [LoginExtension]) throws(LoginExtensionError) {
        var types: Set<UInt8> = []
        for each in list {
            guard types.insert(each.type).inserted else { throw .repeated(each.type) }
            let count = each.payload.count
            if case .deviceCookie = each, count != LoginExtension.deviceCookieCount {
                throw .wrongLength(type: each.type, expected: LoginExtension.deviceCookieCount, actual: count)
            }
            guard count <= UInt16.max else { throw .tooLong(limit: Int(UInt16.max), actual: count) }
        }
        let count = list.reduce(0) { $0 + LoginExtension.headerCount + $1.payload.count }
        guard count <= Self.maxCount else { throw .tooLong(limit: Self.maxCount, actual: count) }
        self.list = list
    }

    /// Most bytes: the login data state their length, with that of the tag, in 16 bits.
    public static let maxCount = Int(UInt16.max) - LoginData.tagCount

    /// Reads extensions. Types that are not known here are carried along.
    public init(decoding bytes: Span<UInt8>) throws(LoginExtensionError) {
        var list: [LoginExtension] = []
        var offset = 0
        while offset < bytes.count {
            guard bytes.count - offset >= LoginExtension.headerCount else { throw .truncated }
            let start = offset + LoginExtension.headerCount
            let end = start + Int(bytes.littleEndian(at: offset + 1, width: 2))
            guard end <= bytes.count else { throw .truncated }
            list.append(try LoginExtension(type: bytes[offset], decoding: bytes.extracting(start..<end)))
            offset = end
        }
        try self.init(list)
    }

    /// The bytes for the wire.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        for each in list {
            let payload = each.payload
            bytes.append(each.type)
            bytes.append(littleEndian: UInt64(payload.count), width: 2)
            bytes += payload
        }
        return bytes
    }

    /// Version, platform, language and more, divided by `;`.
    public var clientInfo: String? {
        list.lazy.compactMap { if case .clientInfo(let text) = $0 { text } else { nil } }.first
    }
    /// Tells the devices of an identity apart.
    public var deviceID: UInt64? {
        list.lazy.compactMap { if case .deviceID(let id) = $0 { id } else { nil } }.first
    }
    /// Nothing if they are not stated.
    public var features: SupportedFeatures {
        list.lazy.compactMap { if case .features(let features) = $0 { features } else { nil } }.first ?? []
    }
    /// 16 bytes by which a server notices that another device logs in.
    public var deviceCookie: [UInt8]? {
        list.lazy.compactMap { if case .deviceCookie(let bytes) = $0 { bytes } else { nil } }.first
    }
}

/// One extension of a login.
public enum LoginExtension: Equatable, Sendable {
    case clientInfo(String)
    case deviceID(UInt64)
    case features(SupportedFeatures)
    /// 16 bytes.
    case deviceCookie([UInt8])
    /// A type that is not known here.
    case unknown(type: UInt8, [UInt8])

    static let headerCount = 3
    /// Length of a device cookie in bytes.
    public static let deviceCookieCount = 16

    var type: UInt8 {
        switch self {
        case .clientInfo: 0x00
        case .deviceID: 0x01
        case .features: 0x02
        case .deviceCookie: 0x03
        case .unknown(let type, _): type
        }
    }

    var payload: [UInt8] {
        switch self {
        case .clientInfo(let text): return Array(text.utf8)
        case .deviceID(let id):
            var bytes: [UInt8] = []
            bytes.append(littleEndian: id, width: 8)
            return bytes
        case .features(let features): return [features.rawValue]
        case .deviceCookie(let bytes), .unknown(_, let bytes): return bytes
        }
    }

    init(type: UInt8, decoding payload: Span<UInt8>) throws(LoginExtensionError) {
        func check(_ expected: Int) throws(LoginExtensionError) {
            guard payload.count == expected else {
                throw .wrongLength(type: type, expected: expected, actual: payload.count)
            }
        }
        switch type {
        case 0x00:
            guard let text = payload.text() else { throw .notText }
            self = .clientInfo(text)
        case 0x01:
            try check(8)
            self = .deviceID(payload.littleEndian(at: 0, width: 8))
        case 0x02:
            try check(1)
            self = .features(SupportedFeatures(rawValue: payload[0]))
        case 0x03:
            try check(Self.deviceCookieCount)
            self = .deviceCookie(payload.publicBytes(0..<payload.count))
        default: self = .unknown(type: type, payload.publicBytes(0..<payload.count))
        }
    }
}

/// What a client can do.
public struct SupportedFeatures: OptionSet, Hashable, Sendable {
    /// The byte of the extension.
    public let rawValue: UInt8

    /// Bits that have no name here are carried along.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It reads messages with a metadata box.
    public static let metadataBox = SupportedFeatures(rawValue: 0x01)
    /// It answers echo requests of the server.
    public static let echoRequests = SupportedFeatures(rawValue: 0x02)
}

/// Why the extensions of a login are refused. Nobody is logged in then.
public enum LoginExtensionError: Error, Equatable, Sendable {
    /// They end within an extension.
    case truncated
    /// A type occurs twice.
    case repeated(UInt8)
    case wrongLength(type: UInt8, expected: Int, actual: Int)
    /// The client info is not UTF-8.
    case notText
    case tooLong(limit: Int, actual: Int)
}
