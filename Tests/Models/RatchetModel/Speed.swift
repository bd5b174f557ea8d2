import Encodings
import Foundation
import Primitives
import Ratchet
import SecureMemory
import SophaxChat
import TextSecure

/// How long messages take, beside the primitives that they need.
package enum Speed {
    private static let text = [UInt8](repeating: 7, count: 200)

    /// Seals and opens messages one after the other, with the record after each step.
    package static func measure(_ count: Int) throws {
        for suite in [RatchetSuite.textSecure3, .sophaxChat] {
            let secret = SecureBytes(count: suite.secretCount) { $0[0] = 1 }
            let prekey = HeldKey(Random.secret(32))
            let publicKey = prekey.bytes.withBytes { X25519.publicKey(of: $0) }
            let copy = secret.withBytes { SecureBytes(copying: $0) }
            let alice = try DoubleRatchet.initiate(
                suite, secret: FirstSecret(secret, suite: suite), prekey: publicKey)
            let bob = DoubleRatchet.respond(suite, secret: FirstSecret(copy, suite: suite), prekey: prekey.bytes)
            let (own, all) = (try messages(alice, bob, count), try primitives(suite, count))
            print("suite \(suite.id): \(Int(own)) messages a second, \(Int(all)) by the primitives alone")
        }
    }

    private static func messages(
        _ alice: consuming DoubleRatchet, _ bob: consuming DoubleRatchet, _ count: Int
    ) throws -> Double {
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        let start = Date()
        for _ in 0..<count {
            let letter = Letter(text, try alice.seal())
            let opened = try bob.open(letter.received(bob.suite), at: now) { (key) throws(AuthenticationError) in
                try letter.open(key)
            }
            bob = opened.next
        }
        return Double(count) / Date().timeIntervalSince(start)
    }

    /// On each side a step of the chain and the expansion of its key; then header and body are sealed and opened.
    private static func primitives(_ suite: RatchetSuite, _ count: Int) throws -> Double {
        let key = Random.secret(32)
        let held = HeldKey(Random.secret(32))
        let (nonce, header) = ([UInt8](repeating: 0, count: 12), [UInt8](repeating: 1, count: 40))
        let start = Date()
        for _ in 0..<count {
            for _ in 0..<2 {
                _ = HMACSHA256.walkChain(key, steps: 1, output: 1, next: 2)
                _ = suite.messageKey(held)
            }
            for plain in suite.headerKeys == nil ? [text] : [header, text] {
                let box = ChaChaPoly.seal(plain.span, nonce: nonce, key: key, additionalData: [])
                _ = try ChaChaPoly.open(box.span, nonce: nonce, key: key, additionalData: [])
            }
        }
        return Double(count) / Date().timeIntervalSince(start)
    }
}
