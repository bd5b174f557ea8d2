import Console
import SophaxStorage

extension PINError: Explained {
    var failure: Failure {
        switch self {
        case .length:
            Failure(.usage, "a PIN has \(PINLock.counts.lowerBound) to \(PINLock.counts.upperBound) bytes")
        case .equalPINs:
            Failure(
                .usage, "the PIN and the duress PIN have to differ",
                hints: "no PIN was changed, but this counts as one of 4 changes within 24 hours")
        case .delayed(let delay):
            Failure(
                .tempfail, "too many wrong PINs: the next one is checked in \(delay.components.seconds + 1) s",
                hints: "wait, then try again"
            ).because(of: "pin_delayed")
        case .tooManyChanges(let delay):
            Failure(
                .tempfail,
                "the PINs were changed \(PINAllowance.limit) times within 24 hours: "
                    + "the next change is possible in \(Sleep.words(delay))",
                hints: "wait, then try again; nothing was checked or changed"
            ).because(of: "pin_changes")
        }
    }
}
