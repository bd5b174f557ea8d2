internal import CLinux
internal import Glibc
internal import SecureMemory

// Temporary files that killed writers left in a shared directory. They are called `.NAME.WRITER.RANDOM.new`; WRITER
// identifies the boot of the machine and the process.

extension Directory {
    /// Age in seconds after which any temporary file counts as abandoned.
    private static let oldAge = 3600

    /// The temporary name of a file that will be renamed to `name`.
    func sharedTemporaryName(_ name: String) -> String {
        let random = String(Random.number(below: .max), radix: 36)
        return ".\(name).\(Writer.present.text).\(random).new"
    }

    /// Removes the temporary files of this account whose writer is dead, or that have not changed for an hour. Files of
    /// other accounts stay, and newer ones of other machines and containers. Best effort; errors are ignored.
    /// - Parameter isName: whether files of this NAME may be removed. It has no dot.
    package func sweepLeftovers(where isName: (String) -> Bool) { sweepLeftovers(at: time(nil), where: isName) }

    /// The same.
    /// - Parameter now: in seconds since the epoch.
    func sweepLeftovers(at now: Int, where isName: (String) -> Bool) {
        for left in (try? temporaryNames()) ?? [] where isName(String(left.dropFirst().prefix { $0 != "." })) {
            sweepLeftover(left, at: now)
        }
    }

    /// Removes such files of one NAME, which may have dots, and only with a WRITER: others have hidden files there, too.
    /// - Parameter now: in seconds since the epoch.
    func sweepLeftovers(of name: String, at now: Int = time(nil)) {
        let beginning = Array(".\(name).".utf8)
        for left in (try? temporaryNames()) ?? [] where left.utf8.starts(with: beginning) && Writer(of: left) != nil {
            sweepLeftover(left, at: now)
        }
    }

    private func sweepLeftover(_ left: String, at now: Int) {
        guard let status = try? status(left), status.st_uid == geteuid(), status.st_mode & S_IFMT == S_IFREG else {
            return
        }
        let isDead = Writer(of: left)?.isDead ?? false
        // Not the modification time, which a writer may have set to that of a store.
        guard isDead || status.st_ctim.tv_sec < now - Self.oldAge else { return }
        unlink(left)
    }
}

/// Identifies a process during one boot of the machine.
struct Writer: Equatable {
    /// Differs between machines, boots and containers; 0 if that is unknown.
    let run: UInt32
    let process: Int32

    /// This process.
    static var present: Writer { Writer(run: presentRun ?? 0, process: getpid()) }

    /// Nil under the systemd units: `ProcSubset=pid` hides /proc/sys, and the namespace is the same on every machine.
    private static let presentRun = number(
        boot: content(of: "/proc/sys/kernel/random/boot_id"), namespace: content(of: "/proc/self/ns/pid"))

    init(run: UInt32, process: Int32) {
        self.run = run
        self.process = process
    }

    /// - Parameter temporary: a name from `sharedTemporaryName`.
    /// - Returns: nil for any other name.
    init?(of temporary: String) {
        let parts = temporary.split(separator: ".")
        guard parts.count >= 4 else { return nil }
        let numbers = parts[parts.count - 3].split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.count == 2, let run = UInt32(numbers[0], radix: 36), let process = Int32(numbers[1], radix: 36),
            process > 0
        else { return nil }
        self.init(run: run, process: process)
    }

    /// Two numbers to the base of 36.
    var text: String { String(run, radix: 36) + "-" + String(process, radix: 36) }

    /// Whether the process has certainly ended; false for one of another machine.
    var isDead: Bool { isDead(seenFrom: Self.presentRun) }

    /// - Parameter present: the present run; nil if it is unknown. Then no process has certainly ended.
    func isDead(seenFrom present: UInt32?) -> Bool {
        run == present && kill(process, 0) != 0 && errno == ESRCH
    }

    /// FNV-1a over both; nil if one of them is empty, because the other one does not tell machines apart.
    static func number(boot: [UInt8], namespace: [UInt8]) -> UInt32? {
        guard !boot.isEmpty, !namespace.isEmpty else { return nil }
        var digest: UInt32 = 0x811c_9dc5
        for byte in boot + namespace { digest = (digest ^ UInt32(byte)) &* 0x0100_0193 }
        return digest
    }

    /// The first 64 bytes of a file, or of the target of a link; empty if it cannot be read.
    private static func content(of path: String) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        var count = unsafe readlink(path, &bytes, bytes.count)
        if count < 0 {
            let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
            count = unsafe read(file, &bytes, bytes.count)
            close(file)
        }
        return Array(bytes.prefix(max(0, count)))
    }
}
