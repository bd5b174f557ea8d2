import ArgumentParser
import AtomicFiles
import CommandLine
import Console
import Encodings
import MessengerKeeping
import QRCode
import SecureMemory
import SophaxChat
import SophaxStorage

struct SophaxSplit: Verb {
    static let configuration = CommandConfiguration(
        commandName: "split", abstract: "Split the keys of an identity into shares, some of which restore it.",
        discussion: """
            Any -m of the -n shares restore the keys; fewer tell nothing of them. Each share is a file of its own: \
            FILE.1.json, FILE.2.json, and so on, mode 0600. With --qr there is a picture beside each, FILE.1.png: a QR \
            code of the same text, to print. They are not encrypted: give each to somebody else. keytool sophaxchat \
            join restores the identity.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: AccountArgument<SophaxChatMessenger>

    @Option(name: .customShort("m"), help: ArgumentHelp("How many restore the keys, 2 or more.", valueName: "number"))
    var threshold: UInt8

    @Option(name: .customShort("n"), help: ArgumentHelp("How many are made, up to 255.", valueName: "number"))
    var total: UInt8

    @Option(
        name: .shortAndLong, help: ArgumentHelp("What the names of the new files begin with.", valueName: "file"),
        completion: .file())
    var output: String

    @Option(help: ArgumentHelp("Also draw each share as a QR code: png or svg.", valueName: "format"))
    var qr: PictureFormat?

    @OptionGroup var keystore: KeystoreOptions

    func validate() throws {
        guard threshold >= 2, threshold <= total else {
            throw ValidationError("-m is at least 2, and -n at least as many")
        }
        guard output != "-" else { throw ValidationError("each share is a file of its own: -o names no stdout") }
    }

    func run(_ session: Session) throws {
        if qr != nil { try QRMatrix.requireEncoder() }
        let files = try (1...Int(total)).map { try file("\(output).\($0).json", session) }
        let pictures = try qr.map { format in
            try (1...Int(total)).map { try picture("\(output).\($0).\(format.rawValue)", session) }
        }
        let (keeper, id) = try session.open(named, keystore)
        let account = try keeper.account(id)
        let known = account.identity.publicIdentity
        let shares = try IdentityShare.split(
            account.identity, threshold: threshold, total: total, at: AppTime(WallClock.now()))
        // They are joined again before anybody relies on them.
        for start in 0...(shares.count - Int(threshold)) {
            _ = try IdentityShare.join(Array(shares[start..<start + Int(threshold)]), expected: known.peerID)
        }
        let lines =
            ["wrote \(total) shares of \(known.peerID), \(threshold) of which restore it:"]
            + files.map { "  " + $0.path } + (pictures ?? []).map { "  " + $0.file.path }
        let json = SophaxChatMessenger.result(
            "split",
            [
                ("id", .string(known.peerID.description)), ("split", .string(shares[0].id)),
                ("threshold", .number(threshold)), ("total", .number(total)),
                ("files", .array(files.map { .string($0.path) })),
                ("qr_files", pictures.map { .array($0.map { .string($0.file.path) }) }),
            ])
        let codes = try codes(pictures ?? [], shares)
        // Without a signal in between: the shares that are written already would stay.
        try EndingSignals.held {
            try write(zip(files, shares)[...], beside: codes) { try session.output.done(lines, json: json) }
        }
        session.output.hint("store the shares in different places: \(threshold) together are the private keys")
    }

    private func file(_ path: String, _ session: Session) throws -> ResultFile {
        try new { try ResultFile(path, mayReplace: false, outside: session.reserved) }
    }

    private func picture(_ path: String, _ session: Session) throws -> QRPicture {
        try new { try QRPicture(path, mayReplace: false, outside: session.reserved) }
    }

    /// Shares replace nothing: an older split may need the file.
    private func new<File>(_ make: () throws -> File) throws -> File {
        do {
            return try make()
        } catch ResultFileError.exists(let path) {
            throw SophaxFileError.shareExists(path: path)
        }
    }

    private func codes(
        _ pictures: [QRPicture], _ shares: [IdentityShare]
    ) throws -> [(file: ResultFile, bytes: [UInt8])] {
        try pictures.indices.map { index in
            // The drawing itself is the share.
            let matrix = try QRMatrix.first(
                encoding: shares[index].encoded().revealBytes(), levels: [.quartile, .medium, .low])
            return (pictures[index].file, pictures[index].bytes(of: matrix))
        }
    }

    /// Writes all files; if one of them or `finish` fails, none is left.
    private func write(
        _ parts: ArraySlice<(ResultFile, IdentityShare)>, beside codes: [(file: ResultFile, bytes: [UInt8])],
        finish: () throws -> Void
    ) throws {
        guard let (file, share) = parts.first else { return try ResultFile.write(codes, finish: finish) }
        let text = share.encoded()
        try text.withBytes { text in
            try file.write(text) { try write(parts.dropFirst(), beside: codes, finish: finish) }
        }
    }
}

extension PictureFormat: ExpressibleByArgument {}

private func zip(_ files: [ResultFile], _ shares: [IdentityShare]) -> [(ResultFile, IdentityShare)] {
    files.indices.map { (files[$0], shares[$0]) }
}

struct SophaxJoin: Verb {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Restore an identity from its shares.",
        discussion: """
            Shares of keytool name the identity that they restore, and join to no other one. Those of the app do not: \
            then --expect-id has to name it, because any shares join to some keys. Name all shares that you have: a \
            damaged one is found, and named, if enough of the others agree. --check stores nothing.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The files, one for each share.", completion: .file())
    var files: [String]

    @Option(help: ArgumentHelp("Refuse any other identity, with exit code 19.", valueName: "peer-id"))
    var expectID: PeerID?

    @Flag(help: "Only join them and show the identity; store nothing.")
    var check = false

    @OptionGroup var new: SophaxNewOptions

    @OptionGroup var keystore: NewKeystoreOptions

    func run(_ session: Session) throws {
        try new.check()
        let (shares, unread) = try readable()
        let agreement = try agreement(shares.map(\.share))
        let identity = try IdentityShare.join(agreement.used, expected: expectID)
        let known = identity.publicIdentity
        guard check || agreement.isNamed else { throw SophaxSharesError.unproven(known.peerID) }
        let bad = unread + shares.filter { !agreement.good.contains($0.share.index) }.map(\.path)
        for path in bad { session.output.warn("\(path) is damaged or of another split; the other shares agree") }
        let members =
            known.members + [
                ("shares", .number(shares.count)),
                ("bad_files", bad.isEmpty ? nil : .array(bad.map { .string($0) })),
            ]
        guard !check else {
            return try session.output.done(
                ["the shares join"] + known.lines,
                json: SophaxChatMessenger.result("join", members + [("stored", false)]))
        }
        let keeper = SophaxKeeper(try session.newKeystore(keystore))
        let account = try SophaxAccount(
            identity: identity, username: new.username ?? SophaxAccount.defaultUsername(known.peerID))
        let result = try keeper.store(account, isOnly: !new.another, at: WallClock.now())
        let words =
            switch result {
            case .new: "restored the identity"
            case .held: "already in the keystore, with the same keys"
            // Shares have nothing else that could be missing.
            case .extended: "already in the keystore; added the user's name"
            }
        try session.output.done(
            [words] + known.lines,
            json: SophaxChatMessenger.result("join", members + [("stored", .bool(result != .held))]))
        if result == .new, !keystore.noPassphrase { session.noteProtection(isProtected: keeper.isProtected) }
        if result != .new, let username = new.username, try keeper.account(known.peerID).username != username {
            session.output.warn("--username \(username.printable) was ignored: the identity is held under its name")
        }
        session.output.hint(
            "shares have no prekeys: import the age file first, if you have one; "
                + "then keytool sophaxchat refill-prekeys \(known.peerID)")
    }
}

extension SophaxJoin {
    private typealias Named = (path: String, share: IdentityShare)

