package import Console
package import Encodings

extension Output {
    /// Prints a result: as data, also when quiet, or only to say what was done.
    /// - Throws: `OutputError`.
    package func result(_ lines: [StyledLine], json: @autoclosure () -> JSONValue, isData: Bool) throws {
        if isData { try data(drawn: lines, json: json()) } else { try done(drawn: lines, json: json()) }
    }

    /// Prints a result that a failure belongs to. The failure decides how the command ends, also where stdout takes
    /// nothing.
    /// - Parameters:
    ///   - failure: the worst; nil if all is well.
    ///   - isReported: whether it has been said, unless the output is JSON.
    /// - Throws: `CommandFailure` with the failure; without one, what `print` throws.
    package func finish(_ failure: Failure?, isReported: Bool, _ print: () throws -> Void) throws {
        guard let failure else { return try print() }
        do {
            try print()
        } catch OutputError.readerLeft {
            // Nobody misses it.
        } catch {
            warn(Failure(error).message)
        }
        throw CommandFailure(failure: failure, isReported: isReported)
    }
}
