@testable import Encodings
@testable import HTTP
@testable import SafeObjectStore
@testable import SafeRules
@testable import SafeServer
@testable import SafeStore
@testable import SafeWire
@testable import SecureMemory

/// What a Safe server reads before it knows who asks, and what a client reads of a server.
enum Server {
    private static let limits = ServerLimits(maxBackupBytes: 512, retentionDays: 180)

    /// Requests with form feeds between them. A request has lines: method and target, then headers; behind an empty line
    /// comes its body.
    static func requests(_ bytes: [UInt8]) {
        let rate = RequestRate(burst: 1000, interval: .milliseconds(1))
        let server = SafeResponder(
            MemoryStore(keepsPrevious: true), limits: limits, below: "/alice",
            throttle: Throttle(clientRate: rate, backupRate: rate))
        for (number, piece) in bytes.split(separator: 0x0c, maxSplits: 7, omittingEmptySubsequences: false).enumerated()
        {
            let (request, body) = request(Array(piece))
            let now = ClockReading(
                wall: Timestamp(milliseconds: 1_800_000_000_000 + Int64(number)), monotonic: .seconds(number))
            if let answer = server.answerAtOnce(request, at: now) { check(answer.response, request) }
            check(server.answer(request, body: body, at: now), request)
        }
    }

    private static func request(_ bytes: [UInt8]) -> (ServerRequest, body: [UInt8]) {
        let end = bytes.indices.dropLast().first { bytes[$0] == 0x0a && bytes[$0 + 1] == 0x0a }
        let head = bytes[..<(end ?? bytes.count)].split(separator: 0x0a).map { String(decoding: $0, as: UTF8.self) }
        let first = (head.first ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        let headers = head.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (name: parts[0], value: parts.count > 1 ? String(parts[1].drop { $0 == " " }) : "")
        }
        let request = ServerRequest(
            first.first ?? "", first.count > 1 ? first[1] : "", headers: headers, client: "192.0.2.1")
        return (request, body: end.map { Array(bytes[($0 + 2)...]) } ?? [])
    }

    private static let statuses: Set = [200, 201, 204, 304, 400, 404, 405, 411, 412, 413, 415, 429]

    private static func check(_ answer: HTTPResponse, _ request: ServerRequest) {
        expect(statuses.contains(answer.status), "the status \(answer.status)")
        expect(answer.body.count <= 512, "no answer is longer than a backup")
        expect(request.method != "HEAD" || answer.body.isEmpty, "HEAD has no body")
    }

    static func login(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        for value in [text, "Basic " + text, "basic " + Base64.encode(bytes.span)] {
            guard let login = BasicLogin([value]) else { continue }
            expect(login.password.count <= PasswordHash.maxPasswordBytes, "the password is not too long")
        }
        if let hash = PasswordHash(text) { expect(PasswordHash(hash.text) == hash, "the same hash") }
        if let name = AccountName(text) { expect(AccountName(name.text)?.text == name.text, "the same name") }
    }

    static func accounts(_ bytes: [UInt8]) {
        let file = AccountFile(bytes)
        expect(AccountFile(file.content) == file, "what was written is read as the same file")
        expect(file.accounts.count <= AccountFile.maxAccounts, "not more accounts than allowed")
        expect(Set(file.accounts.map(\.name)).count == file.accounts.count, "each name stands once")
    }

    static func config(_ bytes: [UInt8]) throws {
        let limits = try ServerLimits(config: bytes.span)
        expect((1...1 << 31).contains(limits.maxBackupBytes), "the length is in range")
        expect((1...3650).contains(limits.retentionDays), "the days are in range")
        expect((try? ServerLimits(config: limits.config.span)) == limits, "the same limits")
    }

    static func names(_ bytes: [UInt8]) throws {
        if let id = BackupID(name: bytes.span) { expect(Array(id.hex.utf8) == bytes, "the name of a backup") }
        if let time = StoreTime(stored: bytes) { _ = time }
        _ = Digest(bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        let address = try SafeServerAddress(parsing: text)
        expect((try? SafeServerAddress(parsing: address.text)) == address, "the same address")
        _ = try SafeEndpoint(url: SecureBytes(copying: bytes.span))
    }

    static func objectList(_ bytes: [UInt8]) throws {
        let page = try S3ListPage(parsing: bytes)
        expect(page.objects.count <= bytes.count, "an object has its bytes")
    }
}
