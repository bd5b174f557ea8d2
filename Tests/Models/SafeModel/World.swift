import Encodings
import SafeRules

// The world of the model: two keystores that hold one identity, apps that hold it too, two places with a server each.
// Ciphertexts are labels, keys are numbers, nothing is derived and nothing touches a disk.

/// A ciphertext.
package struct Blob: Hashable, Sendable {
    /// Its digest: no two are equal.
    package var number: UInt16
    /// Which private key is inside.
    package var key: UInt8
    /// Which document is inside.
    package var document: UInt8
    /// The keystore that wrote it; nil for an app.
    package var writer: UInt8?
    package var generation: Int64
    /// Whether it does not authenticate.
    package var isDamaged = false
    /// Whether it is longer than what is read.
    package var isTooLong = false

    package var digest: Digest { Digest(number: UInt64(number)) }
}

/// Where a backup lies: an address, and the backup id that follows from the Safe password.
package struct Target: Hashable, Sendable {
    /// 0 or 1; both may lead to one place.
    package var address: UInt8
    /// Which Safe password: 0, 1, 2.
    package var password: UInt8
}

/// What a keystore holds on its disk.
package struct KeystoreModel: Hashable, Sendable {
    package var key: UInt8 = 1
    package var document: UInt8
    /// Nil without a setup.
    package var setup: Setup?
    package var history: Set<UInt16> = []
    // What is true, whatever the keystore remembers:
    /// What it sent or pulled.
    package var isOwn: Set<UInt16> = []
    /// Whether the last look that a command told of was at a good backup, and when.
    package var goodLook: Timestamp?
    package var hasBadLook = false
    /// Whether a deletion was sent to the new place of a change, in order to cancel it, and nobody asked for it again.
    package var hasCancelled = false

    package struct Setup: Hashable, Sendable {
        package var current: Target
        package var next: Target?
        package var retiring: Target?
        package var knowledge: Knowledge
    }
}

/// How the servers of a world are.
package struct Terms: Hashable, Sendable, CustomStringConvertible {
    /// Whether both addresses lead to one place.
    package var isAlias: Bool
    /// Whether the servers refuse a write whose condition does not hold.
    package var honoursConditions: Bool
    /// Whether the server at the second address takes no backup of this size.
    package var isSecondTooSmall = false
    /// How often a command is tried again after a failure that may pass.
    package var retries = 0

    package init(isAlias: Bool, honoursConditions: Bool, isSecondTooSmall: Bool = false, retries: Int = 0) {
        self.isAlias = isAlias
        self.honoursConditions = honoursConditions
        self.isSecondTooSmall = isSecondTooSmall
        self.retries = retries
    }

    package var description: String {
        (isAlias ? "one place under two names" : "two places") + (isSecondTooSmall ? ", one too small" : "")
            + (honoursConditions ? ", conditions honoured" : ", conditions ignored")
            + (retries > 0 ? ", tried again" : "")
    }
}

package struct World: Hashable, Sendable {
    package var now = Timestamp(milliseconds: 1_800_000_000_000)
    package var keystores: [KeystoreModel]
    /// By place and password.
    package var stored: [[Blob?]]
    /// The places whose server makes no new files: what is there may be replaced.
    package var isFull: Set<Int> = []
    /// A write whose sender has given up, and that may still arrive.
    package var late: [Late] = []
    var blobs: UInt16 = 1
    var documents: UInt8 = 10

    package struct Late: Hashable, Sendable {
        var place: Int
        var password: UInt8
        /// Nil for a DELETE.
        var blob: Blob?
        var sender: Int
    }

    /// Two keystores with the same document at the first address. The second may be set up, too.
    package init(keystores count: Int) {
        stored = [[nil, nil, nil], [nil, nil, nil]]
        keystores = (0..<count).map { _ in KeystoreModel(document: 1) }
        for index in keystores.indices { setUp(index, .init(address: 0, password: 0)) }
    }

    mutating func setUp(_ index: Int, _ target: Target) {
        keystores[index].setup = .init(
            current: target, knowledge: Knowledge(current: freshState(index, target)))
    }

    func freshState(_ index: Int, _ target: Target) -> PlaceState {
        PlaceState(document: documentDigest(keystores[index].document), backup: Self.backupID(target))
    }

    static func backupID(_ target: Target) -> Digest { Digest(number: 1_000_000 + UInt64(target.password)) }

    func documentDigest(_ document: UInt8) -> Digest { Digest(number: 2_000_000 + UInt64(document)) }

    mutating func makeBlob(key: UInt8, document: UInt8, writer: UInt8?, generation: Int64 = 0) -> Blob {
        defer { blobs += 1 }
        return Blob(number: blobs, key: key, document: document, writer: writer, generation: generation)
    }

    func place(_ address: UInt8, _ terms: Terms) -> Int { terms.isAlias ? 0 : Int(address) }
}
