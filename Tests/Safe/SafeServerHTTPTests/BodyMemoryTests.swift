import Foundation
import Testing

@testable import SafeServerHTTP

@Suite struct BodyMemoryTests {
    @Test func aClientHasAShareOrTheLargestBody() {
        let memory = BodyMemory(limit: 100, largest: 10)
        let shares = [memory.take(25, for: "a"), memory.take(1, for: "a"), memory.take(25, for: "b")]
        #expect(shares == [true, false, true])
        memory.give(back: 25, of: "a")
        // A stored backup that is longer than any share is still served.
        let longer = [memory.take(60, for: "a"), memory.take(1, for: "a"), memory.take(16, for: "c")]
        #expect(longer == [true, false, false])
    }
}

@Suite struct UploadSharesTests {
    @Test func `if the memory is full, the slowest upload of the network with the most bytes ends`() {
        var shares = UploadShares(limit: 100, share: 100)
        let slow = shares.open(for: "192.0.2.1")
        let fast = shares.open(for: "192.0.2.2")
        let other = shares.open(for: "198.51.100.1")
        #expect(shares.take(40, for: slow, at: .zero) == .taken(ending: []))
        #expect(shares.take(10, for: fast, at: .zero) == .taken(ending: []))
        #expect(shares.take(10, for: fast, at: .seconds(6)) == .taken(ending: []))
        #expect(shares.take(40, for: other, at: .seconds(6)) == .taken(ending: []))
        #expect(shares.take(10, for: other, at: .seconds(20)) == .taken(ending: [slow]))
        #expect(shares.all == 70)
        #expect(shares.take(1, for: slow, at: .seconds(20)) == .ended(alsoEnding: []))
        #expect(shares.store(slow) == false)
        // Its network has the fewest bytes now.
        let third = shares.open(for: "203.0.113.1")
        #expect(shares.take(40, for: third, at: .seconds(21)) == .taken(ending: [other]))
        #expect(shares.store(fast) == true)
        // What is being stored does not end.
        #expect(shares.take(40, for: fast, at: .seconds(22)) == .taken(ending: []))
        let newcomer = shares.open(for: "203.0.113.2")
        #expect(shares.take(1, for: newcomer, at: .seconds(22)) == .ended(alsoEnding: []))
        shares.close(third)
        shares.close(fast)
        #expect(shares.all == 0)
    }

    @Test func `without an upload that may end, another one is refused`() {
        var shares = UploadShares(limit: 100, share: 50)
        let stored = [shares.open(for: "a"), shares.open(for: "b")]
        for number in stored {
            #expect(shares.take(50, for: number, at: .zero) == .taken(ending: []))
            #expect(shares.store(number) == true)
        }
        let late = shares.open(for: "c")
        // It is the only one that may end.
        #expect(shares.take(10, for: late, at: .zero) == .ended(alsoEnding: []))
        // A client with its share is refused, whatever is free.
        shares.close(stored[1])
        let second = shares.open(for: "a")
        #expect(shares.take(1, for: second, at: .zero) == .refused(alsoEnding: []))
        #expect(shares.all == 50)
    }

    @Test func `networks`() {
        let names = ["192.0.2.7": "192.0.2", "2001:db8:0:1::/64": "2001:db8:0:1::/64", "unix": "unix"]
        for (client, network) in names { #expect(UploadShares.network(of: client) == network) }
    }

    /// Sixteen networks with 31 uploads each hold all they can, and never end those of another network.
    @Test func `uploads of other networks find memory`() {
        var random = SystemRandomNumberGenerator()
        var shares = UploadShares(limit: 64 << 20, share: 16 << 20)
        var attacking: Set<Int> = []
        var left: [Int: Int] = [:]
        for second in 0..<40 {
            for network in 0..<16 {
                for host in 0..<31 where attacking.count < 496 {
                    let number = shares.open(for: "10.0.\(network).\(host)")
                    attacking.insert(number)
                    left[number] = 128
                }
            }
            for number in attacking.shuffled(using: &random) {
                guard attacking.contains(number), let blocks = left[number], blocks > 1 else { continue }
                left[number] = blocks - 1
                switch shares.take(4096, for: number, at: .milliseconds(1000 * second)) {
                case .taken(let ending): attacking.subtract(ending)
                case .ended, .refused: attacking.remove(number)
                }
            }
            let honest = shares.open(for: "192.0.2.1")
            for _ in 0..<128 {
                guard case .taken(let ending) = shares.take(4096, for: honest, at: .milliseconds(1000 * second)) else {
                    Issue.record("an honest upload was ended")
                    return
                }
                attacking.subtract(ending)
            }
            #expect(shares.store(honest) == true)
            #expect(shares.all <= 64 << 20)
            shares.close(honest)
        }
        for number in attacking { shares.close(number) }
        #expect(shares.all == 0)
    }
}

@Suite struct ListenerMemoryTests {
    /// The manual's list of what the memory is bounded by, and its sum.
    @Test func `the parts of the memory are those of the manual`() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../man/keytool-server.8")
        let text = try String(contentsOf: page, encoding: .utf8)
        let start = try #require(text.range(of: "The memory of a server is bounded"))
        let end = try #require(text.range(of: "This is the worst case"))
        let list = text[start.upperBound..<end.lowerBound]
        let numbers = list.matches(of: /(?:^|: )(\d+) MiB$/.anchorsMatchLineEndings()).compactMap { Int($0.output.1) }
        let parts = ListenerLimits().memory.map { $0 >> 20 }
        #expect(numbers == parts + [parts.reduce(0, +)])
    }
}

@Suite struct OpenFilesTests {
    @Test func `the standard number of connections needs 736 files, and a quarter of few files is used`() {
        for (files, connections) in [(736, 512), (735, 511), (1024, 512), (300, 76), (200, 50), (0, 1)] {
            var limits = ListenerLimits()
            let isLowered = limits.lowerConnections(toFiles: files)
            #expect(limits.maxConnections == connections && isLowered == (connections < 512))
        }
    }
}
