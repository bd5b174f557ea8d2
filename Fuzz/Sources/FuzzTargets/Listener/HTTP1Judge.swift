/// What RFC 9112 says of the first request on a connection, read anew and strictly: lines end with CR LF.
struct HTTP1Judge {
    /// Whether a server has to refuse it, or may and does.
    private var isForbidden = false
    private var method: [UInt8] = []
    private var version: UInt8 = 0
    /// The values of these fields.
    private var hosts: [[UInt8]] = []
    private var lengths: [[UInt8]] = []
    private var codings: [[UInt8]] = []
    /// What comes behind the head.
    private var body: ArraySlice<UInt8> = []

    init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        // Empty lines before a request are passed over (2.2), by NIO's parser also those that are no whole ones.
        rest = rest.drop { [0x0d, 0x0a].contains($0) }
        let (lines, body) = Self.head(rest)
        guard let body, let first = lines.first else {
            isForbidden = true
            return
        }
        self.body = body
        readRequestLine(first)
        for line in lines.dropFirst() { readField(line) }
        judge()
    }

    /// Compares what the server has sent. Status 100 is none.
    func check(_ answer: [UInt8]) {
        guard !answer.isEmpty else { return }
        expect(answer.starts(with: "HTTP/1.1 ".utf8), "an answer begins with its version")
        let status = Int(String(decoding: answer.dropFirst(9).prefix(3), as: UTF8.self)) ?? 0
        expect((100..<600).contains(status), "the status is a number")
        if isForbidden { expect([400, 431].contains(status), "status \(status) for a request that is forbidden") }
        guard method == Array("PUT".utf8), (200..<300).contains(status) else { return }
        expect(isWhole, "an upload was stored whose body had not come")
    }

    // MARK: Head (3, 5)

    /// The lines up to the empty one, and what follows; nil if that does not come.
    private static func head(_ bytes: ArraySlice<UInt8>) -> (lines: [ArraySlice<UInt8>], rest: ArraySlice<UInt8>?) {
        var lines: [ArraySlice<UInt8>] = []
        var rest = bytes
        while let line = line(&rest) {
            if line.isEmpty { return (lines, rest) }
            lines.append(line)
        }
        return (lines, nil)
    }

    private static func line(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let end = rest.indices.dropLast().first(where: { rest[$0] == 0x0d && rest[$0 + 1] == 0x0a }) else {
            return nil
        }
        defer { rest = rest[(end + 2)...] }
        return rest[..<end]
    }

    private mutating func readRequestLine(_ line: ArraySlice<UInt8>) {
        // Several spaces may stand for one (3).
        let parts = line.split(separator: 0x20)
        guard parts.count == 3, line.first != 0x20, line.last != 0x20, parts[1].allSatisfy({ $0 > 0x20 && $0 != 0x7f }),
            parts[2].count == 8, parts[2].starts(with: "HTTP/1.".utf8), Self.isToken(parts[0])
        else { return isForbidden = true }
        method = Array(parts[0])
        version = parts[2].last!
    }

    private mutating func readField(_ line: ArraySlice<UInt8>) {
        guard let colon = line.firstIndex(of: 0x3a), Self.isToken(line[..<colon]) else { return isForbidden = true }
        let blank: [UInt8] = [0x20, 0x09]
        let start = line[(colon + 1)...].drop { blank.contains($0) }
        let value = Array(start[..<((start.lastIndex { !blank.contains($0) } ?? start.startIndex - 1) + 1)])
        // Bytes from 0x80 on are allowed, CR, LF and NUL are not.
        if value.contains(where: { [0, 0x0a, 0x0d].contains($0) }) { isForbidden = true }
        switch String(decoding: line[..<colon], as: UTF8.self).lowercased() {
        case "host": hosts.append(value)
        case "content-length": lengths.append(value)
        case "transfer-encoding": codings.append(value)
        default: break
        }
    }

    /// `tchar` (RFC 9110, 5.6.2), at least one.
    private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty
            && bytes.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0)
                    || "!#$%&'*+-.^_`|~".utf8.contains($0)
            }
    }

    // MARK: Body (6)

    private mutating func judge() {
        let isOld = version == 0x30
        if hosts.count > 1 || hosts.isEmpty && !isOld || lengths.count + codings.count > 1 { isForbidden = true }
        if lengths.contains(where: { $0.isEmpty || !$0.allSatisfy { (0x30...0x39).contains($0) } }) {
            isForbidden = true
        }
        let isChunked = codings.allSatisfy { String(decoding: $0, as: UTF8.self).lowercased() == "chunked" }
        if !isChunked || isOld && !codings.isEmpty { isForbidden = true }
    }

    /// Whether all of the body has come, as its head announces it.
    private var isWhole: Bool {
        if let length = lengths.first.flatMap({ Int(String(decoding: $0, as: UTF8.self)) }) {
            return body.count >= length
        }
        guard !codings.isEmpty else { return false }
        var rest = body
        while let line = Self.line(&rest) {
            let digits = line.prefix { $0 != 0x3b && $0 != 0x20 && $0 != 0x09 }
            guard let count = Int(String(decoding: digits, as: UTF8.self), radix: 16), count >= 0 else { return false }
            // Trailers come to an empty line.
            if count == 0 { return Self.head(rest).rest != nil }
            guard rest.count >= count + 2, rest.dropFirst(count).starts(with: [0x0d, 0x0a]) else { return false }
            rest = rest.dropFirst(count + 2)
        }
        return false
    }
}
