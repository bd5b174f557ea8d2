import ByteStreams

/// Sends each line back in capitals. It closes a connection that sends nothing for a while, or a line that is too long.
final class LoudEcho: StreamHandler {
    static let maxLine = 4096

    private let silenceLimit: Duration
    /// The beginning of a line, for each connection.
    private var lines: [Int: [UInt8]] = [:]
    private var lastHeard: [Int: Duration] = [:]

    init(silenceLimit: Duration) { self.silenceLimit = silenceLimit }

    func opened(_ connection: Int, at now: Duration) -> [StreamAction] {
        lastHeard[connection] = now
        return []
    }

    func received(_ bytes: Span<UInt8>, from connection: Int, at now: Duration) -> [StreamAction] {
        lastHeard[connection] = now
        var actions: [StreamAction] = []
        var line = lines[connection] ?? []
        for index in bytes.indices {
            line.append(bytes[index])
            guard bytes[index] == UInt8(ascii: "\n") else { continue }
            actions.append(.send(Array(String(decoding: line, as: UTF8.self).uppercased().utf8), to: connection))
            line = []
        }
        lines[connection] = line
        return line.count > Self.maxLine ? actions + [.close(connection)] : actions
    }

    func drained(_ connection: Int, at now: Duration) -> [StreamAction] { [] }

    func closed(_ connection: Int, at now: Duration) -> [StreamAction] {
        lines[connection] = nil
        lastHeard[connection] = nil
        return []
    }

    var deadline: Duration? { lastHeard.values.min().map { $0 + silenceLimit } }

    func due(at now: Duration) -> [StreamAction] {
        let silent = lastHeard.filter { now - $0.value >= silenceLimit }.keys
        for connection in silent { lastHeard[connection] = nil }
        return silent.map { .close($0) }
    }
}
