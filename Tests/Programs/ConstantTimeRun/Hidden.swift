import CMemcheck
import SecureMemory

/// Bytes that memcheck takes for undefined: it reports each branch and each address that depends on them, and follows
/// them through copies and arithmetic.
enum Hidden {
    static func hide(_ bytes: Span<UInt8>) { bytes.withUnsafeBufferPointer { memcheck_hide($0.baseAddress, $0.count) } }

    static func show(_ bytes: Span<UInt8>) { bytes.withUnsafeBufferPointer { memcheck_show($0.baseAddress, $0.count) } }

    /// A secret of these bytes, hidden.
    static func secret(_ bytes: [UInt8]) -> SecureBytes {
        let secret = SecureBytes(copying: bytes.span)
        secret.withBytes { hide($0) }
        return secret
    }

    /// A secret text of which a part is hidden: what stands around a key is public.
    static func text(_ before: String, _ hidden: String, _ after: String = "") -> SecureBytes {
        let whole = SecureBytes(copying: Array((before + hidden + after).utf8).span)
        whole.withBytes { hide($0.extracting(before.utf8.count..<before.utf8.count + hidden.utf8.count)) }
        return whole
    }
}

extension SecureBytes {
    /// Hides or shows all of it.
    borrowing func hide() { withBytes { Hidden.hide($0) } }

    /// A copy that is not hidden.
    borrowing func shown() -> [UInt8] {
        withBytes { Hidden.show($0) }
        return revealBytes()
    }
}

extension [UInt8] {
    /// A copy that is not hidden.
    func shown() -> [UInt8] {
        Hidden.show(span)
        return self
    }

    var text: String { String(decoding: self, as: UTF8.self) }
}

/// What a case threw, or that its result was wrong.
struct WrongResult: Error {
    let words: String
}

func expect(_ isRight: Bool, _ words: String) throws {
    if !isRight { throw WrongResult(words: words) }
}
