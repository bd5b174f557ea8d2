import Encodings
import Foundation
import SafeKeepingKit
import SafeKit
import SafeRules
import SafeWire
import Testing
import Threema
import ThreemaRecords
import ThreemaSafe
import VectorKit

@testable import SafeKeeping

/// A phone that writes when it likes, beside a mirror that runs each night, for a year.
@Suite struct MirrorYearTests {
    /// A backup that a run has stored.
    private struct Version {
        let day: Int
        let time: Timestamp
        let blob: [UInt8]
    }

    /// What happens on a day, before the mirror runs.
    private enum Day: Equatable {
        case quiet, edit, loss, wiped, restored, deleted, damaged, away, back, otherKey
    }

    private let home: Household

    init() throws {
        home = try Household(isSetUp: false)
        try home.setUpReadOnly()
    }

    /// What happens on each day, and how long it has been going on. Long events begin at random days.
    private func year(_ generator: inout SeededRandom) -> [(event: Day, since: Int)] {
        var days = (0..<365).map { _ in (event: Bool.random(using: &generator) ? Day.edit : .quiet, since: 0) }
        days[0].event = .edit
        var start = 20
        let events = [(Day.wiped, 5), (.deleted, 3), (.away, 7), (.back, 2), (.otherKey, 3), (.damaged, 2), (.loss, 9)]
        for (event, length) in events {
            start += Int.random(in: 10..<40, using: &generator)
            for since in 0..<length { days[start + since] = (event, since) }
            start += length
            // The phone writes its whole document again.
            days[start].event = .restored
        }
        return days
    }

    @Test(arguments: triesAllCases ? [1, 2] as [UInt64] : [1])
    func `every version that the rules keep can be restored`(_ seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        var contacts = 100
        var stored: [Version] = []
        var alarms: [Day: Int] = [:]
        for (number, (event, since)) in year(&generator).enumerated() {
            home.server.recover()
            switch event {
            case .edit:
                contacts = max(20, contacts + Int.random(in: -3...5, using: &generator))
                try write("day \(number)", contacts: contacts)
            case .restored: try write("restored \(number)", contacts: contacts)
            case .deleted: home.server.backups = [:]
            case .away: home.server.misbehave { _, _ in .refused(.unavailable("file:///memory")) }
            case .wiped where since == 0: try write("wiped", contacts: 1)
            case .loss where since == 0: try write("loss", contacts: contacts / 3)
            case .damaged where since == 0: home.server.backups[Household.place]?[30] ^= 1
            case .back: home.server.backups[Household.place] = stored[stored.count - 3].blob
            case .otherKey where since == 0: try write("other", contacts: contacts, key: 0xdd)
            default: break
            }
            let before = home.server.backups
            let error = mirror(isAcceptingLoss: event == .loss && since == 4)
            #expect(home.server.backups == before)
            expect(error, on: event, since, contacts: contacts, day: number)
            if error != nil { alarms[event, default: 0] += 1 }
            if let blob = before[Household.place], ![.deleted, .damaged, .away, .back].contains(event),
                !stored.contains(where: { $0.blob == blob })
            {
                stored.append(Version(day: number, time: home.now, blob: blob))
            }
            if error == nil { try expectKept(stored) }
            home.advance(.hours(24))
        }
        #expect(alarms == [.wiped: 5, .deleted: 3, .away: 7, .back: 2, .otherKey: 3, .damaged: 2, .loss: 4])
    }

    private func write(_ nickname: String, contacts: Int, key: UInt8 = 0xcc) throws {
        let document = Household.document(nickname, contacts: contacts)
        home.server.backups[Household.place] = try Household.appBackup(document, key: key)
    }

    private func mirror(isAcceptingLoss: Bool) -> (any Error)? {
        var options = SafeKeeper.MirrorOptions()
        options.isAcceptingLoss = isAcceptingLoss
        do {
            _ = try home.safe.mirror(Household.main, options)
            return nil
        } catch {
            return error
        }
    }

    private func expect(_ error: (any Error)?, on event: Day, _ since: Int, contacts: Int, day: Int) {
        var alarm: MirrorAlarm?
        if case .refused(.mirror(let said), _, _, _)? = error as? SafeKeepingError { alarm = said }
        switch event {
        case .quiet, .edit, .restored: #expect(error == nil, "day \(day)")
        case .wiped: #expect(alarm == .losesContacts(before: contacts, now: 1), "day \(day)")
        case .loss where since >= 4: #expect(error == nil, "day \(day)")
        case .loss: #expect(alarm == .losesContacts(before: contacts, now: contacts / 3), "day \(day)")
        case .deleted: #expect(alarm == .absent, "day \(day)")
        case .damaged: #expect(alarm == .damaged, "day \(day)")
        case .back: #expect(alarm == .older, "day \(day)")
        case .otherKey: #expect(alarm == .otherKey, "day \(day)")
        case .away: #expect(error as? SafeExchangeError == .unavailable("file:///memory"), "day \(day)")
        }
    }

    /// The rules, told in another way: by the calendar of another library.
    private func expectKept(_ stored: [Version]) throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = .gmt
        func period(_ version: Version, _ parts: Set<Calendar.Component>) -> DateComponents {
            calendar.dateComponents(parts, from: Date(timeIntervalSince1970: Double(version.time.milliseconds) / 1000))
        }
        var days = Set(stored.suffix(3).map(\.day))
        let rules: [(Int, Set<Calendar.Component>)] = [
            (7, [.year, .month, .day]), (4, [.yearForWeekOfYear, .weekOfYear]), (12, [.year, .month]),
        ]
        for (count, parts) in rules {
            var newest: [DateComponents: Int] = [:]
            for version in stored { newest[period(version, parts)] = version.day }
            days.formUnion(newest.values.sorted().suffix(count))
        }
        let expected = stored.filter { days.contains($0.day) }.reversed()
        let entries = try home.history()
        #expect(entries.map(\.milliseconds) == expected.map(\.time.milliseconds), "day \(stored.last?.day ?? -1)")
        guard (stored.last?.day ?? 0) % 30 == 0 else { return }
        let held = try entries.map { entry in
            try home.keystore.identity(.threema(Household.id)).readHistory(entry.name, of: .main).bytes
        }
        #expect(held == expected.map(\.blob))
        let items = try home.safe.history(of: Household.main)
        #expect(items.count == held.count)
        for item in items { _ = try home.safe.earlierBackup(item.number, of: Household.main) }
    }
}
