import Glibc

/// The machine that this process runs on.
enum Machine {
    /// Kernel, its release, and the processor's kind: "Linux 6.1.0 x86_64".
    static var description: String {
        var system = utsname()
        unsafe uname(&system)
        func text<Field>(_ field: Field) -> String {
            unsafe withUnsafeBytes(of: field) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        return "\(text(system.sysname)) \(text(system.release)) \(text(system.machine))"
    }
}
