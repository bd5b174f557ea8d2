public import Encodings
public import SafeStore
public import SafeWire
public import Testing

/// What an adapter of the port `BackupStore` has to do. Each rule is one test, on a store of its own.
public struct StoreRule: Sendable, CustomTestStringConvertible {
    let name: String
    fileprivate let body: any Body
    /// The name of the rule.
    public var testDescription: String { name }

    /// The rules of every adapter.
    public static let everywhere: [StoreRule] = [
        StoreRule(name: "what is stored comes back with its tag", body: Storing()),
        StoreRule(name: "conditions hold or fail in one step with the write", body: Conditions()),
        StoreRule(name: "a failed condition changes nothing", body: FailedConditions()),
        StoreRule(name: "what is deleted is gone", body: Deleting()),
    ]

    /// The rules of an adapter that retains previous backups, and expires backups itself.
    public static let all: [StoreRule] =
        everywhere + [
            StoreRule(name: "replaced and deleted backups are listed", body: Previous()),
            StoreRule(name: "versions of one millisecond stay apart", body: SameTime()),
            StoreRule(name: "what was not put for the term expires, and nothing else", body: Expiring()),
            StoreRule(name: "a put begins a new term", body: NewTerm()),
            StoreRule(name: "a sweep under suspicion deletes nothing unless forced", body: Suspicion()),
            StoreRule(name: "previous backups expire by their own time", body: OldVersions()),
        ]

    /// Runs the rule on an empty store.
    public func check<Store: BackupStore & ~Copyable>(_ store: borrowing Store) throws { try body.run(store) }
}

/// A generic closure, which Swift has only as a method.
private protocol Body: Sendable {
    func run<Store: BackupStore & ~Copyable>(_ store: borrowing Store) throws
}

struct Unexpected: Error {
    let what: String
}

/// 32 equal bytes.
public func id(_ byte: UInt8) -> BackupID { BackupID([UInt8](repeating: byte, count: BackupID.count).span) }

/// Noon of 2026-11-21 in UTC, and days after it.
public func day(_ number: Int) -> Timestamp { Timestamp(milliseconds: 1_795_262_400_000) + .days(number) }

private func tag(_ result: PutResult) -> String? {
    switch result {
    case .created(let tag), .replaced(let tag): tag
    case .conditionFailed: nil
    }
}

private func sweep(
    _ number: Int, deleting deletion: Sweep.Deletion = .unlessSuspicious, keep: Duration = .days(7)
) -> Sweep {
    Sweep(
        retentionDays: 180, keepPrevious: keep, now: ClockReading(wall: day(number), monotonic: .zero), last: nil,
        deleting: deletion)
}

private struct Storing: Body {
    func run<Store: BackupStore & ~Copyable>(_ store: borrowing Store) throws {
        #expect(try store.get(id(1)) == nil)
        let first = try store.put([1, 2], at: id(1), if: .none, now: day(0))
        guard case .created(let tag) = first else { throw Unexpected(what: "\(first)") }
        #expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.utf8.count == 34)
        #expect(try store.get(id(1)) == StoredBackup(bytes: [1, 2], tag: tag))
        for count in [1, 40, 65_536, 4 * 1024 * 1024, 10] {
            let content = [UInt8](repeating: UInt8(truncatingIfNeeded: count), count: count)
            let result = try store.put(content, at: id(1), if: .none, now: day(0))
            guard case .replaced(let other) = result else { throw Unexpected(what: "\(result)") }
            #expect(other != tag)
            let isSame = try store.get(id(1)) == StoredBackup(bytes: content, tag: other)
            #expect(isSame)
        }
        // Equal bytes have an equal tag, at any id.
        let equal = try store.put([1, 2], at: id(2), if: .none, now: day(3))
        #expect(equal == .created(tag: tag))
        #expect(try store.get(id(1))?.bytes.count == 10)
    }
}

private struct Conditions: Body {
    func run<Store: BackupStore & ~Copyable>(_ store: borrowing Store) throws {
        let absent = Preconditions(noneMatch: .any)
        let one = try #require(tag(store.put([1], at: id(1), if: absent, now: day(0))))
        let two = try #require(tag(store.put([2], at: id(1), if: Preconditions(match: .these([one])), now: day(0))))
        let three = try store.put([3], at: id(1), if: Preconditions(match: .any), now: day(0))
        #expect(tag(three) != nil)
        let others = Preconditions(noneMatch: .these([one, two]))
        let four = try #require(tag(store.put([4], at: id(1), if: others, now: day(0))))
        #expect(try store.get(id(1))?.bytes == [4])
        let known = Preconditions(match: .these(["\"x\"", four]))
        #expect(try store.delete(id(1), if: known, now: day(0)) == .deleted)
        // Nothing is stored, so no condition of a deletion is tested.
        #expect(try store.delete(id(1), if: known, now: day(0)) == .missing)
    }
}

private struct FailedConditions: Body {
    func run<Store: BackupStore & ~Copyable>(_ store: borrowing Store) throws {
        let absent = Preconditions(match: .any)
        #expect(try store.put([1], at: id(1), if: absent, now: day(0)) == .conditionFailed)
        #expect(try store.get(id(1)) == nil)
        let one = try #require(tag(store.put([1], at: id(1), if: .none, now: day(0))))
        let failing = [
            Preconditions(noneMatch: .any), Preconditions(match: .these(["\"x\""])), Preconditions(match: .these([])),
            Preconditions(noneMatch: .these(["\"x\"", one])), Preconditions(match: .any, noneMatch: .any),
        ]
        for conditions in failing {
            #expect(try store.put([2], at: id(1), if: conditions, now: day(1)) == .conditionFailed)
            #expect(try store.delete(id(1), if: conditions, now: day(1)) == .conditionFailed)
        }
        #expect(try store.get(id(1))?.bytes == [1])
        #expect(try store.versions(of: id(1)) == [])
    }
}

