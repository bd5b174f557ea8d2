import Console
import Encodings
import Testing

/// The table that scripts rely on: nothing here may change by accident.
@Suite struct ExitCodeTests {
    private static let table: [(Failure.Status, Int32, String)] = [
        (.failed, 1, "failed"), (.locked, 11, "locked"), (.needSecret, 16, "need_secret"), (.exists, 17, "exists"),
        (.usage, 64, "usage"), (.badData, 65, "bad_data"), (.noInput, 66, "no_input"),
        (.unavailable, 69, "unavailable"), (.internal, 70, "internal"), (.memory, 71, "memory"),
        (.cantCreate, 73, "cant_create"), (.io, 74, "io"), (.tempfail, 75, "tempfail"), (.permission, 77, "permission"),
    ]

    @Test func `code and name`() {
        for (status, code, name) in Self.table {
            #expect(status.rawValue == code)
            #expect(status.name == name)
        }
    }

    @Test func `JSON has both, and the name where there is no reason`() {
        let failure = Failure(.tempfail, "not now", hints: "wait", "try again")
        #expect(
            String(decoding: failure.json.encoded, as: UTF8.self)
                == #"{"code":75,"name":"tempfail","reason":"tempfail","message":"not now","hint":"wait; try again"}"#)
        #expect(
            String(decoding: failure.because(of: "throttled").json.encoded, as: UTF8.self)
                .contains(#""reason":"throttled""#))
        #expect(!String(decoding: Failure(.io, "x").json.encoded, as: UTF8.self).contains("hint"))
    }

    @Test func `an error without a sentence is code 1`() {
        struct Strange: Error {}
        #expect(Failure(Strange()).status == .failed)
        #expect(Failure(UsageFailure("no", hint: "yes")).hints == ["yes"])
    }
}
