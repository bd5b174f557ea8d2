import Glibc
import SecureMemory

/// Reads a passphrase and its repetition, and says whether both are the same. No copy of them is in ordinary memory.
///
///     printf 'PASSPHRASE\nPASSPHRASE\n' | compare-lines
@main
struct CompareLines {
    struct LineTooLong: Error {}

    static func main() throws {
        let first = try line(limit: 256)
        let second = try line(limit: 256)
        print("\(first.count) bytes")
        print(areSame(first, second) ? "Both lines are the same." : "The lines differ.")
    }

    /// A line of the standard input without its end.
    static func line(limit: Int) throws(LineTooLong) -> SecureBytes {
        var line = SecureBuffer(capacity: limit)
        var byte: UInt8 = 0
        while read(STDIN_FILENO, &byte, 1) == 1, byte != UInt8(ascii: "\n") {
            if byte == 0x7f {
                // The key Backspace of a terminal.
                line.removeLast()
                continue
            }
            if line.isFull { throw LineTooLong() }
            line.append(byte)
        }
        return line.finish()
    }

    /// Compares in a time that depends on the lengths only.
    static func areSame(_ left: borrowing SecureBytes, _ right: borrowing SecureBytes) -> Bool {
        left.withBytes { left in right.withBytes { ConstantTime.areEqual(left, $0) } }
    }
}
