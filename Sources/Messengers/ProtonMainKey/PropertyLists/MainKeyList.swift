internal import SecureMemory

// A MainKey as the app encrypts it: a binary property list of an array of 32 integers. Equal bytes of the key are
// written once, so the length says how many different ones it has: 76 + 3·d bytes.
//
//   offset   length  meaning
//        0        8  `bplist00`
//        8        3  af 10 20: an array of 32
//       11       32  for each byte of the key the number of its integer, 1...d, in the order in which they first appear
//       43      2·d  10 xx: the integers
//   43+2·d    1 + d  offsets: 8, 43, 45 …
//   44+3·d       32  trailer

/// A MainKey as a property list. It is in guarded memory only.
enum MainKeyList {
    /// Shortest and longest list that is written, in bytes.
    static let counts = 79...172

    /// - Returns: 79 to 172 bytes.
    static func write(_ key: borrowing MainKey) -> SecureBytes {
        key.bytes.withBytes { key in
            var firsts = SecureBuffer(capacity: key.count)
            var list = SecureBuffer(capacity: counts.upperBound)
            let header = PropertyListLayout.header
            list.append(header.span)
            list.append(marker: 0xa0, length: key.count)
            for index in key.indices {
                let number = firsts.withBytes { firsts in
                    var number = firsts.count
                    for place in firsts.indices where firsts[place] == key[index] { number = place }
                    return number
                }
                if number == firsts.count { firsts.append(key[index]) }
                list.append(UInt8(number + 1))
            }
            let start = list.count
            let different = firsts.count
            firsts.withBytes { firsts in
                for index in firsts.indices {
                    list.append(0x10)
                    list.append(firsts[index])
                }
            }
            let end = list.count
            list.append(UInt8(PropertyListLayout.header.count))
            for index in 0..<different { list.append(UInt8(start + 2 * index)) }
            list.append(bigEndian: 0, count: 6)
            list.append(bigEndian: 0x0101, count: 2)
            list.append(bigEndian: UInt64(different + 1), count: 8)
            list.append(bigEndian: 0, count: 8)
            list.append(bigEndian: UInt64(end), count: 8)
            return list.finish()
        }
    }

    /// Reads every valid form of the list.
    /// - Returns: nil if it is not a list of 32 integers from 0 to 255. What it is instead is not told: it comes from a
    ///   cipher that does not authenticate.
    static func read(_ list: Span<UInt8>) -> MainKey? {
        defer { SpentStack.wipe() }
        let bytes = try? SecureBytes(count: MainKey.count) { (key) throws(PropertyListError) in
            let layout = try PropertyListLayout(list)
            let array = try layout.object(layout.root, in: list)
            guard array.kind == .array, array.count == key.count else { throw .malformedObject }
            for index in key.indices {
                let element = try layout.object(try layout.reference(index, of: array, in: list), in: list)
                guard element.kind == .integer else { throw .malformedObject }
                let value = try layout.integer(element, in: list)
                guard let byte = UInt8(exactly: value) else { throw .integerOutOfRange }
                key[index] = byte
            }
        }
        guard let bytes else { return nil }
        return try? MainKey(bytes)
    }
}
