/// The flags of a message, for the server and for the receiver.
public struct MessageFlags: OptionSet, Hashable, Sendable {
    /// The byte of the payload.
    public let rawValue: UInt8

    /// Bits that have no name here are carried along.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The server wakes the receiver's device.
    public static let push = MessageFlags(rawValue: 0x01)
    /// The server drops the message if the receiver is not connected.
    public static let noServerQueue = MessageFlags(rawValue: 0x02)
    /// Neither side acknowledges the message to the server.
    public static let noServerAcknowledgement = MessageFlags(rawValue: 0x04)
    /// Once marked messages of groups.
    public static let reservedGroup = MessageFlags(rawValue: 0x10)
    /// The server keeps the message for 60 seconds.
    public static let shortLived = MessageFlags(rawValue: 0x20)
    /// The receiver's device sends no delivery receipts of its own accord.
    public static let noDeliveryReceipt = MessageFlags(rawValue: 0x80)
}
