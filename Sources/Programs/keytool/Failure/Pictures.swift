import Console

/// Why a picture gives no code.
enum PictureError: Error {
    /// The program that reads pictures is missing.
    case noReader
    case readerNotStarted(code: Int32)
    /// `how`: "with status 2" or "by signal 9".
    case readerFailed(_ how: String)
    case readerHangs(path: String)
    case notAFile(path: String)
    case notPixels(path: String)
    /// An SVG, for example a page that this program wrote.
    case isDrawing(path: String)
    case notReadable(path: String)
    case noQRCode(path: String)
    case noBackupCode(path: String)
    case severalBackupCodes(path: String, count: Int)
    case noContactCode(path: String)
    case severalContactCodes(path: String, count: Int)
    case tooMuch(path: String)
}

extension PictureError: Explained {
    var failure: Failure {
        switch self {
        case .noReader:
            Failure(
                .unavailable, "reading a picture needs the program zbarimg, which is not on PATH",
                hints: "apt install zbar-tools")
        case .readerNotStarted(let code):
            Failure(.unavailable, "zbarimg did not start: \(systemMessage(code))", hints: "apt install zbar-tools")
        case .readerFailed(let how): Failure(.unavailable, "zbarimg ended \(how)")
        case .readerHangs(let path):
            Failure(.unavailable, "zbarimg did not finish in time on \(path)", hints: Self.better)
        case .notAFile(let path): Failure(.noInput, "\(path) is not a regular file")
        case .notPixels(let path):
            Failure(
                .badData, "\(path) is not in a supported picture format (PNG, JPEG, WebP, HEIC, TIFF, GIF, BMP, PNM)",
                hints: "pdftoppm -png makes a picture of a PDF, rsvg-convert -z 2 -o FILE.png FILE.svg of an SVG")
        case .isDrawing(let path):
            Failure(
                .badData, "\(path) is an SVG drawing, which keytool cannot read",
                hints: Hint(
                    "take a photo or a scan of the printed page, or convert it: "
                        + "rsvg-convert -z 2 -o FILE.png FILE.svg"))
        case .notReadable(let path):
            Failure(.badData, "\(path) cannot be read as a picture", hints: "it may be damaged or truncated")
        case .noQRCode(let path): Failure(.badData, "no QR code was found in \(path)", hints: Self.better)
        case .noBackupCode(let path):
            Failure(
                .badData, "the QR code in \(path) is not a backup code", hints: "it may be a contact's code, or a link")
        case .severalBackupCodes(let path, let count):
            Failure(.badData, "\(path) shows \(count) backup codes", hints: "crop the picture to one of them")
        case .noContactCode(let path):
            Failure(
                .badData, "the QR code in \(path) is not a contact's code",
                hints: "the app shows it in the profile; it begins with 3mid:")
        case .severalContactCodes(let path, let count):
            Failure(.badData, "\(path) shows \(count) contacts' codes", hints: "crop the picture to one of them")
        case .tooMuch(let path): Failure(.badData, "\(path) contains more text than a code")
        }
    }

    private static let better: Hint =
        "show the whole QR code with its white border, sharp and straight, in less than 20 megapixels"
}

extension RecoveryCardError: Explained {
    var failure: Failure {
        switch self {
        case .tooLong:
            Failure(
                .badData, "the recovery card does not fit on a page: address, user or pins of the server are too long",
                hints: "\(safe: "server") shows them")
        }
    }
}
