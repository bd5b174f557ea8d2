import ArgumentParser
import CommandLine
import Console
import Encodings
import ThreemaKeeping
import ThreemaRecords

struct OnPremShow: Verb {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what provisioning files say, after their signatures are verified again.",
        discussion: "Needs no network.")

    @OptionGroup var globals: GlobalOptions

    @Argument(
        help: ArgumentHelp("One of them. All are shown if it is missing.", valueName: "company"),
        completion: .custom(IDCompletion.candidates(of: OnPremMessenger.self)))
    var name: OnPremName?

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let keeper = try session.keeper(OnPremMessenger.self, keystore)
        let names = try name.map { [$0] } ?? keeper.onPrem.names()
        guard names.count != 1 else { return try show(keeper.onPrem.file(names[0]), keeper, session.output) }
        guard !names.isEmpty else { throw OnPremError.noFile(nil) }
        var listing = Listing(session.output)
        for name in names {
            listing.add([("name", .string(name.text))]) {
                let file = try keeper.onPrem.file(name)
                for warning in file.warnings(at: WallClock.now()) { session.output.warn(warning) }
                let (lines, members) = try facts(file, keeper)
                return (lines.joined(separator: "\n"), members)
            }
        }
        let lines = listing.lines.flatMap { $0.split(separator: "\n").map(String.init) + [""] }.dropLast()
        try listing.finish {
            try session.output.data(
                Array(lines), json: .result("onprem show", [("results", .array(listing.entries))]))
        }
    }

    private func show(_ file: OnPremFile, _ keeper: ThreemaKeeper, _ output: Output) throws {
        let (lines, members) = try facts(file, keeper)
        try output.data(lines, json: .result("onprem show", members))
        for warning in file.warnings(at: WallClock.now()) { output.warn(warning) }
    }

    private func facts(
        _ file: OnPremFile, _ keeper: ThreemaKeeper
    ) throws -> (lines: [String], members: [(String, JSONValue?)]) {
        let users = try keeper.users(of: file.name)
        return (
            ["name        \(file.name)"] + file.lines
                + ["used by     " + (users.isEmpty ? "nobody" : users.joined(separator: " "))],
            file.members + [("used_by", .array(users.map { .string($0) }))]
        )
    }
}
