import Encodings
import SafeRules

/// A world without what makes no difference: labels are numbered in the order in which they turn up, times are ages of
/// which only the classes count that a decision distinguishes, of generations only the order.
package struct CanonicalWorld: Hashable, Sendable {
    private var values: [Int32] = []
    private var labels: [UInt64: Int32] = [:]
    private var generations: [Int64] = []

    package init(_ world: World) {
        values.reserveCapacity(160)
        generations = Set(
            world.stored.flatMap { $0 }.compactMap { $0?.generation }
                + world.keystores.flatMap { keystore in
                    Role.allCases.compactMap { keystore.setup?.knowledge[$0]?.generation }
                }
        ).sorted()
        for place in 0..<2 { values.append(world.isFull.contains(place) ? 1 : 0) }
        for place in world.stored { for blob in place { add(blob) } }
        for keystore in world.keystores { add(keystore, world) }
        for late in world.late {
            values += [Int32(late.place), Int32(late.password), Int32(late.sender)]
            add(late.blob)
        }
        // Labels that no one holds any more do not matter; the table does not belong to the value.
        labels = [:]
        generations = []
    }

    private mutating func add(_ blob: Blob?) {
        guard let blob else { return values.append(-1) }
        add(label: UInt64(blob.number))
        values += [Int32(blob.key), (blob.isDamaged ? 1 : 0) + (blob.isTooLong ? 2 : 0), rank(blob.generation)]
        add(label: 1 << 32 + UInt64(blob.document))
    }

    private func rank(_ generation: Int64) -> Int32 { Int32(generations.firstIndex(of: generation) ?? -1) }

    private mutating func add(label: UInt64) {
        let next = Int32(labels.count)
        let value = labels[label] ?? next
        labels[label] = value
        values.append(value)
    }

    private mutating func add(_ digest: Digest?) {
        guard let digest else { return values.append(-1) }
        let number = digest.bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
        // Documents have their labels in blobs, too.
        add(label: number > 2_000_000 ? 1 << 32 + number - 2_000_000 : number)
    }

    private mutating func add(_ timestamp: Timestamp?, _ now: Timestamp) {
        guard let timestamp else { return values.append(-1) }
        let hours = (now - timestamp) / .hours(1)
        let limits: [Double] = [-24, -0.001, 23, 24, 7 * 24, 90 * 24]
        values.append(Int32(limits.firstIndex { hours < $0 } ?? limits.count))
    }

    private mutating func add(_ keystore: KeystoreModel, _ world: World) {
        values += [Int32(keystore.key), keystore.hasBadLook ? 1 : 0, keystore.hasCancelled ? 1 : 0]
        add(label: 1 << 32 + UInt64(keystore.document))
        add(keystore.goodLook, world.now)
        guard let setup = keystore.setup else { return values.append(-2) }
        for target in [setup.current, setup.next, setup.retiring] {
            values.append(target.map { Int32($0.address) * 4 + Int32($0.password) } ?? -1)
        }
        values += [setup.knowledge.isDeleting ? 1 : 0, setup.knowledge.isLeavingOld ? 1 : 0]
        for consent in setup.knowledge.consents { add(consent) }
        for role in Role.allCases {
            guard let place = setup.knowledge[role] else {
                values.append(-3)
                continue
            }
            add(place, world)
        }
        // Of what was ever sent only what still lies somewhere can make a difference.
        for stored in world.stored {
            for blob in stored {
                guard let blob else { continue }
                values.append(
                    (keystore.isOwn.contains(blob.number) ? 1 : 0) + (keystore.history.contains(blob.number) ? 2 : 0))
            }
        }
    }

    private mutating func add(_ place: PlaceState, _ world: World) {
        add(place.last)
        add(place.content)
        values.append(rank(place.generation))
        let live = Set(
            world.stored.flatMap { $0 }.compactMap { $0?.digest } + world.late.compactMap { $0.blob?.digest })
        for digest in place.journal.sent where live.contains(digest) { add(digest) }
        values.append(place.journal.isEmpty ? -4 : -5)
        if let newest = place.journal.sent.last, live.contains(newest) { add(newest) }
        if let pulled = place.journal.pulled, live.contains(pulled) { add(pulled) }
        for timestamp in [place.uploadedAt, place.seenAt, place.notBefore, place.lookUntil] {
            add(timestamp, world.now)
        }
        if let mirror = place.mirror {
            for digest in mirror.journal where live.contains(digest) { add(digest) }
            add(mirror.normal)
            values.append(mirror.journal.last.map { live.contains($0) ? 1 : 2 } ?? 3)
        }
        values += [place.isAbandoned ? 1 : 0, place.hasFailed ? 1 : 0, place.finding.map { Int32($0.hashIndex) } ?? 0]
    }
}

extension Finding {
    fileprivate var hashIndex: Int {
        switch self {
        case .missing: 1
        case .damaged: 2
        case .foreign: 3
        case .older: 4
        case .unproven: 5
        case .lossy: 6
        }
    }
}
