import HTTP
import HTTPTransport
import Ratchet
import SecureMemory
import ServerKit

@testable import TextSecure

/// A server of Python's over TLS, with another one for attachments, and the client that asks them.
struct LoopbackServer {
    private let process: KitServer
    private let client = CurlClient()

    init() throws { process = try KitServer("textsecureserver") }

    /// Has the server do what a person or a fault would do.
    /// - Returns: what it answers.
    @discardableResult
    func tell(_ words: String) throws -> String { try process.tell(words) }

    /// Sends a request that needs no login.
    func ask<Answer>(_ request: borrowing ServerRequest<Answer>) throws -> Answer {
        try ask(request, as: nil)
    }

    /// Sends a request with the account's login.
    func ask<Answer>(_ request: borrowing ServerRequest<Answer>, _ account: TestAccount) throws -> Answer {
        try ask(request, as: account.password.login(account.number))
    }

    private func ask<Answer>(_ request: borrowing ServerRequest<Answer>, as login: consuming Login?) throws -> Answer {
        let sent = request.revealHTTPRequest()
        // The blob of an attachment is on another server.
        let isWhole = sent.path.hasPrefix("https://")
        let parts = sent.path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
        let origin = Array((isWhole ? "https://\(parts[1])" : process.words[0]).utf8)
        let endpoint = HTTPEndpoint(
            url: SecureBytes(copying: origin.span), login: request.isAuthorized ? login : nil,
            authority: process.authority)
        let response = try client.send(sent, to: endpoint, progress: nil)
        return try request.answer(response)
    }
}

/// An account that is shared with a test's closures.
final class TestAccount: Sendable {
    let account: TextSecureAccount

    var number: AccountNumber { account.number }
    var password: AccountPassword { account.password }

    init(_ account: consuming TextSecureAccount) { self.account = account }

    /// With few prekeys, whose ids begin with 7.
    init(_ number: String, prekeys: Int) throws {
        let keys = (7..<7 + UInt32(prekeys)).map { PrekeyPool.PrivatePrekey(id: $0, key: held(Random.bytes(32))) }
        account = try TextSecureAccount(
            number: TextSecureTests.number(number), password: AccountPassword(), signalingKey: SignalingKey(),
            identity: AgreementKey(), registrationID: 16380, lastResort: LastResortPrekey(),
            prekeys: require(PrekeyPool(.textSecure, keys: keys, next: 7 + UInt32(prekeys), at: now)), server: nil,
            relay: nil)
    }

    /// Asks for a code, confirms it, and uploads the keys.
    func register(at server: LoopbackServer, supportsSMS: Bool = false) throws {
        try server.ask(.code(for: number, by: .sms))
        let code = try server.tell("code \(number)")
        try server.ask(
            .confirm(
                code: code, signalingKey: account.signalingKey, supportsSMS: supportsSMS,
                registrationID: account.registrationID), self)
        try server.ask(.uploadKeys(of: account), self)
    }
}
