import SophaxChat
import SophaxKit
import Testing

@testable import SophaxMesh

/// A message of alice's to bob.
func typing(
    _ text: String = "{\"isTyping\":true}", version: WireMessage.Version = .two
) throws -> WireMessage {
    let identity = try alice()
    return try WireMessage.sign(
        .typing, payload: Array(text.utf8), to: bob().peerID, by: identity, version: version, at: now)
}

/// What introduces alice.
func introduction() throws -> [UInt8] {
    let identity = try alice()
    let bundle = identity.bundle(
        signedPrekey: [UInt8](repeating: 9, count: 32), signedPrekeyID: 77, oneTime: nil, lastResort: nil,
        username: "alice", at: now)
    return Array("{\"bundle\":".utf8) + (try #require(bundle)).encoded + Array("}".utf8)
}

/// What bob admits.
func bobsGate() throws -> WireGate { WireGate(own: try bob().publicIdentity) }
