import CommandParsing
import Console
import HTTPTransport
import SafeWire
import SecureMemory
import SafeTransports

/// A service that raises the alarm when a job does not report, in the manner of healthchecks.io: a GET of
/// `<address>/start`, and at the end one of `<address>/<exit code>`.
final class Ping {
    /// Who knows it can report in this job's name.
    private let url: SecureBytes
    private let path: Range<Int>
    /// With its question mark.
    private let query: Range<Int>
    private var hasWarned = false

    private static let maxURLBytes = 2048
    private static let scheme = "https://"

    /// - Parameter urlFile: a file with the address on one line. The address is secret, so it is not an argument.
    /// - Throws: `InputError`; `UsageFailure` if the line is not an `https://` address.
    init(urlFile: String) throws {
        // With a line ending of one or two bytes.
        url = try InputFile(plainFile: urlFile).readGuarded(limit: Self.maxURLBytes + 2)
        let parts = url.withBytes(Self.parts)
        guard let parts else {
            throw UsageFailure("\(urlFile) must contain one line, the https:// address of a monitoring service")
        }
        path = parts.path
        query = parts.query
    }

    /// - Returns: nil if the bytes are not an `https://` address.
    private static func parts(of bytes: Span<UInt8>) -> (path: Range<Int>, query: Range<Int>)? {
        var end = bytes.count
        if end > 0, bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        if end > 0, end < bytes.count, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        let scheme = Array(scheme.utf8)
        guard (scheme.count + 1...maxURLBytes).contains(end),
            scheme.indices.allSatisfy({ bytes[$0] | 0x20 == scheme[$0] | 0x20 }),
            (0..<end).allSatisfy({ (0x21...0x7e).contains(bytes[$0]) })
        else { return nil }
        // What follows a # is for browsers.
        end = (0..<end).first { bytes[$0] == UInt8(ascii: "#") } ?? end
        let middle = (0..<end).first { bytes[$0] == UInt8(ascii: "?") } ?? end
        guard middle > scheme.count, bytes[scheme.count] != UInt8(ascii: "/") else { return nil }
        let last = bytes[middle - 1] == UInt8(ascii: "/") ? middle - 1 : middle
        return (0..<last, middle..<end)
    }

    func start(_ output: Output) { send("start", output) }

    func end(_ exitCode: Int32, _ output: Output) { send("\(exitCode)", output) }

    /// A failure is a warning, once: the service notices by itself that it is not told.
    private func send(_ word: String, _ output: Output) {
        do throws(SafeExchangeError) {
            try HTTPSPing.send(to: address(of: word), userAgent: "keytool/\(Release.version)", by: CurlClient())
        } catch {
            guard !hasWarned else { return }
            hasWarned = true
            output.warn("the monitoring service could not be notified: \(Self.words(error))")
        }
    }

    private static func words(_ error: SafeExchangeError) -> String {
        guard case .unexpectedStatus(_, let status) = error else { return error.failure.message }
        return "it answered with status \(status)"
    }

    /// The address for a word.
    private func address(of word: String) -> SecureBytes {
        let step = Array("/\(word)".utf8)
        return url.withBytes { url in
            var address = SecureBuffer(capacity: path.count + step.count + query.count)
            address.append(url.extracting(path))
            address.append(step.span)
            address.append(url.extracting(query))
            return address.finish()
        }
    }
}
