/// What both clients have of their peer: the link, once the handshake is finished, and how it all ended.
struct Conversation: Sendable {
    /// Nil before the handshake is finished, and after the peer has left.
    var link: PairedLink?
    private var end: (close: CloseCode, failure: SignalingError?)?

    var goesOn: Bool { end == nil }

    mutating func seal(_ message: PeerMessage) throws(SignalingSendingError) -> [UInt8] {
        guard link != nil else { throw .notPaired }
        return try link!.seal(message)
    }

    /// Takes a message of the peer.
    mutating func receive(
        _ message: Span<UInt8>, _ nonce: SignalingNonce, _ progress: inout SignalingProgress
    ) throws(SignalingError) {
        try SignalingLink.checkCount(of: message, limit: SignalingLink.maxTaskCount)
        switch try link!.open(message, nonce) {
        case .message(let message): progress.events.append(.received(message))
        case .close(let code):
            progress.events.append(.peerCloses(code))
            finish(.goingAway, nil)
        }
    }

    /// Tells the peer, if there is one, that this side closes.
    mutating func close(_ code: CloseCode) -> SignalingProgress {
        var progress = SignalingProgress()
        if goesOn {
            if link != nil, let message = try? link!.seal(close: code) { progress.toSend.append(message) }
            finish(code, nil)
        }
        return told(progress)
    }

    mutating func finish(_ code: CloseCode, _ failure: SignalingError?) {
        end = (code, failure)
        link = nil
    }

    /// With the end, if there is one.
    func told(_ progress: SignalingProgress) -> SignalingProgress {
        var progress = progress
        progress.close = end?.close
        progress.failure = end?.failure
        return progress
    }
}
