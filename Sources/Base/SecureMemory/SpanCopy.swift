extension MutableSpan where Element == UInt8 {
    /// Copies `bytes` over the elements from `offset` on. They have to fit.
    package mutating func copy(_ bytes: Span<UInt8>, to offset: Int = 0) {
        precondition(offset >= 0 && bytes.count <= count - offset, "more bytes than fit")
        guard !bytes.isEmpty else { return }
        unsafe withUnsafeMutableBufferPointer { target in
            unsafe bytes.withUnsafeBufferPointer { source in
                unsafe (target.baseAddress! + offset).update(from: source.baseAddress!, count: source.count)
            }
        }
    }

    /// Lends a part of the elements to `body`.
    package mutating func withPart<Result, E>(
        _ range: Range<Int>, _ body: (inout MutableSpan<UInt8>) throws(E) -> Result
    ) throws(E) -> Result {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "out of bounds")
        return try unsafe withUnsafeMutableBufferPointer { (all) throws(E) -> Result in
            var part = unsafe UnsafeMutableBufferPointer(rebasing: all[range]).mutableSpan
            return try body(&part)
        }
    }
}
