import Encodings
import ObservedTime
import SafeRules
import Testing

/// Which fetched backup is stored, and which raises an alarm.
@Suite struct MirrorRuleTests {
    private static let now = at(0)

    /// By a clock that was read each hour.
    private static func at(_ hours: Int) -> ObservedTimestamp {
        ObservedTimestamp(sum: .hours(hours), wall: Timestamp(milliseconds: 1_800_000_000_000) + .hours(hours))
    }

    private func found(
        _ number: UInt64, contacts: Int = 10, _ relation: Found.Relation = .otherDocument
    ) -> Found {
        .authentic(
            digest: Digest(number: number),
            .init(relation, document: Digest(number: 0), contacts: contacts))
    }

    /// The judgements of several looks, one hour after the other.
    private func judge(_ looks: [Found], isAcceptingLoss: Bool = false) -> [MirrorRule.Judgement] {
        var state = MirrorState()
        return looks.enumerated().map { index, found in
            let judgement = MirrorRule(isAcceptingLoss: isAcceptingLoss && index == looks.count - 1)
                .judge(found, state, at: Self.at(index))
            state = judgement.state
            return judgement
        }
    }

    @Test func `a new backup is stored once`() {
        let judgements = judge([found(1), found(1), found(2)])
        #expect(judgements.map(\.isNew) == [true, false, true])
        #expect(judgements.map(\.alarm) == [nil, nil, nil])
        #expect(judgements.map(\.state.changedAt) == [Self.now, Self.now, Self.at(2)])
        #expect(judgements.map(\.state.succeededAt) == [Self.now, Self.at(1), Self.at(2)])
        #expect(judgements[2].state.journal == [Digest(number: 1), Digest(number: 2)])
    }

    @Test func `nothing, damaged and long bytes are not stored and change nothing`() {
        let judgements = judge([found(1), .nothing, .unauthentic(digest: Digest(number: 9)), .tooLong])
        #expect(judgements.map(\.isNew) == [true, false, false, false])
        #expect(judgements.map(\.alarm) == [nil, .absent, .damaged, .tooLong])
        #expect(judgements.allSatisfy { $0.state == judgements[0].state })
    }

    @Test func `a server that goes back is named in every run`() {
        let judgements = judge([found(1), found(2), found(1), found(1), found(3), found(2)])
        #expect(judgements.map(\.alarm) == [nil, nil, .older, .older, nil, .older])
        #expect(judgements.map(\.isNew) == [true, true, false, false, true, false])
        #expect(judgements[3].state == judgements[1].state)
    }

    @Test func `another key is stored, and never the normal backup`() {
        let judgements = judge([found(1), found(2, .otherKey), found(2, .otherKey), found(3)])
        #expect(judgements.map(\.alarm) == [nil, .otherKey, .otherKey, nil])
        #expect(judgements.map(\.isNew) == [true, true, false, true])
        #expect(judgements[2].state.normal == Digest(number: 1))
        #expect(judgements[2].state.succeededAt == Self.now)
    }

    @Test func `over half of the contacts, until it is accepted`() {
        var judgements = judge([found(1), found(2, contacts: 5), found(3, contacts: 2), found(3, contacts: 2)])
        #expect(
            judgements.map(\.alarm) == [nil, nil, .losesContacts(before: 5, now: 2), .losesContacts(before: 5, now: 2)])
        #expect(judgements[3].state.normal == Digest(number: 2))
        judgements = judge(
            [found(1), found(2, contacts: 4), found(2, contacts: 4)], isAcceptingLoss: true)
        #expect(judgements.map(\.alarm) == [nil, .losesContacts(before: 10, now: 4), nil])
        #expect(judgements[2].state.normal == Digest(number: 2))
        #expect(judgements[2].state.contacts == 4)
        // The contacts are back.
        judgements = judge([found(1), found(2, contacts: 1), found(3, contacts: 9)])
        #expect(judgements.map(\.alarm) == [nil, .losesContacts(before: 10, now: 1), nil])
    }

    @Test func `an accepted backup is the normal one afterwards`() {
        var state = judge([found(1), found(2, contacts: 1)], isAcceptingLoss: true)[1].state
        let again = MirrorRule().judge(found(2, contacts: 1), state, at: Self.now)
        #expect(again.alarm == nil)
        state = again.state
        #expect(MirrorRule().judge(found(3, contacts: 1), state, at: Self.now).alarm == nil)
    }

    @Test func `a document of a newer version is stored`() {
        let judgements = judge([found(1), found(2, contacts: 0, .notUnderstood)])
        #expect(judgements[1].isNew && judgements[1].alarm == .notUnderstood)
        #expect(judgements[1].state.normal == Digest(number: 1))
    }

    @Test func `the journal is bounded`() {
        var state = MirrorState()
        for number in 1...UInt64(MirrorState.capacity + 5) {
            state = MirrorRule().judge(found(number), state, at: Self.now).state
        }
        #expect(state.journal.count == MirrorState.capacity)
        #expect(state.journal.last == Digest(number: UInt64(MirrorState.capacity + 5)))
        #expect(MirrorState(journal: state.journal + state.journal).journal.count == MirrorState.capacity)
    }
}
