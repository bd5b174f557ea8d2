import SecureMemory
import Testing

@testable import ProtonMainKey

/// The key and its name.
@Suite struct MainKeyTests {
    @Test(arguments: [0, 31, 33, 64]) func `a key has 32 bytes`(_ count: Int) {
        #expect(throws: MainKeyError.wrongLength(expected: 32, actual: count)) {
            let key = try MainKey(SecureBytes(copying: [UInt8](repeating: 1, count: count).span))
            _ = key.checkValue
        }
    }

    @Test func `the check value is an HMAC under the key`() throws {
        let key = try MainKey(SecureBytes(copying: Array(0..<32).span))
        #expect(key.checkValue.description == "edc1a26daadfba87")
        #expect(CheckValue("edc1a26daadfba87") == key.checkValue && CheckValue("EDC1A26DAADFBA87") == key.checkValue)
        #expect(CheckValue("edc1a26daadfba8") == nil && CheckValue("edc1a26daadfba8x") == nil)
    }

    @Test func `random keys differ`() {
        let left = MainKey.random()
        let right = MainKey.random()
        let (isOther, isSame) = (!left.equals(right), left.equals(left))
        #expect(isOther && isSame && left.checkValue != right.checkValue)
    }
}
