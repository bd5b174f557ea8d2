import Console
import Glibc

/// Tells systemd what the server does (sd_notify(3), `Type=notify`). Without `NOTIFY_SOCKET`, nothing is told.
struct ServiceManager {
    private let path: String?

    init() throws { path = try Environment.setting("NOTIFY_SOCKET") }

    func ready() { tell("READY=1") }
    func reloading() { tell("RELOADING=1\nMONOTONIC_USEC=\(Int(MonotonicClock.awake() / .microseconds(1)))") }
    func stopping() { tell("STOPPING=1") }

    /// Best effort; errors are ignored.
    private func tell(_ message: String) {
        guard let path, ["/", "@"].contains(path.first) else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        // The name of an abstract socket begins with a NUL.
        if path.first == "@" { name[0] = 0 }
        let count = unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard name.count < room.count else { return 0 }
            unsafe room.copyBytes(from: name)
            return name.count
        }
        guard count > 0 else { return }
        let file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard file >= 0 else { return }
        defer { close(file) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + count)
        _ = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe sendto(file, message, message.utf8.count, Int32(MSG_NOSIGNAL), address, length)
            }
        }
    }
}

/// The time since the machine was started.
enum MonotonicClock {
    /// Without the time in which the machine slept, as systemd counts it.
    static func awake() -> Duration { time(CLOCK_MONOTONIC) }

    /// With the time in which the machine slept. By the other clock, each sleep would look like a jump of the wall clock.
    static func withSleep() -> Duration { time(CLOCK_BOOTTIME) }

    private static func time(_ clock: clockid_t) -> Duration {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
