internal import Encodings
internal import SecureMemory
public import ThreemaMessages

// Signalling of calls between two, JSON objects in UTF-8, each with `callId` (u32; 0 if it is missing):
//
//     0x60 offer       offer {sdpType, sdp}, features
//     0x61 answer      action: 1 accept, 0 reject; answer {sdpType, sdp}, features; or rejectReason 0...5
//     0x62 candidates  candidates [{candidate, sdpMid, sdpMLineIndex, ufrag}], removed: false
//     0x63 hangup      an empty body is call 0
//     0x64 ringing     likewise

/// A message that sets up or ends a call between two people.
public struct CallSignal: Equatable, Sendable {
    /// Why a call was not accepted.
    public enum Rejection: Int64, CaseIterable, Sendable {
        case unknown = 0, busy, timeout, rejected, disabled, offHours
    }

    /// What a signal of a call between two says.
    public enum Content: Equatable, Sendable {
        /// A session description. `features` names what else the device can do, such as `video`.
        case offer(sdp: String, features: [String])
        /// The session description of the one who was called.
        case accept(sdp: String, features: [String])
        case reject(Rejection)
        case candidates([CallCandidate])
        case hangup
        case ringing
    }

    /// Names the call between these two.
    public let call: UInt32
    /// What the signal says, as the sender has written it.
    public let content: Content

    private static let limits = JSONScanner.Limits(depth: 6, values: 2000)
    /// Most candidates of a message.
    public static let maxCandidates = 256

    /// Puts the two together.
    public init(call: UInt32, _ content: Content) {
        self.call = call
        self.content = content
    }

    /// Reads the body of a call message.
    /// - Throws: `.otherMessage` for any other body; else why the JSON is none of its type.
    public init(_ body: MessageBody) throws(CallSignalError) {
        guard case .opaque(let type, let bytes) = body else { throw .otherMessage }
        self = try bytes.bytes.withBytes { (bytes) throws(CallSignalError) in
            try CallSignal(type, bytes)
        }
    }

    init(_ type: MessageType, _ bytes: Span<UInt8>) throws(CallSignalError) {
        let isShort = type == .callHangup || type == .callRinging
        let json: JSONValue
        if isShort && bytes.isEmpty {
            json = [:]
        } else {
            do throws(JSONError) {
                json = try JSONScanner.parse(bytes, limits: Self.limits)
            } catch {
                throw .json
            }
        }
        guard json.members != nil else { throw .json }
        guard let call = UInt32(exactly: try json["callId"].map(Self.integer("callId")) ?? 0) else {
            throw .member("callId")
        }
        self.call = call
        switch type {
        case .callOffer: content = .offer(sdp: try Self.sdp(json, "offer"), features: Self.features(json))
        case .callAnswer: content = try Self.answer(json)
        case .callCandidate: content = .candidates(try Self.candidates(json))
        case .callHangup: content = .hangup
        case .callRinging: content = .ringing
        case .text, .image, .location, .video, .audio, .pollSetup, .pollVote, .file, .setProfilePicture,
            .deleteProfilePicture, .requestProfilePicture, .deliveryReceipt, .reaction, .typing, .edit, .delete,
            .groupText, .groupLocation, .groupImage, .groupVideo, .groupAudio, .groupFile, .groupSetup, .groupName,
            .groupLeave, .groupCallStart, .groupSetPicture, .groupSyncRequest, .groupPollSetup, .groupPollVote,
            .groupDeletePicture, .groupDeliveryReceipt, .groupReaction, .groupEdit, .groupDelete, .forwardSecurity,
            .empty, .workDelta, .webSessionResume:
            throw .otherMessage
        }
    }

    /// The body to send, with its type.
    public var body: MessageBody {
        var members: [JSONValue.Member] = [.init("callId", .number(call))]
        let type: MessageType
        switch content {
        case .offer(let sdp, let features):
            type = .callOffer
            members += Self.members("offer", sdp, features)
        case .accept(let sdp, let features):
            type = .callAnswer
            members += [.init("action", 1)] + Self.members("answer", sdp, features)
        case .reject(let reason):
            type = .callAnswer
            members += [.init("action", 0), .init("rejectReason", .number(reason.rawValue))]
        case .candidates(let candidates):
            type = .callCandidate
            members += [.init("removed", false), .init("candidates", .array(candidates.map(\.json)))]
        case .hangup: type = .callHangup
        case .ringing: type = .callRinging
        }
        return .opaque(type, EnclosedBytes(copying: JSONValue.object(members).encoded.span))
    }

    private static func members(_ name: String, _ sdp: String, _ features: [String]) -> [JSONValue.Member] {
        [
            .init(name, ["sdpType": .string(name), "sdp": .string(sdp)]),
            .init("features", .object(features.map { .init($0, [:]) })),
        ]
    }

    private static func answer(_ json: JSONValue) throws(CallSignalError) -> Content {
        guard let action = json["action"] else { throw .member("action") }
        switch try integer("action")(action) {
        case 0:
            let reason = try json["rejectReason"].map(integer("rejectReason")) ?? 0
            guard let rejection = Rejection(rawValue: reason) else { throw .member("rejectReason") }
            return .reject(rejection)
        case 1: return .accept(sdp: try sdp(json, "answer"), features: features(json))
        default: throw .member("action")
        }
    }

    private static func sdp(_ json: JSONValue, _ name: String) throws(CallSignalError) -> String {
        guard let object = json[name], object["sdpType"]?.string == name, let sdp = object["sdp"]?.string else {
            throw .member(name)
        }
        return sdp
    }

    private static func features(_ json: JSONValue) -> [String] {
        json["features"]?.members.map { $0.map(\.name) } ?? []
    }

    private static func candidates(_ json: JSONValue) throws(CallSignalError) -> [CallCandidate] {
        // Candidates that are taken back have no meaning any more.
        guard json["removed"].map({ $0.bool == false }) ?? true else { throw .member("removed") }
        guard let values = json["candidates"]?.array, values.count <= maxCandidates else { throw .member("candidates") }
        var candidates: [CallCandidate] = []
        for value in values {
            guard let candidate = CallCandidate(value) else { throw .member("candidates") }
            candidates.append(candidate)
        }
        return candidates
    }

    private static func integer(_ name: String) -> (JSONValue) throws(CallSignalError) -> Int64 {
        { (value) throws(CallSignalError) in
            guard let number = value.integer else { throw .member(name) }
            return number
        }
    }
}

/// Why a body is no signal of a call.
public enum CallSignalError: Error, Equatable, Sendable {
    /// It is that of another type.
    case otherMessage
    /// It is no JSON object, or past the limits of one.
    case json
    /// A member is missing, or has another type or an unknown value.
    case member(String)
}
