import SecureMemory
import Testing
import Threema
import VectorKit

@testable import ThreemaWeb

@Suite struct TokenVectorTests {
    @Test(arguments: try Vector.all(in: .threemaClient, op: "saltyrtc-token-message"))
    func `a token message is that of its vector`(_ vector: Vector) throws {
        let (inputs, expected) = (vector.inputs, vector.expected)
        let nonce = SignalingNonce(
            cookie: SignalingCookie(try inputs.bytes("cookie")), source: UInt8(try inputs.integer("source")),
            destination: UInt8(try inputs.integer("destination")),
            sequence: UInt64(try inputs.integer("overflow")) << 32 | UInt64(try inputs.integer("sequence")))
        #expect(nonce.bytes == (try expected.bytes("nonce")))
        let key = try #require(PublicKey(inputs.bytes("responderPermanentPublic")))
        #expect(TokenMessage.plaintext(key) == (try expected.bytes("msgpack")))
        let token = AuthToken(secure(try inputs.bytes("authToken")))
        let message = try expected.bytes("message")
        #expect(TokenMessage.seal(key, nonce: nonce, token: token) == message)
        let opened = try TokenMessage.open(message.span, token: token)
        #expect(opened == (nonce, key))
        #expect(throws: SignalingError.notAuthentic(.token)) {
            _ = try TokenMessage.open(message.span, token: AuthToken(secure(bytes(1))))
        }
    }
}
