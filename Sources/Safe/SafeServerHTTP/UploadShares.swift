/// The memory that uploads have taken, and which of them ends if there is none for another one. It reads no clock and
/// ends nothing: `UploadMemory` does what it says.
///
/// If the memory is full, the slowest upload of the network with the most bytes ends: an IPv4 network is a /24, an IPv6
/// network a /64. So slow uploads from some networks end each other, and not those from elsewhere. An upload that is
/// being stored does not end.
struct UploadShares {
    /// What came of an upload in the present part of the time, and in the one before.
    private struct Pace {
        var part = 0
        var now = 0
        var before = 0

        mutating func move(to part: Int) {
            guard part > self.part else { return }
            before = part == self.part + 1 ? now : 0
            now = 0
            self.part = part
        }
    }

    private struct Upload {
        let client: String
        let network: String
        var bytes = 0
        var pace = Pace()
        var isReceiving = true
    }

    enum Result: Equatable {
        /// The bytes are taken; these uploads end for them.
        case taken(ending: [Int])
        /// This upload ends: it is the slowest one, after others that ended before.
        case ended(alsoEnding: [Int])
        /// There is no room for these bytes, or the client has no share left. The upload has given all bytes back.
        case refused(alsoEnding: [Int])

        /// The other uploads that end.
        var ending: [Int] {
            switch self {
            case .taken(let numbers), .ended(let numbers), .refused(let numbers): numbers
            }
        }
    }

    /// Two parts are the time over which uploads are compared, five seconds.
    private static let part = Duration.milliseconds(2500)

    private let limit: Int
    private let share: Int
    private var uploads: [Int: Upload] = [:]
    private var clients: [String: Int] = [:]
    private var networks: [String: Int] = [:]
    private var numbers = 0
    /// Bytes that are taken.
    private(set) var all = 0

    /// - Parameters:
    ///   - limit: in bytes.
    ///   - share: most bytes of one client.
    init(limit: Int, share: Int) {
        self.limit = limit
        self.share = share
    }

    /// Begins an upload, which has taken nothing yet.
    /// - Parameter client: an IPv4 address, or another name.
    mutating func open(for client: String) -> Int {
        numbers += 1
        uploads[numbers] = Upload(client: client, network: Self.network(of: client))
        return numbers
    }

    /// Takes more bytes for an upload.
    mutating func take(_ bytes: Int, for number: Int, at now: Duration) -> Result {
        guard let upload = uploads[number] else { return .ended(alsoEnding: []) }
        let own = clients[upload.client] ?? 0
        guard own == 0 || own + bytes <= share, bytes <= limit else {
            close(number)
            return .refused(alsoEnding: [])
        }
        let part = Int(now / Self.part)
        uploads[number]!.pace.move(to: part)
        uploads[number]!.pace.now += bytes
        add(bytes, to: number)
        var ending: [Int] = []
        while all > limit {
            guard let slowest = slowest(at: part) else {
                close(number)
                return .refused(alsoEnding: ending)
            }
            close(slowest)
            if slowest == number { return .ended(alsoEnding: ending) }
            ending.append(slowest)
        }
        return .taken(ending: ending)
    }

    /// The upload has come, and is being stored: it does not end for another one.
    /// - Returns: false if it has ended for another one already.
    mutating func store(_ number: Int) -> Bool {
        guard uploads[number] != nil else { return false }
        uploads[number]!.isReceiving = false
        return true
    }

    /// Gives back what an upload has taken.
    mutating func close(_ number: Int) {
        guard let upload = uploads[number] else { return }
        add(-upload.bytes, to: number)
        uploads[number] = nil
    }

    private mutating func add(_ bytes: Int, to number: Int) {
        let upload = uploads[number]!
        uploads[number]!.bytes += bytes
        all += bytes
        Self.add(bytes, to: &clients[upload.client])
        Self.add(bytes, to: &networks[upload.network])
    }

    private static func add(_ bytes: Int, to sum: inout Int?) {
        let new = (sum ?? 0) + bytes
        sum = new > 0 ? new : nil
    }

    /// The upload with the fewest bytes in the time, of the network with the most bytes among those that have one that
    /// may end. Of several, the one that has taken most, so that few end.
    private func slowest(at part: Int) -> Int? {
        let receiving = uploads.filter { $0.value.isReceiving && $0.value.bytes > 0 }
        let greediest = Set(receiving.map(\.value.network)).max {
            (networks[$0] ?? 0, $0) < (networks[$1] ?? 0, $1)
        }
        return receiving.filter { $0.value.network == greediest }.min { left, right in
            (Self.recent(left.value, part), -left.value.bytes, left.key)
                < (Self.recent(right.value, part), -right.value.bytes, right.key)
        }?.key
    }

    private static func recent(_ upload: Upload, _ part: Int) -> Int {
        var pace = upload.pace
        pace.move(to: part)
        return pace.now + pace.before
    }

    /// The first three numbers of an IPv4 address. Clients with IPv6 are named by their /64 already.
    static func network(of client: String) -> String {
        guard !client.contains(":"), let dot = client.lastIndex(of: ".") else { return client }
        return String(client[..<dot])
    }
}
