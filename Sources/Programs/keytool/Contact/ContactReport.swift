import CommandLine
import Console
import Encodings
import Threema
import ThreemaKeeping
import ThreemaSafe

/// What `contact check` says of the contacts of one identity.
struct ContactReport {
    let failure: Failure?
    private let id: ThreemaID
    private let url: String
    private let findings: ContactFindings
    private let changes: [ContactFindings.Finding]
    private let names: [ThreemaID: String]

    /// Most identities that a sentence lists.
    private static let maxListed = 5

    /// - Parameters:
    ///   - url: of the directory.
    ///   - command: options that name the identity in the commands of hints, with a blank before them.
    init(_ id: ThreemaID, _ url: String, _ checked: CheckedContacts, _ names: [ThreemaID: String], command: String) {
        self.id = id
        self.url = url
        self.names = names
        findings = checked.findings
        changes = checked.findings.changes(since: checked.earlier)
        failure = Self.failure(of: findings, id, url, command: command)
    }

    /// The names of contacts, for people.
    static func names(in document: SafeDocument) -> [ThreemaID: String] {
        var names: [ThreemaID: String] = [:]
        for contact in document.contacts { if let id = contact.id { names[id] = contact.displayName.printable } }
        return names
    }

    /// What the findings mean for the exit code.
    /// - Parameter directory: how the directory is called.
    static func failure(
        of findings: ContactFindings, _ id: ThreemaID, _ directory: String, command: String
    ) -> Failure? {
        switch findings.result {
        case .fine: return nil
        case .revoked(let contacts):
            return Failure(
                .absent, "\(directory) says that \(listed(contacts)) \(contacts.count == 1 ? "was" : "were") revoked",
                hints: "keytool contact remove\(command) \(contacts[0]) removes the contact",
                "keytool contact check\(command) --seen \(contacts[0]) acknowledges it"
            ).because(of: "revoked")
        case .alarm(let alarms):
            let own = alarms.first { $0.isOwn }
            let contacts = alarms.filter { !$0.isOwn }.map(\.id)
            let others = contacts.isEmpty ? nil : "another public key than the profile for \(listed(contacts))"
            let sentence: String
            switch own?.kind {
            case .revoked: sentence = "\(directory) says that \(id) itself was revoked"
            case .otherKey: sentence = "WRONG KEY: \(directory) has another public key for \(id) than this keystore"
            default: sentence = "WRONG KEY: \(directory) has \(others ?? "")"
            }
            let keys = alarms.prefix(maxListed).compactMap { finding -> Hint? in
                guard case .otherKey(let held, let key) = finding.kind else { return nil }
                return "\(finding.id)  stored \(held.hex), directory \(key.words)"
            }
            let advice: Hint =
                own == nil
                ? "ask the contact, by another way, which key is right; do not trust either before"
                : "if you have not done this, somebody else has, or the directory is wrong"
            return Failure(
                .verifyFailed, sentence + (own != nil ? others.map { "; it has \($0)" } ?? "" : ""),
                hints: keys + [advice]
            ).because(of: own.map(isRevoked) == true ? "own_revoked" : "other_key")
        }
    }

    private static func isRevoked(_ finding: ContactFindings.Finding) -> Bool {
        if case .revoked = finding.kind { true } else { false }
    }

    private static func listed(_ contacts: [ThreemaID]) -> String {
        let shown = contacts.prefix(maxListed).map(\.text).joined(separator: ", ")
        return contacts.count > maxListed ? "\(shown) and \(contacts.count - maxListed) more" : shown
    }

    // MARK: Printing

    /// Prints the result of the only identity. In JSON, the failure is a part of it. When quiet, nothing is printed
    /// without a change.
    func print(_ failure: Failure?, _ output: Output) throws {
        guard !output.isQuiet || !changes.isEmpty else { return }
        try output.data(lines(output.isQuiet), json: .result("contact check", members(failure)))
    }

    /// Prints the result of one of several identities, for people.
    func printLabelled(_ output: Output) throws {
        try output.data(lines(output.isQuiet).map { "\(id): \($0)" }, json: .object([]))
    }

