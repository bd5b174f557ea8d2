import CLinux
import Glibc
package import SecureMemory

/// The terminal on which questions are asked, whatever stdin, stdout and stderr are.
package struct ControllingTerminal: ~Copyable {
    private let descriptor: Int32
    /// What is shown on it.
    package var outlet: Outlet { Outlet(terminal: descriptor) }

    /// Longest line that is read, in bytes: what the kernel's line editing holds.
    package static let maxLineBytes = 4096

    /// Whether this process has a terminal.
    static var exists: Bool {
        switch ControllingTerminal() {
        case .some: true
        case .none: false
        }
    }

    /// - Returns: nil if this process has no terminal.
    package init?() {
        descriptor = unsafe keytool_openat(AT_FDCWD, "/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// Asks with echo off; the kernel does the line editing.
    /// - Returns: the line without its ending and without the marks of a paste; nil at the end of input (Ctrl-D).
    func askSecret(_ question: String) throws -> SecureBytes? {
        try HiddenEcho.during(descriptor) { try ask(question, isSecret: true) }
    }

    /// Shows something on a screen of its own until Enter is pressed: nothing of it stays, not even in the
    /// scrollback.
    /// - Returns: whether it was pressed; false at the end of input.
    package func showAlone(_ prompt: String, _ show: () throws -> Void) throws -> Bool {
        try HiddenEcho.during(descriptor, on: .alternate) {
            try show()
            do {
                return try ask(prompt, isSecret: true) != nil
            } catch SecretError.tooLong {
                // Whatever was typed before it, Enter is Enter.
                return true
            }
        }
    }

    /// Whether `showAlone` is possible.
    package var hasOwnScreen: Bool { HiddenEcho.canHaveOwnScreen }

    /// Shows a secret, on the terminal and nowhere else.
    /// - Parameter words: stand before it, as lines; the last one on the secret's own line.
    func show(_ words: [String], _ secret: borrowing SecureBytes) throws {
        try outlet.write(words.dropLast().map(StyledLine.init))
        try outlet.ask(words.last ?? "")
        try secret.withBytes { try outlet.write(bytes: $0) }
        try say("")
    }

    /// Collects keystrokes with the nanosecond at which each arrived: 9 bytes a key.
    /// - Throws: `SecretError.noTerminal` if the input ends before there are enough.
    package func collectTyping() throws -> SecureBytes {
        let typing = try HiddenEcho.during(descriptor, delivering: .keys) {
            try outlet.ask("Type \(Self.typedKeys) keys at random: ")
            var typing = SecureBuffer(capacity: Self.typedKeys * 9)
            for _ in 0..<Self.typedKeys {
                var key: UInt8 = 0
                while true {
                    let result = unsafe read(descriptor, &key, 1)
                    if result == 1 { break }
                    if result < 0 && errno == EINTR { continue }
                    awaitHangUp()
                    throw SecretError.noTerminal
                }
                var time = timespec()
                unsafe clock_gettime(CLOCK_MONOTONIC, &time)
                let nanoseconds = UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
                typing.append(key)
                for shift in stride(from: UInt64(0), to: 64, by: 8) {
                    typing.append(UInt8(truncatingIfNeeded: nanoseconds >> shift))
                }
                try outlet.ask(".")
            }
            return typing.finish()
        }
        try say("")
        return typing
    }

    /// At a few bits of timing a key, more than any key can hold.
    private static let typedKeys = 64

    /// Its columns and rows.
    package var size: TerminalSize { TerminalSize(of: descriptor) }

    /// A line for the person who is asked.
    package func say(_ words: String) throws { try say([StyledLine(words)]) }

    /// Lines for the person who is asked.
    package func say(_ lines: [StyledLine]) throws { try outlet.write(lines) }

    /// Whether another line was typed ahead, or comes within a tenth of a second, as those of a paste do.
    package var isMoreTyped: Bool {
        var arrival = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&arrival, 1, 100) > 0 && Int32(arrival.revents) & (POLLIN | POLLHUP | POLLERR) == POLLIN
    }

    /// Drops what was typed ahead, until nothing more comes.
    package func dropPending() {
        repeat {
            tcflush(descriptor, TCIFLUSH)
        } while isMoreTyped
    }

    /// Asks with echo on.
    /// - Returns: the line without its ending, with the marks of a paste; nil at the end of input (Ctrl-D).
    package func askText(_ question: String) throws -> String? {
        guard let line = try ask(question, isSecret: false, keepsPasteMarks: true) else { return nil }
        return line.revealText()
    }

    /// Asks with echo on for a secret that is read from paper and would not be typed without seeing it. The answer is in
    /// guarded memory.
    /// - Returns: the line without its ending and without the marks of a paste; nil at the end of input (Ctrl-D).
    /// - Throws: `SecretError.tooLong`.
    package func askShown(_ question: String) throws -> SecureBytes? { try ask(question, isSecret: false) }

    /// Asks a yes-or-no question; every answer except yes means no.
    /// - Parameter tries: how often it is asked, at most, while the answer is neither yes nor no.
    package func askYesNo(_ question: String, tries: Int = 1) throws -> Bool {
        for attempt in 1...tries {
            switch try YesNoAnswer(askText("\(question) [y/N] ")) {
            case .yes?: return true
            case .no?: return false
            case nil: if attempt < tries { Output.word("error", "type y for yes, or n for no") }
            }
        }
        return false
    }

    /// Lets the signal of a hang-up act, if that is why nothing more comes: the kernel may end a read before it sends
    /// the signal, and a terminal that went away is no answer. Returns at once after Ctrl-D, and if the signal is
    /// ignored.
    private func awaitHangUp() {
        var state = pollfd(fd: descriptor, events: 0, revents: 0)
        guard unsafe poll(&state, 1, 0) > 0, Int32(state.revents) & (POLLHUP | POLLERR) != 0,
            !CaughtSignals.isIgnored(SIGHUP)
        else { return }
        // The signal ends the process; it takes the kernel less than a millisecond.
        usleep(500_000)
    }

    private func ask(_ question: String, isSecret: Bool, keepsPasteMarks: Bool = false) throws -> SecureBytes? {
        try outlet.ask(question)
        var line = SecureBuffer(capacity: Self.maxLineBytes)
        // Of the kernel's line, which has the marks of a paste.
        var received = 0
        while true {
            var byte: UInt8 = 0
            let result = unsafe read(descriptor, &byte, 1)
            if result < 0 && errno == EINTR { continue }
            guard result == 1 else {
                // Ctrl-D on an empty line, or the terminal went away.
                awaitHangUp()
                try? say("")
                return nil
            }
            if byte == UInt8(ascii: "\n") { break }
            received += 1
            guard received <= Self.maxLineBytes else { continue }
            if keepsPasteMarks { line.append(byte) } else { line.append(typed: byte) }
        }
        if isSecret { try say("") }
        // The kernel's line holds 4095 bytes and drops the rest without a word.
        guard received < Self.maxLineBytes - 1 else { throw SecretError.tooLong }
        return line.finish()
    }
}
