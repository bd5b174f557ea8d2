import Console
import Paper

/// What a page is written as; the ending of its file's name says which.
enum PageFormat: String, FileFormat {
    case pdf, svg
}

/// Where a page to print goes: a new file (mode 0600) in the format of its name, or stdout as PDF, for a printer.
struct PageTarget {
    private let target: DocumentTarget
    private let format: PageFormat

    /// Where a page may go.
    enum Places {
        case files
        case filesAndStandardOutput
    }

    /// - Parameters:
    ///   - path: `-` for stdout.
    ///   - reserved: where no file may go.
    ///   - option: what names the file in the command, for a refusal.
    ///   - places: `.files` for a command whose stdout has something else.
    /// - Throws: `UsageFailure` for a name of no known format, or if stdout is a terminal; as `ResultFile.init`.
    init(
        _ path: String, outside reserved: ReservedDirectory?, option: String, mayReplace: Bool,
        to places: Places = .filesAndStandardOutput
    ) throws {
        let mayPrint = places == .filesAndStandardOutput
        format =
            mayPrint && path == "-" ? .pdf : try PageFormat(of: path, option: option, orStandardOutput: mayPrint)
        target = try DocumentTarget(path, mayReplace: mayReplace, outside: reserved)
    }

    /// Nil for stdout.
    var file: ResultFile? { target.file }

    /// What is written.
    func bytes(of page: Page) -> [UInt8] {
        switch format {
        case .pdf: page.pdf
        case .svg: Array(page.svg.utf8)
        }
    }

    /// Writes it, then does `finish`. If either fails, no file is left that was not there before.
    func write(_ bytes: [UInt8], finish: () throws -> Void) throws { try target.write(bytes.span, finish: finish) }
}
