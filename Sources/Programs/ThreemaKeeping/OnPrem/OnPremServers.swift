package import Encodings
package import HTTP
internal import Keystore
internal import SafeWire
internal import Synchronization
package import ThreemaDirectory
package import ThreemaRecords

/// The clients of servers that provisioning files name. Before the first request to one, its file is fetched again if
/// that is due; each request has the pins of the present file, and those to a directory its address and login.
///
/// A backup does not wait for a file: if one cannot be fetched, or is refused, the present one is used. If the keystore
/// has none, the server is asked as it was remembered.
package final class OnPremServers: Sendable {
    /// Which server of a file is asked.
    package enum Part: Sendable {
        case directory, safe
    }

    /// What a user should know.
    package enum News: Sendable {
        /// The keystore's file cannot be used, so the server is asked as it was remembered.
        case unusable(String, any Error)
        /// It was not fetched.
        case notFetched(OnPremName, OnPremFetchError)
        /// What was fetched is not stored: `ProvisioningError`, `OnPremError.refused`.
        case refused(OnPremName, any Error)
        /// What was fetched could not be stored, so the present file is used.
        case notStored(OnPremName, any Error)
        /// A new file is stored.
        case updated(OnPremName)
        /// The identity's Safe is at another address than the one in the file.
        case otherSafe(OnPremName, present: String)
        /// The license is over, or soon will be.
        case licenseEnds(OnPremName, Timestamp)
    }

    private static let longestFetch = Duration.seconds(30)
    /// For the lock of a file that another process is changing.
    private static let lockWait = Duration.seconds(5)
    /// When to tell that a license ends, before it does.
    private static let notice = Duration.days(30)

    package let keeper: OnPremKeeper
    private let client: any HTTPClient
    private let tell: @Sendable (News) -> Void
    /// Those that were read, by name; nil for those that cannot be used.
    private let files = Mutex<[String: OnPremFile?]>([:])

    /// - Parameters:
    ///   - client: sends all requests.
    ///   - tell: is called on the thread of a request.
    package init(_ keeper: OnPremKeeper, client: any HTTPClient, tell: @escaping @Sendable (News) -> Void) {
        self.keeper = keeper
        self.client = client
        self.tell = tell
    }

    /// - Parameter name: of a provisioning file; nil for a server that none names.
    /// - Returns: what sends requests to that server. Nothing is opened before the first one.
    package func client(for name: String?, _ part: Part) -> any HTTPClient {
        name.map { ProvisionedClient(client: client, servers: self, name: $0, part: part) } ?? client
    }

    /// A directory as the present file has it, with address and pins. The file is fetched again if that is due.
    /// - Returns: `server` itself if no file names it, or if its file cannot be used.
    package func present(_ server: DirectoryServer) -> DirectoryServer {
        guard let name = server.onPrem, let file = file(named: name, for: .directory, at: nil),
            let present = try? file.directory(),
            let complete = try? DirectoryServer(
                url: present.url, authority: server.authority, pins: present.pins, onPrem: name)
        else { return server }
        return complete
    }

    /// The present file, fetched again if that is due.
    /// - Parameter origin: of the server that is to be asked.
    /// - Returns: nil if it cannot be used.
    fileprivate func file(named text: String, for part: Part, at origin: HTTPOrigin?) -> OnPremFile? {
        files.withLock { files in
            if let known = files[text] { return known }
            let file = usable(text)
            files.updateValue(file, forKey: text)
            if let file, part == .safe, !file.isSafe(at: origin) {
                tell(.otherSafe(file.name, present: origin?.host ?? ""))
            }
            return file
        }
    }

    private func usable(_ text: String) -> OnPremFile? {
        do {
            guard let name = OnPremName(text) else { throw OnPremError.noFile(nil) }
            let present = try keeper.file(name)
            let file = present.isDue(keeper.now()) ? refreshed(present) : present
            if file.file.license.end - keeper.now() < Self.notice { tell(.licenseEnds(name, file.file.license.end)) }
            return file
        } catch {
            tell(.unusable(text, error))
            return nil
        }
    }

    private func fetch(_ source: OnPremSource, _ present: OnPremFile) throws(OnPremFetchError) -> [UInt8] {
        let pins: [PublicKeyPin]
        do throws(HTTPError) {
            pins = try present.pins(of: HTTPOrigin(url: source.url))
        } catch {
            throw .http(error)
        }
        return try source.fetch(present.login, pins: pins, by: client, timeout: Self.longestFetch)
    }

    private func refreshed(_ present: OnPremFile) -> OnPremFile {
        let name = present.name
        guard let source = present.url.flatMap(OnPremSource.init(url:)) else { return present }
        let bytes: [UInt8]
        do throws(OnPremFetchError) {
            bytes = try fetch(source, present)
        } catch {
            tell(.notFetched(name, error))
            return present
        }
        let offer: OnPremKeeper.Offer
        do throws(ProvisioningError) {
            offer = try OnPremKeeper.Offer(bytes, signedBy: present.key, from: source, login: nil)
        } catch {
            tell(.refused(name, error))
            return present
        }
        do {
            if try keeper.store(offer, as: name, isReplacing: false, wait: Self.lockWait) == .newer {
                tell(.updated(name))
            }
            return try keeper.file(name)
        } catch OnPremError.refused(let name, let judgement) {
            tell(.refused(name, OnPremError.refused(name, judgement)))
        } catch {
            tell(.notStored(name, error))
        }
        return present
    }
}

extension OnPremFile {
    /// The pins of a host.
    /// - Throws: `.pinMismatch` if no key is accepted there.
    fileprivate func pins(of origin: HTTPOrigin?) throws(HTTPError) -> [PublicKeyPin] {
        guard let pins = origin.flatMap({ file.pinRules.pins(of: $0.host) }) else { return [] }
        guard !pins.isEmpty else { throw .pinMismatch(expected: [], offered: nil) }
        return pins
    }

    /// A server as the file has it now.
    fileprivate func endpoint(
        _ endpoint: borrowing HTTPEndpoint, _ part: OnPremServers.Part
    ) throws(HTTPError) -> HTTPEndpoint {
        switch part {
        case .safe: return endpoint.copy.pinned(try pins(of: endpoint.origin))
        case .directory:
            let url = file.servers.directory
            let pins = try pins(of: HTTPOrigin(url: url))
            let server: DirectoryServer
            do throws(DirectoryServerError) {
                server = try DirectoryServer(
                    url: url, authority: endpoint.authority, pins: pins)
            } catch {
                throw .badURL
            }
            return server.endpoint(login: Login.copy(of: login))
        }
    }

    /// Whether a Safe is at the address in the file, which may be a template.
    fileprivate func isSafe(at origin: HTTPOrigin?) -> Bool {
        guard case .https(let address)? = try? safeServer().address, !address.host.contains("{") else { return true }
        return origin?.host == address.host && origin?.port == address.port
    }
}

/// Sends requests to a server that a provisioning file names.
private struct ProvisionedClient: ForwardingClient {
    let client: any HTTPClient
    let servers: OnPremServers
    let name: String
    let part: OnPremServers.Part

    func send(
        _ request: HTTPRequest, to endpoint: borrowing HTTPEndpoint, progress: HTTPProgress?
    ) throws(HTTPError) -> HTTPResponse {
        guard let file = servers.file(named: name, for: part, at: endpoint.origin) else {
            return try client.send(request, to: endpoint, progress: progress)
        }
        return try client.send(request, to: file.endpoint(endpoint, part), progress: progress)
    }
}
