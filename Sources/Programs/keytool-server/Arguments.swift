public import ArgumentParser
import Console
import Encodings
public import SafeStore
public import SafeWire

// How values are spelled on the command line.

extension AccountName: ExpressibleByArgument {
    /// 1 to 32 lower-case letters, digits and hyphens.
    public init?(argument: String) { self.init(argument) }
}

extension BackupID: ExpressibleByArgument {
    /// 64 hexadecimal digits.
    public init?(argument: String) { self.init(hex: argument.lowercased()) }
}

/// A number of bytes: `4096`, `500K`, `20M`, `1G`, with units of 1024.
struct ByteSize: ExpressibleByArgument {
    let bytes: Int

    /// - Returns: nil for any other text, and for 8 EiB or more.
    init?(argument: String) {
        let units: [Character: Int] = ["K": 10, "M": 20, "G": 30, "T": 40]
        let shift = argument.last.flatMap { units[$0] }
        let digits = shift == nil ? argument[...] : argument.dropLast()
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = Int(digits)
        else { return nil }
        let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: 1 << (shift ?? 0))
        guard !isTooLarge else { return nil }
        self.bytes = bytes
    }
}

extension ByteSize {
    /// Refuses a quota with which an account stores nothing.
    func requireQuota() throws {
        guard bytes > 0 else {
            throw UsageFailure(
                "with a quota of 0 bytes, an account stores nothing", hint: "keytool-server account remove removes it")
        }
    }
}

/// The time of a previous backup.
struct VersionTime: ExpressibleByArgument {
    let timestamp: Timestamp
    var text: String { timestamp.compact }

    /// As `versions` prints it.
    init?(argument: String) {
        guard let timestamp = Timestamp(compact: argument) else { return nil }
        self.timestamp = timestamp
    }
}

/// A time in UTC, as people write it.
struct PastTime: ExpressibleByArgument {
    let timestamp: Timestamp

    /// `2026-11-21T03:00:00Z`, or as `versions` prints it.
    init?(argument: String) {
        let digits = argument.filter { $0 != "-" && $0 != ":" }
        if let exact = Timestamp(compact: argument) {
            timestamp = exact
        } else if let whole = Timestamp(compact: digits.dropLast() + "000Z"), whole.rfc3339 == argument {
            timestamp = whole
        } else {
            return nil
        }
    }
}

/// Numbers with their nouns.
enum Counted {
    /// "1 backup", "2 backups".
    static func backups(_ count: Int) -> String { count == 1 ? "1 backup" : "\(count) backups" }
    /// "1 previous backup", "2 previous backups".
    static func previous(_ count: Int) -> String {
        count == 1 ? "1 previous backup" : "\(count) previous backups"
    }
}
