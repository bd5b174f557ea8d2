import HTTP
import SecureMemory
import Threema
import ThreemaDirectory
import Testing

/// Somebody with an identity at the directory of a test.
final class Person {
    let directory: TestDirectory
    let client: DirectoryClient
    let key: ClientKey
    let id: ThreemaID

    /// Registers a new key.
    init(_ directory: TestDirectory) throws {
        self.directory = directory
        client = try Self.client(directory)
        key = .random()
        let created = try client.ask(.create(key, details: [#require(CreationDetail("deviceId", "device"))]), key: key)
        id = created.id
    }

    static func client(_ directory: TestDirectory) throws -> DirectoryClient {
        let pin = try #require(PublicKeyPin(digest: [UInt8](repeating: 1, count: 32)))
        let server = try DirectoryServer(url: "https://directory.example", pins: [pin])
        return DirectoryClient(directory, server.endpoint(), userAgent: "test/1", now: { 0 })
    }

    func ask<Answer: ~Copyable>(_ request: DirectoryRequest<Answer>) throws(DirectoryFailure) -> Answer {
        try client.ask(request)
    }

    func ask<Answer: ~Copyable>(_ request: SignedRequest<Answer>) throws(DirectoryFailure) -> Answer {
        try client.ask(request, key: key)
    }

    /// The directory's e-mail is read, and its link followed.
    func confirmMail() {
        directory.state.withLock { state in
            for mail in state.mails { state.identities[mail.id]?.email = mail.address }
            state.mails = []
        }
    }
}

extension DirectoryFailure {
    static func refused(_ words: String) -> DirectoryFailure { .service(.refused(ServerWords(words))) }
}
