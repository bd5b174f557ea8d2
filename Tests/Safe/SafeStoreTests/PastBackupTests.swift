import Encodings
import StoreKit
import Testing

@testable import SafeStore

/// What a backup was at a time.
@Suite struct PastBackupTests {
    private func version(_ uploaded: Int, _ replaced: Int) -> BackupVersion {
        BackupVersion(time: day(uploaded), replaced: day(replaced), count: uploaded)
    }

    private func deleted(_ uploaded: Int, _ day: Int) -> BackupVersion {
        BackupVersion(time: StoreKit.day(uploaded), replaced: StoreKit.day(day), count: uploaded, isDeleted: true)
    }

    private func past(_ number: Int, present: Int?, _ versions: [BackupVersion], lead: Int = 0) -> PastBackup {
        PastBackup(at: day(number), present: present.map { day($0) }, versions: versions, lead: .days(lead))
    }

    @Test func `each time has the backup that was uploaded last`() {
        let versions = [version(4, 6), version(0, 2), version(2, 4)]
        let expected: [(Int, PastBackup)] = [
            (-1, .absent), (0, .previous(version(0, 2))), (1, .previous(version(0, 2))), (2, .previous(version(2, 4))),
            (5, .previous(version(4, 6))), (6, .present), (100, .present),
        ]
        for (number, backup) in expected { #expect(past(number, present: 6, versions) == backup) }
        #expect(past(0, present: 1, []) == .absent && past(1, present: 1, []) == .present)
    }

    @Test func `of those that are not retained, an older one stands in`() {
        let versions = [version(0, 1), version(7, 8)]
        #expect(past(5, present: 8, versions) == .previous(version(0, 1)))
    }

    @Test func `what had been deleted stays deleted, also if there is a newer one`() {
        let versions = [version(0, 2), deleted(2, 4)]
        #expect(past(3, present: 9, versions) == .previous(deleted(2, 4)))
        for number in 4...8 { #expect(past(number, present: 9, versions) == .absent) }
        #expect(past(9, present: 9, versions) == .present)
        #expect(past(5, present: nil, versions + [version(6, 7)]) == .absent)
        #expect(past(5, present: 9, versions, lead: 2) == .previous(deleted(2, 4)))
        #expect(past(6, present: 9, versions, lead: 2) == .absent)
    }

    @Test func `what had been deleted is absent`() {
        let versions = [version(0, 2), version(2, 4)]
        #expect(past(3, present: nil, versions) == .previous(version(2, 4)))
        #expect(past(4, present: nil, versions) == .absent && past(9, present: nil, versions) == .absent)
        // The time of the deletion is the store's.
        #expect(past(9, present: nil, versions, lead: 6) == .previous(version(2, 4)))
        #expect(past(10, present: nil, versions, lead: 6) == .absent)
    }
}
