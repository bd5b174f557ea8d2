import AtomicFiles

/// Writes a line to a new file of a directory that nobody else may read, and shows that a write that fails leaves
/// nothing, and that an existing file stays as it is.
///
///     echo 'TEXT' | write-whole DIR NAME
@main
struct WriteWhole {
    struct Interruption: Error {}

    static func main() throws {
        guard CommandLine.arguments.count == 3, let line = readLine() else {
            return print("usage: echo 'TEXT' | write-whole DIR NAME")
        }
        let (path, name) = (CommandLine.arguments[1], CommandLine.arguments[2])
        try Directory.make(path)
        let directory = try Directory.open(path, rule: .secret)
        do {
            try directory.write(name, existing: .refuse) { file in
                try file.write(Array("half a ".utf8).span)
                throw Interruption()
            }
        } catch is Interruption {
            print(try length(of: name, in: directory) == nil ? "Nothing was left." : "Something was left.")
        }
        for text in [line, "another text"] {
            do {
                try store([text, "\n"], as: name, in: directory)
            } catch FileError.exists {
                print("The file exists.")
            }
        }
        print(try length(of: name, in: directory) ?? 0, "bytes")
    }

    /// Writes a new file. It gets its name when all pieces are on the disk.
    static func store(_ pieces: [String], as name: String, in directory: borrowing Directory) throws {
        try directory.write(name, existing: .refuse) { file in
            for piece in pieces { try file.write(Array(piece.utf8).span) }
        }
    }

    /// The length of a file, counted by reading it; nil if it does not exist.
    static func length(of name: String, in directory: borrowing Directory) throws(FileError) -> Int? {
        do throws(FileError) {
            let file = try directory.inputFile(name)
            var buffer = [UInt8](repeating: 0, count: 65_536)
            var bytes = buffer.mutableSpan
            var length = 0
            while case let count = try file.read(into: &bytes), count > 0 { length += count }
            return length
        } catch .missing {
            return nil
        }
    }
}
