internal import Encodings

/// The values that say the same as a missing member. Apps differ in what they write: iOS writes empty names, Android
/// leaves them out.
enum MemberDefaults {
    static let contact: [String: JSONValue] = [
        "verification": 0, "createdAt": 0, "lastUpdate": 0, "workVerified": false, "hidden": false, "private": false,
        "firstname": "", "lastname": "", "nickname": "", "readReceipts": 0, "typingIndicators": 0,
    ]
    static let group: [String: JSONValue] = [
        "groupname": "", "createdAt": 0, "lastUpdate": 0, "deleted": false, "private": false,
    ]
    static let list: [String: JSONValue] = ["name": "", "createdAt": 0, "lastUpdate": 0, "private": false]
    static let link: [String: JSONValue] = ["name": ""]
    /// Of the settings that are not on or off.
    static let settings: [String: JSONValue] = ["recentEmojis": []]

    /// An object without the members that are null or have their default, and without those named.
    static func reduced(
        _ object: JSONValue, _ defaults: [String: JSONValue], without names: Set<String> = []
    ) -> JSONValue {
        .object(
            (object.members ?? []).compactMap { member in
                if case .null = member.value { return nil }
                // Not as `Set` and `Dictionary` compare: two names of other bytes are two members.
                guard !names.contains(where: { $0.hasSameBytes(as: member.name) }) else { return nil }
                let standard = defaults.first { $0.key.hasSameBytes(as: member.name) }?.value
                let value = standard == false ? flag(member.value) : member.value
                return value == standard ? nil : .init(member.name, value)
            })
    }

    /// A flag may be a string.
    private static func flag(_ value: JSONValue) -> JSONValue {
        value == "false" ? false : value == "true" ? true : value
    }
}
