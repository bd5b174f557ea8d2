import SafeWire
import Transports

/// A service that raises the alarm when a job does not report, in the manner of healthchecks.io: a GET of
/// `<address>/start`, and at the end one of `<address>/<exit code>`.
struct Ping {
    private let path: Substring
    private let query: Substring

    private static let maxURLBytes = 2048

    /// - Parameter urlFile: holds the address on one line. Who knows it can report in this job's name, so it is no
    ///   argument and is in no message.
    /// - Throws: `InputError`; `UsageFailure` for what is no address.
    init(urlFile: String) throws {
        let bytes = try InputFile(plainFile: urlFile).readBytes(limit: Self.maxURLBytes, isLine: true)
        let url = String(decoding: bytes, as: UTF8.self)
        guard url.lowercased().hasPrefix("https://"), url.utf8.count > "https://".utf8.count,
            bytes.allSatisfy({ (0x21...0x7e).contains($0) })
        else {
            throw UsageFailure("\(urlFile) holds no address of a monitoring service: one line, https://…")
        }
        let parts = url.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = parts[0].last == "/" ? parts[0].dropLast() : parts[0]
        query = parts.count > 1 ? "?" + parts[1] : ""
    }

    func start(_ output: Output) { send("start", output) }

    func end(_ exitCode: Int32, _ output: Output) { send("\(exitCode)", output) }

    /// That the service is away is for the service to notice; only who asks to be told more is told here.
    private func send(_ word: String, _ output: Output) {
        do throws(SafeExchangeError) {
            try HTTPSPing.send(to: "\(path)/\(word)\(query)", userAgent: "keytool/\(Keytool.version)")
        } catch {
            if output.isVerbose { output.warn("the monitoring service was not told: \(error.failure.message)") }
        }
    }
}
