import Glibc
import SecureMemory
import Testing

@testable import Primitives

/// A thread's stack, on which it is seen how deep a call has gone and what it has left there.
private final class PaintedStack {
    private static let count = 1 << 20
    private static let paint: UInt8 = 0xa5
    private let bytes: UnsafeMutableRawBufferPointer

    init() { bytes = .allocate(byteCount: Self.count, alignment: 1 << 16) }

    deinit { bytes.deallocate() }

    /// Runs `body` on this stack.
    /// - Returns: the bytes that it has changed, from the deepest one on.
    func changed(by body: @escaping () -> Void) -> ArraySlice<UInt8> {
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
}

@Suite struct SpentStackTests {
    /// Calls below the wipe itself leave addresses there.
    private static let callBytes = 1024

    private let stack = PaintedStack()

    /// - Parameter body: called twice: the first call binds symbols and makes metadata.
    private func expectWiped(
        _ words: String, at location: SourceLocation = #_sourceLocation, _ body: @escaping () -> Void
    ) {
        _ = stack.changed(by: body)
        let changed = stack.changed(by: body)
        // The deepest bytes that are wiped.
        let wiped = changed.indices.dropLast(2048).first { start in
            changed[start] == 0 && changed[start..<start + 2048].allSatisfy { $0 == 0 }
        }
        let depth = wiped.map { $0 - changed.startIndex } ?? .max
        #expect(depth < Self.callBytes, "\(words)", sourceLocation: location)
    }

    @Test(arguments: [0, 16, 75, 481, 1200, 8192, 65_536])
    func `the stack that a box has used is wiped`(_ count: Int) {
        let plaintext = [UInt8](repeating: 1, count: count)
        let nonce = [UInt8](repeating: 2, count: 24)
        let key = [UInt8](repeating: 3, count: 32)
        let box = SecretBox.seal(plaintext.span, nonce: nonce, key: key.span)
        expectWiped("seal") { _ = SecretBox.seal(plaintext.span, nonce: nonce, key: key.span) }
        expectWiped("open") { _ = try? SecretBox.open(box.span, nonce: nonce, key: key.span) }
        expectWiped("openPublic") { _ = try? SecretBox.openPublic(box.span, nonce: nonce, key: key.span) }
        expectWiped("where it stands") {
            var bytes = box
            try? SecretBox.open(&bytes, at: 0..<box.count, nonce: nonce, key: key.span)
            SecretBox.seal(&bytes, from: 0, nonce: nonce, key: key.span)
        }
    }

    @Test(arguments: [AES256GCM.Library.sodium, .openSSL], [0, 16, 1200, 65_536])
    func `the stack that AES-256-GCM has used is wiped`(_ library: AES256GCM.Library, _ count: Int) {
        guard library == .openSSL || AES256GCM.bestLibrary == .sodium else { return }
        let plaintext = [UInt8](repeating: 1, count: count)
        let nonce = [UInt8](repeating: 2, count: 12)
        let data = [UInt8](repeating: 3, count: 6)
        let cipher = Cipher(library)
        let sealed = cipher.value.seal(plaintext.span, nonce: nonce, additionalData: data)
        expectWiped("seal") { _ = cipher.value.seal(plaintext.span, nonce: nonce, additionalData: data) }
        expectWiped("open") { _ = try? cipher.value.open(sealed.span, nonce: nonce, additionalData: data) }
        expectWiped("openPublic") { _ = try? cipher.value.openPublic(sealed.span, nonce: nonce, additionalData: data) }
    }

    private final class Cipher: Sendable {
        let value: AES256GCM
        init(_ library: AES256GCM.Library) {
            value = AES256GCM(key: SecureBytes(copying: [UInt8](repeating: 7, count: 32).span), library: library)
        }
    }
}
