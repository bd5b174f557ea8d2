import Testing

@testable import CommandParsing
@testable import keytool

/// Words that name no command: what was meant.
@Suite struct CommandWordsTests {
    private static func hints(_ line: String) -> [String]? {
        let arguments = line.split(separator: " ").map(String.init)
        let words = CommandWords(help: arguments, in: .keytool) ?? CommandWords(arguments, in: .keytool)
        return words.failure?.hints.map(\.text)
    }

    @Test(arguments: [
        ("backpu", "keytool backup"),
        ("backpu export", "keytool backup"),
        ("saef push ABCD1234", "keytool safe"),
        ("safe psuh", "keytool safe push"),
        ("--quiet safe -v psuh ABCD1234", "keytool safe push"),
        ("--keystore id safe statsu", "keytool safe status"),
        ("id lst", "keytool id list"),
        ("id crate --id ABCD1234", "keytool id create"),
        ("push", "keytool safe push"),
        ("psuh ABCD1234", "keytool safe push"),
        ("protect", "keytool key protect"),
        ("mainkey show", "keytool mainkey status"), ("mainkey restore", "keytool mainkey import"),
        ("sophaxchat refill", "keytool sophaxchat refill-prekeys"), ("sophaxchat ls", "keytool sophaxchat list"),
        ("textsecure client", "keytool textsecure import-client"),
        ("telegram ls", "keytool telegram list"), ("archive create", "keytool archive export"),
        ("show", "keytool id show\" or \"keytool profile show\" or \"keytool qr show"),
        (
            "chekc",
            "keytool backup check\" or \"keytool safe check\" or \"keytool contact check\" or \"keytool revoke check"
        ),
        ("id backup", "keytool backup"),
        ("id lookup ABCD1234", "keytool id fetch"),
        ("id register", "keytool id create"),
        ("contact find list.txt", "keytool contact match"),
        ("safe key", "keytool key"),
        ("contact scan", "keytool contact add"),
        ("contact rm", "keytool contact remove"),
        ("profile edit", "keytool profile set"),
        ("contcat list", "keytool contact"),
        ("id delete", "keytool id remove"),
        ("id rm ABCD1234", "keytool id remove"),
        ("id ls", "keytool id list"),
        ("id new", "keytool id create"),
        ("id export", "keytool backup export"),
        ("backup restore code.txt", "keytool backup import"),
        ("backup verify", "keytool backup check"),
        ("backup create", "keytool backup export"),
        ("safe restore", "keytool safe pull"),
        ("safe download", "keytool safe pull"),
        ("safe list", "keytool safe status"),
        ("safe upload", "keytool safe push"),
        ("safe backup", "keytool safe push"),
        ("safe verify", "keytool safe check"),
        ("safe rm", "keytool safe delete"),
        ("safe init", "keytool safe setup"),
        ("safe migrate", "keytool safe move"),
        ("safe mv", "keytool safe move"),
        ("safe url", "keytool safe server"),
        ("safe login", "keytool safe server"),
        ("mvoe", "keytool safe move"),
        ("key password", "keytool key passwd"),
        ("key encrypt", "keytool key protect"),
        ("qr scan", "keytool backup import --qr-image"),
        ("help safe restore", "keytool safe pull"),
        ("ls", "keytool id list\" or \"keytool safe status\" or \"keytool contact list"),
        ("wpie", "keytool mainkey wipe"),
        ("restore", "keytool backup import\" or \"keytool safe pull"),
        ("upload", "keytool safe push"),
        ("version", "keytool --version"),
        ("hlep safe", "keytool help"),
        ("help safe psuh", "keytool safe push"),
        ("help bakup", "keytool backup"),
    ])
    func `what was meant`(_ line: String, _ meant: String) {
        #expect(Self.hints(line)?.first == "did you mean \"\(meant)\"?")
    }

    @Test(arguments: ["open-packet", "telegram open-packet", "help telegram open-packet"])
    func `what another program has`(_ line: String) {
        #expect(
            Self.hints(line) == [
                "another program has it, which is not installed by default: keytool-lab telegram open-packet"
            ])
    }

    /// Verbs of later versions among them.
    @Test(arguments: [
        "frobnicate", "xy", "wizard list", "wizard frobnicate", "id frobnicate", "help frobnicate",
    ])
    func `nothing is near`(_ line: String) { #expect(Self.hints(line)?.count == 1) }

    @Test(arguments: [
        "", "id", "id list", "safe push ABCD1234", "contact list", "profile show", "textsecure list",
        "--keystore id safe push",
    ])
    func `what exists is no mistake`(_ line: String) { #expect(Self.hints(line) == nil) }

    @Test(arguments: [
        ("id list --jsno", "--jsno", ["--json"]), ("safe push --frce", "--frce", ["--force"]),
        ("id list --colour never", "--colour", ["--color"]), ("safe push --frob=3", "--frob", []),
        ("safe push --jitter 3x --frob", "--frob", []), ("id show -x 3", "-x", []),
    ])
    func `options that do not exist`(_ line: String, _ unknown: String, _ meant: [String]) {
        let arguments = line.split(separator: " ").map(String.init)
        let options = CommandOptions(of: CommandWords(arguments, in: .keytool).command, in: .keytool)
        #expect(options.firstUnknown(in: arguments) == unknown)
        #expect(options.nearest(to: unknown) == meant)
    }

    @Test(arguments: ["id list -qv", "safe push --jitter --frob", "id show -- --frob", "id list --keystore=x"])
    func `options that exist`(_ line: String) {
        let arguments = line.split(separator: " ").map(String.init)
        let options = CommandOptions(of: CommandWords(arguments, in: .keytool).command, in: .keytool)
        #expect(options.firstUnknown(in: arguments) == nil)
    }
}
