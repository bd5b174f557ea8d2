import CPeers

/// libsodium's boxes of a message on its way through a chat server: the client and the server seal it, the server and
/// the other client open it, and so do they with the acknowledgements of both.
final class Boxes {
    private static let acknowledgementBytes = 16
    private let payloadBytes: Int
    private let key = [UInt8](repeating: 7, count: 32)
    private var nonce = [UInt8](repeating: 0, count: 24)

    init(payloadBytes: Int) { self.payloadBytes = payloadBytes }

    func exchange(_ count: Int) {
        let (message, acknowledgement) = (plaintext(payloadBytes), plaintext(Self.acknowledgementBytes))
        var box = [UInt8](repeating: 0, count: message.count + 16)
        var opened = message
        for _ in 0..<count {
            for _ in 0..<2 { sealAndOpen(message, &box, &opened) }
            for _ in 0..<2 { sealAndOpen(acknowledgement, &box, &opened) }
        }
    }

    /// With the header of a payload.
    private func plaintext(_ bytes: Int) -> [UInt8] { [UInt8](repeating: 1, count: 4 + bytes) }

    private func sealAndOpen(_ plain: [UInt8], _ box: inout [UInt8], _ opened: inout [UInt8]) {
        sodium_increment(&nonce, nonce.count)
        let length = UInt64(plain.count)
        let isSealed = crypto_box_easy_afternm(&box, plain, length, nonce, key) == 0
        let isOpened = crypto_box_open_easy_afternm(&opened, box, length + 16, nonce, key) == 0
        guard isSealed, isOpened else { fatalError("box") }
    }
}
