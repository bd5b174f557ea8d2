import SecureMemory
import Testing
import Threema
import ThreemaMessages
import VectorKit

@testable import ThreemaCalls

@Suite struct CallSignalTests {
    private func signal(_ type: MessageType, _ json: String) throws -> CallSignal {
        let bytes = Array(json.utf8)
        return try CallSignal(.opaque(type, EnclosedBytes(copying: bytes.span)))
    }

    private func json(_ signal: CallSignal) -> String {
        guard case .opaque(_, let bytes) = signal.body else { return "" }
        return String(decoding: bytes.bytes.copied, as: UTF8.self)
    }

    private let candidate = CallCandidate(
        text: "candidate:1 1 udp 1 10.0.0.1 9 typ host", section: "0", index: 0, fragment: "u")

    @Test func `each signal is written and read`() throws {
        let contents: [(MessageType, CallSignal.Content)] = [
            (.callOffer, .offer(sdp: "v=0\r\n", features: ["video"])), (.callOffer, .offer(sdp: "", features: [])),
            (.callAnswer, .accept(sdp: "v=0", features: [])), (.callAnswer, .reject(.offHours)),
            (.callCandidate, .candidates([candidate, .init(text: "", section: nil, index: 7, fragment: nil)])),
            (.callCandidate, .candidates([])), (.callHangup, .hangup), (.callRinging, .ringing),
        ]
        for (type, content) in contents {
            let signal = CallSignal(call: .max, content)
            #expect(signal.body.type == type)
            #expect(try CallSignal(signal.body) == signal)
        }
    }

    @Test func `the JSON is that of the apps`() {
        #expect(
            json(CallSignal(call: 7, .offer(sdp: "x", features: ["video"])))
                == #"{"callId":7,"offer":{"sdpType":"offer","sdp":"x"},"features":{"video":{}}}"#)
        #expect(json(CallSignal(call: 7, .reject(.busy))) == #"{"callId":7,"action":0,"rejectReason":1}"#)
        #expect(
            json(CallSignal(call: 7, .candidates([candidate])))
                == #"{"callId":7,"removed":false,"candidates":[{"candidate":"candidate:1 1 udp 1 10.0.0.1 9 typ host","#
                + #""sdpMid":"0","sdpMLineIndex":0,"ufrag":"u"}]}"#)
        #expect(json(CallSignal(call: 7, .hangup)) == #"{"callId":7}"#)
    }

    @Test func `what may be missing`() throws {
        #expect(try signal(.callHangup, "") == CallSignal(call: 0, .hangup))
        #expect(try signal(.callRinging, "{}") == CallSignal(call: 0, .ringing))
        #expect(try signal(.callAnswer, #"{"action":0}"#) == CallSignal(call: 0, .reject(.unknown)))
        #expect(
            try signal(.callOffer, #"{"offer":{"sdpType":"offer","sdp":"x"},"features":null,"new":[1]}"#)
                == CallSignal(call: 0, .offer(sdp: "x", features: [])))
    }

    @Test(arguments: [
        (MessageType.callOffer, "", CallSignalError.json), (.callOffer, "[]", .json), (.callHangup, "{", .json),
        (.callOffer, "{}", .member("offer")), (.callOffer, #"{"offer":{"sdp":"x"}}"#, .member("offer")),
        (.callOffer, #"{"offer":{"sdpType":"answer","sdp":"x"}}"#, .member("offer")),
        (.callHangup, #"{"callId":-1}"#, .member("callId")), (.callHangup, #"{"callId":"1"}"#, .member("callId")),
        (.callHangup, #"{"callId":4294967296}"#, .member("callId")),
        (.callAnswer, "{}", .member("action")), (.callAnswer, #"{"action":2}"#, .member("action")),
        (.callAnswer, #"{"action":0,"rejectReason":6}"#, .member("rejectReason")),
        (.callAnswer, #"{"action":1}"#, .member("answer")),
        (.callCandidate, "{}", .member("candidates")),
        (.callCandidate, #"{"removed":true,"candidates":[]}"#, .member("removed")),
        (.callCandidate, #"{"candidates":[{"candidate":"x"}]}"#, .member("candidates")),
        (.callCandidate, #"{"candidates":[{"candidate":"x","sdpMLineIndex":-1}]}"#, .member("candidates")),
        (.text, "{}", .otherMessage),
    ])
    func `what is refused`(_ type: MessageType, _ json: String, _ error: CallSignalError) {
        #expect(throws: error) { try signal(type, json) }
    }

    @Test func `limits`() throws {
        let one = #"{"candidate":"x","sdpMLineIndex":0}"#
        let many = { (count: Int) in
            #"{"candidates":["# + [String](repeating: one, count: count).joined(separator: ",") + "]}"
        }
        #expect(try signal(.callCandidate, many(256)).content != .hangup)
        #expect(throws: CallSignalError.member("candidates")) { try signal(.callCandidate, many(257)) }
        #expect(throws: CallSignalError.otherMessage) { try CallSignal(.empty) }
        #expect(throws: CallSignalError.json) { try signal(.callOffer, String(repeating: "[", count: 5000)) }
    }

    /// Whitepaper, "Privacy / IP exposure": by default those with a single red dot.
    @Test func `contacts that are not verified get a relay`() {
        let levels: [VerificationLevel] = [.unverified, .serverVerified, .fullyVerified]
        #expect(levels.map { CallRelay(for: $0, isAlways: false) } == [.relayOnly, .any, .any])
        #expect(levels.map { CallRelay(for: $0, isAlways: true) } == [.relayOnly, .relayOnly, .relayOnly])
        let texts: [(String, Bool)] = [
            ("candidate:1 1 udp 1 1.2.3.4 9 typ relay", true),
            ("candidate:1 1 udp 1 1.2.3.4 9 typ relay raddr 0.0.0.0 rport 0", true),
            ("candidate:1 1 udp 1 1.2.3.4 9 typ relay raddr 10.0.0.1 rport 9", false),
            ("candidate:1 1 udp 1 1.2.3.4 9 typ srflx raddr 0.0.0.0 rport 0", false),
            ("candidate:1 1 udp 1 1.2.3.4 9 typ", false), ("candidate:1 relay", false),
            ("candidate:1 1 udp 1 1.2.3.4 9 typ relay raddr", false), ("", false),
        ]
        for (text, isRelayed) in texts {
            let candidate = CallCandidate(text: text, section: nil, index: 0, fragment: nil)
            #expect(CallRelay.relayOnly.permits(candidate) == isRelayed, "\(text)")
            #expect(CallRelay.any.permits(candidate))
        }
    }
}
