import Console
import Encodings
import Threema

/// A picture that shows a backup code or a contact's code as a QR code, read by the program `zbarimg`.
///
/// The code that comes back is in plain memory for a moment, as a typed one is. It goes nowhere else:
///
/// - zbarimg tells the system's message bus what it read. It gets an address where nobody listens.
/// - Its picture library writes decompressed pictures to temporary files if memory is short. It gets no disk.
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

    /// The only contact's code that the picture shows; it may show other things.
    /// - Throws: `PictureError`, `InputError.notReadable`.
    func contactCode() throws -> ContactCode {
        var codes: [ContactCode] = []
        for code in try texts().compactMap({ try? ContactCode(parsing: $0) }) where !codes.contains(code) {
            codes.append(code)
        }
        guard let code = codes.first else { throw PictureError.noContactCode(path: path) }
        guard codes.count == 1 else { throw PictureError.severalContactCodes(path: path, count: codes.count) }
        return code
    }

    /// The lines of all QR codes in the picture.
    private func texts() throws -> [String] {
        let texts = try read().split(whereSeparator: \.isNewline).map(String.init)
        guard !texts.isEmpty else { throw PictureError.noQRCode(path: path) }
        return texts
    }

    /// The only backup code that the picture shows; it may show other things.
    /// - Throws: `PictureError`, `InputError.notReadable`.
    func code() throws -> GroupedCode {
        let texts = try texts()
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
        let picture: PlainFile
        do throws(PlainFileError) { picture = try PlainFile(path) } catch { throw self.error(error) }
        guard let program = Environment.program(Self.program) else { throw PictureError.noReader }
        try requirePixels(picture)
        let reader = FilterProgram(
            program, Self.arguments, variables: Self.environment, timeLimit: Self.timeLimit, maxBytes: Self.maxBytes)
        let result: (output: [UInt8], end: ChildProcess.End)
        do throws(FilterProgram.Failed) {
            result = try reader.run(on: picture)
        } catch {
            switch error {
            case .notStarted(let code): throw PictureError.readerNotStarted(code: code)
            case .timedOut: throw PictureError.readerHangs(path: path)
            case .tooMuch: throw PictureError.tooMuch(path: path)
            }
        }
        switch result.end {
        case .exited(0): return String(decoding: result.output, as: UTF8.self)
        case .exited(1): throw PictureError.notReadable(path: path)
        case .exited(4): throw PictureError.noQRCode(path: path)
        case .exited(let status): throw PictureError.readerFailed("with status \(status)")
        case .killed(let signal): throw PictureError.readerFailed("by signal \(signal)")
        }
    }

    private func error(_ error: PlainFileError) -> any Error {
        switch error {
        case .notReadable(let code): InputError.notReadable(path: path, code: code)
        case .notPlain: PictureError.notAFile(path: path)
        }
    }

    private func requirePixels(_ picture: borrowing PlainFile) throws {
        let head: [UInt8]
        do throws(PlainFileError) { head = try picture.head(1024) } catch { throw self.error(error) }
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
