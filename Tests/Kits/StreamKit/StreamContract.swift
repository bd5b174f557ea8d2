import ByteStreams

/// What every `ByteStream` does. The other side is an `EchoHandler`.
package enum StreamContract {
    /// A case, and how a stream breaks the contract.
    package struct Broken: Error {
        let words: String
    }

    package static let cases = ["bytes return in order", "a silent other side", "the other side closes", "closed here"]

    /// - Parameter stream: freshly connected.
    package static func check(_ name: String, _ stream: any ByteStream) throws {
        switch name {
        case "bytes return in order":
            let bytes = (0..<300_000).map { UInt8($0 / 7 % 251) }
            var returned: [UInt8] = []
            // In parts: both sides of one thread cannot wait for each other.
            for start in stride(from: 0, to: bytes.count, by: 20_000) {
                try stream.write(bytes.span.extracting(start..<start + 20_000), within: .seconds(20))
                while returned.count < start + 20_000 {
                    let piece = try stream.read(upTo: 7_000, within: .seconds(20))
                    guard (1...7_000).contains(piece.count) else { throw Broken(words: "\(piece.count) bytes") }
                    returned += piece
                }
            }
            guard returned == bytes else { throw Broken(words: "other bytes") }
        case "a silent other side":
            for timeout in [Duration.zero, .milliseconds(50)] {
                try expect(.timedOut(.read)) { () throws(StreamError) in
                    _ = try stream.read(upTo: 1, within: timeout)
                }
            }
            // It can be used as before.
            try stream.write([7].span, within: .seconds(20))
            guard try stream.read(upTo: 9, within: .seconds(20)) == [7] else { throw Broken(words: "no answer") }
        case "the other side closes":
            try stream.write([1, EchoHandler.closing].span, within: .seconds(20))
            guard try stream.read(upTo: 9, within: .seconds(20)) == [1] else { throw Broken(words: "no answer") }
            for _ in 0..<2 {
                guard try stream.read(upTo: 9, within: .seconds(20)) == [] else { throw Broken(words: "no end") }
            }
        default:
            stream.close()
            stream.close()
            try expect(.closed) { () throws(StreamError) in try stream.write([1].span, within: .seconds(20)) }
        }
    }

    private static func expect(_ wanted: StreamError, _ body: () throws(StreamError) -> Void) throws {
        do throws(StreamError) {
            try body()
        } catch {
            guard error == wanted else { throw Broken(words: "\(error), not \(wanted)") }
            return
        }
        throw Broken(words: "no \(wanted)")
    }
}

/// Sends back what it receives, up to a byte on which it closes the connection.
package final class EchoHandler: StreamHandler {
    package static let closing: UInt8 = 0xff

    package init() {}

    package func opened(_ connection: Int, at now: Duration) -> [StreamAction] { [] }

    package func received(_ bytes: Span<UInt8>, from connection: Int, at now: Duration) -> [StreamAction] {
        var answer: [UInt8] = []
        for index in bytes.indices {
            if bytes[index] == Self.closing { return [.send(answer, to: connection), .close(connection)] }
            answer.append(bytes[index])
        }
        return [.send(answer, to: connection)]
    }

    package func drained(_ connection: Int, at now: Duration) -> [StreamAction] { [] }

    package func closed(_ connection: Int, at now: Duration) -> [StreamAction] { [] }

    package var deadline: Duration? { nil }

    package func due(at now: Duration) -> [StreamAction] { [] }
}
