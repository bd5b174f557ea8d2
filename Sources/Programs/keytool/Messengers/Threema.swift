import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import MessengerKeeping
import SafeKeeping
import Threema
import ThreemaKeeping
import ThreemaRecords

/// Threema. Its nouns are those of the program: `id`, `backup`, `safe`, `profile`, `contact` and `revoke`.
enum ThreemaMessenger: KeptMessenger {
    typealias Root = Keytool

    static let name = Owner.threema

    static let words = MessengerWords(
        title: "identity", titles: "identities", subject: "The identity", placeholder: "id",
        beginning: "keytool id create, or keytool backup import", absence: "no_identity",
        listing: ("list", "identities"),
        forms: [
            "id": "an ID has 8 characters, A-Z and 0-9; the first may be *",
            "place": "a place has up to 32 characters, a-z, 0-9 and -",
            "m/n": "2 to 16 shares, of which 2 or more are needed: 3/5",
        ])

    static let nounWords = NounWords(abstract: "", commonNames: [])

    static var nouns: [any ParsableCommand.Type] {
        [
            IDCommand.self, BackupCommand.self, SafeCommand.self, ProfileCommand.self, ContactCommand.self,
        ]
    }
    static var verbs: [any ParsableCommand.Type] { [] }

    static func owner(_ id: ThreemaID) -> Owner { .threema(id) }

    static func id(of owner: Owner) -> ThreemaID? { owner.threemaID }

    /// Shells compare letter by letter, and a lower-case ID means the same.
    static func completion(of id: ThreemaID, after prefix: String) -> String {
        prefix != prefix.uppercased() ? id.text.lowercased() : id.text
    }

    static func keeper(of keystore: OpenKeystore, _ session: Session) -> ThreemaKeeper { session.keeper(keystore) }

    static func summary(of id: ThreemaID, in keeper: ThreemaKeeper) throws -> MessengerSummary {
        let identity = try keeper.identities.summary(id)
        let places = identity.places.map { JSONValue.string($0.text) }
        return MessengerSummary(
            line: "\(identity.publicKey.hex)  \(identity.safeWords)", lines: identity.lines,
            members: [
                ("public_key", .string(identity.publicKey.hex)), ("safe", .bool(identity.hasSafe)),
                ("places", places.isEmpty ? nil : .array(places)),
            ], alone: identity.members)
    }

    static func removal(of owner: Owner, _ id: ThreemaID, in keeper: ThreemaKeeper) throws -> Removal {
        let prospect = try keeper.identities.prospect(ofRemoving: id)
        var warnings = prospect.safeServers.map { "the Safe backup of \(id) stays on \($0)" }
        if prospect.codeProvenAt == nil {
            warnings.insert(
                "no backup code of \(id) was ever verified here: without one, its private key is lost for ever", at: 0)
        }
        if prospect.isSetupDamaged {
            warnings.append(
                "a Safe backup of \(id) may remain on a server: the damaged setup does not say which one")
        }
        let servers = prospect.safeServers.map { JSONValue.string($0) }
        return Removal(
            warnings: warnings, lost: "its private key",
            members: [
                ("id", .string(id.text)), ("removed", true), ("code_proven", .bool(prospect.codeProvenAt != nil)),
                ("safe_left_on", servers.first), ("safes_left_on", servers.isEmpty ? nil : .array(servers)),
            ])
    }

    static func remove(
        _ id: ThreemaID, in keeper: ThreemaKeeper, _ keystore: OpenKeystore, _ session: Session
    ) throws {
        try keeper.identities.remove(id)
    }

    static var archived: ArchivedMessenger {
        ArchivedMessenger(
            name, transient: IdentityKeeper.transientRecords, dispensable: IdentityKeeper.dispensableRecords,
            isSame: IdentityKeeper.isSame,
            merged: IdentityKeeper.merged,
            forgetStates: { keystore, records, archived, held, changes in
                try changes.forgetStates(
                    of: records, except: nil, keepingProof: IdentityKeeper.isSameKey(archived, held),
                    key: keystore.stateKey, now: WallClock.now())
            }
        ) { records throws(RecordProblem) in try IdentityKeeper.check(records).hex }
    }

    static let readme = """
        A THREEMA IDENTITY, threema/ID
          identity        40 bytes: the ID (8 characters), then the private key, which
                          is an X25519 key (32 bytes). To print the private key in
                          hexadecimal:
                            tail -c 32 threema/ID/identity | od -An -v -tx1
          profile.json    the document of its Safe backup without keys: nickname,
                          contacts, groups, settings
          devicegroupkey  32 bytes: the device group key of that document, if it has one
          gatewaysecret   the API secret of a Gateway ID, if it was imported: text
          directory       JSON: the directory server that the identity uses
          shares          when shares of the private key were made and checked,
                          and a digest of each; not the shares
          kit             when an emergency kit was made, and its code checked; not
                          the kit
          places/PLACE/safe
                          the setup of a Safe place. Byte 1 is the version; a Protocol
                          Buffers message follows: field 1 is the place, in it field 1
                          the 64-byte Safe key, field 2 the address of the server,
                          fields 3 and 4 the login there.
                            tail -c +2 safe | protoc --decode_raw
        """
}

extension IdentityKeeper.Summary {
    /// For people: one line for each fact.
    var lines: [String] {
        ["ID          \(id)"] + publicKey.labelledLines + ["contact     \(contactCode)"]
            + (hasGatewaySecret ? ["API secret  held"] : [])
            + (places.count > 1 ? ["Safe places \(places.map(\.text).joined(separator: " "))"] : [])
    }

    var members: [(String, JSONValue?)] {
        [
            ("id", .string(id.text)), ("public_key", .string(publicKey.hex)), ("contact", .string(contactCode)),
            ("has_gateway_secret", hasGatewaySecret ? true : nil),
            ("places", places.isEmpty ? nil : .array(places.map { .string($0.text) })),
        ]
    }

    /// The Safe places, for people. A single one has no name that anybody needs.
    fileprivate var safeWords: String {
        guard places.count > 1 else { return hasSafe ? "safe" : "no safe" }
        return "safe " + places.map(\.text).joined(separator: " ")
    }
}

extension PublicKey {
    /// The eight lines of a key, the first one behind its label.
    var labelledLines: [String] {
        ["public key  \(lines[0])"] + lines.dropFirst().map { "            \($0)" }
    }
}
