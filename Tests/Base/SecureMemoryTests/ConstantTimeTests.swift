import SecureMemory
import Testing

@Suite struct ConstantTimeTests {
    private let bytes: [UInt8] = (0..<33).map { UInt8($0) }

    @Test func `equal bytes are equal`() {
        let copy = bytes
        let areEqual = ConstantTime.areEqual(bytes.span, copy.span)
        #expect(areEqual)
    }

    @Test func `nothing equals nothing, and nothing else`() {
        let nothing: [UInt8] = []
        let areEqual = [
            ConstantTime.areEqual(nothing.span, nothing.span),
            ConstantTime.areEqual(nothing.span, bytes.span),
            ConstantTime.areEqual(bytes.span, nothing.span),
        ]
        #expect(areEqual == [true, false, false])
    }

    @Test(arguments: 0..<33) func `one bit makes them differ`(_ index: Int) {
        for bit in 0..<8 {
            var other = bytes
            other[index] ^= 1 << UInt8(bit)
            let areEqual = ConstantTime.areEqual(bytes.span, other.span)
            #expect(!areEqual)
        }
    }

    @Test func `a beginning is not the whole`() {
        let beginning = Array(bytes.dropLast())
        let areEqual = [
            ConstantTime.areEqual(bytes.span, beginning.span), ConstantTime.areEqual(beginning.span, bytes.span),
        ]
        #expect(areEqual == [false, false])
    }

    @Test func `masks of all bytes`() {
        for value in UInt32(0)..<256 {
            for other in UInt32(0)..<256 {
                #expect(ConstantTime.mask(value, equals: other) == (value == other ? .max : 0))
                let isIn = ConstantTime.mask(value, from: 0x30, through: other)
                #expect(isIn == (value >= 0x30 && value <= other ? .max : 0))
            }
        }
        for bit in 0..<32 { #expect(ConstantTime.mask(1 << UInt32(bit), equals: 0) == 0) }
        #expect(ConstantTime.mask(.max, equals: .max) == .max)
        #expect(ConstantTime.mask(0x7fff_ffff, from: 0, through: 0x7fff_fffe) == 0)
    }

    @Test func `elements of a table, and none behind it`() {
        for index in bytes.indices {
            let element = ConstantTime.element(UInt32(index), of: bytes.span)
            #expect(element == bytes[index])
        }
        let behind = ConstantTime.element(33, of: bytes.span)
        #expect(behind == 0)
    }

    @Test func `what is revealed is what it was`() {
        #expect(!ConstantTime.reveal(0))
        for bit in 0..<32 { #expect(ConstantTime.reveal(1 << UInt32(bit))) }
        for count in [0, 1, 2, 1000] { #expect(ConstantTime.reveal(count: UInt32(count)) == count) }
    }
}
