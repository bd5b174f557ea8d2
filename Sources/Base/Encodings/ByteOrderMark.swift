extension Span where Element == UInt8 {
    /// Length in bytes of the byte order mark in front of a text, U+FEFF in UTF-8: 3, or 0 without one. Editors of Windows
    /// write it, and nobody can type it.
    package var byteOrderMarkCount: Int {
        count >= 3 && self[0] == 0xef && self[1] == 0xbb && self[2] == 0xbf ? 3 : 0
    }
}
