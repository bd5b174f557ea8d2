import SafeRules
import Testing

/// What a pull refuses to replace: the rule alone, one backup and what is known of its place.
@Suite struct PullRuleTests {
    private static let present = Digest(number: 8)
    private static let earlier = Digest(number: 7)
    private static let backup = Digest(number: 1)

    /// A place whose last backup had the document `content`; nil if it was never seen.
    private static func place(content: Digest?) -> PlaceState {
        var place = PlaceState(document: present, backup: Digest(number: 9))
        place.content = content
        guard content != nil else { return place }
        place.last = Digest(number: 2)
        place.journal = UploadJournal(sent: [Digest(number: 2)])
        return place
    }

    private static func refusal(
        at place: PlaceState, _ relation: Found.Relation = .otherDocument,
        _ change: (inout SafeVerb.Pull) -> Void = { _ in }
    ) -> SafeFailure? {
        var pull = SafeVerb.Pull()
        change(&pull)
        return SafeMachine.refusal(
            .init(relation, document: Digest(number: 3)), backup, at: place, pull)
    }

    @Test func `a profile that is uploaded gives way at its own place, and not at one that was never seen`() {
        let place = Self.place(content: Self.present)
        #expect(Self.refusal(at: place) == nil)
        #expect(Self.refusal(at: place) { $0.isPlaceUnknown = true } == .otherProfile)
        #expect(Self.refusal(at: place, .same) { $0.isPlaceUnknown = true } == nil)
        for change: (inout SafeVerb.Pull) -> Void in [{ $0.isHereEmpty = true }, { $0.isReplacing = true }] {
            #expect(
                Self.refusal(at: place) {
                    $0.isPlaceUnknown = true
                    change(&$0)
                } == nil)
        }
    }

    @Test func `what another place lacks is lost only if it was made here`() {
        var place = Self.place(content: Self.present)
        #expect(Self.refusal(at: place) { $0.isOutdatedElsewhere = true } == .unpushedChanges)
        place.last = Digest(number: 4)
        place.journal.enterPulled(Digest(number: 4))
        #expect(Self.refusal(at: place) { $0.isOutdatedElsewhere = true } == nil)
        place.content = Self.earlier
        #expect(Self.refusal(at: place) { $0.isOutdatedElsewhere = true } == .unpushedChanges, "edited since")
    }

    @Test func `changes that no place has are named before an unknown place`() {
        for content in [nil, Self.earlier] {
            let place = Self.place(content: content)
            #expect(Self.refusal(at: place) == .unpushedChanges)
            #expect(Self.refusal(at: place) { $0.isPlaceUnknown = true } == .unpushedChanges)
        }
    }
}
