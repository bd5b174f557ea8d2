import ArgumentParser
import CommandLine
import Console
import Encodings
import ThreemaKeeping
import Threema
import ThreemaSafe

struct ProfileShow: Verb {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show nickname, picture, settings, groups and lists of a profile.",
        discussion: "With --verbose, also what an Android phone will do with this profile when it restores it.")

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let (keeper, id) = try session.open(named.id, keystore)
        let summary = ProfileSummary(id, try keeper.profiles.document(of: id))
        try session.output.data(summary.lines(isVerbose: session.output.isVerbose), json: summary.json)
    }
}

/// A profile for people and as JSON.
struct ProfileSummary {
    private let id: ThreemaID
    private let document: SafeDocument
    private let preview: RestorePreview

    init(_ id: ThreemaID, _ document: SafeDocument) {
        self.id = id
        self.document = document
        preview = RestorePreview(of: document, owner: id)
    }

    // MARK: Lines

    func lines(isVerbose: Bool) -> [String] {
        let blocked = document.settings.blockedContacts
        return [
            "ID          \(id)",
            "nickname    \(document.nickname.flatMap { $0.isEmpty ? nil : $0.printable } ?? "none")",
            "picture     \(pictureWords)",
            "shown to    \(audienceWords)",
        ] + document.links.map { $0.kind.label.padded(to: 12, least: 1) + $0.value.printable }
            + SafeSettings.Flag.allCases.enumerated().map { index, flag in
                (index == 0 ? "settings" : "").padded(to: 12)
                    + flag.words + (document.settings[flag] ? " on" : " off")
            }
            + (blocked.isEmpty ? [] : ["blocked     \(blocked.map(\.printable).joined(separator: ", "))"])
            + ["contacts    \(document.contactCount), \(verifiedCount) of them verified"]
            + ["groups      \(document.groupCount)"] + document.groups.map(Self.line)
            + ["lists       \(document.distributionListCount)"] + document.distributionLists.map(Self.line)
            + (isVerbose ? restoreLines : [])
    }

    private var verifiedCount: Int { document.contacts.count { $0.level == .fullyVerified } }

    private static func line(_ group: SafeGroup) -> String {
        "            \(group.name.isEmpty ? group.id.printable : group.name.printable): "
            + "created by \(group.creator.printable), \(Self.members(group.members))"
    }

    private static func line(_ list: SafeDistributionList) -> String {
        "            \(list.name.isEmpty ? (list.id ?? "").printable : list.name.printable): \(Self.members(list.members))"
    }

    private static func members(_ ids: [String]) -> String { Counted.text(ids.count, "member") }

    private var pictureWords: String {
        guard document.hasPicture else { return "none" }
        guard let picture = document.picture else { return "not readable" }
        let size = ProfilePicture.size(of: picture).map { "\($0.width) x \($0.height) pixels, " } ?? "not JPEG, "
        return size + ByteCount.text(picture.count)
    }

    private var audienceWords: String {
        switch document.pictureAudience {
        case .nobody: "nobody"
        case .everyone: "everyone"
        case .contacts(let ids): ids.map(\.printable).joined(separator: ", ")
        }
    }

    private var restoreLines: [String] {
        func groups(_ reason: RestorePreview.SkippedGroup.Reason) -> Int {
            preview.skippedGroups.count { $0.reason == reason }
        }
        func counted(_ count: Int, _ noun: String, _ before: String, _ after: String = "") -> String? {
            count > 0 ? before + Counted.text(count, noun) + after : nil
        }
        let all = [
            preview.isIDNickname ? "uses the ID as nickname" : nil,
            preview.isWithoutContacts ? "skips all groups and lists, because there is no list of contacts" : nil,
            counted(preview.skippedContacts.count, "contact", "skips ", " without a valid ID"),
            counted(preview.loweredContacts.count, "contact", "lowers ", " to level 1"),
            counted(groups(.isDeleted), "deleted group", "skips "),
            counted(groups(.noCreator), "group", "skips ", " of a creator who is not a contact"),
            counted(preview.formerGroups.count, "group", "restores ", " as left"),
            counted(preview.renumberedLists.count, "list", "gives ", " a new ID"),
            counted(preview.droppedPictureViewers.count, "ID", "drops ", " from those who may see the picture"),
        ]
        let lines = all.compactMap { $0 }.map { "android     " + $0 }
        return lines.isEmpty ? ["android     restores everything"] : lines
    }

    // MARK: JSON

    var json: JSONValue {
        let links = document.links.map {
            JSONValue.members([("type", .string($0.kind.text)), ("value", .string($0.value))])
        }
        let settings = SafeSettings.Flag.allCases.map { ($0.jsonName, JSONValue?.some(.bool(document.settings[$0]))) }
        return .result(
            "profile show",
            [
                ("id", .string(id.text)), ("nickname", document.nickname.map { .string($0) }),
                ("picture", document.hasPicture ? .some(pictureJSON) : .none), ("picture_for", audienceJSON),
                ("links", .array(links)), ("settings", .members(settings)),
                ("blocked", Self.texts(document.settings.blockedContacts)),
                ("contacts", .number(document.contactCount)), ("verified_contacts", .number(verifiedCount)),
                ("groups", .array(document.groups.map(Self.json))),
                ("distribution_lists", .array(document.distributionLists.map(Self.json))),
                ("on_android", restoreJSON),
            ])
    }

    private var pictureJSON: JSONValue {
        let size = document.picture.flatMap { ProfilePicture.size(of: $0) }
        return .members([
            ("bytes", document.picture.map { .number($0.count) }), ("width", size.map { .number($0.width) }),
            ("height", size.map { .number($0.height) }),
        ])
    }

    private var audienceJSON: JSONValue {
        switch document.pictureAudience {
        case .nobody: "nobody"
        case .everyone: "everyone"
        case .contacts(let ids): Self.texts(ids)
        }
    }

    private static func json(_ group: SafeGroup) -> JSONValue {
        .members([
            ("id", .string(group.id)), ("creator", .string(group.creator)), ("name", .string(group.name)),
            ("members", texts(group.members)),
        ])
    }

    private static func json(_ list: SafeDistributionList) -> JSONValue {
        .members([("id", list.id.map { .string($0) }), ("name", .string(list.name)), ("members", texts(list.members))])
    }

    private var restoreJSON: JSONValue {
        [
            "skipped_contacts": Self.texts(preview.skippedContacts.map(\.identity)),
            "lowered_contacts": Self.texts(preview.loweredContacts.map(\.identity)),
            "skipped_groups": .array(preview.skippedGroups.map { Self.json($0.group) }),
            "former_groups": .array(preview.formerGroups.map(Self.json)),
            "skipped_distribution_lists": .array(preview.skippedLists.map(Self.json)),
            "renumbered_distribution_lists": .array(preview.renumberedLists.map(Self.json)),
            "dropped_picture_viewers": Self.texts(preview.droppedPictureViewers),
        ]
    }

    private static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}

extension SafeLink.Kind {
    /// The beginning of its line.
    fileprivate var label: String {
        switch self {
        case .mobile: "phone"
        case .email: "e-mail"
        case .other(let type): type.printable
        }
    }
}
