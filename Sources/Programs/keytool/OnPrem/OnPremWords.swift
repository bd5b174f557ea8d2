import CommandLine
import Console
import Encodings
import HTTP
import Threema
import ThreemaDirectory
import ThreemaKeeping
import ThreemaRecords

extension OnPremFile {
    /// For people: one line for each fact.
    var lines: [String] {
        [
            "signed by   \(Self.base64(key))",
            "licence     \(file.license.id.printable), for \(file.license.count), until \(lastDay)",
        ] + Self.server("directory", file.servers.directory, pins(of: file.servers.directory))
            + Self.server("safe", file.servers.safe, pins(of: file.servers.safe))
            + [
                "media       \(file.servers.upload.printable)", "            \(file.servers.download.printable)",
                "            \(file.servers.done.printable)",
                "chat        \(file.chat.host.printable), "
                    + (file.chat.ports.count == 1 ? "port " : "ports ")
                    + file.chat.ports.map { "\($0)" }.joined(separator: " "),
                user.map { "user        \($0.printable)" },
                url.map {
                    "fetched     \(fetchedAt?.rfc3339 ?? "never") from \($0), again after \(file.refresh.hours) h"
                },
                file.unknownMembers.isEmpty
                    ? nil : "ignored     " + file.unknownMembers.joined(separator: " ").printable,
            ].compactMap { $0 }
    }

    /// For programs.
    var members: [(String, JSONValue?)] {
        [
            ("name", .string(name.text)), ("key", .string(Self.base64(key))),
            (
                "license",
                .members([
                    ("id", .string(file.license.id)), ("count", .number(Int(file.license.count))),
                    ("expires", .string(lastDay)),
                ])
            ),
            ("directory", Self.server(file.servers.directory, pins(of: file.servers.directory))),
            ("safe", Self.server(file.servers.safe, pins(of: file.servers.safe))),
            (
                "media",
                .members([
                    ("upload", .string(file.servers.upload)), ("download", .string(file.servers.download)),
                    ("done", .string(file.servers.done)),
                ])
            ),
            (
                "chat",
                .members([
                    ("host", .string(file.chat.host)), ("ports", .array(file.chat.ports.map { .number(Int($0)) })),
                    ("public_key", .string(Self.base64(file.chat.publicKey))),
                ])
            ),
            ("user", user.map { .string($0) }), ("url", url.map { .string($0) }),
            ("fetched_at", fetchedAt.map { .string($0.rfc3339) }),
            ("refresh_seconds", .number(Int(file.refresh.components.seconds))),
            (
                "unknown_members",
                file.unknownMembers.isEmpty ? nil : .array(file.unknownMembers.map { .string($0) })
            ),
        ]
    }

    /// The last day of the licence.
    private var lastDay: String { file.license.end.dayBefore }

    func warnings(at now: Timestamp) -> [String] {
        guard file.license.end - now < .days(30) else { return [] }
        return [OnPremServers.News.licenseEnds(name, file.license.end).words(at: now)]
    }

    /// Empty for any key. A file of which a server accepts no key is not stored.
    private func pins(of url: String) -> [PublicKeyPin] { (try? file.pins(of: url)) ?? [] }

    private static func base64(_ bytes: [UInt8]) -> String { Base64.encode(bytes.span) }

    private static func server(_ label: String, _ url: String, _ pins: [PublicKeyPin]) -> [String] {
        [label.padded(to: 12) + url.printable] + pins.map { "  pin       \($0.text)" }
    }

    private static func server(_ url: String, _ pins: [PublicKeyPin]) -> JSONValue {
        .members([("url", .string(url)), ("pins", .array(pins.map { .string($0.text) }))])
    }
}

extension FileSuccession.Judgement {
    /// What became of a file that was stored.
    var words: String {
        switch self {
        case .first: "stored"
        case .same: "already in the keystore"
        case .newer: "replaced by the newer file"
        case .otherKey, .replacedBefore, .licenseEndsEarlier: "replaced"
        }
    }

    /// For programs.
    var name: String {
        switch self {
        case .first: "stored"
        case .same: "unchanged"
        case .newer: "updated"
        case .otherKey, .replacedBefore, .licenseEndsEarlier: "replaced"
        }
    }
}

extension OnPremServers.News {
    /// What concerns the security of a server is a warning; the rest is not said when quiet.
    func tell(_ output: Output) {
        switch self {
        case .unusable, .refused, .otherSafe, .notFetched(_, .http(.pinMismatch)), .notFetched(_, .http(.certificate)):
            output.warn(words(at: WallClock.now()))
        case .notFetched, .notStored, .updated, .licenseEnds: output.note(words(at: WallClock.now()))
        }
    }

    func words(at now: Timestamp) -> String {
        switch self {
        case .unusable(let name, let error):
            "the provisioning file \(name.printable) cannot be used, so its server is asked as it was remembered: "
                + Failure(error).message
        case .notFetched(let name, let error):
            "the provisioning file \(name) was not fetched again: \(OnPremFetchFailure(name, error).failure.message)"
        case .refused(let name, let error):
            "the new provisioning file of \(name) is not used, the present one stays: \(Failure(error).message)"
        case .notStored(let name, let error):
            "the new provisioning file of \(name) was not stored: \(Failure(error).message)"
        case .updated(let name): "a new provisioning file of \(name) is stored"
        case .otherSafe(let name, let host):
            "the provisioning file \(name) has another Safe server than \(host.printable): keytool safe move --onprem \(name)"
        case .licenseEnds(let name, let end):
            end <= now
                ? "the licence of \(name) ended on \(end.dayBefore)"
                : "the licence of \(name) ends on \(end.dayBefore)"
        }
    }
}

extension Duration {
    /// Whole hours, at least one.
    fileprivate var hours: Int64 { max(1, components.seconds / 3600) }
}

extension Timestamp {
    /// The last day before it, in UTC: that of a licence that is over then.
    var dayBefore: String { (self + .days(-1)).day }
}
