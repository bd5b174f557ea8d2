import Testing

@testable import ThreemaWeb

@Suite struct NonceTests {
    private let own = SignalingCookie(bytes(1, 16))
    private let cookie = SignalingCookie(bytes(2, 16))

    private func nonce(_ sequence: UInt64, _ cookie: SignalingCookie? = nil) -> SignalingNonce {
        SignalingNonce(cookie: cookie ?? self.cookie, source: 1, destination: 2, sequence: sequence)
    }

    @Test func `the bytes are those of the protocol`() {
        let nonce = nonce(0x0102_0304_0506)
        #expect(nonce.bytes == cookie.bytes + [1, 2, 1, 2, 3, 4, 5, 6])
        #expect(SignalingNonce(nonce.bytes.span) == nonce)
        #expect(nonce.messageID == [1, 2, 1, 2, 3, 4, 5, 6])
    }

    @Test func `a first nonce has another cookie and no overflow`() throws {
        var receiving = ReceivingNonces()
        #expect(throws: SignalingError.cookieIsOwn) { try receiving.take(nonce(5, own), own: own) }
        #expect(throws: SignalingError.overflowNotZero(1)) { try receiving.take(nonce(1 << 32), own: own) }
        // What was refused is not taken.
        #expect(receiving.cookie == nil)
        try receiving.take(nonce(0xffff_ffff), own: own)
        #expect(throws: SignalingError.cookieChanged) { try receiving.take(nonce(1 << 32, own), own: own) }
        for sequence in [0xffff_ffff, 0, 1 << 32 + 1] as [UInt64] {
            #expect(throws: SignalingError.sequenceNotNext(expected: 1 << 32, actual: sequence)) {
                try receiving.take(nonce(sequence), own: own)
            }
        }
        // The sequence number overflows into the overflow number.
        try receiving.take(nonce(1 << 32), own: own)
    }

    @Test func `the greatest number is the last one`() throws {
        let greatest = SignalingNonce.maxSequence
        #expect(greatest == 0xffff_ffff_ffff)
        var sending = SendingNonces(cookie: own, combined: greatest - 1)
        #expect(try sending.next(0, 0).sequence == greatest - 1)
        #expect(try sending.next(0, 0).bytes.suffix(6) == [255, 255, 255, 255, 255, 255])
        for _ in 0..<2 { #expect(throws: SignalingError.sequenceExhausted) { try sending.next(0, 0) } }
        var receiving = ReceivingNonces(cookie: cookie, combined: greatest)
        try receiving.take(nonce(greatest), own: own)
        for sequence in [0, greatest] {
            #expect(throws: SignalingError.sequenceExhausted) { try receiving.take(nonce(sequence), own: own) }
        }
    }

    @Test func `a paired client does not send without a number`() throws {
        let link = SignalingLink(
            own: 1, other: 2, SendingNonces(cookie: own, combined: SignalingNonce.maxSequence), ReceivingNonces())
        let peer = PairedPeer(address: 2, publicKey: Scene.responderKey.publicKey, task: .relayedData, taskData: .null)
        var paired = PairedLink(
            peer: peer, link: link, key: SharedKeys.shared(Scene.initiatorKey.bytes, peer.publicKey))
        #expect(try paired.seal(.data(.null)).count == 24 + 16 + 14)
        #expect(throws: SignalingSendingError.sequenceExhausted) { try paired.seal(.data(.null)) }
    }
}
