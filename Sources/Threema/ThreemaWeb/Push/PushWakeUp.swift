public import Encodings

// What reaches the app that has to resume a session: a JSON object.
//
//   wcs   session, 64 hexadecimal digits
//   wca   affiliation: text, null, or missing
//   wct   when the relay has sent it, Unix time in seconds
//   wcv   version of the protocol above the signalling
//
// It is the data of a notification of FCM or HMS, whose values are all text; a member `3mw` of the payload of APNs; or
// the body of a message of the type `webSessionResume`.

/// What a relay tells an app: which web client waits for it. It is not secret, and nothing proves who has sent it: an
/// app only looks for the pairing that it names.
public struct PushWakeUp: Equatable, Sendable {
    /// Longest payload in bytes.
    public static let maxBytes = 4096
    /// Longest affiliation in bytes of UTF-8, so that what is written is read, even if each byte is escaped.
    public static let maxAffiliationBytes = 512
    private static let limits = JSONScanner.Limits(depth: 8, values: 100)

    /// Which pairing has to be resumed.
    public let session: PushSession
    /// What groups the attempts of one connection.
    public let affiliation: String?
    /// When the relay has sent it, Unix time in seconds.
    public let unixSeconds: Int64
    /// Version of the protocol above the signalling.
    public let version: UInt16

    /// Puts the parts together.
    /// - Throws: `.member` with `wca` for a longer affiliation.
    public init(
        session: PushSession, affiliation: String?, unixSeconds: Int64, version: UInt16
    ) throws(PushWakeUpError) {
        guard affiliation?.utf8.count ?? 0 <= Self.maxAffiliationBytes else { throw .member("wca") }
        self.session = session
        self.affiliation = affiliation
        self.unixSeconds = unixSeconds
        self.version = version
    }

    /// Reads a payload, or the body of a message. What else a payload has is not looked at.
    /// - Parameter bytes: the JSON object, also with the members in another one under `3mw`.
    /// - Throws: `.tooLong`, `.json`, and `.member` with the name of one that is missing or not valid.
    public init(_ bytes: Span<UInt8>) throws(PushWakeUpError) {
        guard bytes.count <= Self.maxBytes else { throw .tooLong(limit: Self.maxBytes) }
        let payload: JSONValue
        do throws(JSONError) {
            payload = try JSONScanner.parse(bytes, limits: Self.limits)
        } catch {
            throw .json(error)
        }
        let members = payload["3mw"] ?? payload
        guard let session = members["wcs"]?.string.flatMap({ PushSession(hex: $0) }) else { throw .member("wcs") }
        guard let seconds = Self.integer(members["wct"]) else { throw .member("wct") }
        guard let version = Self.integer(members["wcv"]).flatMap({ UInt16(exactly: $0) }) else { throw .member("wcv") }
        let affiliation: String?
        switch members["wca"] {
        case nil, .null: affiliation = nil
        case .string(let text): affiliation = text
        default: throw .member("wca")
        }
        try self.init(session: session, affiliation: affiliation, unixSeconds: seconds, version: version)
    }

    /// The JSON object, as in the body of a message.
    public var encoded: [UInt8] {
        let value: JSONValue = [
            "wcs": .string(session.hex), "wca": affiliation.map(JSONValue.string) ?? .null, "wct": .number(unixSeconds),
            "wcv": .number(version),
        ]
        return value.encoded
    }

    /// A number, or its text without a plus and without zeros in front.
    private static func integer(_ value: JSONValue?) -> Int64? {
        value?.integer ?? value?.string.flatMap { text in Int64(text).flatMap { "\($0)" == text ? $0 : nil } }
    }
}

/// Why a payload wakes nothing.
public enum PushWakeUpError: Error, Equatable, Sendable {
    case tooLong(limit: Int)
    case json(JSONError)
    /// A member is missing or not valid.
    case member(String)
}
