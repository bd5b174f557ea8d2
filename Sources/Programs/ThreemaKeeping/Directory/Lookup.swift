internal import HTTP
package import Threema
package import ThreemaDirectory

extension DirectoryKeeper {
    /// Asks a directory about identities. It needs no identity and no keystore.
    /// - Parameter ids: each once.
    /// - Returns: an entry for each identity that the directory knows, in the order of `ids`. If several were asked
    ///   for, those that were revoked are missing, too.
    /// - Throws: `DirectoryKeepingError.failed`.
    package static func entries(
        of ids: [ThreemaID], at server: DirectoryServer, _ connect: Connect
    ) throws -> [DirectoryEntry] {
        if ids.count == 1 { return try entry(of: ids[0], at: server, connect).map { [$0] } ?? [] }
        var found: [ThreemaID: DirectoryEntry] = [:]
        let client = connect(server)
        for start in stride(from: 0, to: ids.count, by: DirectoryClient.maxIdentities) {
            let part = Array(ids[start...].prefix(DirectoryClient.maxIdentities))
            do throws(DirectoryFailure) {
                for entry in try client.ask(Self.request(part)) { found[entry.id] = entry }
            } catch {
                throw DirectoryKeepingError.failed(server, error)
            }
        }
        return ids.compactMap { found[$0] }
    }

    static func request(_ ids: [ThreemaID]) throws(DirectoryFailure) -> DirectoryRequest<[DirectoryEntry]> {
        try DirectoryFailure.rethrowing { () throws(DirectoryError) in try .fetch(ids) }
    }

    /// - Returns: nil if the directory does not know the identity.
    private static func entry(
        of id: ThreemaID, at server: DirectoryServer, _ connect: Connect
    ) throws -> DirectoryEntry? {
        do {
            return try ask(.fetch(id), at: server, connect)
        } catch DirectoryKeepingError.failed(_, .service(.unknownIdentity)) {
            return nil
        }
    }
}
