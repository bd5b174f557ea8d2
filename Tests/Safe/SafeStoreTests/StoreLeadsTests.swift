import Encodings
import StoreKit
import Testing

@testable import SafeStore

/// The times by the wall clock of what a store has dated, if its clock was wrong for a while.
@Suite struct StoreLeadsTests {
    /// Reads a wall clock, and gives the times of the store.
    private func read(_ walls: [Timestamp], _ time: inout StoreTime) -> [Timestamp] {
        walls.map { wall in
            let now = time.read(wall)
            time = StoreTime(stored: time.bytes)!
            return now
        }
    }

    @Test func `one reading far ahead shifts no time of before and none of later`() {
        var time = StoreTime(at: day(0), newest: nil)
        let right = [day(0), day(3), day(4)]
        let before = read(right, &time)
        let wrong = read([day(369)], &time)
        let later = [day(4) + .seconds(1), day(5), day(9)]
        let after = read(later, &time)
        #expect(wrong == [day(11)] && after[0] == day(11))
        #expect(before.map(time.leads.wall) == right)
        // The store's time stood still at first.
        #expect(after.map(time.leads.wall) == later)
    }

    @Test func `a machine that starts in 1970 each day shows right times`() {
        var time = StoreTime(at: day(0), newest: nil)
        var dated = read([day(0)], &time)
        for number in 1...40 {
            dated += read([Timestamp(milliseconds: 0), day(number)], &time).suffix(1)
        }
        #expect(dated.map(time.leads.wall) == (0...40).map { day($0) })
    }

    @Test func `a server that was off and a clock that is set back keep the times of before`() {
        var time = StoreTime(at: day(0), newest: nil)
        let walls = [day(0), day(1), day(31), day(33), day(33) + .hours(-5), day(34)]
        let dated = read(walls, &time)
        // The clock is set back within a millisecond of the store's time.
        let shown = dated.map(time.leads.wall)
        #expect(shown.prefix(3) == walls.prefix(3) && shown.suffix(1) == walls.suffix(1))
        #expect([walls[3], walls[4]].contains(shown[3]))
    }

    @Test func `the newest leads are stored`() throws {
        var time = StoreTime(at: day(0), newest: nil)
        let walls = (1...60).map { day($0 * 30) }
        let dated = read(walls, &time)
        #expect(time.bytes.count < 1024)
        let shown = dated.map(time.leads.wall)
        #expect(shown.suffix(StoreLeads.most) == walls.suffix(StoreLeads.most))
        let old = try #require(StoreTime(stored: Array(#"{"sum":1000,"wall":5000,"expected":5000}"#.utf8)))
        #expect(old.leads.lead(at: Timestamp(milliseconds: 0)) == .seconds(4))
    }

    @Test(arguments: ["[]", "[[1]]", "[[1,2,3]]", #"[["1",2]]"#, "[1,2]", "{}", "null", "[[1,null]]"])
    func `damaged leads are none`(_ text: String) throws {
        let clock = #"{"sum":1000,"wall":5000,"expected":5000,"leads":\#(text)}"#
        let time = try #require(StoreTime(stored: Array(clock.utf8)))
        #expect(time.leads == StoreTime(stored: Array(#"{"sum":1000,"wall":5000}"#.utf8))?.leads)
    }

    @Test func `a backup from before a wrong reading is what it was`() throws {
        let place = try StoreInDirectory()
        func store() throws -> FolderStore {
            let server = try ServerDirectory(at: place.path)
            return try FolderStore(at: place.path, keepsPrevious: true, clock: server.clock)
        }
        _ = try store().put([1], at: id(1), if: .none, now: day(0))
        _ = try store().put([2], at: id(1), if: .none, now: day(4))
        let sweep = Sweep(retentionDays: 180, now: ClockReading(wall: day(370), monotonic: .zero), last: nil)
        _ = try ServerDirectory(at: place.path).sweep(sweep)
        let plan = try store().plan(.all(at: day(2)), now: day(5))
        guard case .previous(let version) = plan.states[0].backup else {
            Issue.record("\(plan.states[0].backup)")
            return
        }
        #expect(version.time == day(0))
        _ = try store().put([3], at: id(1), if: .none, now: day(5))
        #expect(try store().versions(of: id(1)).map(\.time) == [day(4), day(0)])
    }
}
