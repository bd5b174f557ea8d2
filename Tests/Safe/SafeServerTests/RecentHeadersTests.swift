import SafeStore
import Testing

@testable import SafeServer

/// Headers that were right lately.
@Suite struct RecentHeadersTests {
    private var recent = RecentHeaders()
    private let alice = AccountName("alice")!

    private func login(until end: Duration) -> RecentHeaders.Login {
        let hash = PasswordHash(decoy: [UInt8](repeating: 1, count: PasswordHash.keyCount), cost: .standard)
        return RecentHeaders.Login(name: alice, hash: hash, end: end)
    }

    @Test mutating func `a header is known until its login ends`() {
        recent.insert([1], login(until: .seconds(600)))
        #expect(recent.login([1], at: .seconds(599))?.name == alice)
        #expect(recent.login([1], at: .seconds(600)) == nil && recent.login([2], at: .zero) == nil)
        recent.insert([1], login(until: .seconds(900)))
        #expect(recent.login([1], at: .seconds(600))?.name == alice)
    }

    @Test mutating func `the table does not grow for ever, and knows the newest`() {
        for number in 0..<5000 {
            let code = [UInt8(number / 256), UInt8(number % 256)]
            recent.insert(code, login(until: .seconds(600)))
            #expect(recent.login(code, at: .zero) != nil)
        }
        let known = (0..<5000).count { recent.login([UInt8($0 / 256), UInt8($0 % 256)], at: .zero) != nil }
        #expect((1...1024).contains(known))
    }
}
