import Keystore
import SecureMemory

extension Owner {
    static func toy(_ id: ToyID) -> Owner { Owner(messenger: "toy", id: id.description)! }

    var toy: ToyID? { messenger == "toy" ? ToyID(id) : nil }
}

/// The keys of the toy in a keystore: one record each, `key`.
struct ToyKeeper {
    private static let record: RecordName = "key"
    private let keystore: OpenKeystore

    init(_ keystore: OpenKeystore) { self.keystore = keystore }

    func key(_ id: ToyID) throws -> ToyKey {
        let damaged = KeystoreError.damaged(record: "key", owner: .toy(id))
        guard let content = try keystore.identity(.toy(id)).read(Self.record) else { throw damaged }
        return try content.withBytes { content in
            guard let key = ToyKey(content) else { throw damaged }
            return key
        }
    }

    func add(_ key: borrowing ToyKey) throws {
        try keystore.add(.toy(key.id)) { new in try key.bytes.withBytes { try new.write(Self.record, $0) } }
    }

    static func check(_ records: RecordSet) throws(RecordProblem) {
        guard let id = records.owner.toy else { throw .owner }
        guard records.count(of: record) != nil else { throw .missing(record) }
        let isRight = records.withRecord(record) { ToyKey($0)?.id == id }
        guard isRight else { throw .malformed(record) }
    }
}
