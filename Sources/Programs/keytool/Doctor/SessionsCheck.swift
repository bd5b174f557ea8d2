import Console
import Keystore
import MessengerKeeping
import SessionStore

/// The session stores of the identities of all messengers. They are read, and stay as they are.
struct SessionsCheck {
    private let keystore: OpenKeystore

    init(_ keystore: OpenKeystore) { self.keystore = keystore }

    /// - Returns: one finding; none without a session store.
    func findings() throws -> [Finding] {
        let states = try keystore.identities().compactMap { state(of: $0) }
        guard !states.isEmpty else { return [] }
        if states.allSatisfy({ $0.result == .ok }) {
            return [Finding("sessions", .ok, "\(states.count), all of them open")]
        }
        let groups = Dictionary(grouping: states, by: \.words).sorted {
            ($0.value[0].rank, $0.key) < ($1.value[0].rank, $1.key)
        }
        let words = groups.map { "\($0.value.count) of \(states.count) \($0.key)" }.joined(separator: "; ")
        let worst = groups[0].value[0]
        return [Finding("sessions", worst.result, words, status: worst.status)]
    }

    /// - Returns: nil without a session store, also if the identity was removed meanwhile.
    private func state(of owner: Owner) -> State? {
        do {
            return try keystore.examineSessions(of: owner).map { State(of: $0) }
        } catch KeystoreError.noIdentity {
            return nil
        } catch SessionStoreError.file(let error) {
            return State(.problem, "cannot be read: \(RedactedKeystoreFailure(error).words)", Failure(error).status)
        } catch {
            return State(.problem, "cannot be read: \(RedactedKeystoreFailure(error).words)", Failure(error).status)
        }
    }
}

/// What is said of a session store.
private struct State {
    let result: Finding.Result
    let words: String
    let status: Failure.Status

    init(_ result: Finding.Result, _ words: String, _ status: Failure.Status = .badData) {
        self.result = result
        self.words = words
        self.status = status
    }

    init(of condition: StoreCondition) {
        switch condition {
        case .sound: self.init(.ok, "open")
        case .copied: self.init(.warning, "copied or restored: the program that uses it ends its sessions first")
        case .emptied: self.init(.problem, "emptied")
        case .otherKey: self.init(.problem, "sealed for another identity or keystore")
        case .damaged: self.init(.problem, "damaged")
        case .foreign: self.init(.problem, "not a session store")
        case .unknownVersion: self.init(.problem, "of a version that this keytool does not support")
        case .inUse: self.init(.skipped, "in use: another program has it open")
        }
    }

    /// Problems first.
    var rank: Int {
        switch result {
        case .problem: 0
        case .warning: 1
        case .skipped: 2
        case .ok: 3
        }
    }
}
