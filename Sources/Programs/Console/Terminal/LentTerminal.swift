import CLinux
import Glibc

/// The controlling terminal, lent to another process group for a while.
///
/// The kernel stops a process that reads from a terminal if its group is not in the foreground.
final class LentTerminal {
    private let descriptor: Int32
    private var settings = termios()

    /// Nil if this process has no terminal.
    init?() {
        descriptor = unsafe keytool_openat(AT_FDCWD, "/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
        guard unsafe tcgetattr(descriptor, &settings) == 0 else {
            close(descriptor)
            return nil
        }
    }

    deinit {
        close(descriptor)
    }

    /// The terminal's descriptor if our group is its foreground group: only then it is ours to lend.
    var descriptorIfForeground: Int32? { isLent(to: getpgrp()) ? descriptor : nil }

    /// Whether a process group has the terminal.
    func isLent(to group: pid_t) -> Bool { tcgetpgrp(descriptor) == group }

    /// - Returns: whether it was ours, and now is the group's.
    func lendIfOurs(to group: pid_t) -> Bool {
        guard isLent(to: getpgrp()) else { return false }
        return tcsetpgrp(descriptor, group) == 0
    }

    /// Makes our group the foreground group again, unless a shell has made another one of it meanwhile.
    /// - Parameter group: the one that it was lent to; nil if that is gone before it is known.
    func takeBack(from group: pid_t? = nil) {
        if let group, !isLent(to: group) { return }
        inBackground { tcsetpgrp(descriptor, getpgrp()) }
    }

    /// Restores the settings as they were when this was made.
    func restoreSettings() {
        guard descriptorIfForeground != nil else { return }
        var settings = settings
        inBackground { unsafe tcsetattr(descriptor, TCSANOW, &settings) }
    }

    /// Without being stopped for changing the terminal from the background.
    private func inBackground(_ change: () -> Int32) {
        let former = signal(SIGTTOU, SIG_IGN)
        _ = change()
        signal(SIGTTOU, former)
    }
}
