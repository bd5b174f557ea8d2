import SecureMemory
import Testing
import VectorKit

@testable import Primitives

@Suite struct SpentStackTests {
    private let stack = PaintedStack()

    private func expectWiped(
        _ words: String, at location: SourceLocation = #_sourceLocation, _ body: @escaping () -> Void
    ) {
        #expect(stack.bytesLeft(by: body) < PaintedStack.callBytes, "\(words)", sourceLocation: location)
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
    }

    private final class Cipher: Sendable {
        let value: AES256GCM
        init(_ library: AES256GCM.Library) {
            value = AES256GCM(key: SecureBytes(copying: [UInt8](repeating: 7, count: 32).span), library: library)
        }
    }
}
