import Console
import Testing

@testable import keytool

/// keytool's own part of the table that scripts rely on.
@Suite struct ExitCodeTests {
    private static let table: [(Failure.Status, Int32, String)] = [
        (.absent, 10, "absent"), (.wrongPassword, 12, "wrong_password"), (.serverAuth, 13, "server_auth"),
        (.tooLarge, 14, "too_large"), (.notASafeServer, 15, "not_a_safe_server"), (.overdue, 18, "overdue"),
        (.verifyFailed, 19, "verify_failed"), (.conflict, 20, "conflict"),
        (.untrustedServer, 21, "untrusted_server"), (.pinMismatch, 22, "pin_mismatch"),
    ]

    @Test func `code and name`() {
        for (status, code, name) in Self.table {
            #expect(status.rawValue == code)
            #expect(status.name == name)
        }
    }
}
