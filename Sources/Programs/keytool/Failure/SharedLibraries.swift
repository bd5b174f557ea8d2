import Console
import SecureMemory

extension SharedLibrary.Failure: Explained {
    var failure: Failure {
        switch self {
        case .missing(let library, let packages):
            Failure(
                .unavailable, "this command needs \(library), which is not installed",
                hints: "apt-get install \(packages.joined(separator: ", or "))")
        case .needsMemory(let library):
            Failure(.memory, "not enough memory to load \(library)", hints: OutOfMemory.advice)
        }
    }
}
