import CommandLine
import CommandParsing
import Console
import Encodings
import Keystore
import Primitives
import SecureMemory

/// What keytool needs of the machine that it runs on.
enum MachineCheck {
    static func findings() -> [Finding] { [version, shadow, memoryLocking, derivation, keyring, clock] }

    private static var version: Finding {
        Finding("version", .ok, "keytool \(Release.version), \(Machine.description)")
    }

    /// Java's development kits bring a program of the same name.
    private static var shadow: Finding {
        guard let own = FileStatus("/proc/self/exe") else { return Finding("name", .skipped, "/proc is missing") }
        for directory in (Environment.value("PATH") ?? "").split(separator: ":").map(String.init) {
            let path = directory + "/keytool"
            guard FileStatus.isExecutable(path), let found = FileStatus(path) else { continue }
            if found.isSameFile(as: own) {
                return Finding("name", .ok, "\"keytool\" on PATH is this program")
            }
            let isJava = FileStatus.isExecutable(directory + "/java")
            return Finding(
                "name", .warning,
                "\"keytool\" on PATH is another program\(isJava ? " (Java)" : ""): put the directory of this one before it"
            )
        }
        return Finding("name", .warning, "\"keytool\" is not on PATH")
    }

    private static var memoryLocking: Finding {
        MemoryLocking.isPossible
            ? Finding("memory", .ok, "secrets cannot be swapped to disk")
            : Finding("memory", .warning, MemoryLocking.refusal)
    }

    /// Both derivations at their real cost, of nothing.
    private static var derivation: Finding {
        let start = ContinuousClock.now
        do throws(KeyDerivationError) {
            _ = try Scrypt.deriveKey(
                password: Span(), salt: Span(), cost: 65_536, blockSize: 8, parallelism: 1, count: 32)
            _ = try Argon2id.deriveKey(
                password: Span(), salt: [UInt8](repeating: 0, count: 16), memoryKiB: 131_072, iterations: 1, count: 32)
        } catch {
            return Finding("derivation", .problem, error.failure.message, status: error.failure.status)
        }
        let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
        return Finding(
            "derivation", .ok, "scrypt (64 MiB) and Argon2id (128 MiB) can be computed; \(Int(milliseconds)) ms")
    }

    private static var keyring: Finding {
        do throws(KernelKeyringError) {
            try KernelKeyring.test()
            return Finding("keyring", .ok, "the kernel's keyring can be used: keytool key unlock works")
        } catch {
            return Finding("keyring", .warning, "\(error.failure.message): keytool key unlock does not work")
        }
    }

    private static var clock: Finding {
        let now = WallClock.now()
        let isPlausible = (firstPlausible...lastPlausible).contains(now.milliseconds)
        return Finding(
            "clock", isPlausible ? .ok : .warning,
            "it is \(now.rfc3339)" + (isPlausible ? "" : ", which seems wrong"))
    }

    /// 2025 and 2100, in milliseconds since the epoch.
    private static let firstPlausible: Int64 = 1_735_689_600_000
    private static let lastPlausible: Int64 = 4_102_444_800_000
}
