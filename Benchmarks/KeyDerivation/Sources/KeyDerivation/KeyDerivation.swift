import CPeers
import Glibc
import Primitives

/// Measures each key derivation in turn with its peer, in one process, so that a machine that slows
/// down slows both. Prints a line per pair: name, keytool's CPU seconds, the peer's CPU seconds.
@main
struct KeyDerivation {
    static let password = Array("correct horse battery staple".utf8)
    static let salt = Array("0ZAHXXHB".utf8)

    static func main() throws {
        guard sodium_init() >= 0 else { fatalError("libsodium does not start") }

        // The parameters of the 80-character backup code.
        measure("pbkdf2", pairs: 15) {
            PBKDF2.deriveKey(password: password.span, salt: salt, iterations: 100_000, count: 32)
                .withBytes { key in key.indices.map { key[$0] } }
        } peer: {
            var key = [UInt8](repeating: 0, count: 32)
            let characters = password.map(CChar.init(bitPattern:))
            let result = PKCS5_PBKDF2_HMAC(
                characters, CInt(characters.count), salt, CInt(salt.count), 100_000, EVP_sha256(), 32, &key)
            guard result == 1 else { fatalError("OpenSSL refuses PBKDF2") }
            return key
        }

        // The parameters of Threema Safe.
        try measure("scrypt", pairs: 9) {
            try Scrypt.deriveKey(
                password: password.span, salt: salt.span, cost: 65_536, blockSize: 8, parallelism: 1, count: 64
            ).withBytes { key in key.indices.map { key[$0] } }
        } peer: {
            var key = [UInt8](repeating: 0, count: 64)
            let result = crypto_pwhash_scryptsalsa208sha256_ll(
                password, password.count, salt, salt.count, 65_536, 8, 1, &key, key.count)
            guard result == 0 else { fatalError("libsodium refuses scrypt") }
            return key
        }
    }

    static func measure(
        _ name: String, pairs: Int, ours: () throws -> [UInt8], peer: () throws -> [UInt8]
    ) rethrows {
        // The first pair warms up, and shows that both compute the same key.
        guard try ours() == peer() else { fatalError("\(name): two different keys") }
        for pair in 0..<pairs {
            // Whoever comes second finds warm caches and a hot processor, so they take turns.
            let peerFirst = pair.isMultiple(of: 2) ? try seconds(peer) : nil
            let own = try seconds(ours)
            print(name, own, try peerFirst ?? seconds(peer))
        }
    }

    static func seconds(_ work: () throws -> [UInt8]) rethrows -> Double {
        let start = cpuSeconds()
        _ = try work()
        return cpuSeconds() - start
    }

    static func cpuSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
