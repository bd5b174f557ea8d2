import CommandLine
import Console
import HTTP
import SafeWire

extension SafeExchangeError: Explained {
    var failure: Failure {
        switch self {
        case .unavailable(let server, let failure):
            Failure(.tempfail, "\(server) \(failure.words)", hints: failure.hint)
        case .throttled(let server, let seconds, _):
            Failure(
                .tempfail,
                "\(server) asks to wait" + (seconds.map { $0 == 1 ? " 1 second" : " \($0) seconds" } ?? ""),
                hints: "try again later")
        case .notPrepared(let server):
            Failure(
                .notASafeServer, "\(server) is reachable, but is not a Safe server: config or backups/ is missing",
                hints: Self.unprepared(server))
        case .noBackups(let server, let status):
            Failure(
                .notASafeServer,
                "\(server) has no directory backups/"
                    + (status == 405 ? ", or does not accept uploads there (status 405)" : ""),
                hints: "create it on the server, or use --create")
        case .cannotPrepare(let server, let status): Self.preparation(refusedBy: server, status)
        case .notEmpty(let server):
            Failure(
                .exists, "\(server) holds other files; nothing was created there",
                hints: "use a separate directory: --server \(server)/keytool"
            ).because(of: "directory_not_empty")
        case .unexpectedStatus(let server, let status):
            Failure(
                .notASafeServer, "\(server) does not answer like a Safe server: status \(status)",
                hints: "check that this is the address of a Safe, not of a web page")
        case .redirected(let server, let target): target.failure(server)
        case .unauthorized(let server, let hadLogin): Self.login(refusedBy: server, hadLogin)
        case .deletionForbidden(let server):
            Failure(
                .serverAuth, "\(server) refuses to delete the backup (status 403)",
                hints: "ask the operator of the server whether this user may delete files")
        case .busy(let server):
            Failure(.tempfail, "another keytool process is using \(server)", hints: "try again later")
        case .changed(let server):
            Failure(.tempfail, "the backup on \(server) changed while it was read", hints: "try again")
        case .full: Failure(.tooLarge, "the Safe server has no space left, or does not accept a backup of this size")
        case .tooLarge(let limit): Failure(.tooLarge, "the Safe server returned more than \(limit) bytes")
        case .wrongKind(let server, let entry): entry.failure(server)
        case .refused(let code): Failure(.io, "cannot use the Safe directory: \(systemMessage(code))")
        case .untrusted(let server, let flaw): flaw.failure(of: server, option: "--ca-file", orElse: Self.ownAuthority)
        case .pinMismatch(let server, let expected, let offered, let isProvisioned):
            Failure(
                .pinMismatch, PublicKeyPin.mismatch(of: server, expected, offered),
                hints: ["nothing was sent"]
                    + (isProvisioned ? [.newerProvisioningFile] : Self.acceptance(offered)))
        case .badAuthority: Failure(.badData, "the --ca-file contains no usable certificate")
        case .libraryMissing(let package):
            Failure(
                .unavailable, "https:// needs libcurl 7.85 or newer with OpenSSL, which is not installed",
                hints: "apt-get install \(package)")
        case .libraryNeedsMemory:
            Failure(.memory, "not enough memory to load libcurl", hints: OutOfMemory.advice)
        }
    }

    private static let ownAuthority: Hint = "if the Safe is already set up: \(safe: "server") --ca-file FILE"

    /// A server that does not let keytool make `backups/` and `config`.
    private static func preparation(refusedBy server: String, _ status: Int) -> Failure {
        switch status {
        case 409 where parent(of: server) != nil:
            // RFC 4918, 9.3.1: MKCOL makes one directory, and answers 409 if the one above is missing.
            Failure(
                .notASafeServer, "\(parent(of: server) ?? "") does not exist on the server",
                hints: "create it first; --create makes only one directory below it")
        case 404 where isHost(server), 405 where isHost(server):
            Failure(
                .notASafeServer, "\(server) does not allow keytool to make backups/ and config: status \(status)",
                hints: unprepared(server))
        default:
            Failure(
                status == 403 ? .serverAuth : .notASafeServer,
                "\(server) does not allow keytool to make backups/ and config: status \(status)",
                hints: "make them on the server; keytool-formats(5) describes config")
        }
    }

    /// - Parameter hadLogin: whether the request had a user name and password.
    private static func login(refusedBy server: String, _ hadLogin: Bool) -> Failure {
        if !hadLogin {
            Failure(
                .serverAuth, "\(server) requires a user name and password",
                hints:
                    "--server-user NAME; if the Safe is already set up: \(safe: "server") --server-user NAME",
                "with two-factor login, use an app password")
        } else {
            Failure(
                .serverAuth, "\(server) does not accept this user name and password",
                hints:
                    "if the Safe is already set up, and the password was changed there: \(safe: "server") --server-user NAME",
                "with two-factor login, use an app password")
        }
    }

