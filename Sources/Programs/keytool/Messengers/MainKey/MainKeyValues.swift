import ArgumentParser
import CommandLine
import Console
import Encodings
import ProtonMainKey
import SecureMemory

// Values under a MainKey: those of the app (version 1), and keytool's authenticated ones (version 2, KTL2).

/// The form of a value, as it is spelled.
enum ValueFormat: String, ExpressibleByArgument, CaseIterable {
    case ktl2
    case v1
}

/// What a verb about a value has in common with the others.
struct ValueOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The name of the value, which KTL2 binds it to.", valueName: "name"))
    var name: String?

    @OptionGroup var named: AccountOption<MainKeyMessenger>

    @OptionGroup var opening: MainKeyOpening

    @OptionGroup var keystore: KeystoreOptions

    /// - Throws: `UsageFailure` without a name.
    func requiredName() throws -> String {
        guard let name else {
            throw UsageFailure("a value of form KTL2 needs the name of the value", hint: "--name NAME")
        }
        return name
    }

    /// Opens the MainKey, and lends it to `body`.
    func withKey<Result>(
        _ session: Session, _ body: (CheckValue, borrowing MainKey) throws -> Result
    ) throws -> Result {
        let (keeper, id) = try session.open(named, keystore)
        return try session.withMainKey(id, in: keeper, opening) { try body(id, $0.key) }
    }
}

