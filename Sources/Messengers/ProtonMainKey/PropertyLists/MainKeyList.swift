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

    private static let numbersStart = 11
    private static let integersStart = 43

    /// - Returns: 79 to 172 bytes. How many different bytes the key has is not secret: the length of the list shows it.
    static func write(_ key: borrowing MainKey) -> SecureBytes {
        key.bytes.withBytes { key in
            var list = SecureBuffer(capacity: counts.upperBound)
            let header = PropertyListLayout.header
            list.append(header.span)
            list.append(marker: 0xa0, length: key.count)
            var different: UInt32 = 0
            for index in key.indices {
                different &+= isFirst(index, of: key) & 1
                list.append(number(of: index, in: key))
            }
            let count = ConstantTime.reveal(count: different)
            for number in 1...count {
                list.append(0x10)
                list.append(integer(UInt32(number), of: key))
            }
            let end = list.count
            list.append(UInt8(header.count))
            for index in 0..<count { list.append(UInt8(integersStart + 2 * index)) }
            list.append(bigEndian: 0, count: 6)
            list.append(bigEndian: 0x0101, count: 2)
            list.append(bigEndian: UInt64(count + 1), count: 8)
            list.append(bigEndian: 0, count: 8)
            list.append(bigEndian: UInt64(end), count: 8)
            return list.finish()
        }
    }

    /// All ones if no byte before this one is equal to it, else zero.
    private static func isFirst(_ index: Int, of key: Span<UInt8>) -> UInt32 {
        var isFirst = ~UInt32(0)
        for place in 0..<index { isFirst &= ~ConstantTime.mask(UInt32(key[place]), equals: UInt32(key[index])) }
        return isFirst
    }

    /// The number of a byte's integer: how many different bytes have come up to the first one that is equal to it.
    private static func number(of index: Int, in key: Span<UInt8>) -> UInt8 {
        var (different, number) = (UInt32(0), UInt32(0))
        for place in 0...index {
            let isFirst = isFirst(place, of: key)
            different &+= isFirst & 1
            number |= isFirst & ConstantTime.mask(UInt32(key[place]), equals: UInt32(key[index])) & different
        }
        return UInt8(truncatingIfNeeded: number)
    }

    /// The integer of that number.
    private static func integer(_ number: UInt32, of key: Span<UInt8>) -> UInt8 {
        var (different, integer) = (UInt32(0), UInt32(0))
        for place in key.indices {
            let isFirst = isFirst(place, of: key)
            different &+= isFirst & 1
            integer |= isFirst & ConstantTime.mask(different, equals: number) & UInt32(key[place])
        }
        return UInt8(truncatingIfNeeded: integer)
    }

    /// Reads a list of exactly the form that `write` makes.
    /// - Returns: nil for another form, and for what is not a list.
    private static func readOwn(_ list: Span<UInt8>) -> MainKey? {
        guard counts.contains(list.count), (list.count - counts.lowerBound).isMultiple(of: 3) else { return nil }
        let count = (list.count - counts.lowerBound) / 3 + 1
        let integers = list.extracting(integersStart..<integersStart + 2 * count)
        let key = SecureBytes(count: MainKey.count) { key in
            for index in key.indices {
                let number = UInt32(list[numbersStart + index])
                var byte: UInt32 = 0
                for place in 0..<count {
                    byte |=
                        ConstantTime.mask(UInt32(truncatingIfNeeded: place + 1), equals: number)
                        & UInt32(integers[2 * place + 1])
                }
                key[index] = UInt8(truncatingIfNeeded: byte)
            }
        }
        guard let key = try? MainKey(key) else { return nil }
        // A form that is the same byte for byte leaves nothing to check.
        let written = write(key)
        guard written.withBytes({ ConstantTime.areEqual($0, list) }) else { return nil }
        return key
    }

    /// Reads every valid form of the list.
    /// - Returns: nil if it is not a list of 32 integers from 0 to 255. What it is instead is not told: it comes from a
    ///   cipher that does not authenticate.
    static func read(_ list: Span<UInt8>) -> MainKey? {
        defer { SpentStack.wipe() }
        // The app writes this form. Addresses in other forms depend on the bytes of the key.
        if let key = readOwn(list) { return key }
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
