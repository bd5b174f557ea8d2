import Glibc

/// The system's words for an errno.
package func systemMessage(_ code: Int32) -> String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text).lowercased()
}

/// The name of an account, or its number.
package func accountName(_ number: UInt32) -> String {
    unsafe getpwuid(number).map { unsafe String(cString: $0.pointee.pw_name) } ?? "\(number)"
}
