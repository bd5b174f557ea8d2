import CLinux
import Console
import Encodings
import Glibc
import Threema

/// A picture that shows a backup code as a QR code, read by the program `zbarimg`.
///
/// The code that comes back is in plain memory for a moment, as a typed one is. It goes nowhere else:
///
/// - zbarimg tells the system's message bus what it read. It gets an address where nobody listens.
/// - Its picture library puts what it unfolds into temporary files where memory is scarce. It gets no disk.
/// - The library hands drawings and documents (SVG, PDF) to other programs, by temporary files again, and
///   some of these carry commands. Only pictures made of pixels are given to it, by their first bytes.
///
/// The picture is its stdin, so that no spelling of a name means anything to it.
struct CodePicture {
    private let path: String

    private static let program = "zbarimg"
    private static let arguments = ["--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", "/dev/stdin"]
    /// Nothing else: its libraries take configuration, programs and code from many a variable.
    private static var environment: [String: String] {
        [
            "PATH": Environment.value("PATH") ?? "", "LANG": "C",
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/dev/null", "MAGICK_DISK_LIMIT": "0",
        ]
    }
    private static let timeLimit = Duration.seconds(20)
    /// Longest output that is read, in bytes: the content of some twenty of the largest QR codes.
    private static let maxBytes = 64 * 1024

    init(_ path: String) {
        self.path = path
    }

    /// The only backup code that the picture shows; it may show other things.
    /// - Throws: `PictureError`, `InputError.notReadable`.
    func code() throws -> GroupedCode {
        let texts = try read().split(whereSeparator: \.isNewline).map(String.init)
        guard !texts.isEmpty else { throw PictureError.noQRCode(path: path) }
        // A QR code that somebody else made of the code may have its line breaks.
        let codes = Set((texts + [texts.joined(separator: "\n")]).compactMap { Self.code($0)?.text })
        guard let code = codes.first.flatMap({ Self.code($0) }) else { throw PictureError.noBackupCode(path: path) }
        guard codes.count == 1 else { throw PictureError.severalBackupCodes(path: path, count: codes.count) }
        return code
    }

    private static func code(_ text: String) -> GroupedCode? {
        guard let code = try? GroupedCode(parsing: text), (try? IDBackup.scheme(of: code)) != nil else { return nil }
        return code
    }

    /// What zbarimg prints: each code's content and a line feed.
    private func read() throws -> String {
        let picture = try open()
        defer { close(picture) }
        guard let program = Environment.program(Self.program) else { throw PictureError.noReader }
        try requirePixels(picture)
        var ends: [Int32] = [-1, -1]
        guard unsafe keytool_pipe(&ends) == 0 else { throw PictureError.readerNotStarted(code: errno) }
        defer { close(ends[0]) }
        let process: ChildProcess
        do throws(ChildProcess.NotStarted) {
            defer { close(ends[1]) }
            process = try ChildProcess(
                program, Self.arguments, descriptors: [picture: STDIN_FILENO, ends[1]: STDOUT_FILENO],
                empty: [STDERR_FILENO], variables: Self.environment)
        } catch {
            throw PictureError.readerNotStarted(code: error.code)
        }
        let deadline = ContinuousClock.now + Self.timeLimit
        let output: [UInt8]
        let end: ChildProcess.End
        do {
            output = try Self.read(ends[0], until: deadline, path)
            guard let ended = process.wait(until: deadline) else { throw PictureError.readerHangs(path: path) }
            end = ended
        } catch {
            process.kill()
            throw error
        }
        switch end {
        case .exited(0): return String(decoding: output, as: UTF8.self)
        case .exited(1): throw PictureError.notReadable(path: path)
        case .exited(4): throw PictureError.noQRCode(path: path)
        case .exited(let status): throw PictureError.readerFailed("with status \(status)")
        case .killed(let signal): throw PictureError.readerFailed("by signal \(signal)")
        }
    }

    /// All of what is printed, to its end.
    private static func read(_ descriptor: Int32, until deadline: ContinuousClock.Instant, _ path: String) throws
        -> [UInt8]
    {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let rest = (deadline - ContinuousClock.now).milliseconds
            var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let isReady = unsafe poll(&event, 1, Int32(clamping: max(0, rest)))
            if isReady < 0 && errno == EINTR { continue }
            guard isReady > 0 else { throw PictureError.readerHangs(path: path) }
            let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += chunk.prefix(count)
            guard bytes.count <= maxBytes else { throw PictureError.tooMuch(path: path) }
        }
    }

    private func open() throws -> Int32 {
        // O_NONBLOCK: opening a FIFO must not wait for a writer.
        let file = unsafe keytool_openat(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0)
        guard file >= 0 else { throw InputError.notReadable(path: path, code: errno) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw PictureError.notAFile(path: path)
        }
        return file
    }

    private func requirePixels(_ picture: Int32) throws {
        var head = [UInt8](repeating: 0, count: 1024)
        let count = unsafe pread(picture, &head, head.count, 0)
        guard count >= 0 else { throw InputError.notReadable(path: path, code: errno) }
        head.removeLast(head.count - count)
        guard PixelFormat(of: head) == nil else { return }
        if InputFile.isZIP(head) { throw InputError.isZIP(path: path) }
        throw Self.isDrawing(head) ? PictureError.isDrawing(path: path) : .notPixels(path: path)
    }

    /// Whether an SVG file begins so.
    private static func isDrawing(_ head: [UInt8]) -> Bool {
        let text = String(decoding: head, as: UTF8.self)
        return text.drop { $0.isWhitespace || $0 == "\u{feff}" }.hasPrefix("<") && text.contains("<svg")
    }
}

/// Pictures made of pixels, as phones, scanners and screens write them.
enum PixelFormat: String, CaseIterable {
    case png, jpeg, gif, bmp, tiff, webp, heic, pnm

    /// - Parameter head: at least the first 12 bytes of the file, or all of it.
    init?(of head: [UInt8]) {
        let format = Self.allCases.first { format in
            switch format {
            case .png: head.starts(with: [0x89, 0x50, 0x4e, 0x47])
            case .jpeg: head.starts(with: [0xff, 0xd8, 0xff])
            case .gif: head.starts(with: "GIF8".utf8)
            case .bmp: head.starts(with: "BM".utf8)
            case .tiff: head.starts(with: [0x49, 0x49, 0x2a, 0]) || head.starts(with: [0x4d, 0x4d, 0, 0x2a])
            case .webp: head.starts(with: "RIFF".utf8) && head.dropFirst(8).starts(with: "WEBP".utf8)
            case .heic: head.dropFirst(4).starts(with: "ftyp".utf8)
            case .pnm: head.count > 2 && head[0] == 0x50 && (0x31...0x36).contains(head[1]) && head[2] <= 0x20
            }
        }
        guard let format else { return nil }
        self = format
    }
}
