import Foundation
import VectorKit

/// Python programs beside the tests of the command line: the format by another implementation, and age on a terminal.
enum PythonAge {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Programs/keytool")

    /// - Returns: what Python printed.
    static func run(_ arguments: [String]) throws -> [UInt8] {
        let paths = "import sys; sys.path.insert(0, sys.argv.pop(1)); sys.dont_write_bytecode = True; "
        let arguments =
            arguments.first == "-c"
            ? Array(arguments.dropFirst())
            : ["import runpy; runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"] + arguments
        return [UInt8](
            try Program.output(
                of: "/usr/bin/python3", ["-c", paths + arguments[0], tests.path] + arguments.dropFirst()))
    }
}
