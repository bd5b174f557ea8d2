internal import CommandLine
public import HTTP
public import ArgumentParser
internal import Console
public import Encodings
public import KeyWrapping
public import Keystore
internal import MessengerKeeping
public import TextSecure
public import ProtonMainKey
public import Threema
internal import ThreemaRecords

// How values are spelled on the command line.

extension String {
    /// Whether it has a character that no name has, a line feed for example.
    var hasControlCharacter: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}

extension ThreemaID: ExpressibleByArgument {
    /// IDs are upper case; typed in lower case they mean the same.
    public init?(argument: String) {
        // Beyond ASCII, upper case makes two letters of one.
        guard argument.utf8.allSatisfy({ $0 < 0x80 }), let id = try? ThreemaID(argument.uppercased()) else {
            return nil
        }
        self = id
    }

    /// Those in the keystore.
    public static var defaultCompletionKind: CompletionKind {
        .custom(IDCompletion.candidates(of: ThreemaMessenger.self))
    }
}

extension CheckValue: ExpressibleByArgument {
    /// 16 hexadecimal characters, in either case; `mainkey/` may stand before them, as in `id list`.
    public init?(argument: String) { self.init(argument.withoutMessenger(Owner.mainKey)) }
}

extension LockedValue.Kind: ExpressibleByArgument {}

extension PlaceName: ExpressibleByArgument {
    /// 1 to 32 lower-case letters, digits and hyphens.
    public init?(argument: String) { self.init(argument) }
}

extension OnPremName: ExpressibleByArgument {
    /// 1 to 64 characters; a host may be typed in either case.
    package init?(argument: String) { self.init(argument.lowercased()) }
}

extension PublicKey: ExpressibleByArgument {
    /// 64 hexadecimal characters, also in groups as they are printed.
    public init?(argument: String) {
        guard let bytes = Hex.decode(argument.filter { $0 != " " }) else { return nil }
        self.init(bytes)
    }
}

extension PublicKey33: ExpressibleByArgument {
    /// 44 characters of Base64.
    public init?(argument: String) { self.init(text: argument) }
}

extension GroupedCode: ExpressibleByArgument {
    /// As a code may be typed.
    public init?(argument: String) {
        guard let code = try? GroupedCode(parsing: argument) else { return nil }
        self = code
    }
}

extension PublicKeyPin: ExpressibleByArgument {
    /// `sha256//` and Base64.
    public init?(argument: String) { self.init(text: argument) }
}

extension IDBackup.Scheme: ExpressibleByArgument {}

extension WrappedKey.Scheme: ExpressibleByArgument {}

extension PhoneNumber {
    /// - Throws: `UsageFailure`.
    init(typed text: String) throws {
        do throws(ContactAddressError) {
            try self.init(parsing: text)
        } catch {
            throw error == .noCountry
                ? UsageFailure("the phone number lacks its country", hint: "write +41… or 0041…")
                : UsageFailure("that is not a phone number", hint: "7 to 15 digits, with the country: +41 79 123 45 67")
        }
    }
}

extension EmailAddress {
    /// - Throws: `UsageFailure`.
    init(typed text: String) throws {
        do throws(ContactAddressError) {
            try self.init(normalizing: text)
        } catch {
            throw UsageFailure("that is not an e-mail address of ASCII characters", hint: "NAME@HOST")
        }
    }
}
