import Encodings
import Primitives
import Ratchet
import SecureMemory
import Testing
import VectorKit

@testable import TextSecure

func secure(_ bytes: [UInt8]) -> SecureBytes { SecureBytes(copying: bytes.span) }

func held(_ bytes: [UInt8]) -> HeldKey { HeldKey(secure(bytes)) }

func hex(_ text: String) throws -> [UInt8] { try #require([UInt8](hex: text)) }

/// 2026-01-01T00:00:00.250Z.
let now = Timestamp(milliseconds: 1_767_225_600_250)

func number(_ text: String = "+12025550123") throws -> AccountNumber { try #require(AccountNumber(text)) }

struct Missing: Error {}

/// As `#require`, which takes no noncopyable value.
func require<Value: ~Copyable>(_ value: consuming Value?) throws -> Value {
    guard let value else { throw Missing() }
    return value
}

func agreementKey(_ bytes: [UInt8]) throws -> AgreementKey { try require(AgreementKey(secure(bytes))) }

/// An account of a given identity.
func account(
    identity: [UInt8], registrationID: UInt16, prekeys: [PrekeyPool.PrivatePrekey], next: UInt32 = 1
) throws -> TextSecureAccount {
    try TextSecureAccount(
        number: number(), password: AccountPassword(), signalingKey: SignalingKey(), identity: agreementKey(identity),
        registrationID: registrationID, lastResort: LastResortPrekey(),
        prekeys: require(PrekeyPool(.textSecure, keys: prekeys, next: next, at: now)), server: nil, relay: nil)
}
