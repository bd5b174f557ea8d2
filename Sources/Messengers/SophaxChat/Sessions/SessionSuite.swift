internal import Encodings
public import Ratchet

extension RatchetSuite {
    /// SophaxChat's double ratchet with header encryption: X3DH with 32 bytes `ff` in front, root steps that also give
    /// the next header key, message keys that are used as they are.
    public static let sophaxChat = RatchetSuite(
        id: 40, agreement: Agreement(hasPrefix: true, info: "SophaxChat_X3DH_v1"), start: .rootKey,
        rootInfo: "SophaxChat_RootKey_v1", expansion: nil,
        headerKeys: HeaderKeys(initiatorInfo: "SophaxChat_HKAlice_v1", responderInfo: "SophaxChat_NHKBob_v1"),
        formerChains: .areClosed,
        limits: Limits(
            maxSkipped: 1000, maxStored: 1000, overflow: .refuse, maxChains: 50, maxAge: .days(7), maxSent: 1 << 20))
}

/// What header boxes are bound to. A session keeps the one that it has begun with.
public enum HeaderForm: UInt8, Sendable {
    /// Nothing.
    case plain = 1
    /// `SophaxChat_DR_Header_v2`.
    case labelled = 2

    var data: [UInt8] { self == .plain ? [] : Array("SophaxChat_DR_Header_v2".utf8) }
}
