import Testing

@testable import SafeServerHTTP

@Suite struct ConnectionLifeTests {
    @Test func `a connection says goodbye when it has rested, and is closed then`() {
        var life = ConnectionLife()
        for end in [ConnectionLife.End.goodbye(.slow), .close(nil), nil] { #expect(life.expire() == end) }
        life = ConnectionLife()
        life.begin()
        life.begin()
        let ends = [life.end(), life.end()]
        #expect(ends == [false, true] && life.state == .resting)
        #expect(life.expire() == .goodbye(.idle))
        // A request that came meanwhile is answered.
        life.begin()
        #expect(life.state == .busy)
        #expect(life.end() == true)
        #expect(life.state == .leaving)
        #expect(life.expire() == .close(nil))
    }

    @Test func `each state but the last has a deadline`() {
        let limits = ListenerLimits()
        #expect(limits.requestTime > limits.time(for: limits.maxBodyBytes))
        for events in 0..<5 {
            var life = ConnectionLife()
            if events > 0 { life.begin() }
            if events > 1 { _ = life.end() }
            if events > 2 { _ = life.expire() }
            if events > 3 { life.close() }
            #expect(life.state == ConnectionLife.State.allCases[events == 4 ? 4 : events])
            #expect((life.time(limits) == nil) == (life.state == .closed))
        }
    }

    /// Events in any order, also those that cannot be.
    @Test func `whatever happens, the counts are right, and three deadlines end the connection`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var life = ConnectionLife()
            var requests = 0
            for _ in 0..<Int.random(in: 0..<30, using: &random) {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<4:
                    life.begin()
                    if life.state != .closed { requests += 1 }
                case 4..<8:
                    let wasLast = life.end()
                    #expect(wasLast == (requests == 1))
                    requests = max(0, requests - 1)
                case 8: if life.expire() == .close(.slow) { requests = 0 }
                default:
                    guard Int.random(in: 0..<5, using: &random) == 0 else { continue }
                    life.close()
                    requests = 0
                }
                #expect(life.requests == requests)
                #expect((life.state == .busy) == (requests > 0))
            }
            for _ in 0..<3 { _ = life.expire() }
            #expect(life.state == .closed && life.requests == 0)
        }
    }
}

@Suite struct WindowUpdatesTests {
    private func frame(_ type: UInt8, _ length: Int) -> [UInt8] {
        [0, UInt8(length >> 8), UInt8(length & 0xff), type, 0, 0, 0, 0, 1] + [UInt8](repeating: 8, count: length)
    }

    @Test func `frames are counted in any pieces`() {
        let bytes =
            [UInt8](repeating: 8, count: 24) + frame(4, 0) + frame(8, 4) + frame(0, 300) + frame(8, 4) + frame(8, 4)
        for size in [1, 2, 3, 7, 9, 10, 64, 1000] {
            var updates = WindowUpdates()
            for start in stride(from: 0, to: bytes.count, by: size) {
                updates.receive(bytes[start..<min(start + size, bytes.count)])
            }
            #expect(updates.count == 3)
        }
    }

    @Test func `a client may send one for each 512 bytes that it has received, and a thousand more`() {
        var updates = WindowUpdates()
        updates.receive([UInt8](repeating: 0, count: 24))
        for _ in 0..<1000 { updates.receive(frame(8, 4)) }
        #expect(!updates.areTooMany)
        updates.receive(frame(8, 4))
        #expect(updates.areTooMany)
        updates.send(512)
        #expect(!updates.areTooMany)
        updates.receive(frame(8, 4))
        #expect(updates.areTooMany)
    }
}
