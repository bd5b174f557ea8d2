import Glibc

extension InputError {
    /// What every program says about it.
    package var plainFailure: Failure {
        switch self {
        case .notReadable(let path, EINVAL): Failure(.noInput, "\(path) is not a regular file")
        case .notReadable(let path, let code): Failure(.noInput, "cannot read \(path): \(systemMessage(code))")
        case .tooLong(let limit): Failure(.badData, "the input is longer than \(limit) bytes")
        case .notText: Failure(.badData, "the input is not UTF-8 text")
        case .isZIP(let path): Failure(.badData, "\(path) is a ZIP file")
        case .empty: Failure(.badData, "the input is empty")
        case .noCertificate(let path): Failure(.badData, "\(path) contains no PEM certificate")
        case .hasNUL: Failure(.badData, "the input contains a NUL byte")
        }
    }
}
