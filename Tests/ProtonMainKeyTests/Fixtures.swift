import SecureMemory
import VectorKit

@testable import ProtonMainKey

/// A copy in guarded memory.
func secure(_ bytes: [UInt8]) -> SecureBytes { SecureBytes(copying: bytes.span) }

/// A copy in guarded memory, of UTF-8.
func secure(_ text: String) -> SecureBytes { secure(Array(text.utf8)) }

/// A key from bytes that the tests know.
func mainKey(_ bytes: [UInt8]) throws -> MainKey { try MainKey(secure(bytes)) }

/// A key that several tests use.
final class HeldKey: Sendable {
    let key: MainKey

    init(_ key: consuming MainKey) { self.key = key }
}

/// What is read of a MainKey's property list.
func readMainKey(_ list: [UInt8]) -> [UInt8]? {
    guard let key = MainKeyList.read(list.span) else { return nil }
    return key.bytes.copied
}

extension SeededRandom {
    /// Bytes that differ: some are replaced, lost or added, or the end is missing.
    func changed(_ bytes: [UInt8]) -> [UInt8] {
        var changed = bytes
        while changed == bytes {
            switch number(below: 8) {
            case 0 where !changed.isEmpty: changed.removeLast(1 + number(below: changed.count))
            case 1 where !changed.isEmpty: changed.remove(at: number(below: changed.count))
            case 2: changed.insert(UInt8(number(below: 256)), at: number(below: changed.count + 1))
            case 3 where changed.count >= 4:
                // Extreme numbers at any place.
                let place = number(below: changed.count - 3)
                let number: [UInt8] = [[0xff, 0xff, 0xff, 0xff], [0, 0, 0, 0x80], [0x80, 0, 0, 0], [0, 0, 0, 0]][
                    self.number(below: 4)]
                changed.replaceSubrange(place..<place + 4, with: number)
            default:
                guard !changed.isEmpty else { continue }
                for _ in 0...number(below: 2) {
                    changed[number(below: changed.count)] ^= UInt8(1 + number(below: 255))
                }
            }
        }
        return changed
    }
}

/// A copy outside of guarded memory.
func copied(_ key: consuming MainKey?) -> [UInt8]? {
    guard let key else { return nil }
    return key.bytes.copied
}
