import CPeers
import Encodings
import Glibc
import SecureMemory
import Threema
import ThreemaMessages

/// Measures messages and blobs in turn with libsodium's boxes, in one process, so that a machine that slows down slows
/// both. Prints a line per pair: name, the library's CPU seconds, libsodium's CPU seconds.
///
///     MessageBoxes [messages|blobs]      without one: both
@main
struct MessageBoxes {
    static func main() throws {
        guard sodium_init() >= 0 else { fatalError("libsodium does not start") }
        if CommandLine.arguments.last != "blobs" { try messages() }
        if CommandLine.arguments.last != "messages" { try blobs() }
    }

    static func messages() throws {
        let text = TextMessage()
        try measure("from-keys", pairs: 15, each: 500) {
            try text.exchange()
        } peer: {
            text.boxes()
        }
        try text.withKeys { keys in
            try measure("with-shared-key", pairs: 15, each: 2000) {
                try text.exchange(keys.own, keys.contact)
            } peer: {
                text.boxesWithSharedKey()
            }
        }
    }

    static func blobs() throws {
        let blob = BlobWork(count: 1 << 30)
        try measure("seal-blob", pairs: 7, each: 1) {
            try blob.seal()
        } peer: {
            blob.sealBox()
        }
        try measure("open-blob", pairs: 7, each: 1) {
            try blob.open()
        } peer: {
            blob.openBox()
        }
    }

    static func measure(
        _ name: String, pairs: Int, each count: Int, ours: () throws -> Void, peer: () throws -> Void
    ) rethrows {
        // The first pair warms up.
        try ours()
        try peer()
        for pair in 0..<pairs {
            // The second one finds warm caches and a hot processor, so they take turns.
            let peerFirst = pair.isMultiple(of: 2) ? try seconds(count, peer) : nil
            let own = try seconds(count, ours)
            print(name, own, try peerFirst ?? seconds(count, peer))
        }
    }

    static func seconds(_ count: Int, _ work: () throws -> Void) rethrows -> Double {
        let start = cpuSeconds()
        for _ in 0..<count { try work() }
        return (cpuSeconds() - start) / Double(count)
    }

    static func cpuSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
