import AtomicFiles
import Encodings
import Glibc
import Keystore
import Primitives
import SecureMemory

/// What keytool needs of the machine that it runs on.
enum MachineCheck {
    static func findings() -> [Finding] { [version, shadow, memoryLocking, derivation, keyring, clock] }

    private static var version: Finding {
        var system = utsname()
        unsafe uname(&system)
        func text<Field>(_ field: Field) -> String {
            unsafe withUnsafeBytes(of: field) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        return Finding(
            "version", .ok,
            "keytool \(Keytool.version), \(text(system.sysname)) \(text(system.release)) \(text(system.machine))")
    }

    /// Java's development kits bring a program of the same name.
    private static var shadow: Finding {
        var own = stat()
        guard unsafe stat("/proc/self/exe", &own) == 0 else { return Finding("name", .skipped, "there is no /proc") }
        for folder in (Environment.value("PATH") ?? "").split(separator: ":") {
            var found = stat()
            let path = folder + "/keytool"
            guard unsafe access(String(path), X_OK) == 0, unsafe stat(String(path), &found) == 0 else { continue }
            if found.st_ino == own.st_ino && found.st_dev == own.st_dev {
                return Finding("name", .ok, "\"keytool\" on PATH is this program")
            }
            let isJava = unsafe access(folder + "/java", X_OK) == 0
            return Finding(
                "name", .warning,
                "\"keytool\" on PATH is another program\(isJava ? ", Java's" : ""): put this one's folder before it")
        }
        return Finding("name", .warning, "\"keytool\" is not on PATH")
    }

    private static var memoryLocking: Finding {
        MemoryLocking.isPossible
            ? Finding("memory", .ok, "secrets are locked against swapping")
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
            "derivation", .ok, "scrypt (64 MiB) and Argon2id (128 MiB) have their memory; \(Int(milliseconds)) ms")
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
        let now = Session.now()
        let isPlausible = (firstPlausible...lastPlausible).contains(now.milliseconds)
        return Finding(
            "clock", isPlausible ? .ok : .warning,
            "it is \(now.rfc3339)" + (isPlausible ? "" : ", which can hardly be right"))
    }

    /// 2025 and 2100, in milliseconds since the epoch.
    private static let firstPlausible: Int64 = 1_735_689_600_000
    private static let lastPlausible: Int64 = 4_102_444_800_000
}
