import SafeKeepingKit
import SafeKit
import Keystore
import SafeRules
import SecureMemory
import Testing
import Threema
import ThreemaRecords

@testable import SafeKeeping

/// A profile that is known by its digest is not read; everything else about it is as if it were.
@Suite struct OwnProfileTests {
    private let house: Household

    init() throws {
        house = try Household()
        try house.push()
    }

    /// Puts bytes into the record that are no document, and makes the state take them for what was last uploaded:
    /// nobody can do that without the keystore's key.
    private func putUnreadableRecord() throws {
        let record = Array("no document".utf8)
        let key = house.safe.stateKey
        let held = try house.locked()
        var state = try UploadState(of: held.records, at: .main, key: key)
        let content = SecureBytes(copying: record.span)
        state.safe?.state.content = TargetDigests.content(content, at: Household.target(house.server), key: key)
        var changes = held.changes()
        changes.set(.profile, record.span)
        changes.setState(state.encoded(for: Household.id.text, at: .main, key: key, now: house.now), of: .main)
        try held.commit(changes)
    }

    @Test func `a push that has nothing to do does not read it`() throws {
        try putUnreadableRecord()
        #expect(try house.push().outcome == .unchanged)
    }

    @Test func `what is to be uploaded is read, and damaged if it cannot be`() throws {
        try putUnreadableRecord()
        let before = house.server.backups
        #expect(throws: KeystoreError.damaged(record: "profile", owner: .threema(Household.id))) {
            try house.push { $0.isForced = true }
        }
        #expect(house.server.backups == before)
    }

    @Test func `a record with another digest is read at once`() throws {
        try house.locked().write(.profile, Array("no document".utf8).span)
        #expect(throws: KeystoreError.damaged(record: "profile", owner: .threema(Household.id))) { try house.push() }
    }

    @Test func `the uploaded contacts are still counted`() throws {
        for count in [10, 10, 6] {
            try house.change(to: Household.document(contacts: count))
            try house.push { $0.isForced = true }
            try house.push { $0.isForced = true }
            #expect(try house.stored()?.document.contactCount == count)
        }
        try house.change(to: Household.document(contacts: 2))
        let result = #expect(throws: SafeKeepingError.self) { try house.push { $0.isForced = true } }
        guard case .refused(.losesContacts(before: 6, now: 2), _, _, _)? = result else {
            Issue.record("\(String(describing: result))")
            return
        }
    }
}
