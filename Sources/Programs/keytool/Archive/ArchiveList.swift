import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import MessengerKeeping

struct ArchiveList: Verb {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List what is in an archive, without its secrets.",
        discussion: "Needs no keystore, and changes nothing.")

    @OptionGroup var globals: GlobalOptions
    @OptionGroup var file: ArchiveFileOptions

    func run(_ session: Session) throws {
        let opened = try file.open(session)
        var lines: [String] = []
        var identities: [JSONValue] = []
        var firstFailure: Failure?
        for records in opened.archive.identities {
            var publicKey: String?
            var failure: Failure?
            var sessions: SessionFacts?
            do {
                publicKey = try session.messengers.archived.check(records)
                sessions = try opened.archive.sessions(of: records.owner)?.facts
            } catch {
                failure = Failure(error)
                if !session.output.isJSON { failure?.report(about: records.owner.text) }
            }
            let names = (records.names.map(\.words) + (sessions.map { [$0.words] } ?? [])).joined(separator: ", ")
            // The ID of the other messengers is a digest of their keys.
            let compared = publicKey ?? (failure == nil ? records.owner.id : "-")
            lines.append("\(records.owner.text)  \(compared)  \(names)")
            identities.append(
                .members(
                    records.owner.members + [
                        ("public_key", publicKey.map { .string($0) }),
                        ("records", .array(records.names.map { Self.json($0, records) })),
                    ] + sessions.members + [("error", failure.map(\.json))]))
            firstFailure = firstFailure ?? failure
        }
        session.output.note("exported \(opened.archive.time.rfc3339)")
        try session.output.finish(firstFailure, isReported: true) {
            try session.output.data(
                lines, json: .result("archive list", opened.members + [("identities", .array(identities))]))
        }
    }

    private static func json(_ name: RecordName, _ records: RecordSet) -> JSONValue {
        .members([
            ("record", .string(name.text)), ("place", name.place.map { .string($0.text) }),
            ("bytes", .number(records.count(of: name) ?? 0)),
        ])
    }
}
