internal import Encodings
internal import Primitives
internal import SecureMemory

/// A request as AWS Signature Version 4 signs it (Amazon S3 API Reference, "Signature Calculations for the
/// Authorization Header"). `\n` is a newline.
///
///     canonical request   METHOD \n PATH \n QUERY \n (NAME:VALUE \n for each header) \n NAMES \n SHA-256 of the body
///     string to sign      AWS4-HMAC-SHA256 \n TIME \n SCOPE \n SHA-256 of the canonical request
///     SCOPE               DATE/REGION/s3/aws4_request
///     signing key         HMAC of `aws4_request` under that of `s3` under that of REGION under that of DATE
///                         under AWS4SECRETKEY
///     signature           HMAC of the string to sign under the signing key
///
/// QUERY is `S3Query`, and the body is always signed. TIME is 20130524T000000Z and DATE 20130524.
struct S3Signature: Equatable, Sendable {
    static let digestHeader = "x-amz-content-sha256"
    static let timeHeader = "x-amz-date"
    private static let algorithm = "AWS4-HMAC-SHA256"
    private static let terminator = "aws4_request"
    private static let service = "s3"

    /// In upper case.
    let method: String
    /// Percent-encoded, with a slash in front.
    let path: String
    let query: S3Query
    /// All signed headers: names in lower case, and values without blanks at the ends.
    let headers: [String: String]
    /// `20130524T000000Z`.
    let time: String
    let region: String
    private let digest: String

    /// - Parameters:
    ///   - path: as it is sent: with a slash in front, and every byte except letters, digits and `-._~/` as `%XX`.
    ///   - query: as it is sent.
    ///   - headers: names in lower case. Those of time and digest are added.
    ///   - region: the server's.
    init(
        _ method: String, _ path: String, query: S3Query = .none, headers: [String: String], body: [UInt8],
        at time: Timestamp, region: String
    ) {
        self.method = method
        self.path = path
        self.query = query
        // Without the milliseconds.
        self.time = time.compact.prefix(15) + "Z"
        self.region = region
        digest = Hex.encode(SHA256.hash(body.span))
        var headers = headers
        headers[Self.digestHeader] = digest
        headers[Self.timeHeader] = self.time
        self.headers = headers
    }

    /// `20130524`: the day for which a signing key is valid.
    var day: String { String(time.prefix(8)) }

    private var names: [String] { headers.keys.sorted() }

    var canonicalRequest: String {
        let lines = names.map { "\($0):\(headers[$0]!)\n" }.joined()
        return "\(method)\n\(path)\n\(query.text)\n\(lines)\n\(names.joined(separator: ";"))\n\(digest)"
    }

    private var scope: String { "\(day)/\(region)/\(Self.service)/\(Self.terminator)" }

    var stringToSign: String {
        let request = Array(canonicalRequest.utf8)
        return "\(Self.algorithm)\n\(time)\n\(scope)\n\(Hex.encode(SHA256.hash(request.span)))"
    }

    /// The value of the header `Authorization`.
    /// - Parameter key: `signingKey` of this day and region.
    func authorization(accessKey: String, key: borrowing SecureBytes) -> String {
        let text = Array(stringToSign.utf8)
        let signature = key.withBytes { Hex.encode(HMACSHA256.authenticate(text.span, key: $0)) }
        return "\(Self.algorithm) Credential=\(accessKey)/\(scope), SignedHeaders=\(names.joined(separator: ";")), "
            + "Signature=\(signature)"
    }

    /// The key that signs all requests of one day and region, 32 bytes.
    /// - Parameter day: `20130524`.
    static func signingKey(secretKey: borrowing SecureBytes, day: String, region: String) -> SecureBytes {
        let beginning = Array("AWS4".utf8)
        var first = SecureBuffer(capacity: beginning.count + secretKey.count)
        first.append(beginning.span)
        first.append(secretKey)
        var key = first.finish()
        for step in [day, region, service, terminator] {
            let step = Array(step.utf8)
            key = key.withBytes { HMACSHA256.derive(step.span, key: $0) }
        }
        return key
    }
}
