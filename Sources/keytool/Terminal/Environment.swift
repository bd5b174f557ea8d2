import CLinux
import Glibc

/// Environment variables; an empty one counts as unset.
enum Environment {
    static func value(_ name: String) -> String? {
        guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
        return unsafe String(cString: value)
    }

    /// The path of a program on PATH; relative entries do not count: a folder that one happens to be in is no
    /// place for programs.
    static func program(_ name: String) -> String? {
        (value("PATH") ?? "").split(separator: ":").lazy.filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
            .first { path in
                var status = stat()
                return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
            }
    }

    /// The home folder, from the user database where `HOME` is unset.
    static var home: String? {
        if let home = value("HOME") { return home }
        guard let user = unsafe getpwuid(geteuid()), let folder = unsafe user.pointee.pw_dir else { return nil }
        return unsafe String(cString: folder)
    }

    /// Whether the locale's characters are UTF-8.
    static var isUTF8: Bool {
        let locale = value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG") ?? "C"
        let name = locale.lowercased()
        return name.contains("utf-8") || name.contains("utf8")
    }
}
