import Encodings
import SafeRules

/// Something that happens in the world.
package enum Event: Hashable, Sendable, CustomStringConvertible {
    /// A keystore runs a verb.
    case verb(Command, by: Int)
    /// Somebody changes the document of a keystore.
    case edit(Int)
    /// An app writes the backup: at an address, under a password, with the identity's key or another one.
    case app(address: UInt8, password: UInt8, key: UInt8)
    /// What a server holds is gone, or damaged.
    case loss(place: Int, password: UInt8)
    case damage(place: Int, password: UInt8)
    /// Somebody stores more there than is read.
    case flood(place: Int, password: UInt8)
    /// A server begins, or ceases, to refuse new files.
    case fill(place: Int)
    /// The second keystore becomes a copy of the first one.
    case copy
    case hours(Int)
    /// A write that was given up arrives.
    case arrival

    package enum Command: String, Hashable, Sendable, CaseIterable {
        case push, pushForce, pushOverwrite, pushResume
        case passwd, passwdOverwrite, move, moveOverwrite, moveLeavingOld, respell, relogin
        case abort, forgetOld, delete, deleteForce, deleteKeepingSetup, check, pull, pullReplace
        case mirror
    }

    package var description: String {
        switch self {
        case .verb(let command, let index): "\(command.rawValue)#\(index)"
        case .edit(let index): "edit#\(index)"
        case .app(let address, let password, let key): "app(\(address),\(password),key \(key))"
        case .loss(let place, let password): "loss(\(place),\(password))"
        case .damage(let place, let password): "damage(\(place),\(password))"
        case .flood(let place, let password): "flood(\(place),\(password))"
        case .fill(let place): "fill(\(place))"
        case .copy: "copy"
        case .hours(let hours): "\(hours)h"
        case .arrival: "arrival"
        }
    }
}

extension Event.Command {
    var verb: SafeVerb {
        var push = SafeVerb.Push()
        var change = SafeVerb.Change()
        var delete = SafeVerb.Delete()
        var pull = SafeVerb.Pull()
        switch self {
        case .push: return .push(push)
        case .pushForce:
            push.isForced = true
            return .push(push)
        case .pushOverwrite:
            push.isOverwriting = true
            return .push(push)
        case .pushResume:
            push.isResumingDeleted = true
            return .push(push)
        case .passwd, .move: return .change(change)
        case .passwdOverwrite, .moveOverwrite:
            change.isOverwriting = true
            return .change(change)
        case .moveLeavingOld:
            change.isLeavingOld = true
            return .change(change)
        case .respell: return .readdress(isSameAddress: false)
        case .relogin: return .readdress(isSameAddress: true)
        case .abort: return .abort
        case .forgetOld: return .forgetOld
        case .delete: return .delete(delete)
        case .deleteForce:
            delete.isForced = true
            return .delete(delete)
        case .deleteKeepingSetup:
            delete.isKeepingSetup = true
            return .delete(delete)
        case .check: return .check
        case .pull: return .pull(pull)
        case .pullReplace:
            pull.isReplacing = true
            pull.isReplacingKey = true
            return .pull(pull)
        case .mirror: return .mirror(SafeVerb.Mirror())
        }
    }

    var isNetworkVerb: Bool { self != .forgetOld }

    /// Where the role `next` of a change leads.
    func candidate(from current: Target) -> Target? {
        switch self {
        case .passwd, .passwdOverwrite: .init(address: current.address, password: (current.password + 1) % 3)
        case .move, .moveOverwrite, .moveLeavingOld, .respell:
            .init(address: 1 - current.address, password: current.password)
        case .relogin: current
        default: nil
        }
    }
}

extension World {
    /// Lets it happen.
    /// - Returns: what a verb told; nil for what is no verb.
    package mutating func happen(
        _ event: Event, _ terms: Terms, faults: [Int: Fault] = [:]
    ) -> Report? {
        switch event {
        case .verb(let command, let index):
            return run(command, by: index, terms, faults: faults)
        case .edit(let index):
            keystores[index].document = documents
            documents += 1
            let digest = documentDigest(keystores[index].document)
            keystores[index].setup?.knowledge.current.document = digest
            keystores[index].setup?.knowledge.next?.document = digest
            keystores[index].setup?.knowledge.retiring?.document = digest
        case .app(let address, let password, let key):
            let blob = makeBlob(key: key, document: documents, writer: nil)
            documents += 1
            stored[place(address, terms)][Int(password)] = blob
        case .loss(let place, let password): stored[place][Int(password)] = nil
        case .damage(let place, let password):
            guard stored[place][Int(password)] != nil else { break }
            var blob = makeBlob(key: 0, document: 0, writer: nil)
            blob.isDamaged = true
            stored[place][Int(password)] = blob
        case .flood(let place, let password):
            var blob = makeBlob(key: 0, document: 0, writer: nil)
            blob.isTooLong = true
            stored[place][Int(password)] = blob
        case .fill(let place):
            if isFull.remove(place) == nil { isFull.insert(place) }
        case .copy:
            keystores[1] = keystores[0]
        case .hours(let hours): now = now + .hours(hours)
        case .arrival:
            guard let first = late.first else { break }
            late.removeFirst()
            let victim = stored[first.place][Int(first.password)]
            stored[first.place][Int(first.password)] = first.blob
            guard let victim, !keystores[first.sender].isOwn.contains(victim.number) else { break }
            var report = Report()
            report.exceptions = ["a request that arrives later"]
            return report
        }
        return nil
    }

    private mutating func run(
        _ command: Event.Command, by index: Int, _ terms: Terms, faults: [Int: Fault]
    ) -> Report? {
        guard let setup = keystores[index].setup else { return nil }
        return ModelRun.run(
            command.verb, by: index, target: command.candidate(from: setup.current), in: &self, terms, faults: faults)
    }

    /// Whether the event can make a difference here.
    package func isPossible(_ event: Event) -> Bool {
        switch event {
        case .verb(let command, let index):
            guard let setup = keystores[index].setup else { return false }
            switch command {
            case .pushResume: return setup.knowledge.isDeleting
            case .abort: return setup.next != nil
            case .forgetOld: return setup.retiring != nil
            default: return true
            }
        case .loss(let place, let password): return stored[place][Int(password)] != nil
        case .damage(let place, let password): return stored[place][Int(password)].map { !$0.isDamaged } ?? false
        case .arrival: return !late.isEmpty
        default: return true
        }
    }
}
