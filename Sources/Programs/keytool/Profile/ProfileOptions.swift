import ArgumentParser
import Threema
import ThreemaSafe

/// A setting that is turned on or off.
enum OnOff: String, ExpressibleByArgument, CaseIterable {
    case on, off
}

/// A value, or the word `none` that removes it.
struct Removable<Value>: ExpressibleByArgument where Value: ExpressibleByArgument {
    /// Nil for `none`.
    let value: Value?

    init?(argument: String) {
        if argument == "none" {
            value = nil
        } else {
            guard let value = Value(argument: argument) else { return nil }
            self.value = value
        }
    }
}

/// IDs with commas between them.
struct CommaSeparatedIDs: ExpressibleByArgument {
    let ids: [ThreemaID]

    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        ids = parts.compactMap { ThreemaID(argument: String($0)) }
        guard ids.count == parts.count, Set(ids).count == ids.count else { return nil }
    }
}

/// Who may see the profile picture.
struct AudienceArgument: ExpressibleByArgument {
    let audience: PictureAudience

    init?(argument: String) {
        switch argument {
        case "everyone": audience = .everyone
        case "nobody": audience = .nobody
        default:
            guard let list = CommaSeparatedIDs(argument: argument) else { return nil }
            audience = .contacts(list.ids.map(\.text))
        }
    }
}

extension SafeSettings.Flag {
    /// Its name as an option and, with underscores, in JSON.
    var optionName: String {
        switch self {
        case .syncContacts: "sync-contacts"
        case .blockUnknown: "block-unknown"
        case .readReceipts: "read-receipts"
        case .sendTyping: "typing"
        case .threemaCalls: "calls"
        case .relayThreemaCalls: "relay-calls"
        case .disableScreenshots: "block-screenshots"
        case .incognitoKeyboard: "private-keyboard"
        }
    }

    var jsonName: String { optionName.replacing("-", with: "_") }
    var words: String { optionName.replacing("-", with: " ") }
}