private struct Deleting: Body {
    func run<Store: BackupStore & ~Copyable>(_ store: borrowing Store) throws {
        for byte: UInt8 in [0, 1, 0xab] { _ = try store.put([byte], at: id(byte), if: .none, now: day(0)) }
        #expect(try store.delete(id(1), if: .none, now: day(0)) == .deleted)
        #expect(try store.delete(id(1), if: .none, now: day(0)) == .missing)
        #expect(try store.get(id(1)) == nil)
        #expect(try store.get(id(0))?.bytes == [0])
        #expect(try store.get(id(0xab))?.bytes == [0xab])
        let again = try store.put([2], at: id(1), if: .none, now: day(0))
        guard case .created = again else { throw Unexpected(what: "\(again)") }
    }
}

private struct Previous: Body {
    func run<Store: BackupStore & ~Copyable>(_ store: borrowing Store) throws {
        _ = try store.put([1], at: id(1), if: .none, now: day(0))
        #expect(try store.versions(of: id(1)) == [])
        _ = try store.put([2, 2], at: id(1), if: .none, now: day(1))
        _ = try store.delete(id(1), if: .none, now: day(2))
        _ = try store.put([9], at: id(2), if: .none, now: day(2))
        _ = try store.delete(id(2), if: .none, now: day(2))
        let both = [
            BackupVersion(time: day(1), replaced: day(2), count: 2, isDeleted: true),
            BackupVersion(time: day(0), replaced: day(1), count: 1),
        ]
        #expect(try store.versions(of: id(1)) == both)
    }
}

private struct SameTime: Body {
    func run<Store: BackupStore & ~Copyable>(_ store: borrowing Store) throws {
        for byte: UInt8 in 1...4 { _ = try store.put([byte], at: id(1), if: .none, now: day(0)) }
        let versions = try store.versions(of: id(1))
        #expect(versions.map(\.time) == [2, 1, 0].map { day(0) + .milliseconds($0) })
    }
}

private struct Expiring: Body {
    func run<Store: BackupStore & ~Copyable>(_ store: borrowing Store) throws {
        for byte: UInt8 in 0..<20 { _ = try store.put([byte], at: id(byte), if: .none, now: day(byte < 2 ? 0 : 100)) }
        #expect(try store.expire(sweep(210)).counts.expired == 0)
        let dry = try store.expire(sweep(211, deleting: .never))
        #expect(dry.counts.expired == 2 && dry.counts.total == 20 && dry.suspicion == nil && !dry.isCarriedOut)
        #expect(try store.get(id(0)) != nil)
        let report = try store.expire(sweep(211))
        #expect(report.isCarriedOut && report.counts == dry.counts)
        for byte: UInt8 in 0..<20 {
            let isGone = try store.get(id(byte)) == nil
            #expect(isGone == (byte < 2))
        }
        // What expires is retained, as what a client deletes.
        let expired = BackupVersion(time: day(0), replaced: day(211), count: 1, isDeleted: true)
        #expect(try store.versions(of: id(0)) == [expired])
        #expect(try store.expire(sweep(211)).counts.total == 18)
    }
}

private struct NewTerm: Body {
    func run<Store: BackupStore & ~Copyable>(_ store: borrowing Store) throws {
        for byte: UInt8 in 0..<10 { _ = try store.put([byte], at: id(byte), if: .none, now: day(0)) }
        for byte: UInt8 in 0..<9 { _ = try store.put([byte], at: id(byte), if: .none, now: day(209)) }
        #expect(try store.expire(sweep(300)).counts.expired == 1)
        #expect(try store.get(id(9)) == nil)
    }
}

private struct Suspicion: Body {
    func run<Store: BackupStore & ~Copyable>(_ store: borrowing Store) throws {
        for byte: UInt8 in 0..<3 { _ = try store.put([byte], at: id(byte), if: .none, now: day(0)) }
        let refused = try store.expire(sweep(400))
        #expect(refused.suspicion == .tooMany(expired: 3, total: 3) && !refused.isCarriedOut)
        #expect(try store.get(id(0)) != nil)
        // One that is newer than the clock, as after an upload while it was ahead, stops nothing.
        #expect(try store.expire(sweep(-2)).suspicion == nil)
        #expect(try store.expire(sweep(400, deleting: .always)).isCarriedOut)
        #expect(try store.get(id(0)) == nil)
    }
}

private struct OldVersions: Body {
    func run<Store: BackupStore & ~Copyable>(_ store: borrowing Store) throws {
        for number in 0...3 { _ = try store.put([UInt8(number)], at: id(1), if: .none, now: day(number)) }
        #expect(try store.expire(sweep(9)).counts.previous == 1)
        #expect(try store.versions(of: id(1)).map(\.replaced) == [day(3), day(2)])
        #expect(try store.expire(sweep(9, keep: .zero)).counts.previous == 2)
        #expect(try store.versions(of: id(1)) == [])
        #expect(try store.get(id(1))?.bytes == [3])
    }
}
