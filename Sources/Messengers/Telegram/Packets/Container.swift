internal import SecureMemory

// Several messages in one packet. A container is one message itself, which nobody acknowledges:
//
//   offset  length  meaning
//        0       4  73f1f8dc
//        4       4  number of messages
//        8       …  the messages, one behind the other:
//       +0       8  message ID, lower than that of the container
//       +8       4  sequence number, at most that of the container
//      +12       4  length of the data
//      +16       …  data

extension LegacyMTProto1 {
    /// Reads and writes containers: several messages in one packet.
    public enum Container {
        /// The first 4 bytes of a container, as a number.
        public static let constructor: UInt32 = 0x73f1_f8dc
        /// Most messages in a container. Our choice: it bounds the work that one packet can cause.
        public static let maxMessages = 1024
        private static let headerCount = 8
        private static let memberHeaderCount = 16

        /// Whether the data of a message begins as a container does.
        public static func isContainer(_ data: [UInt8]) -> Bool {
            data.count >= 4 && data.span.number32(at: 0) == constructor
        }

        /// The length of a container of messages with this data, in bytes.
        static func encodedCount(_ data: [[UInt8]]) -> Int {
            data.reduce(headerCount) { $0 + memberHeaderCount + $1.count }
        }

        /// The data of a container's message.
        public static func encode(_ messages: [Message]) -> [UInt8] {
            var data: [UInt8] = []
            data.reserveCapacity(encodedCount(messages.map(\.data)))
            data.append(number: constructor)
            data.append(number: UInt32(messages.count))
            for message in messages {
                data.append(number: message.id.number)
                data.append(number: message.sequence)
                data.append(number: UInt32(message.data.count))
                data += message.data
            }
            return data
        }

        /// The messages in a container.
        /// - Parameter container: the message that is the container.
        /// - Throws: `.malformed` if lengths do not fit; `.tooMany`; `.nested` for a container in it; `.notAbove` if an ID is not
        ///   lower, or a sequence number is higher, than that of the container.
        public static func decode(_ container: Message) throws(ContainerError) -> [Message] {
            let bytes = container.data
            let data = bytes.span
            guard data.count >= headerCount, data.number32(at: 0) == constructor else { throw .malformed }
            // Nothing is allocated for a number that the bytes cannot hold.
            let count = UInt64(data.number32(at: 4))
            guard count * UInt64(memberHeaderCount) <= UInt64(data.count - headerCount) else { throw .malformed }
            guard count <= UInt64(maxMessages) else { throw .tooMany(limit: maxMessages) }
            var messages: [Message] = []
            messages.reserveCapacity(Int(count))
            var position = headerCount
            for _ in 0..<count {
                guard data.count - position >= memberHeaderCount else { throw .malformed }
                let id = MessageID(data.number64(at: position))
                let sequence = data.number32(at: position + 8)
                let length = UInt64(data.number32(at: position + 12))
                position += memberHeaderCount
                guard length <= UInt64(data.count - position) else { throw .malformed }
                let body = data.extracting(position..<position + Int(length)).revealBytes()
                position += Int(length)
                guard !isContainer(body) else { throw .nested }
                guard id < container.id, sequence <= container.sequence else { throw .notAbove(id) }
                messages.append(Message(id: id, sequence: sequence, data: body))
            }
            guard position == data.count else { throw .malformed }
            return messages
        }
    }
}

/// Why a container was not read.
public enum ContainerError: Error, Equatable, Sendable {
    case malformed
    /// It has more than `limit` messages.
    case tooMany(limit: Int)
    /// A container in a container.
    case nested
    /// The message with this ID was not made before the container.
    case notAbove(MessageID)
}
