import Testing

@testable import Console

@Suite
struct HintTests {
    private let hint: Hint = "\(safe: "move") --leave-old, or \(safe: "delete") \("ABCD1234"); keytool safe setup"

    @Test
    func `each command of a Safe is named without a place`() {
        #expect(hint.text == "keytool safe move --leave-old, or keytool safe delete ABCD1234; keytool safe setup")
    }

    @Test
    func `a place comes into the commands that take it`() {
        #expect(
            hint.at("nas").text
                == "keytool safe move --name nas --leave-old, or keytool safe delete --name nas ABCD1234; keytool safe setup"
        )
    }

    @Test
    func `a command at the end takes it, too`() {
        let hint: Hint = "\(safe: "setup")"
        #expect(hint.at("nas").text == "keytool safe setup --name nas")
    }

    @Test
    func `other words stay`() {
        #expect(Hint("keytool safe push").at("nas") == "keytool safe push")
    }

    @Test
    func `an ID comes into those that do not name it`() {
        let option: Hint = "run \(safe: "server") --ca-file FILE"
        #expect(option.at(nil, of: "ABCD1234").text == "run keytool safe server ABCD1234 --ca-file FILE")
        #expect(option.at("nas", of: "*ABCDEFG").text == "run keytool safe server --name nas '*ABCDEFG' --ca-file FILE")
        let named: Hint = "\(safe: "push") --overwrite ABCD1234"
        #expect(named.at(nil, of: "ABCD1234").text == "keytool safe push --overwrite ABCD1234")
    }

    @Test
    func `a failure keeps its reason`() {
        let failure = Failure(.absent, "no", hints: "\(safe: "push")", "yes").because(of: "no_backup").at("nas")
        #expect(failure.hints.map(\.text) == ["keytool safe push --name nas", "yes"])
        #expect(failure.reason == "no_backup")
    }
}
