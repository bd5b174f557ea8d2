import Glibc

/// The processor time of the calling thread: other threads and programs do not count.
public enum ThreadTime {
    /// In nanoseconds.
    public static func used() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
