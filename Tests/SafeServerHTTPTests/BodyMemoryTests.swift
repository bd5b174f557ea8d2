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

    @Test func aRefusedBodyGivesBackWhatItHasTakenAtOnce() {
        let memory = BodyMemory(limit: 100, largest: 50)
        // Three bodies of 40 bytes come in turn. Together they are too long, two of them are not.
        var taken = ["a": 0, "b": 0, "c": 0]
        var refused: [String] = []
        for _ in 0..<4 {
            for client in taken.keys.sorted() where !refused.contains(client) {
                if memory.take(10, besides: taken[client]!, for: client) {
                    taken[client]! += 10
                } else {
                    refused.append(client)
                    taken[client] = 0
                }
            }
        }
        #expect(refused == ["b"] && taken == ["a": 40, "b": 0, "c": 40])
        for (client, bytes) in taken { memory.give(back: bytes, of: client) }
        let all = memory.take(100, for: "d")
        #expect(all)
    }
}