    func json(_ failure: Failure?) -> JSONValue { .members(members(failure)) }

    private func lines(_ isQuiet: Bool) -> [String] {
        if isQuiet { return changes.map(line) }
        return findings.findings.filter { $0.kind != .sound || changes.contains($0) }.map(line) + [summary]
    }

    private func line(_ finding: ContactFindings.Finding) -> String {
        let words = finding.kind.words(isChanged: changes.contains(finding))
        let name = finding.isOwn ? "this identity" : names[finding.id] ?? ""
        return "\(finding.id)  \(words)" + (name.isEmpty ? "" : "  \(name)")
    }

    private var summary: String {
        let count = findings.count { !$0.isOwn }
        let states = ContactFindings.counted(findings).map { "\($0.count) \($0.words)" }.joined(separator: ", ")
        return "asked \(url) for \(Counted.text(count, "contact")) of \(id)" + (states.isEmpty ? "" : ": \(states)")
    }

    private func members(_ failure: Failure?) -> [(String, JSONValue?)] {
        [
            ("id", .string(id.text)), ("directory", .string(url)),
            ("own", findings.findings.first { $0.isOwn }.map(json)),
            ("contacts", .array(findings.findings.filter { !$0.isOwn }.map(json))),
            ("error", failure?.json),
        ]
    }

    private func json(_ finding: ContactFindings.Finding) -> JSONValue {
        var keys: (PublicKey, PublicKey?)?
        if case .otherKey(let held, let key) = finding.kind { keys = (held, key) }
        return .members([
            ("id", .string(finding.id.text)), ("state", .string(finding.kind.name)),
            ("acknowledged", finding.kind.isAcknowledged.map { .bool($0) }),
            ("stored_key", keys.map { .string($0.0.hex) }), ("directory_key", keys?.1.map { .string($0.hex) }),
            ("changed", .bool(changes.contains(finding))),
        ])
    }
}

extension ContactFindings {
    /// How many contacts are in which state, for people; those that are none are left out.
    static func counted(_ findings: ContactFindings) -> [(count: Int, words: String)] {
        let contacts = findings.findings.filter { !$0.isOwn }
        return [
            (contacts.count { $0.kind == .sound }, "in order"), (contacts.count { $0.kind == .inactive }, "inactive"),
            (contacts.count { $0.kind.name == "other_key" }, "with another key"),
            (contacts.count { $0.kind == .revoked(isAcknowledged: false) }, "revoked"),
            (contacts.count { $0.kind == .revoked(isAcknowledged: true) }, "revoked and acknowledged"),
        ].filter { $0.0 > 0 }
    }
}

extension ContactFindings.Kind {
    /// In snake case, as in JSON.
    var name: String {
        switch self {
        case .revoked: "revoked"
        case .otherKey: "other_key"
        case .inactive: "inactive"
        case .sound: "active"
        }
    }

    var isAcknowledged: Bool? {
        if case .revoked(let isAcknowledged) = self { isAcknowledged } else { nil }
    }

    /// For people.
    /// - Parameter isChanged: whether it was otherwise before.
    fileprivate func words(isChanged: Bool) -> String {
        switch self {
        case .revoked(let isAcknowledged): isAcknowledged ? "revoked, acknowledged" : "revoked"
        case .otherKey: "another key"
        case .inactive: isChanged ? "in order again, inactive" : "inactive"
        case .sound: isChanged ? "in order again" : "in order"
        }
    }
}

extension ThreemaKeeper {
    /// How commands in hints name an identity: an option with a blank before it; empty if the keystore has no other.
    func option(naming id: ThreemaID) -> String {
        (try? identities.ids().count) ?? 2 > 1 ? " --identity \(id)" : ""
    }

    /// Runs `body` for an identity. The hints of a failure of its profile name the identity.
    func naming<Result>(_ id: ThreemaID, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as ProfileKeepingError {
            throw error.failure(naming: option(naming: id))
        }
    }
}
