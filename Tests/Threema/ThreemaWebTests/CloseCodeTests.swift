import Testing

@testable import ThreemaWeb

@Suite struct CloseCodeTests {
    /// Status, meaning, whether an initiator may give it as the reason to drop a responder: the table of the SaltyRTC
    /// signalling protocol, "Close Codes", and the message 'drop-responder'.
    static let codes: [(UInt16, CloseCode, Bool)] = [
        (1001, .goingAway, false), (1002, .subprotocolError, false), (3000, .pathFull, false),
        (3001, .protocolError, true), (3002, .internalError, true), (3003, .handover, false),
        (3004, .droppedByInitiator, true), (3005, .initiatorCouldNotDecrypt, true), (3006, .noSharedTask, false),
        (3007, .invalidKey, false), (3008, .timeout, false),
    ]

    @Test(arguments: codes) func `a code is the number of the protocol`(
        _ status: UInt16, _ code: CloseCode, _ isDropReason: Bool
    ) {
        #expect(code.rawValue == status)
        #expect(CloseCode(rawValue: status) == code)
        #expect(code.isDropReason == isDropReason)
    }

    @Test func `there are no other codes`() {
        #expect(CloseCode.allCases == Self.codes.map(\.1))
        for status in [0, 1000, 1003, 2999, 3009, .max] as [UInt16] { #expect(CloseCode(rawValue: status) == nil) }
    }
}
