import Glibc

/// A thread's stack, on which it is seen how deep a call has gone and what it has left there.
public final class PaintedStack {
    private static let count = 1 << 20
    private static let paint: UInt8 = 0xa5
    private let bytes: UnsafeMutableRawBufferPointer

    /// A stack of 1 MiB.
    public init() { bytes = .allocate(byteCount: Self.count, alignment: 1 << 16) }

    deinit { bytes.deallocate() }

    /// Runs `body` on this stack.
    /// - Returns: the bytes that it has changed, from the deepest one on.
    private func changed(by body: @escaping () -> Void) -> ArraySlice<UInt8> {
        bytes.initializeMemory(as: UInt8.self, repeating: Self.paint)
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstack(&attributes, bytes.baseAddress!, bytes.count)
        var thread = pthread_t()
        let context = Unmanaged.passRetained(Body(body))
        let result = pthread_create(
            &thread, &attributes,
            { context in
                Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        precondition(result == 0)
        pthread_join(thread, nil)
        return Array(bytes).drop { $0 == Self.paint }
    }

    private final class Body {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }

    /// How much of what a call has used of the stack is left below the part that it has wiped.
    /// - Parameter body: called twice: the first call binds symbols and makes metadata.
    /// - Returns: a length in bytes. Calls below the wipe itself leave some addresses: up to `callBytes`. Very large if
    ///   nothing is wiped.
    public func bytesLeft(by body: @escaping () -> Void) -> Int {
        _ = changed(by: body)
        let changed = changed(by: body)
        // The deepest bytes that are wiped. Calls after the wipe may have used a part of them again.
        let wiped = changed.indices.dropLast(1024).first { start in
            changed[start] == 0 && changed[start..<start + 1024].allSatisfy { $0 == 0 }
                && changed[start...].prefix(4096).count { $0 == 0 } >= 2048
        }
        return wiped.map { $0 - changed.startIndex } ?? .max
    }

    /// What calls below the wipe may leave, in bytes.
    public static let callBytes = 1024
}
