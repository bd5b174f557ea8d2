/// The keys of a message to send. Each seals one message.
public struct OutgoingKeys: Sendable {
    /// Ratchet key and numbers, for the receiver. Send it beside the body: encrypted under `headerKey` if there is one,
    /// and authenticated with the body in either case.
    public let header: RatchetHeader
    /// The key or keys of the body: 32 bytes, or as many as the suite's expansion has.
    public let messageKey: HeldKey
    /// The key of the header, 32 bytes; nil if headers are not encrypted. It seals all headers of the chain.
    public let headerKey: HeldKey?
}

extension DoubleRatchet {
    /// Takes the keys of the next message. Store the session before the message leaves: then no key is used twice,
    /// whatever happens. A message that is never sent is one that the other side skips.
    /// - Throws: `.notYetReceived`, `.chainExhausted`; then nothing has changed.
    public mutating func seal() throws(RatchetError) -> OutgoingKeys {
        guard var sending = state.sending else { throw .notYetReceived }
        let number = sending.chain.next
        guard number < suite.limits.maxSent else { throw .chainExhausted }
        let step = sending.chain.step()
        sending.chain = step.chain
        state.sending = sending
        return OutgoingKeys(
            header: RatchetHeader(
                ratchetKey: state.pair.publicKey, previousCount: state.previousCount, number: number),
            messageKey: suite.messageKey(step.key), headerKey: sending.headerKey)
    }
}
