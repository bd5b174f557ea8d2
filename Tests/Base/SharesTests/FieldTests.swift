import Testing

@testable import Shares

struct FieldTests {
    /// By division of polynomials, bit by bit.
    private static func product(_ left: Int, _ right: Int) -> Int {
        var product = (0..<8).reduce(0) { right >> $1 & 1 == 1 ? $0 ^ left << $1 : $0 }
        for bit in (8..<15).reversed() where product >> bit & 1 == 1 { product ^= 0x11b << (bit - 8) }
        return product
    }

    @Test func productsOfAllBytes() {
        for left in 0..<256 {
            for right in 0..<256 {
                #expect(Int(ByteField.multiply(UInt8(left), by: UInt8(right))) == Self.product(left, right))
            }
        }
        #expect(ByteField.multiply(0x57, by: 0x83) == 0xc1)
    }

    @Test func inversesOfAllBytes() {
        for value in 1...255 {
            #expect(ByteField.multiply(ByteField.inverse(UInt8(value)), by: UInt8(value)) == 1)
        }
        #expect(ByteField.inverse(0x53) == 0xca)
    }
}
