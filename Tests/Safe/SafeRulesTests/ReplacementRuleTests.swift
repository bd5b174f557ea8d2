import SafeRules
import Testing

/// What a PUT and a DELETE may replace: the rule alone, one look at one place.
@Suite struct ReplacementRuleTests {
    private static let last = Digest(number: 1)
    private static let other = Digest(number: 2)

    /// A place to which `last` was uploaded; a new one has seen nothing.
    private static func place(isNew: Bool = false, finding: Finding? = nil) -> PlaceState {
        var place = PlaceState(document: Digest(number: 8), backup: Digest(number: 9))
        place.finding = finding
        guard !isNew else { return place }
        place.last = last
        place.journal = UploadJournal(sent: [last])
        return place
    }

    private static func authentic(_ digest: Digest, _ relation: Found.Relation = .otherDocument) -> Found {
        .authentic(digest: digest, .init(relation, document: Digest(number: 8)))
    }

    @Test func `where a backup is expected, nothing and damage are looked at twice before a PUT`() {
        for found in [Found.nothing, .unauthentic(digest: Self.other)] {
            #expect(ReplacementRule().mayReplace(found, at: Self.place()) == .afterSecondLook)
            #expect(ReplacementRule().mayReplace(found, at: Self.place(isNew: true)) == .granted)
            #expect(
                ReplacementRule().mayReplace(found, at: Self.place(isNew: true, finding: .damaged)) == .afterSecondLook)
        }
    }

    @Test func `another writer's backup is replaced and deleted with the consent to it`() {
        let found = Self.authentic(Self.other)
        for (consents, isAgreed) in [([], false), ([Self.last], false), ([Self.other], true)] {
            let rule = ReplacementRule(consents: consents)
            #expect(rule.mayReplace(found, at: Self.place()) == (isAgreed ? .granted : .refused))
            #expect(rule.mayDelete(found, at: Self.place(), takesUnreadable: true) == isAgreed)
        }
    }

    @Test func `what is too long to be read needs a consent of its own`() {
        for (consents, isAgreed) in [([], false), ([Self.other], false), ([ReplacementRule.tooLong], true)] {
            let rule = ReplacementRule(consents: consents)
            #expect(rule.mayReplace(.tooLong, at: Self.place()) == (isAgreed ? .granted : .refused))
            #expect(rule.mayDelete(.tooLong, at: Self.place(), takesUnreadable: true) == isAgreed)
        }
    }

    @Test func `the own backup needs no consent, and damage is deleted only if that is asked for`() {
        #expect(ReplacementRule().mayReplace(Self.authentic(Self.last), at: Self.place()) == .granted)
        #expect(ReplacementRule().mayDelete(Self.authentic(Self.last), at: Self.place(), takesUnreadable: false))
        for takes in [false, true] {
            let damaged = Found.unauthentic(digest: Self.other)
            #expect(ReplacementRule().mayDelete(damaged, at: Self.place(), takesUnreadable: takes) == takes)
        }
    }
}
