import Glibc

/// Environment variables; an empty one counts as unset.
enum Environment {
    static func value(_ name: String) -> String? {
        guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
        return unsafe String(cString: value)
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
