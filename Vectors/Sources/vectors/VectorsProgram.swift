import Foundation

/// Computes test vectors with keytool's libraries, and prints a line for each of them.
///
///     vectors FILE…
///
/// The status is 0 if no vector fails, 1 if one does, 64 without a file, 65 if a file has another form, 66 if it cannot
/// be read. All files are read before the first vector is computed.
@main
struct VectorsProgram {
    static func main() {
        let names = CommandLine.arguments.dropFirst()
        guard !names.isEmpty else { stop(64, "usage: vectors FILE…") }
        var hasFailed = false
        for vector in names.flatMap(read) {
            let result = vector.result
            print("\(vector.id) \(result)")
            if case .fail = result { hasFailed = true }
        }
        exit(hasFailed ? 1 : 0)
    }

    private static func read(_ name: String) -> [Vector] {
        guard let data = try? Data(contentsOf: URL(filePath: name)) else { stop(66, "cannot read \(name)") }
        do {
            return try Vector.all(in: [UInt8](data))
        } catch {
            stop(65, "\(name): \(error)")
        }
    }

    private static func stop(_ status: Int32, _ message: String) -> Never {
        FileHandle.standardError.write(Data("vectors: \(message)\n".utf8))
        exit(status)
    }
}
