import Encodings
import Glibc
import SecureMemory

/// Waiting on purpose: a fleet of machines must not push in the same second.
enum Sleep {
    static func random(below limit: Duration) {
        var rest = Int64(Random.number(below: UInt32(clamping: limit.milliseconds)))
        // In pieces: usleep takes less than a second.
        while rest > 0 {
            usleep(UInt32(min(rest, 500)) * 1000)
            rest -= 500
        }
    }
}
