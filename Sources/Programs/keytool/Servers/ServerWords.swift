import Console
import Encodings
import HTTP
import SafeWire

extension SafeServerAddress {
    /// As results name it: a server by its host, a directory by its address.
    var name: String {
        switch self {
        case .https: host
        case .directory: text
        }
    }
}

extension JSONValue {
    /// What the results of Safe commands say of a server.
    static func server(_ address: SafeServerAddress, _ limits: ServerLimits?) -> JSONValue {
        .members([
            ("host", .string(address.host)), ("address", .string(address.text)),
            ("max_backup_bytes", limits.map { .number($0.maxBackupBytes) }),
            ("retention_days", limits.map { .number($0.retentionDays) }),
        ])
    }
}

extension SafeEndpoint {
    /// The names of the parts that differ.
    func differences(from other: borrowing SafeEndpoint) -> [String] {
        var differences: [String] = []
        if address != other.address { differences.append("address") }
        if !Login.areSame(login, other.login) { differences.append("login") }
        if authority != other.authority { differences.append("certificate authorities") }
        if pins != other.pins { differences.append("pins") }
        if onPrem != other.onPrem { differences.append("provisioning file") }
        return differences
    }
}

/// A server's clock and this machine's, which go by different times.
struct ClockDifference {
    /// The server's time less ours.
    private let lead: Duration

    /// Certificates, retention and the age of a backup are all a matter of the clock; a few minutes are not.
    private static let tolerated = Duration.seconds(300)

    /// - Returns: nil where the difference is unknown, or of no account.
    init?(lead: Duration?) {
        guard let lead, lead > Self.tolerated || lead < .zero - Self.tolerated else { return nil }
        self.lead = lead
    }

    var words: String {
        let seconds = lead.components.seconds.magnitude
        let (count, unit) =
            switch seconds {
            case ..<7200: (seconds / 60, "minutes")
            case ..<172_800: (seconds / 3600, "hours")
            default: (seconds / 86_400, "days")
            }
        return "\(count) \(unit) \(lead > .zero ? "ahead of" : "behind") this machine's"
    }

    var warning: String { "the server's clock is \(words): one of the two is wrong" }
}