    /// Reads the files, and finds the one split that has enough shares to restore the keys.
    /// - Returns: the shares of that split, and the paths of all other files.
    /// - Throws: if no split has enough shares, or several have: the `SophaxFileError` of the first file that is not a
    ///   share; if every file is one, `SophaxSharesError.tooFew` for shares of one split, `.differentSplits` for others.
    ///   `SophaxSharesError.twice` if a share is named twice; `InputError` for a file that cannot be read.
    private func readable() throws -> (shares: [Named], unread: [String]) {
        var (shares, unread): ([Named], [String]) = ([], [])
        var failure: SophaxFileError?
        for path in files {
            do {
                shares.append((path, try IdentityShare.read(path)))
            } catch let error as SophaxFileError {
                failure = failure ?? error
                unread.append(path)
            }
        }
        let splits = Dictionary(grouping: shares) { "\($0.share.id) \($0.share.threshold) \($0.share.total)" }
        let usable = splits.values.filter { $0.count >= Int($0[0].share.threshold) }
        guard let split = usable.first, usable.count == 1 else {
            if let failure { throw failure }
            guard splits.count == 1, let only = shares.first else { throw SophaxSharesError.differentSplits }
            throw SophaxSharesError.tooFew(
                Set(shares.map(\.share.index)).count, threshold: Int(only.share.threshold))
        }
        for (place, each) in split.enumerated() {
            if let first = split[..<place].first(where: { $0.share.index == each.share.index }) {
                throw SophaxSharesError.twice(each.share.index, first.path, each.path)
            }
        }
        let paths = Set(split.map(\.path))
        return (split, unread + shares.map(\.path).filter { !paths.contains($0) })
    }

