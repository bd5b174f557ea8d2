@testable import TextSecure

/// A request of which only the answer counts.
struct AnyRequest: Sendable {
    /// What it is sent with: an account that is registered, and an attachment that is uploaded.
    struct Scene {
        let server: LoopbackServer
        let account: TestAccount
        let upload: AttachmentLocation
        let download: AttachmentLocation

        init() throws {
            server = try LoopbackServer()
            account = try TestAccount("+12025550123", prekeys: 1)
            try account.register(at: server)
            let place = try server.ask(.attachmentPlace(), account)
            upload = place.location
            try server.ask(.upload([1, 2, 3], to: upload))
            download = try server.ask(.attachment(place.id), account)
        }
    }

    let name: String
    /// Statuses that mean something else than in other requests.
    var meanings: [Int: ServerError] = [:]
    /// The field that is missing in an answer `{}`; nil if that is an answer.
    var field: String?
    /// Whether the answer is JSON.
    var isRead = true
    /// The client drops what of an answer to a PUT is too long: most servers say nothing that counts in it.
    var isPut = false
    /// Which of the two servers answers.
    var host = "api"
    /// Longest answer in bytes.
    var limit = 64 * 1024
    let send: @Sendable (Scene) throws -> Void

    static let all = [
        AnyRequest(name: "code", meanings: [400: .badNumber, 415: .badTransport], isRead: false) {
            try $0.server.ask(.code(for: $0.account.number, by: .sms))
        },
        AnyRequest(name: "confirm", meanings: [403: .wrongCode], isRead: false, isPut: true) {
            try $0.server.ask(.confirm(code: "1", signalingKey: $0.account.account.signalingKey), $0.account)
        },
        AnyRequest(name: "register", isRead: false, isPut: true) {
            try $0.server.ask(.register("x", at: .apn), $0.account)
        },
        AnyRequest(name: "upload keys", isRead: false, isPut: true) {
            try $0.server.ask(.uploadKeys(of: $0.account.account), $0.account)
        },
        AnyRequest(name: "keys", field: "publicKey") {
            _ = try $0.server.ask(.keys(of: $0.account.number), $0.account)
        },
        AnyRequest(name: "contacts", meanings: [400: .badToken], isPut: true, limit: 1024 * 1024) {
            _ = try $0.server.ask(.contacts([DirectoryToken($0.account.number)]), $0.account)
        },
        AnyRequest(name: "send") {
            let message = AddressedMessage(to: $0.account.number, type: 1, timestamp: now, body: [1])
            _ = try $0.server.ask(.send([message]), $0.account)
        },
        AnyRequest(name: "attachment place", field: "id") {
            _ = try $0.server.ask(.attachmentPlace(), $0.account)
        },
        AnyRequest(name: "attachment", field: "location") {
            _ = try $0.server.ask(.attachment(1), $0.account)
        },
        AnyRequest(name: "upload", isRead: false, isPut: true, host: "blobs") {
            try $0.server.ask(.upload([4, 5, 6], to: $0.upload))
        },
        AnyRequest(name: "download", isRead: false, host: "blobs", limit: 100) {
            _ = try $0.server.ask(.download($0.download, limit: 100))
        },
    ]
}
