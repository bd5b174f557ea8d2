import Testing
import Threema
import VectorKit

@testable import ThreemaWeb

/// What an app is told when it has to resume a session.
@Suite struct PushWakeUpTests {
    private let session = PushSession(initiatorKey: Scene.initiatorKey.publicKey)
    private var members: String { #""wcs":"\#(session.hex)","wct":1795000000,"wcv":2"# }

    private func read(_ text: String) throws(PushWakeUpError) -> PushWakeUp { try PushWakeUp(Array(text.utf8).span) }

    @Test func `each way in which it comes`() throws {
        let plain = try PushWakeUp(session: session, affiliation: nil, unixSeconds: 1_795_000_000, version: 2)
        #expect(try read("{\(members)}") == plain)
        #expect(try read(#"{\#(members),"wca":null,"other":[1]}"#) == plain)
        // FCM and HMS deliver text only.
        #expect(try read(#"{"wcs":"\#(session.hex)","wct":"1795000000","wcv":"2"}"#) == plain)
        // APNs.
        #expect(try read(#"{"aps":{"sound":"x"},"3mw":{\#(members)}}"#) == plain)
        #expect(try read(#"{"wcs":"\#(session.hex.uppercased())","wct":1795000000,"wcv":2}"#) == plain)
        let grouped = try PushWakeUp(session: session, affiliation: "ä", unixSeconds: 1_795_000_000, version: 2)
        #expect(try read(#"{\#(members),"wca":"ä"}"#) == grouped)
    }

    @Test func `what is written is read`() throws {
        let longest = [String](repeating: "\u{1}", count: PushWakeUp.maxAffiliationBytes).joined()
        for affiliation in [nil, "", "a\"b", longest] {
            let wakeUp = try PushWakeUp(session: session, affiliation: affiliation, unixSeconds: -1, version: .max)
            #expect(try PushWakeUp(wakeUp.encoded.span) == wakeUp)
        }
        #expect(throws: PushWakeUpError.member("wca")) {
            _ = try PushWakeUp(session: session, affiliation: longest + "x", unixSeconds: 1, version: 2)
        }
        #expect(throws: PushWakeUpError.member("wca")) {
            try read(#"{\#(members),"wca":"\#(String(repeating: "x", count: 513))"}"#)
        }
        let encoded = try PushWakeUp(session: session, affiliation: nil, unixSeconds: 7, version: 2).encoded
        #expect(
            String(decoding: encoded, as: UTF8.self) == #"{"wcs":"\#(session.hex)","wca":null,"wct":7,"wcv":2}"#)
    }

    @Test func `each member that is missing or not valid`() {
        let hex = session.hex
        for (text, member) in [
            ("{}", "wcs"), ("[]", "wcs"), (#"{"wcs":"","wct":1,"wcv":2}"#, "wcs"),
            (#"{"wcs":"\#(hex)00","wct":1,"wcv":2}"#, "wcs"),
            (#"{"wcs":"\#(hex.dropLast())g","wct":1,"wcv":2}"#, "wcs"),
            (#"{"wcs":"\#(hex)","wcv":2}"#, "wct"), (#"{"wcs":"\#(hex)","wct":1.5,"wcv":2}"#, "wct"),
            (#"{"wcs":"\#(hex)","wct":"x","wcv":2}"#, "wct"),
            (#"{"wcs":"\#(hex)","wct":"+5","wcv":2}"#, "wct"), (#"{"wcs":"\#(hex)","wct":"007","wcv":2}"#, "wct"),
            (#"{"wcs":"\#(hex)","wct":"-0","wcv":2}"#, "wct"), (#"{"wcs":"\#(hex)","wct":1,"wcv":"02"}"#, "wcv"),
            (#"{"wcs":"\#(hex)","wct":1}"#, "wcv"),
            (#"{"wcs":"\#(hex)","wct":1,"wcv":65536}"#, "wcv"), (#"{"wcs":"\#(hex)","wct":1,"wcv":-1}"#, "wcv"),
            (#"{\#(members),"wca":1}"#, "wca"), (#"{\#(members),"3mw":{}}"#, "wcs"),
        ] {
            #expect(throws: PushWakeUpError.member(member), "\(text)") { try read(text) }
        }
    }

    @Test func `limits come first`() {
        let long = #"{\#(members),"x":"\#(String(repeating: "x", count: PushWakeUp.maxBytes))"}"#
        #expect(throws: PushWakeUpError.tooLong(limit: 4096)) { try read(long) }
        #expect(throws: PushWakeUpError.self) { try read(String(repeating: "[", count: 4096)) }
    }

    @Test func `10,000 changed payloads`() throws {
        let random = SeededRandom(seed: 0x77616b65)
        let plain = Array(#"{"aps":{"sound":"x"},"3mw":{\#(members),"wca":"a b"}}"#.utf8)
        var accepted = 0
        for _ in 0..<10_000 {
            guard let read = try? PushWakeUp(random.changed(plain).span) else { continue }
            accepted += 1
            #expect(try PushWakeUp(read.encoded.span) == read)
        }
        // Other digits, and other members beside.
        #expect((100..<5000).contains(accepted))
    }
}
