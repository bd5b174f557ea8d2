import CommandLine
import Console
import Keystore
import Threema
import ThreemaDirectory
import ThreemaKeeping
import ThreemaRecords

/// The identity of a command that speaks to a directory, and the directory.
struct DirectorySession {
    let id: ThreemaID
    let keeper: ThreemaKeeper
    let work: DirectoryKeeper
    let server: DirectoryServer

    /// - Parameter named: nil for the only identity.
    /// - Throws: `KeystoreError.noIdentity`; what `DirectoryOptions.server` throws.
    init(
        _ named: ThreemaID?, _ directory: DirectoryOptions, _ passphrase: SecretOptions<KeystorePassphrase>,
        _ session: Session
    ) throws {
        keeper = try session.keeper(passphrase)
        id = try session.identity(named, in: keeper)
        work = session.directory(of: keeper, directory)
        server = try directory.server(of: id, work)
    }
}

extension Session {
    /// Operations at a directory, which warn of what could not be stored.
    func directory(of keeper: ThreemaKeeper, _ options: DirectoryOptions) -> DirectoryKeeper {
        directory(of: keeper, options.waiting.limits)
    }

    /// Asks the directory of a company, once, whether it has an identity that a Safe of the company has brought back, and
    /// remembers it then.
    func find(_ id: ThreemaID, at company: OnPremName, _ keeper: ThreemaKeeper, _ limits: TimeLimits) {
        var limits = limits
        limits.total = .zero
        do {
            guard try !directory(of: keeper, limits).find(id, at: company) else { return }
            output.warn("the directory of \(company) does not have \(id) with this key")
        } catch {
            output.warn("the directory of \(company) could not be asked for \(id): \(Failure(error).message)")
            output.hint("keytool onprem show says its address: keytool contact check --identity \(id) --directory URL")
        }
    }

    private func directory(of keeper: ThreemaKeeper, _ limits: TimeLimits) -> DirectoryKeeper {
        let companies = servers(of: keeper.onPrem)
        let connect = connectingDirectory(limits, companies)
        return keeper.directory(connect, companies) { [output] what, error in
            output.warn("\(what.words): \(Failure(error).message)")
        }
    }
}

extension DirectoryKeeper.Unstored {
    fileprivate var words: String {
        switch self {
        case .directory: "the directory's address could not be stored"
        case .matchToken: "the token for the next search could not be stored"
        case .link: "the profile could not be changed; keytool profile set --email or --phone does it"
        case .linkedNumber: "the phone number is still listed as one that waits for its code"
        case .pendingKey: "the new key, which was not registered, is still listed as pending"
        }
    }
}

extension DirectoryOptions {
    /// The directory to ask for an identity of the keystore. A damaged record counts as none if an option names the
    /// directory.
    func server(of id: ThreemaID, _ work: DirectoryKeeper) throws -> DirectoryServer {
        let remembered: DirectoryServer?
        do {
            remembered = try work.server(of: id)
        } catch KeystoreError.damaged("directory", _, _) where directory != nil {
            remembered = nil
        }
        return try server(remembered: remembered, work.companies)
    }
}
