extension SeededRandom {
    /// Bytes that differ: some are replaced, lost, added or repeated, or the end is missing.
    public func changed(_ bytes: [UInt8]) -> [UInt8] {
        var changed = bytes
        // One change mostly: after several, little is accepted that could be wrong.
        repeat { change(&changed) } while changed == bytes || number(below: 4) == 0
        return changed
    }

    private func change(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return bytes.append(UInt8(number(below: 256))) }
        let index = number(below: bytes.count)
        // Half of them keep the length: these reach the deepest.
        switch number(below: 14) {
        case 0...3: bytes[index] ^= 1 << UInt8(number(below: 8))
        case 4...6: bytes[index] = UInt8(number(below: 256))
        case 7: bytes.insert(UInt8(number(below: 256)), at: index)
        case 8: bytes.remove(at: index)
        case 9: bytes.removeSubrange(index..<min(bytes.count, index + 1 + number(below: 16)))
        case 10: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + 8)], at: index)
        case 11: bytes.removeLast(bytes.count - index)
        case 12: bytes += self.bytes(1 + number(below: 40))
        default:
            // Extreme numbers at any place.
            let extremes: [[UInt8]] = [[0xff, 0xff, 0xff, 0xff], [0, 0, 0, 0x80], [0x80, 0, 0, 0], [0, 0, 0, 0]]
            let end = min(bytes.count, index + 4)
            bytes.replaceSubrange(index..<end, with: extremes[number(below: 4)].prefix(end - index))
        }
    }
}
