import Encodings
import SafeWire
import SafeTransports

extension ObservedRequest {
    /// What `--verbose` shows of a request.
    var line: String { "\(method) \(url) \(outcome), \(bytes) bytes, \(duration.milliseconds) ms" }

    private var outcome: String {
        do {
            return "\(try result.get())"
        } catch {
            guard case .unavailable(_, let failure) = error else { return "failed" }
            return failure.words
        }
    }
}