    /// The address of the directory above; nil for the server's root, which always exists.
    private static func parent(of server: String) -> String? {
        // https:, nothing, host, directories
        let parts = server.split(separator: "/", omittingEmptySubsequences: false)
        let directories = parts.dropFirst(3).filter { !$0.isEmpty }
        guard directories.count > 1 else { return nil }
        return (parts.prefix(3) + directories.dropLast()).joined(separator: "/")
    }

    private static func acceptance(_ offered: PublicKeyPin?) -> [Hint] {
        guard let pin = offered?.text else { return ["try again later"] }
        return [
            "if the server has a new key: --pin \(pin)",
            "if the Safe is already set up: \(safe: "server") --pin \(pin)",
            "if its certificate is of a new authority, too: also --ca-file FILE",
        ]
    }

    private static func unprepared(_ server: String) -> Hint {
        guard server.hasPrefix("https:") else { return "check that the right disk is mounted" }
        guard !server.contains("/remote.php/") else { return "check that the directory exists" }
        let host = server.split(separator: "/")[1]
        let account = isHost(server) ? "on a server with accounts it is https://\(host)/USER; " : ""
        return "\(account)on a Nextcloud it is \(nextcloud(host))"
    }

    /// Whether an address has no path.
    private static func isHost(_ server: String) -> Bool { server.split(separator: "/").count == 2 }

    /// Where the directories of a Nextcloud's users are, whatever address its web pages have.
    static func nextcloud(_ host: some StringProtocol) -> String {
        "https://\(host)/remote.php/dav/files/USER/DIRECTORY"
    }
}

extension SafeExchangeError.Entry {
    /// It is neither read nor replaced.
    fileprivate func failure(_ server: String) -> Failure {
        switch self {
        case .config: Failure(.io, "\(server)/config is not a regular file", hints: Hint(Self.rule))
        case .backups: Failure(.io, "\(server)/backups is not a directory", hints: Hint(Self.rule))
        case .backup:
            Failure(
                .io, "the backup on \(server) is not a regular file",
                hints: "\(Self.rule); remove it, and \(safe: "push") --force uploads the backup again")
        }
    }

    private static let rule = "links are not followed, and special files are not opened"
}

extension SafeExchangeError.Unavailability {
    var words: String {
        switch self {
        case .away: "is not available"
        case .connection(let failure): failure.words
        case .status(511): "is behind a login page of the network (status 511)"
        case .status(let status): "cannot answer now: status \(status)"
        }
    }

    fileprivate var hint: Hint {
        switch self {
        case .status(511): "open any web page in a browser, and log in"
        case .away: "check the path and the mount, or try again later"
        case .connection(let failure): failure.hint
        case .status: "try again later"
        }
    }
}

extension ConnectionFailure {
    var words: String {
        switch self {
        case .unknownHost: "cannot be found: its name has no address"
        case .noNameServer: "cannot be found: no name server answered in time"
        case .notConnected: "cannot be reached"
        case .proxy(let failure): "cannot be reached through the proxy: \(failure.words)"
        case .timeout: "did not answer in time"
        case .badAnswer: "sent an invalid HTTP answer, or headers that are too long"
        case .brokenOff: "closed the connection too early"
        }
    }

    var hint: Hint {
        switch self {
        case .unknownHost, .noNameServer, .notConnected: "check the network of this machine, or try again later"
        case .proxy(let failure): failure.hint
        case .timeout, .badAnswer, .brokenOff: "try again later"
        }
    }
}

extension ProxyFailure {
    fileprivate var words: String {
        switch self {
        case .unknownName: "its name cannot be resolved"
        case .unknownScheme: "its address is of a kind that is not supported"
        case .untrusted: "its certificate is not trusted"
        case .notConnected: "it cannot be reached"
        case .loginRequired(let status): "it requires a user name and password" + Self.words(status)
        case .refused(let status): "it refuses the connection" + Self.words(status)
        case .badAnswer: "its answer is invalid, or too long"
        case .closed: "it closed the connection without an answer"
        case .notTLS: "its answer is not TLS"
        case .cutOff: "the connection was closed during the TLS handshake"
        case .timeout: "no answer in time"
        }
    }

    private static func words(_ status: Int?) -> String { status.map { " (status \($0))" } ?? "" }

    fileprivate var hint: Hint {
        switch self {
        case .loginRequired: "\(Self.variables) sets the proxy and its login: http://USER:PASSWORD@HOST:PORT"
        case .unknownScheme: "\(Self.variables) sets the proxy: http://, https:// or socks5h://, then HOST:PORT"
        case .untrusted:
            "the certificate of the proxy has to be of an authority that the system trusts, and issued for its name"
        case .unknownName, .notConnected, .refused, .badAnswer, .closed, .notTLS, .cutOff, .timeout:
            "\(Self.variables) sets the proxy; no_proxy lists the exceptions"
        }
    }

