import ArgumentParser
import CommandLine
import Console
import Encodings
import Threema
import ThreemaDirectory
import ThreemaKeeping
import ThreemaSafe

/// The options for the comparison of a contact's code with a directory.
struct CodeComparisonOptions: ParsableArguments {
    @Flag(help: "Do not compare the code with the directory.")
    var offline = false

    @OptionGroup(title: "Directory")
    var directory: DirectoryOptions

    func validate() throws {
        guard !offline || directory.directory == nil && !directory.hasTrust else {
            throw ValidationError("--offline and --directory cannot be combined")
        }
    }

    /// A scanned code is compared with the directory of the identity, if it has one; any code with one that an option
    /// names. Sends nothing to the directory.
    /// - Parameter level: what the code is worth by where it came from.
    /// - Throws: what `DirectoryOptions.server` throws.
    func comparison(
        of code: ContactCode, _ level: VerificationLevel, for id: ThreemaID, in keeper: ThreemaKeeper,
        _ session: Session
    ) throws -> CodeComparison {
        guard level == .fullyVerified || directory.directory != nil || directory.hasTrust else { return .needless }
        guard !offline else { return .offline }
        let work = session.directory(of: keeper, directory)
        if try !directory.isNamed, !directory.hasTrust, try work.server(of: id) == nil { return .noDirectory(id) }
        let server = try directory.server(of: id, work)
        return .with(server) {
            try session.output.busy("asking the directory") { try work.compare(code, for: id, at: server) }
        }
    }
}

/// How a contact's code is compared with a directory.
enum CodeComparison {
    /// The code is not worth a comparison: it does not verify the key.
    case needless
    /// The user does not want it.
    case offline
    /// The identity has no directory.
    case noDirectory(ThreemaID)
    /// By a request to this directory, which throws if it does not confirm the key.
    case with(DirectoryServer, () throws -> Void)

    /// Sends the request, if there is one.
    /// - Throws: as `DirectoryKeeper.compare`.
    func compare() throws {
        guard case .with(_, let compare) = self else { return }
        do {
            try compare()
        } catch {
            let failure = Failure(error)
            guard failure.isTemporary else { throw error }
            throw failure.advising("nothing was stored; --offline stores the key without comparing it")
        }
    }

    /// Said after success, with the result.
    var lines: [String] {
        guard case .with(let server, _) = self else { return [] }
        return ["\(server.url) has the same key"]
    }

    /// Said after success if a scanned code was not compared.
    var note: String? {
        switch self {
        case .needless, .with: nil
        case .offline: "the key was not compared with a directory (--offline)"
        case .noDirectory(let id):
            "the key was not compared with a directory: \(id) has none, and --directory URL names one"
        }
    }

    var members: [(String, JSONValue?)] {
        switch self {
        case .needless: []
        case .offline, .noDirectory: [("compared", false)]
        case .with(let server, _): [("compared", true), ("directory", .string(server.url))]
        }
    }
}