struct MainKeyOpenValue: Verb {
    static let configuration = CommandConfiguration(
        commandName: "open-value", abstract: "Decrypt a value under a MainKey.",
        discussion: """
            Reads a value of the app, which is not authenticated, or one of form KTL2. A text is printed as it is; data \
            and property lists are written to a file or a pipe.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The value, or - for stdin.", completion: .file())
    var file: String

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Write to a new file (0600), or - for stdout.", valueName: "file"),
        completion: .file())
    var output = "-"

    @Flag(help: "Overwrite an existing file.")
    var force = false

    @OptionGroup var value: ValueOptions

    func run(_ session: Session) throws {
        guard output != "-" || !session.output.isJSON else {
            throw UsageFailure("with --json the content is not printed", hint: "--output FILE")
        }
        // Before the value is read: it may be replaced.
        let target = output == "-" ? nil : try ResultFile(output, mayReplace: force, outside: session.reserved)
        let bytes = try ValueFile.read(file)
        let version = LockedValue.version(of: bytes.span)
        let name = version == .version2 ? try value.requiredName() : nil
        try value.withKey(session) { id, key in
            let content = try ValueFile.open(bytes, version, name: name, key)
            let kind = version == .version1 ? content.kind : nil
            if let target {
                try content.bytes.withBytes { content in
                    try target.write(content) {
                        try session.output.done(
                            ["wrote the value (\(kind?.rawValue ?? "KTL2")) to \(target.path)"],
                            json: .mainKey(
                                "open-value", id, ValueFile.members(version, kind, target.path, content.count)))
                    }
                }
            } else {
                try content.bytes.withBytes { try ValueFile.print($0) }
            }
        }
        if version == .version1 { session.output.warn("the value is not authenticated: it may have been changed") }
    }
}

struct MainKeySealValue: Verb {
    static let configuration = CommandConfiguration(
        commandName: "seal-value", abstract: "Encrypt a value under a MainKey.",
        discussion: """
            Writes the authenticated form KTL2, which needs the name of the value, or with --format v1 the app's form, \
            which is not authenticated.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The content, or - for stdin.", completion: .file())
    var file: String

    @OptionGroup var written: DocumentOptions

    @Option(help: ArgumentHelp("ktl2, or v1 for the app.", valueName: "format"))
    var format = ValueFormat.ktl2

    @Option(help: ArgumentHelp("For v1: string, data, or list (a binary property list).", valueName: "type"))
    var type: LockedValue.Kind?

    @OptionGroup var value: ValueOptions

    func validate() throws {
        guard (format == .v1) == (type != nil) else {
            throw ValidationError(
                format == .v1 ? "--format v1 needs --type string, data or list" : "--type is for --format v1 only")
        }
        guard format == .ktl2 || value.name == nil else { throw ValidationError("--name is for --format ktl2 only") }
    }

    func run(_ session: Session) throws {
        let name = format == .ktl2 ? try value.requiredName() : nil
        let target = try written.target(outside: session.reserved)
        let content = try InputFile(operand: file).readGuarded(.bytes, limit: LockedValue.maxContentCount)
        try value.withKey(session) { id, key in
            let sealed = try ValueFile.seal(content, name: name, as: type ?? .data, key)
            try target.write(sealed.span) { path in
                try session.output.done(
                    ["wrote the value to \(path)"],
                    json: .mainKey(
                        "seal-value", id,
                        ValueFile.members(format == .v1 ? .version1 : .version2, type, path, sealed.count)))
            }
        }
        if format == .v1 { session.output.warn("the value is not authenticated: changes of it go unnoticed") }
    }
}

struct MainKeyRewrapValue: Verb {
    static let configuration = CommandConfiguration(
        commandName: "rewrap-value", abstract: "Turn a value of the app into one of form KTL2, or the reverse.",
        discussion: """
            KTL2 is authenticated, but cannot show whether the app's value was changed before. It does not store the \
            type, so the way back needs --type.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The value, or - for stdin.", completion: .file())
    var file: String

    @OptionGroup var written: DocumentOptions

    @Option(help: ArgumentHelp("From KTL2: string, data, or list (a binary property list).", valueName: "type"))
    var type: LockedValue.Kind?

    @OptionGroup var value: ValueOptions

    func run(_ session: Session) throws {
        // Before the value is read: it may be replaced.
        let target = try written.target(outside: session.reserved)
        let bytes = try ValueFile.read(file)
        let version = LockedValue.version(of: bytes.span)
        let name = try value.requiredName()
        guard (version == .version2) == (type != nil) else {
            throw UsageFailure(
                version == .version2
                    ? "the value is of form KTL2, which does not store the type"
                    : "the value is of the app's form, which stores the type itself",
                hint: version == .version2 ? "--type string, data or list" : "leave out --type")
        }
        try value.withKey(session) { id, key in
            let content = try ValueFile.open(bytes, version, name: name, key)
            let kind = type ?? content.kind
            let sealed = try ValueFile.seal(
                content.bytes, name: version == .version1 ? name : nil, as: kind, key)
            try target.write(sealed.span) { path in
                try session.output.done(
                    ["wrote the value (\(kind.rawValue)) to \(path)"],
                    json: .mainKey(
                        "rewrap-value", id,
                        ValueFile.members(version == .version1 ? .version2 : .version1, kind, path, sealed.count)))
            }
        }
        if version == .version1 {
            session.output.warn("the value was not authenticated before: it may have been changed")
        }
    }
}

/// Values in files.
private enum ValueFile {
    static func read(_ path: String) throws -> [UInt8] {
        try InputFile(operand: path).readBytes(.bytes, limit: LockedValue.maxCount)
    }

    /// - Parameter name: for version 2.
    static func open(
        _ value: [UInt8], _ version: LockedValue.Version, name: String?, _ key: borrowing MainKey
    ) throws -> LockedValue.Content {
        switch version {
        case .version1: try LockedValue.openVersion1(value.span, key: key)
        case .version2: LockedValue.Content(.data, try LockedValue.open(value.span, name: name ?? "", key: key))
        }
    }

    /// Seals a content, and opens the result again.
    /// - Parameter name: nil for version 1.
    static func seal(
        _ content: borrowing SecureBytes, name: String?, as kind: LockedValue.Kind, _ key: borrowing MainKey
    ) throws -> [UInt8] {
        if let name {
            let sealed = try content.withBytes { (content) throws(LockedValueError) in
                try LockedValue.seal(content, name: name, key: key)
            }
            try requireSame(LockedValue.open(sealed.span, name: name, key: key), content)
            return sealed
        }
        let copy = content.withBytes { SecureBytes(copying: $0) }
        let sealed = try LockedValue.sealVersion1(LockedValue.Content(kind, copy), key: key)
        let opened = try LockedValue.openVersion1(sealed.span, key: key)
        // A list may be written in another order of its objects.
        if kind != .list { try requireSame(opened.bytes, content) }
        return sealed
    }

    private static func requireSame(_ opened: borrowing SecureBytes, _ content: borrowing SecureBytes) throws {
        let isSame = opened.withBytes { opened in content.withBytes { ConstantTime.areEqual(opened, $0) } }
        guard isSame else { throw ValueNotReproduced() }
    }

    static func members(
        _ version: LockedValue.Version, _ kind: LockedValue.Kind?, _ path: String, _ count: Int
    ) -> [(String, JSONValue?)] {
        [
            ("form", .string(version == .version1 ? "v1" : "ktl2")), ("type", kind.map { .string($0.rawValue) }),
            ("authenticated", .bool(version == .version2)), ("file", .string(path)), ("bytes", .number(count)),
        ]
    }

    /// Prints a content on stdout: to a terminal only as text, without what would move its cursor.
    static func print(_ content: Span<UInt8>) throws {
        guard TerminalSize.isTerminal else { return try Output.writeResult(content) }
        guard isText(content) else {
            throw UsageFailure(
                "the value is not text: it is not written to a terminal", hint: "--output FILE, or a pipe")
        }
        try Output.writeResult(content)
        if content.count > 0, content[content.count - 1] != UInt8(ascii: "\n") {
            try Output.writeResult([UInt8(ascii: "\n")].span)
        }
    }

    private static func isText(_ content: Span<UInt8>) -> Bool {
        let bytes = SecureBytes(copying: content)
        return bytes.characterCount != nil
            && content.indices.allSatisfy { index in
                let byte = content[index]
                // The control characters U+0080 to U+009F are C2 80 to C2 9F.
                let isC1 = byte == 0xc2 && index + 1 < content.count && content[index + 1] < 0xa0
                return byte >= 0x20 && byte != 0x7f && !isC1 || byte == 0x09 || byte == 0x0a
            }
    }
}

/// A value that was just sealed did not open to the same content.
struct ValueNotReproduced: Error {}
