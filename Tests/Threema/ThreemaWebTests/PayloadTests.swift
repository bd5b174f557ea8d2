import Foundation
import SecureMemory
import Testing
import Threema
import VectorKit

@testable import ThreemaWeb

/// What the QR code contains.
@Suite struct PayloadTests {
    private func payload(
        _ options: PairingPayload.Options = .permanent, host: String = "saltyrtc.example.org", port: UInt16 = 443,
        server: Bool = true
    ) throws -> PairingPayload {
        PairingPayload(
            version: 2, options: options, initiatorKey: Scene.initiatorKey.publicKey, token: Scene.token,
            server: try SignalingServer(host: host, port: port, key: server ? Scene.serverKey.publicKey : nil))
    }

    @Test(arguments: try Vector.all(in: .threemaClient, op: "web-pairing-payload"))
    func `a payload is that of its vector`(_ vector: Vector) throws {
        let (inputs, expected) = (vector.inputs, vector.expected)
        let bytes = try inputs.bytes("payload")
        let payload = try PairingPayload(decoding: bytes.span)
        #expect(payload.version == UInt16(try expected.integer("protocolVersion")))
        #expect(payload.options.rawValue == UInt8(try expected.integer("options")))
        #expect(payload.options.contains(.selfHosted) == (try expected.bool("selfHosted")))
        #expect(payload.options.contains(.permanent) == (try expected.bool("permanent")))
        #expect(payload.initiatorKey.bytes == (try expected.bytes("initiatorPermanentPublicKey")))
        #expect(payload.token.bytes.copied == (try expected.bytes("authToken")))
        let server = expected.has("serverPublicKey") ? try expected.bytes("serverPublicKey") : nil
        #expect(payload.server.key?.bytes == server)
        #expect(payload.server.port == UInt16(try expected.integer("port")))
        #expect(payload.server.host == (try expected.string("host")))
        #expect(payload.encoded.copied == bytes)
        let code = try inputs.utf8("payloadBase64")
        #expect(payload.code.copied == code)
        #expect(try PairingPayload(code: code.span) == payload)
    }

    @Test func `a payload is written and read, also options that are not known`() throws {
        for options in [[], .selfHosted, [.selfHosted, .permanent], PairingPayload.Options(rawValue: 0xf0)]
            as [PairingPayload.Options]
        {
            for (host, server) in [("a", true), (String(repeating: "h", count: 253), false), ("::1", true)] {
                let payload = try payload(options, host: host, server: server)
                #expect(try PairingPayload(decoding: payload.encoded.copied.span) == payload)
            }
        }
        let hex = Scene.initiatorKey.publicKey.hex
        #expect(try payload().url == "wss://saltyrtc.example.org:443/\(hex)")
        #expect(try payload(host: "::1", port: 9).url == "wss://[::1]:9/\(hex)")
    }

    @Test func `what is refused`() throws {
        let right = try payload().encoded.copied
        func refusal(_ change: (inout [UInt8]) -> Void) -> PairingError? {
            var bytes = right
            change(&bytes)
            do throws(PairingError) {
                _ = try PairingPayload(decoding: bytes.span)
                return nil
            } catch {
                return error
            }
        }
        for count in 0...101 { #expect(refusal { $0 = Array($0[..<count]) } == .tooShort(minimum: 102, actual: count)) }
        #expect(refusal { $0 += [UInt8](repeating: 0x61, count: 240) } == .tooLong(limit: 354, actual: 361))
        #expect(refusal { for index in 3..<35 { $0[index] = 0 } } == .weakInitiatorKey)
        #expect(refusal { for index in 67..<99 { $0[index] = index == 67 ? 1 : 0 } } == .weakServerKey)
        #expect(refusal { for index in 67..<99 { $0[index] = 0 } } == nil)
        #expect(refusal { $0[99...100] = [0, 0] } == .noPort)
        for host in ["a/b", "a@b", "a b", "a?", "[::1]", "a:b:zz", "a%41", "a\u{0}", "ä"] {
            #expect(refusal { $0 = Array($0[..<101]) + host.utf8 } == .badHost)
        }
        #expect(refusal { $0[101] = 0xff } == .badHost)
        #expect(throws: PairingError.badHost) { try payload(host: "") }
        #expect(throws: PairingError.noPort) { try payload(port: 0) }
        for code in ["=", "AAA", "!AAA", "AA=A"] {
            #expect(throws: PairingError.notBase64) { try PairingPayload(code: Array(code.utf8).span) }
        }
        let long = [UInt8](repeating: 0x41, count: 476)
        #expect(throws: PairingError.tooLong(limit: 472, actual: 476)) { try PairingPayload(code: long.span) }
    }

    @Test func `ten thousand changes are read as what they say, or refused`() throws {
        let random = SeededRandom(seed: 3)
        let right = try payload().encoded.copied
        for _ in 0..<10_000 {
            let changed = random.changed(right)
            guard let payload = try? PairingPayload(decoding: changed.span) else { continue }
            #expect(payload.encoded.copied == changed)
        }
    }
}
