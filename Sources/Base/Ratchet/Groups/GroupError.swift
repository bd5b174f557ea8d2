/// Why a step of a group was refused. Then nothing has changed.
public enum GroupError: Error, Equatable, Sendable {
    /// The other one is not a member, as far as this side knows.
    case notMember
    /// These members have to be given the own chain before anything is sealed. All of them, if the chain has ended.
    case rekeyPending([GroupMember])
    /// The distribution or message is of a chain that its sender has replaced, as often as the limits have open chains.
    /// Drop the message: nothing will open it.
    case oldGeneration
    /// No distribution of this chain has arrived yet, as far as anybody can tell: keep the message until it does.
    case unknownChain
    /// A message with this number on this chain was received already, or its key was removed: drop the message.
    case duplicate
    /// More messages are missing than may be skipped.
    case tooManySkipped
    /// A number is the last one, which no message may have.
    case numberTooHigh
    /// The key of this message does not open the body.
    case notAuthentic
    /// The sender is known to speak a newer form of messages or distributions.
    case lowerForm
    /// A body is too long to be sealed, or what opens has not the form that a messenger asks for.
    case malformedBody
    /// A list of members has duplicates, misses this side, or is longer than the limit.
    case malformedMembers
    /// A chain key has not 32 bytes, or a chain ID not 16.
    case malformedDistribution
}