    private static let variables = "https_proxy, HTTPS_PROXY or ALL_PROXY"
}

extension RedirectTarget {
    /// A redirect that keytool does not follow.
    fileprivate func failure(_ server: String) -> Failure {
        switch self {
        case .circle:
            Failure(.notASafeServer, "\(server) redirects in a loop", hints: "ask the operator of the server")
        default:
            Failure(
                .notASafeServer,
                "\(server) redirects to \(words); keytool does not follow this redirect",
                hints: "the login page of a hotel or train also does this; otherwise set up that address")
        }
    }

    private var words: String {
        switch self {
        case .host(let host): host.printable
        case .scheme(let scheme): "a \(scheme.printable): address"
        case .empty: "an empty address"
        case .malformed: "an invalid address"
        case .circle: "itself"
        }
    }
}

extension CertificateFailure {
    /// - Parameters:
    ///   - server: its address.
    ///   - option: the command's own for certificate authorities.
    ///   - other: the way to trust them without the option.
    func failure(of server: String, option: String, orElse other: Hint? = nil) -> Failure {
        // The certificate is not the problem.
        let subject = self == .noForwardSecrecy ? server : "the certificate of \(server) is not accepted:"
        let ways: [Hint] =
            switch self {
            case .unknownIssuer, .selfSigned: [hint(option: option)] + (other.map { [$0] } ?? [])
            default: [hint(option: option)]
            }
        return Failure(.untrustedServer, "\(subject) \(words)", hints: ways + ["nothing was sent"])
    }

    var words: String {
        switch self {
        case .expired(let day): "it expired on \(day.printable)"
        case .notYetValid(let day): "it is not valid before \(day.printable)"
        case .otherHost(let names): "it was issued for \(names.joined(separator: ", ").printable)"
        case .unknownIssuer(let issuer): "its issuer is unknown: \(issuer.printable)"
        case .selfSigned: "it is self-signed"
        case .handshake: "it supports no common version of TLS, 1.2 or newer"
        case .noForwardSecrecy:
            "offers no forward secrecy of the kind that keytool requires: TLS 1.3, or TLS 1.2 with ECDHE and AES-GCM or "
                + "ChaCha20-Poly1305"
        case .other(let words): words.printable
        }
    }

    private func hint(option: String) -> Hint {
        switch self {
        case .expired, .notYetValid: "check the clock of this machine"
        case .otherHost: "check the name of the server; \(Self.loginPage)"
        case .unknownIssuer, .selfSigned: "use \(option) if the server has your own authority; \(Self.loginPage)"
        case .handshake, .other: "ask the operator of the server"
        case .noForwardSecrecy: "ask the operator of the server to enable TLS 1.3"
        }
    }

    private static let loginPage = "the login page of a hotel or train can also cause this"
}

extension SafeServerAddress {
    /// - Throws: `Failure` for a path, which lacks only its scheme; else `SafeServerAddressError`.
    init(typed text: String) throws {
        do throws(SafeServerAddressError) {
            try self.init(parsing: text)
        } catch {
            guard error == .unknownScheme else { throw error }
            let failure = error.failure
            if text.hasPrefix("http://") {
                throw failure.advising("nothing is sent without TLS: keytool-server serve --tls-self-signed NAME")
            }
            // An address that is cut would name another server or directory.
            let isShown = text == text.printable
            if text.hasPrefix("/") {
                throw failure.advising(isShown ? "file://\(text)" : "put file:// before the path")
            }
            if text.lowercased() == "threema" { throw failure.advising("threema") }
            // What has no dot, or a character that no host has, may be anything: a relative path, or a password.
            let host = text.prefix { $0 != "/" }
            let isHost =
                isShown && host.dropFirst().dropLast().contains(".")
                && host.allSatisfy { $0.isLetter || $0.isNumber || ".-:".contains($0) }
            throw isHost ? failure.advising("https://\(text)") : failure
        }
    }
}

extension SafeServerAddressError: Explained {
    var failure: Failure {
        switch self {
        case .unknownScheme: Failure(.usage, "the server's address must begin with https:// or file:///")
        case .remoteHost: Failure(.usage, "a file:// address must not contain a host: file:///DIR")
        case .badPath: Failure(.usage, "the server's address must be an absolute path without \"..\": file:///DIR")
        case .badURL: Failure(.usage, "that is not the address of a server: https://HOST/PATH")
        case .hasCredentials:
            Failure(
                .usage, "the address seems to contain a password, and other users of this machine could see it",
                hints: "--server https://HOST/PATH --server-user NAME, and --server-password-file FILE",
                "write an @ in a path as %40, and a slash in the password of a --server-file as %2F")
        }
    }
}
