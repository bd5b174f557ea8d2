internal import HTTP
internal import Synchronization

/// The header `Date` of answers: its text is made once a second.
final class AnswerDate: Sendable {
    private let present = Mutex<(seconds: Int64, text: String)?>(nil)

    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    /// - Parameter seconds: since the epoch.
    func text(_ seconds: Int64) -> String {
        present.withLock { present in
            if let present, present.seconds == seconds { return present.text }
            let text = HTTPDate.text(seconds)
            present = (seconds, text)
            return text
        }
    }
}
