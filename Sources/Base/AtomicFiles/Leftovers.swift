internal import CLinux
internal import Glibc
internal import SecureMemory

// What killed writers left in a directory that others use, too. There a temporary file is called
// `.NAME.WRITER.RANDOM.new`; WRITER tells the machine's present run and the process.

extension Directory {
    /// After so many seconds a temporary file is nobody's any more, whoever made it.
    private static let oldAge = 3600

    /// A name for the file that is to become `name`.
    func sharedTemporaryName(_ name: String) -> String {
        let random = String(Random.number(below: .max), radix: 36)
        return ".\(name).\(Writer.present.text).\(random).new"
    }

    /// Removes the temporary files of this account whose writer is dead, or that are older than an hour. Those of
    /// others stay, and those that may be in the making: by another machine, or in another container. Best effort.
    /// - Parameter isName: whether files of that name, which has no dot, are ours to clear up.
    package func sweepLeftovers(where isName: (String) -> Bool) {
        for left in (try? temporaryNames()) ?? [] where isName(String(left.dropFirst().prefix { $0 != "." })) {
            sweepLeftover(left)
        }
    }

    /// The same for one name, which may have dots.
    func sweepLeftovers(of name: String) {
        let beginning = Array(".\(name).".utf8)
        for left in (try? temporaryNames()) ?? [] where left.utf8.starts(with: beginning) { sweepLeftover(left) }
    }

    private func sweepLeftover(_ left: String) {
        guard let status = try? status(left), status.st_uid == geteuid(), status.st_mode & S_IFMT == S_IFREG else {
            return
        }
        let isDead = Writer(of: left)?.isDead ?? false
        guard isDead || status.st_mtim.tv_sec < time(nil) - Self.oldAge else { return }
        unlink(left)
    }
}

/// A process, as long as the machine runs.
struct Writer: Equatable {
    /// Tells one run of one machine from another, and the processes of one container from another's.
    let run: UInt32
    let process: Int32

    /// This process.
    static var present: Writer { Writer(run: presentRun, process: getpid()) }

    private static let presentRun = digest(of: ["/proc/sys/kernel/random/boot_id", "/proc/self/ns/pid"])

    init(run: UInt32, process: Int32) {
        self.run = run
        self.process = process
    }

    /// - Parameter temporary: a name by `sharedTemporaryName`; nil for any other.
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

    /// Whether it certainly is. Of another machine's nobody here knows.
    var isDead: Bool { run == Self.presentRun && kill(process, 0) != 0 && errno == ESRCH }

    /// FNV-1a over what a file holds, or over what a link says.
    private static func digest(of paths: [String]) -> UInt32 {
        var digest: UInt32 = 0x811c_9dc5
        var bytes = [UInt8](repeating: 0, count: 64)
        for path in paths {
            var count = unsafe readlink(path, &bytes, bytes.count)
            if count < 0 {
                let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
                count = unsafe read(file, &bytes, bytes.count)
                close(file)
            }
            for byte in bytes.prefix(max(0, count)) { digest = (digest ^ UInt32(byte)) &* 0x0100_0193 }
        }
        return digest
    }
}
