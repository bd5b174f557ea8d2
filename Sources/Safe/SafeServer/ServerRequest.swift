/// The head of a request to a Safe server, as a listener has received it. Its body is given separately, because the
/// head decides whether a body is read at all.
public struct ServerRequest: Equatable, Sendable {
    /// The method as it was sent, for example `GET`; of any length and content.
    public let method: String
    /// The path and the query as they were sent, without percent-decoding; of any length and content.
    public let target: String
    /// Names in any case with their values, in the order in which they were sent. A name may be repeated.
    public let headers: [(name: String, value: String)]
    /// What requests are counted by: an IPv4 address, or the first 64 bits of an IPv6 address.
    public let client: String

    /// - Parameters:
    ///   - method: as it was sent.
    ///   - target: the path and the query as they were sent.
    ///   - headers: in the order in which they were sent.
    ///   - client: what requests are counted by.
    public init(_ method: String, _ target: String, headers: [(name: String, value: String)] = [], client: String) {
        self.method = method
        self.target = target
        self.headers = headers
        self.client = client
    }

    /// The values of a header, in order; empty if it is missing.
    /// - Parameter name: in lower case.
    public func values(_ name: String) -> [String] {
        headers.filter { Self.isSame($0.name.utf8, name.utf8) }.map(\.value)
    }

    private static func isSame(_ sent: String.UTF8View, _ name: String.UTF8View) -> Bool {
        sent.count == name.count
            && zip(sent, name).allSatisfy { $0 == $1 || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 && $0 | 0x20 == $1 }
    }

    /// The value of a header that was sent once; nil if it is missing, or was sent more often.
    /// - Parameter name: in lower case.
    func onlyValue(_ name: String) -> String? {
        let values = values(name)
        return values.count == 1 ? values[0] : nil
    }

    /// Whether all parts are equal.
    public static func == (left: ServerRequest, right: ServerRequest) -> Bool {
        left.method == right.method && left.target == right.target && left.client == right.client
            && left.headers.elementsEqual(right.headers) { $0 == $1 }
    }
}
