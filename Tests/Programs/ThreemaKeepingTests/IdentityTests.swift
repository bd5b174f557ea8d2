import Keystore
import SafeKeepingKit
import Testing
import Threema
import ThreemaRecords

@testable import ThreemaKeeping

/// Identities in the keystore, and what is told of them.
@Suite struct IdentityTests {
    private let house: Household

    init() throws {
        house = try Household()
    }

    @Test func `identities are listed in order, and made once`() throws {
        let entropy: [UInt8] = [1, 2]
        let created = try house.identities.create(ThreemaID("AAAA0000"), mixing: Span())
        #expect(created.id.text == "AAAA0000")
        #expect(created.contactCode == "3mid:AAAA0000,\(created.publicKey.hex)")
        #expect(!created.hasSafe)
        #expect(throws: KeystoreError.exists(.threema(created.id))) {
            try house.identities.create(ThreemaID("AAAA0000"), mixing: entropy.span)
        }
        let random = try house.identities.create(nil, mixing: entropy.span)
        let all = try house.identities.all()
        #expect(all.map(\.id.text) == ["AAAA0000", "ABCD1234", random.id.text].sorted())
        #expect(Set(all.map(\.publicKey.hex)).count == 3)
        #expect(all.filter(\.hasSafe).map(\.id) == [Household.id])
    }

    @Test func `places and the proof of a code are told, also after the Safe is deleted`() throws {
        #expect(try house.identities.summary(Household.id).places == [.main])
        #expect(try house.identities.prospect(ofRemoving: Household.id).codeProvenAt == nil)
        _ = try house.codes.markProven(Household.identity())
        _ = try house.safe.deleteSafe(at: Household.main)
        #expect(try house.identities.summary(Household.id).places.isEmpty)
        #expect(try house.identities.prospect(ofRemoving: Household.id).codeProvenAt != nil)
    }
}
