import Encodings
import Glibc
import SecureMemory

/// Waiting on purpose: a fleet of machines must not push in the same second.
enum Sleep {
    static func random(below limit: Duration) {
        wait(.milliseconds(Random.number(below: UInt32(clamping: limit.milliseconds))))
    }

    static func wait(_ time: Duration) {
        var rest = time.milliseconds
        // In pieces: usleep takes less than a second.
        while rest > 0 {
            usleep(UInt32(min(rest, 500)) * 1000)
            rest -= 500
        }
    }
}
