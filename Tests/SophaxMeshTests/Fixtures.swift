import Encodings
import SecureMemory
import SophaxChat
import Testing
import VectorKit

@testable import SophaxMesh

func secure(_ bytes: [UInt8]) -> SecureBytes { SecureBytes(copying: bytes.span) }

func hex(_ text: String) throws -> [UInt8] { try #require([UInt8](hex: text)) }

/// The identity of the vectors.
func alice() throws -> SophaxIdentity {
    try SophaxIdentity(
        signing: secure(hex("1f121f835765d4e14fc24d323e78f53a6c225320d15ac102dec4f6bfc3ad4c27")),
        agreement: secure(hex("1f7b72b5b706bd65ff05ae682b3eba420c085a833c26f0bb117e437e117b52a9")))
}

/// Another one.
func bob() throws -> SophaxIdentity {
    try SophaxIdentity(
        signing: secure([UInt8](repeating: 7, count: 32)),
        agreement: secure(hex("32d84544ec06cfbec20f7f156e2713b0df776945d3235fe72cf6ac52c1bbfd6d")))
}

/// 2026-01-01T00:00:00.250Z.
let now = Timestamp(milliseconds: 1_767_225_600_250)

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
