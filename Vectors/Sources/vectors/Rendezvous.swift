import Primitives
import SecureMemory

/// Operations of how two devices meet, and of remote secrets, computed with primitives: the library has neither.
enum Rendezvous {
    private static let personal = "3ma-rendezvous"

    static func box(_ check: inout Check) throws {
        let inputs = check.inputs
        let key = try Primitive.derive(
            try inputs.secret("authenticationKey"), try inputs.text("salt"), try inputs.text("personal"))
        try check.compare("ciphertext", seal(inputs, try number(inputs, "sequenceNumber"), key))
    }

    /// - Parameter check: its ciphertext is the first of the initiator.
    static func transport(_ check: inout Check) throws {
        let inputs = check.inputs
        let etk = try Primitive.sharedKey(inputs, "localSecret", "remotePublic")
        try check.compare("etk", etk)
        var both = SecureBuffer(capacity: 64)
        both.append(try inputs.secret("authenticationKey"))
        both.append(etk)
        let stk = try Primitive.derive(both.finish(), "st", personal)
        try check.compare("stk", stk)
        let initiator = try Primitive.derive(stk, "ridt", personal)
        try check.compare("ridtk", initiator)
        try check.compare("rrdtk", try Primitive.derive(stk, "rrdt", personal))
        try check.compare("pathHash", stk.withBytes { BLAKE2b.hash($0, salt: "ph", personal: personal) })
        try check.compare("initiatorCiphertext", seal(inputs, [1, 0, 0, 0], initiator))
    }

    static func remoteSecret(_ check: inout Check) throws {
        let secret = try check.inputs.secret("rs")
        let hash = try Primitive.derive(secret, "rsh", "3ma-rs")
        try check.compare("rsh", hash)
        let identity = Array(try check.inputs.id("identity").description.utf8)
        var named = SecureBuffer(capacity: 32 + identity.count)
        named.append(hash)
        named.append(identity.span)
        try check.compare("rshid", try Primitive.derive(named.finish(), "rshid", "3ma-rs"))
        try check.compare("wfck", try Primitive.derive(secret, "wfck", "3ma-rs"))
    }

    /// The nonce: path (4) ‖ sequence number (4) ‖ 4 × 00.
    private static func seal(_ inputs: Fields, _ sequence: [UInt8], _ key: borrowing SecureBytes) throws -> [UInt8] {
        let nonce = try number(inputs, "pathId") + sequence + [0, 0, 0, 0]
        let text = try inputs.bytes("plaintext")
        return ChaChaPoly.seal(text.span, nonce: nonce, key: key, additionalData: [])
    }

    /// 4 bytes, little-endian.
    private static func number(_ inputs: Fields, _ name: String) throws -> [UInt8] {
        let number = try inputs.integer(name, in: 0...Int64(UInt32.max))
        return (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
