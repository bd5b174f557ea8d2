internal import SecureMemory

// A header block of POSIX.1-1988 ("ustar"), 512 bytes. Text ends in NUL unless it fills its field. A number is octal
// digits, ending in NUL or blank unless it fills its field.
//
//   offset  length  meaning
//        0     100  name
//      100       8  mode
//      108       8  number of the owner
//      116       8  number of the group
//      124      12  length of the content in bytes
//      136      12  time of modification, in seconds since the epoch
//      148       8  checksum: the sum of all 512 bytes, with blanks in this field
//      156       1  type: 0 or NUL a file, 5 a directory; others are links, devices and extensions
//      157     100  target of a link
//      257       8  "ustar", NUL, "00"; GNU's own format has "ustar", two blanks, NUL
//      265      32  name of the owner
//      297      32  name of the group
//      329      16  numbers of a device
//      345     155  prefix: the name is prefix ‖ "/" ‖ name if it is not empty. GNU's own format has other things here
//      500      12  zeros
//
// The content follows, filled up with zeros to a block. Two blocks of zeros end the archive.

/// The blocks of a tar archive.
enum TarBlock {
    static let count = 512
    /// Longest content that a length can tell, in bytes, and latest time.
    static let maxNumber = 0o77777777777

    static let name = 0..<100
    static let mode = 100..<108
    static let user = 108..<116
    static let group = 116..<124
    static let length = 124..<136
    static let time = 136..<148
    static let checksum = 148..<156
    static let type = 156
    static let link = 157..<257
    static let magic = 257..<265
    static let devices = 329..<345
    static let prefix = 345..<500

    static let posixMagic = Array("ustar\u{0}00".utf8)
    static let gnuMagic = Array("ustar  \u{0}".utf8)

    /// How many blocks this many bytes fill.
    static func blocks(_ count: Int) -> Int { (count + Self.count - 1) / Self.count }

    /// The sum of a header's bytes, with blanks in place of the checksum.
    static func sum(_ header: Span<UInt8>) -> Int {
        header.indices.reduce(0) { $0 + (checksum.contains($1) ? 0x20 : Int(header[$1])) }
    }
}

/// The name of a file in an archive: parts of letters, digits, `*`, `-`, `_` and `.` with slashes between them. No part
/// is `.` or `..`, so no name leads out of the directory in which an archive is unpacked.
package struct TarName: Hashable, Sendable, Comparable {
    /// The whole name.
    package let text: String

    /// - Returns: nil for another form, and for a name that no header has room for.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(Self.isAllowed) }),
            !parts.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) })
        else { return nil }
        self.text = text
        guard fields != nil else { return nil }
    }

    package static func < (left: TarName, right: TarName) -> Bool { left.text < right.text }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "*-_.".utf8.contains(byte)
        }
    }

    /// The name as prefix and name of a header, the prefix as short as possible; nil if it does not fit.
    var fields: (prefix: [UInt8], name: [UInt8])? {
        let bytes = Array(text.utf8)
        if bytes.count <= TarBlock.name.count { return ([], bytes) }
        let slash = bytes.indices.first {
            bytes[$0] == UInt8(ascii: "/") && bytes.count - $0 - 1 <= TarBlock.name.count
        }
        guard let slash, slash <= TarBlock.prefix.count else { return nil }
        return (Array(bytes[..<slash]), Array(bytes[(slash + 1)...]))
    }
}
