internal import Encodings

/// One page of a bucket's list (Amazon S3 API Reference, "ListObjectsV2"):
///
///     <ListBucketResult>
///       <IsTruncated>    `true` if objects follow that are not in this page, else `false`
///       <Contents>       for each object:
///         <Key>            its name
///         <Size>           its length in bytes
///
/// Other elements are ignored.
struct S3ListPage: Equatable {
    struct Object: Equatable {
        let key: String
        /// In bytes, up to `maxObjectBytes`.
        let count: Int
    }

    /// Most objects.
    static let maxCount = 1000
    /// Longest page in bytes. An object takes 300 to 500.
    static let maxBytes = 1024 * 1024
    /// More than any server's longest object. The sum of many pages is still an `Int`.
    static let maxObjectBytes = 1 << 48

    /// Owner, checksums and more for each object.
    private static let limits = XMLScanner.Limits(depth: 8, elements: 20 * maxCount)
    private static let maxDigits = 15

    /// In the order of the page.
    let objects: [Object]
    let isTruncated: Bool

    /// Parses an answer.
    /// - Parameter body: up to `maxBytes`.
    /// - Throws: `S3ListError`, also if an element that is read is missing or stands twice.
    init(parsing body: [UInt8]) throws(S3ListError) {
        guard body.count <= Self.maxBytes else { throw .tooLong(limit: Self.maxBytes) }
        var scanner = XMLScanner(body, limits: Self.limits)
        var path: [String] = []
        var objects: [Object] = []
        var isTruncated: Bool?
        var key: String?
        var count: Int?
        while let event = try Self.next(&scanner) {
            switch event {
            case .start(let name, _):
                path.append(name)
                guard path[0] == "ListBucketResult" else { throw .malformed }
            case .end(_, let text):
                switch path.dropFirst() {
                case ["IsTruncated"]:
                    guard isTruncated == nil, text == "true" || text == "false" else { throw .malformed }
                    isTruncated = text == "true"
                case ["Contents", "Key"]:
                    guard key == nil else { throw .malformed }
                    key = text
                case ["Contents", "Size"]:
                    guard count == nil, let number = Self.number(text) else { throw .malformed }
                    count = number
                case ["Contents"]:
                    guard let complete = key, let length = count else { throw .malformed }
                    guard objects.count < Self.maxCount else { throw .tooMany(limit: Self.maxCount) }
                    objects.append(Object(key: complete, count: length))
                    key = nil
                    count = nil
                default: break
                }
                path.removeLast()
            }
        }
        guard let isTruncated else { throw .malformed }
        self.objects = objects
        self.isTruncated = isTruncated
    }

    private static func next(_ scanner: inout XMLScanner) throws(S3ListError) -> XMLScanner.Event? {
        do throws(XMLError) { return try scanner.next() } catch { throw .malformed }
    }

    private static func number(_ text: String) -> Int? {
        guard (1...maxDigits).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int(text), number <= maxObjectBytes
        else { return nil }
        return number
    }
}

/// Why an answer is not a page of a bucket's list.
enum S3ListError: Error, Equatable {
    /// Longer than `limit` bytes.
    case tooLong(limit: Int)
    /// More than `limit` objects.
    case tooMany(limit: Int)
    /// Not XML, or without the elements of a list.
    case malformed
}
