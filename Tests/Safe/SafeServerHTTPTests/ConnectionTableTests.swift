import Testing

@testable import SafeServerHTTP

@Suite struct ConnectionTableTests {
    @Test func theLongestRestingOneOfTheClientWithMostLeaves() {
        var table = ConnectionTable(limit: 4, clientLimit: 4)
        let numbers = ["a", "b", "a", "b"].map { table.open(for: $0)!.number }
        // Both have two. The client of the new one has three with it.
        #expect(table.open(for: "b")?.leaving == [numbers[1]])
        // Of equally many, the one that rests longest.
        #expect(table.open(for: "c")?.leaving == [numbers[0]])
        #expect(table.count == 4 && table.restingCount == 4)
    }

    @Test func aConnectionWithARequestStays() {
        var table = ConnectionTable(limit: 2, clientLimit: 9)
        let (first, second) = (table.open(for: "a")!.number, table.open(for: "a")!.number)
        let begun = [table.begin(first), table.begin(second)]
        #expect(begun == [true, true] && table.restingCount == 0)
        // There is one too many: the next one takes its place.
        let third = table.open(for: "b")!
        #expect(third.leaving.isEmpty && table.count == 3)
        let fourth = table.open(for: "c")!
        #expect(fourth.leaving == [third.number])
        // Two rest and one is working: both make room for one.
        table.rest(first)
        #expect(table.open(for: "d")?.leaving == [first, fourth.number] && table.count == 2)
    }

    @Test func whatLeavesBeginsNothing() {
        var table = ConnectionTable(limit: 1, clientLimit: 9)
        let first = table.open(for: "a")!.number
        let second = table.open(for: "b")!
        #expect(second.leaving == [first])
        let begun = [table.begin(first), table.begin(second.number), table.begin(second.number)]
        #expect(begun == [false, true, true])
        table.rest(first)
        table.close(first)
        table.close(first)
        #expect(table.count == 1 && table.restingCount == 0)
    }

    @Test func aClientWithTooManyEndsNobody() {
        var table = ConnectionTable(limit: 2, clientLimit: 1)
        let first = [table.open(for: "a"), table.open(for: "a"), table.open(for: "b")]
        #expect(first.map { $0 == nil } == [false, true, false])
        #expect(table.open(for: "a") == nil && table.restingCount == 2)
        table.close(first[0]!.number)
        #expect(table.open(for: "a")?.leaving == [])
    }

    @Test func aConnectionOfAProxyCountsAlone() {
        var table = ConnectionTable(limit: 5, clientLimit: 2)
        let proxy = (0..<3).map { _ in table.open(for: nil)!.number }
        let direct = ["a", "a"].map { table.open(for: $0)!.number }
        #expect(table.open(for: "b")?.leaving == [direct[0]])
        #expect(table.open(for: nil)?.leaving == [proxy[0]])
    }

    /// A list in place of the table: every sequence of five steps, and then random ones.
    @Test func theTableIsTheModel() {
        let pair = Pair()
        pair.tryAll(depth: 5)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var pair = Pair()
            for _ in 0..<200 { pair.take(pair.steps.randomElement(using: &random)!) }
        }
    }
}

/// A table and a list with the same connections.
private struct Pair {
    enum Step { case open(String?), begin(Int), rest(Int), close(Int) }

    struct Connection {
        let number: Int
        let client: String?
        var isWorking = false
        var isLeaving = false
    }

    static let (limit, clientLimit) = (3, 2)
    var table = ConnectionTable(limit: limit, clientLimit: clientLimit)
    /// In the order in which they rest.
    var list: [Connection] = []

    var steps: [Step] {
        [.open("a"), .open("b"), .open(nil)]
            + list.flatMap { [.begin($0.number), .close($0.number)] + ($0.isWorking ? [.rest($0.number)] : []) }
    }

    func tryAll(depth: Int) {
        guard depth > 0 else { return }
        for step in steps {
            var next = self
            next.take(step)
            next.tryAll(depth: depth - 1)
        }
    }

    mutating func take(_ step: Step) {
        switch step {
        case .open(let client): open(client)
        case .begin(let number):
            let index = list.firstIndex { $0.number == number }!
            let begins = table.begin(number)
            #expect(begins == !list[index].isLeaving)
            list[index].isWorking = begins
        case .rest(let number):
            table.rest(number)
            var connection = list.remove(at: list.firstIndex { $0.number == number }!)
            connection.isWorking = false
            list.append(connection)
        case .close(let number):
            table.close(number)
            list.removeAll { $0.number == number }
        }
        #expect(table.count == staying.count && table.restingCount == staying.filter { !$0.isWorking }.count)
    }

    private var staying: [Connection] { list.filter { !$0.isLeaving } }

    private mutating func open(_ client: String?) {
        let opened = table.open(for: client)
        func count(_ each: String?) -> Int {
            guard let each else { return 1 }
            return staying.count { $0.client == each } + (each == client ? 1 : 0)
        }
        guard client == nil || count(client) <= Self.clientLimit else {
            #expect(opened == nil)
            return
        }
        #expect(opened != nil)
        for number in opened?.leaving ?? [] {
            let resting = staying.filter { !$0.isWorking }
            let most = resting.map { count($0.client) }.max()
            #expect(staying.count >= Self.limit && resting.first { count($0.client) == most }?.number == number)
            if let index = list.firstIndex(where: { $0.number == number }) { list[index].isLeaving = true }
        }
        if let opened { list.append(Connection(number: opened.number, client: client)) }
        #expect(staying.count <= max(Self.limit, staying.count(where: \.isWorking) + 1))
    }
}
