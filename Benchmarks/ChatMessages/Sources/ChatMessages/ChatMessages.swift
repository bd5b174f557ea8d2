import CPeers
import Foundation

/// Sends messages through a chat server on loopback, with all three programs in this process, and seals and opens as
/// many boxes of the same lengths with libsodium. Prints lines of a name and numbers.
///
///     ChatMessages time COUNT BYTES PAIRS    texts of so many bytes: CPU seconds of the exchange and of libsodium
///     ChatMessages memory COUNT              resident KiB after each fifth of the messages
///     ChatMessages store COUNT DIR           the receiver is a MessageClient, which stores up to 50 messages in one
///                                            transaction: messages in the store, commits, seconds of CPU and of time
@main
struct ChatMessages {
    static func main() throws {
        guard sodium_init() >= 0 else { fatalError("libsodium does not start") }
        let arguments = CommandLine.arguments
        let count = Int(arguments[2])!
        switch arguments[1] {
        case "time": try time(count, bytes: Int(arguments[3])!, pairs: Int(arguments[4])!)
        case "memory": try memory(count)
        default: try store(count, in: arguments[3])
        }
    }

    static func time(_ count: Int, bytes: Int, pairs: Int) throws {
        let exchange = try Exchange(textBytes: bytes)
        let peer = Boxes(payloadBytes: exchange.payloadBytes)
        // The first pair warms up.
        for pair in 0...pairs {
            // The second one finds warm caches and a hot processor, so they take turns.
            let peerFirst = pair.isMultiple(of: 2) ? seconds { peer.exchange(count) } : nil
            let own = try seconds { try exchange.run(count) }
            let other = peerFirst ?? seconds { peer.exchange(count) }
            if pair > 0 { print("time", exchange.payloadBytes, own / Double(count), other / Double(count)) }
        }
    }

    static func memory(_ count: Int) throws {
        let exchange = try Exchange(textBytes: 75)
        try exchange.run(
            count,
            progress: { received in
                if received.isMultiple(of: count / 5) { print("memory", received, residentKiB()) }
            })
    }

    static func store(_ count: Int, in directory: String) throws {
        let exchange = try Exchange(textBytes: 75)
        let receiver = try StoringReceiver(exchange, in: directory)
        let payloads = try exchange.seal(count)
        let start = ContinuousClock.now
        let used = try seconds { try receiver.run(payloads) }
        let wall = start.duration(to: .now) / .seconds(1)
        print("store", try receiver.stored(), receiver.commits, used / Double(count), wall / Double(count))
    }

    /// CPU seconds of all threads, with those of the kernel.
    static func seconds(_ work: () throws -> Void) rethrows -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = now()
        try work()
        return now() - start
    }

    static func residentKiB() -> Int {
        let fields = try! String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return Int(fields[1])! * sysconf(Int32(_SC_PAGESIZE)) / 1024
    }
}
