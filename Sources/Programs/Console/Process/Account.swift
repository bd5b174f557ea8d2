import Glibc

/// The account that this process belongs to, as the user database has it.
package struct Account {
    /// The login name.
    package let name: String
    /// The home directory. The variable `HOME` may name another one.
    package let home: String

    /// - Returns: nil if the user database has no such account.
    package static var own: Account? {
        guard let entry = unsafe getpwuid(geteuid()), let name = unsafe entry.pointee.pw_name,
            let home = unsafe entry.pointee.pw_dir,
            let name = unsafe String(validatingCString: name), let home = unsafe String(validatingCString: home)
        else { return nil }
        return Account(name: name, home: home)
    }
}
