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

/// A repeatable source of mutations.
struct Mutations {
    var state: UInt64 = 0x9e37_79b9_7f4a_7c15

    mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }

    /// Changes, inserts, removes or repeats bytes.
    mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...next(3) {
            guard !bytes.isEmpty else { return [UInt8(next(256))] }
            let index = next(bytes.count)
            switch next(6) {
            case 0: bytes[index] ^= UInt8(1 << next(8))
            case 1: bytes[index] = UInt8(next(256))
            case 2: bytes.insert(UInt8(next(256)), at: index)
            case 3: bytes.remove(at: index)
            case 4: bytes.removeSubrange(index..<min(bytes.count, index + 1 + next(16)))
            default: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + 8)], at: index)
            }
        }
        return bytes
    }
}

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
