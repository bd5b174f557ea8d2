internal import Encodings
internal import Primitives
public import SecureMemory

// The record of a session. Numbers are little-endian.
//
//   offset  length  meaning
//        0       1  1, the form
//        1       1  ID of the suite
//        2       1  1 a sending chain is there, 2 next header keys are there
//        3      32  root key
//       35      32  own private ratchet key
//       67      32  own public ratchet key
//       99       4  messages on the former sending chain
//        …      36  sending chain, if it is there: key (32), next number (4); then its header key (32) if headers are
//                   encrypted
//        …      64  next sending and next receiving header key, if they are there
//        …       1  number of receiving chains
//        …       …  the receiving chains, from old to new
//
// A receiving chain:
//
//        0      32  ratchet key of the other side
//       32       1  1 if it is open
//        …      36  if it is open: chain key (32), next number (4)
//        …      32  header key, if headers are encrypted
//        …       2  number of skipped keys
//        …      12  for each, in ascending order: number (4), time, Unix milliseconds (8)
//        …      32  for each: the key

private let form: UInt8 = 1

private enum Parts {
    static let sending: UInt8 = 1
    static let nextKeys: UInt8 = 2
}

extension DoubleRatchet {
    /// Length of the longest record of a suite in bytes.
    public static func maxRecordCount(_ suite: RatchetSuite) -> Int {
        104 + KeyChain.encodedCount + 3 * KeyTable.keyCount + suite.limits.maxChains
            * (2 * KeyTable.keyCount + 1 + KeyChain.encodedCount + KeyTable.encodedCount(0))
            + KeyTable.encodedCount(suite.limits.maxStored)
    }

    /// The session as a record. It has all of its keys: seal it where it is stored, and let no old one survive.
    public borrowing func encoded() -> SecureBytes {
        var buffer = SecureBuffer(capacity: encodedCount)
        buffer.append(form)
        buffer.append(suite.id)
        buffer.append(
            (state.sending == nil ? 0 : Parts.sending) | (state.nextSendingKey == nil ? 0 : Parts.nextKeys))
        buffer.append(state.root)
        buffer.append(state.pair.secret)
        buffer.append(state.pair.publicKey.span)
        buffer.append(number: UInt64(state.previousCount), width: 4)
        if let sending = state.sending {
            buffer.append(sending.chain)
            buffer.append(sending.headerKey)
        }
        buffer.append(state.nextSendingKey)
        buffer.append(state.nextReceivingKey)
        buffer.append(UInt8(state.receiving.count))
        for each in state.receiving {
            buffer.append(each.ratchetKey.span)
            buffer.append(each.chain == nil ? 0 : 1)
            if let chain = each.chain { buffer.append(chain) }
            buffer.append(each.headerKey)
            buffer.append(each.skipped)
        }
        return buffer.finish()
    }

    private var encodedCount: Int {
        let key = KeyTable.keyCount
        var count = 3 + 3 * key + 4 + 1
        if let sending = state.sending { count += KeyChain.encodedCount + (sending.headerKey == nil ? 0 : key) }
        count += state.nextSendingKey == nil ? 0 : 2 * key
        for each in state.receiving {
            count += key + 1 + (each.chain == nil ? 0 : KeyChain.encodedCount) + (each.headerKey == nil ? 0 : key)
            count += KeyTable.encodedCount(each.skipped.count)
        }
        return count
    }

    /// Reads a record. The limits of the suite hold for what it contains.
    /// - Throws: `.unknownForm`, `.otherSuite`, `.malformed`.
    public init(decoding record: Span<UInt8>, suite: RatchetSuite) throws(RecordError) {
        guard record.count <= Self.maxRecordCount(suite) else { throw .malformed }
        var position = 0
        let actual = UInt8(try record.number(1, &position))
        guard actual == form else { throw .unknownForm(actual) }
        let id = UInt8(try record.number(1, &position))
        guard id == suite.id else { throw .otherSuite(id) }
        let state = try RatchetState(decoding: record, &position, suite)
        guard position == record.count else { throw .malformed }
        self.init(suite: suite, state: state)
    }
}

extension RatchetState {
    fileprivate init(decoding record: Span<UInt8>, _ position: inout Int, _ suite: RatchetSuite) throws(RecordError) {
        let hasHeaderKeys = suite.headerKeys != nil
        let parts = UInt8(try record.number(1, &position))
        guard parts & ~(Parts.sending | Parts.nextKeys) == 0, (parts & Parts.nextKeys != 0) == hasHeaderKeys else {
            throw .malformed
        }
        let root = try record.key(&position)
        let secret = try record.key(&position)
        let pair = KeyPair(secret: secret, publicKey: try record.bytes(X25519.count, &position))
        self.init(root: root, pair: pair)
        previousCount = UInt32(try record.number(4, &position))
        if parts & Parts.sending != 0 {
            let chain = try record.chain(&position)
            sending = SendingChain(chain: chain, headerKey: hasHeaderKeys ? try record.key(&position) : nil)
        }
        if hasHeaderKeys {
            nextSendingKey = try record.key(&position)
            nextReceivingKey = try record.key(&position)
        }
        // Only a responder that has not received yet has no sending chain.
        let count = Int(try record.number(1, &position))
        guard count <= suite.limits.maxChains, sending != nil || count == 0 && suite.start == .rootKey else {
            throw .malformed
        }
        for index in 0..<count {
            let chain = try ReceivingChain(decoding: record, &position, suite, stored: storedCount)
            let isLast = index == count - 1
            guard !receiving.contains(where: { $0.ratchetKey == chain.ratchetKey }) else { throw .malformed }
            // The current chain is open, and former ones if the suite says so. A closed one has keys.
            let isOpen = isLast || suite.formerChains == .stayOpen
            guard (chain.chain != nil) == isOpen, isOpen || !chain.skipped.isEmpty else { throw .malformed }
            receiving.append(chain)
        }
    }
}

extension RatchetState.ReceivingChain {
    fileprivate init(
        decoding record: Span<UInt8>, _ position: inout Int, _ suite: RatchetSuite, stored: Int
    ) throws(RecordError) {
        let ratchetKey = try record.bytes(X25519.count, &position)
        let flag = try record.number(1, &position)
        guard flag <= 1 else { throw .malformed }
        let chain = flag == 1 ? try record.chain(&position) : nil
        let headerKey = suite.headerKeys == nil ? nil : try record.key(&position)
        let skipped = try record.table(limit: suite.limits.maxStored - stored, below: chain?.next, &position)
        self.init(ratchetKey: ratchetKey, headerKey: headerKey, chain: chain, skipped: skipped)
    }
}
