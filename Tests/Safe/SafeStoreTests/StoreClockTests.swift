import Encodings
import Foundation
import SafeStore
import SafeWire
import StoreKit
import Testing

/// A server, and an operator's command beside it, which knows of the server's clock only what is stored.
@Suite struct StoreClockTests {
    @Test func `a command knows when a backup was uploaded after the clock was set back`() throws {
        let place = try StoreInDirectory()
        let server = try ServerDirectory(at: place.path)
        let start = ClockReading(wall: day(0) + .hours(2), monotonic: .zero)
        _ = try server.sweep(Sweep(retentionDays: 180, now: start, last: nil))
        let store = try FolderStore(at: place.path, keepsPrevious: true, clock: server.clock)
        for byte: UInt8 in 1...2 {
            _ = try store.put([byte], at: id(1), if: .none, now: day(0) + .seconds(Int(byte)))
        }
        let old = try store.versions(of: id(1))
        #expect(old.map(\.time) == [day(0) + .seconds(1)])
        let clock = try ServerDirectory(at: place.path).clock
        let command = try FolderStore(at: place.path, keepsPrevious: true, excluding: .everybody, clock: clock)
        let present = try command.plan(.all(at: day(0) + .seconds(3)), now: day(0) + .seconds(4))
        #expect(present.states.map(\.backup) == [.present])
        let first = try command.plan(.all(at: day(0) + .seconds(1)), now: day(0) + .seconds(4))
        #expect(first.states.map(\.backup) == old.map(PastBackup.previous))
    }

    @Test func `writes that overtake each other do not store the clock each time`() throws {
        let place = try StoreInDirectory()
        let file = URL(filePath: place.path + "/clock")
        let store = try FolderStore(at: place.path, clock: ServerDirectory(at: place.path).clock)
        _ = try store.put([1], at: id(1), if: .none, now: day(0))
        let stored = try Data(contentsOf: file)
        for seconds in [5, 4, 6, 5] { _ = try store.put([1], at: id(1), if: .none, now: day(0) + .seconds(seconds)) }
        #expect(try Data(contentsOf: file) == stored)
        _ = try store.put([1], at: id(1), if: .none, now: day(-1))
        #expect(try Data(contentsOf: file) != stored)
    }
}
