internal import CSodium

extension MutableSpan where Element == UInt8 {
    /// Overwrites the elements with zeros, also if nothing reads them afterwards. For a secret that was in ordinary
    /// memory for a moment.
    package mutating func wipe() {
        unsafe withUnsafeMutableBytes { unsafe sodium_memzero($0.baseAddress, $0.count) }
    }
}
