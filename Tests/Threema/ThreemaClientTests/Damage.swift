import SessionStore
import Threema
import ThreemaForwardSecurity
import VectorKit

@testable import ThreemaClient

/// How a value of a store is damaged.
enum Damage: CaseIterable {
    /// It opens, and is none.
    case malformed
    /// It does not open. All values of the kind are damaged so.
    case notOpened
}

extension Side {
    /// Which value of a store is damaged.
    enum Value {
        case sessions(ThreemaID)
        case outbox(ThreemaID, UInt64)
        case push
        case contact(ThreemaID)

        private var text: StaticString {
            switch self {
            case .sessions: "ibex"
            case .outbox: "outbox"
            case .push: "push"
            case .contact: "contact"
            }
        }

        fileprivate var kind: ValueKind { ValueKind(stringLiteral: text) }
        fileprivate var condition: String { "kind = '\(text)'" }

        fileprivate var name: [UInt8] {
            switch self {
            case .sessions(let contact): contact.bytes
            case .outbox(let contact, let number): Conversation.outboxName(contact, number)
            case .push: Mailbox.pushName
            case .contact(let contact): contact.bytes
            }
        }
    }

    func damage(_ damage: Damage, _ values: Value...) throws {
        switch damage {
        case .malformed:
            try mailbox.store.transaction { changes in
                for value in values { try changes.set(value.kind, value.name, [9, 9, 9].span) }
            }
        case .notOpened:
            mailbox.store.close()
            let program = """
                import sqlite3, sys
                database = sqlite3.connect(sys.argv[1])
                for condition in sys.argv[2:]:
                    database.execute("UPDATE value SET sealed = zeroblob(99) WHERE " + condition)
                database.commit()
                database.close()
                """
            _ = try Program.output(
                of: "/usr/bin/python3", ["-c", program, path + "/sessions.db"] + values.map(\.condition))
            try open()
        }
    }
}
