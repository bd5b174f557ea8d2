import AtomicFiles
import SecureMemory
import SessionStore

/// Does what a messenger does with its session store, for tests that kill it and for the benchmark.
///
///     session-store-run DIR send COUNT      sends messages, and prints the number of each one that is stored
///     session-store-run DIR churn COUNT     replaces and removes values of many lengths; prints the number of the commit
///     session-store-run DIR fill COUNT      remembers nonces, 10,000 in a transaction
///     session-store-run DIR check COUNT     looks up nonces, half of which are known; prints microseconds for each
@main
enum SessionStoreRun {
    static let id = "ABCD1234"
    static let replay = ReplayStore(ownID: id)

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let count = Int(arguments[3]) else {
            return print("usage: session-store-run DIR send|churn|fill|check COUNT")
        }
        let store = try open(arguments[1])
        switch arguments[2] {
        case "send": try send(count, store)
        case "churn": try churn(count, store)
        case "fill": try fill(count, store)
        default: try check(count, store)
        }
        store.close()
    }

    /// - Parameter directory: 0700, ours.
    static func open(_ directory: String) throws -> OpenSessionStore {
        let key = SecureBytes(copying: [UInt8](repeating: 0x5a, count: 32).span)
        return try OpenSessionStore(
            in: Directory.open(directory, rule: .secret), messenger: "threema", id: id, key: key)
    }

    /// The nonce of a message: the same in each run.
    static func nonce(_ number: Int) -> [UInt8] {
        (0..<24).map { $0 < 8 ? UInt8(truncatingIfNeeded: number >> (8 * $0)) : 0x6e }
    }

    /// How many messages are stored, by what the session says.
    static func sent(_ store: OpenSessionStore) throws -> Int {
        try store.read("session", [0])?.withBytes { bytes in
            bytes.indices.reduce(0) { $0 << 8 | Int(bytes[$1]) }
        } ?? 0
    }

    /// Nonce, message and session change in one transaction.
    private static func send(_ count: Int, _ store: OpenSessionStore) throws {
        for _ in 0..<count {
            let number = try sent(store) + 1
            try store.transaction { transaction in
                try replay.remember(nonce(number), in: transaction)
                try transaction.set("queue", nonce(number), [UInt8](repeating: 1, count: 700).span)
                try transaction.set("session", [0], [UInt8(number >> 8), UInt8(number & 0xff)].span)
            }
            print(number)
        }
    }

    /// In each transaction 8 of 20 values change. The same commit makes the same changes in each run.
    private static func churn(_ count: Int, _ store: OpenSessionStore) throws {
        for _ in 0..<count {
            let number = try sent(store) + 1
            try store.transaction { transaction in
                for index in 0..<8 {
                    let name = [UInt8((number * 7 + index * 11) % 20)]
                    if (number + index) % 3 == 0 {
                        try transaction.remove("queue", name)
                    } else {
                        let value = [UInt8](repeating: 1, count: 40 + (number * 977 + index * 1471) % 6000)
                        try transaction.set("queue", name, value.span)
                    }
                }
                try transaction.set("session", [0], [UInt8(number >> 8), UInt8(number & 0xff)].span)
            }
            print(number)
        }
    }

    private static func fill(_ count: Int, _ store: OpenSessionStore) throws {
        for start in stride(from: 0, to: count, by: 10_000) {
            try store.transaction { transaction in
                for number in start..<min(start + 10_000, count) {
                    try replay.remember(nonce(number), in: transaction)
                }
            }
        }
    }

    private static func check(_ count: Int, _ store: OpenSessionStore) throws {
        let known = try store.count(of: "nonce")
        var found = 0
        let time = try ContinuousClock().measure {
            for index in 0..<count {
                // A step that has no divisor in common with the count of known ones, so that each page is as likely.
                let number = index * 611_953 % max(known, 1)
                let isKnown = try replay.contains(nonce(index % 2 == 0 ? number : number + known), in: store)
                if isKnown != (index % 2 == 0) { throw ReplayError.replayed }
                found += isKnown ? 1 : 0
            }
        }
        print("known: \(known), microseconds: \(time / count / .microseconds(1))")
    }
}
