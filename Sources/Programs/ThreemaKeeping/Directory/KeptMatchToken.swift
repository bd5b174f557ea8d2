internal import Encodings
internal import SecureMemory
internal import ThreemaDirectory
internal import ThreemaRecords

// The record `matchtoken`, integers big endian:
//
//   offset  length  meaning
//        0       1  version, 1
//        1       8  when to search again, in milliseconds since the epoch
//        9       2  length n of the address
//       11       n  the address of the directory, which alone gets the token
//   11 + n          token, 1 byte or more

struct KeptMatchToken: ~Copyable {
    private static let version: UInt8 = 1
    private static let urlOffset = 1 + 8 + 2

    let token: MatchToken
    /// The address of the directory.
    let url: String
    /// When the directory wants to be asked again.
    let notBefore: Timestamp

    init(_ token: consuming MatchToken, of server: DirectoryServer, notBefore: Timestamp) {
        self.token = token
        url = server.url
        self.notBefore = notBefore
    }

    /// - Returns: nil for anything but what `encoded` makes.
    init?(decoding record: borrowing SecureBytes) {
        let parts = record.withBytes { bytes -> (Timestamp, String, tokenOffset: Int)? in
            guard bytes.count > Self.urlOffset, bytes[0] == Self.version else { return nil }
            let tokenOffset = Self.urlOffset + (Int(bytes[9]) << 8 | Int(bytes[10]))
            guard tokenOffset < bytes.count else { return nil }
            let url = bytes.extracting(Self.urlOffset..<tokenOffset).revealText()
            return (Timestamp(record: bytes, at: 1), url, tokenOffset)
        }
        guard let (notBefore, url, tokenOffset) = parts else { return nil }
        self.notBefore = notBefore
        self.url = url
        token = MatchToken(record.withBytes { SecureBytes(copying: $0.extracting(tokenOffset..<record.count)) })
    }

    consuming func releasedToken() -> MatchToken { token }

    func encoded() -> SecureBytes {
        let url = Array(url.utf8)
        var record = SecureBuffer(capacity: Self.urlOffset + url.count + token.bytes.count)
        record.append(Self.version)
        record.append(notBefore.recordBytes.span)
        record.append(UInt8(truncatingIfNeeded: url.count >> 8))
        record.append(UInt8(truncatingIfNeeded: url.count))
        record.append(url.span)
        record.append(token.bytes)
        return record.finish()
    }
}
