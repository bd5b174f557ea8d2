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
}