    /// - Throws: `SophaxSharesError`; `BackupError.wrongIdentity`; `SophaxUnexpected`.
    private func agreement(_ shares: [IdentityShare]) throws -> ShareAgreement {
        guard ShareAgreement.combinations(shares.count, Int(shares[0].threshold)) != nil else {
            throw SophaxSharesError.tooMany(threshold: Int(shares[0].threshold))
        }
        do {
            return try ShareAgreement(of: shares, expected: expectID)
        } catch BackupError.wrongKeyOrDamaged {
            throw SophaxSharesError.disagree
        } catch BackupError.wrongIdentity where expectID != nil {
            // If they agree on another identity, it is named.
            if let other = try? ShareAgreement(of: shares, expected: nil), let expectID {
                throw SophaxUnexpected(found: other.peerID, expected: expectID)
            }
            throw BackupError.wrongIdentity
        }
    }
}

/// Why shares were not joined.
enum SophaxSharesError: Error {
    /// More combinations than are tried.
    case tooMany(threshold: Int)
    /// No two combinations join to the same identity, and none is named.
    case disagree
    case tooFew(Int, threshold: Int)
    /// The share of this number is in two files.
    case twice(UInt8, String, String)
    /// The shares are of several splits, and not exactly one of these has enough shares.
    case differentSplits
    /// Nothing says which identity they should join to.
    case unproven(PeerID)
}

extension IdentityShare {
    /// - Throws: `InputError`; `SophaxFileError.notShare`.
    static func read(_ path: String) throws -> IdentityShare {
        let text = try InputFile(operand: path).readGuarded(.text, limit: maxCount)
        do throws(BackupError) {
            return try text.withBytes { (text) throws(BackupError) in try IdentityShare(parsing: text) }
        } catch {
            throw SophaxFileError.notShare(path: path)
        }
    }

    var lines: [String] {
        [
            "identity       \(peerID?.description ?? "unknown")", "split          \(id.printable)",
            "share          \(index) of \(total)", "restored by    \(threshold) shares",
        ]
    }

    var members: [(String, JSONValue?)] {
        [
            ("id", peerID.map { .string($0.description) }), ("split", .string(id)), ("index", .number(index)),
            ("threshold", .number(threshold)), ("total", .number(total)),
        ]
    }
}
