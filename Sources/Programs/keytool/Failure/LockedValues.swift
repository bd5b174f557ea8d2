import CommandLine
import Console
import ProtonMainKey

extension PINProtectionError: Explained {
    var failure: Failure {
        switch self {
        case .wrongSaltLength(let expected, let actual):
            Failure(.badData, "the salt of the PIN has \(actual) bytes instead of \(expected)")
        case .tooLong(let limit): Failure(.badData, "PinProtection is longer than \(ByteCount.text(limit))")
        case .pinTooLong(let limit): Failure(.usage, "the PIN is longer than \(limit) bytes")
        case .wrongPINOrDamaged: Failure(.wrongPassword, "wrong PIN, or the items are damaged")
        case .notReopened: .defect("verification of the app's items failed; nothing was written")
        case .memory(let bytes):
            Failure(
                .memory, "not enough memory to derive the key of the PIN: it needs \(ByteCount.text(bytes))",
                hints: OutOfMemory.advice)
        }
    }
}

extension ProtectionItemError: Explained {
    var failure: Failure {
        switch self {
        case .tooLong(let item, let limit):
            Failure(.badData, "\(item.rawValue) is longer than \(ByteCount.text(limit))")
        case .notReadable(let item):
            Failure(
                .badData, "\(item.rawValue) has the wrong length",
                hints: "an item is a file with its bytes, or with hexadecimal or Base64 text")
        case .duplicate(let item): Failure(.badData, "\(item.rawValue) is there twice")
        case .missing(let item):
            Failure(
                .badData, "\(item.rawValue) is missing; without it nothing opens the key",
                hints: "take all items of the app")
        }
    }
}

extension LockedValueError: Explained {
    var failure: Failure {
        switch self {
        case .tooLong(let limit): Failure(.badData, "the value is longer than \(ByteCount.text(limit))")
        case .tooShort: Failure(.badData, "the file is too short for a locked value")
        case .wrongName(let limit): Failure(.usage, "the name of a value has 1 to \(limit) bytes")
        case .otherVersion: Failure(.badData, "the value is not of version 2")
        case .notAuthentic:
            Failure(
                .wrongPassword, "the value does not open: another MainKey or name, or it is damaged",
                hints: "--name is the name that it was sealed with")
        case .wrongKeyOrDamaged:
            Failure(.wrongPassword, "the value does not open: another MainKey, or it is damaged")
        case .malformedContent(let error):
            Failure(.badData, "the content cannot be a value of the app: \(error.words)")
        }
    }
}

extension ValueNotReproduced: Explained {
    var failure: Failure { .defect("verification of the sealed value failed; it was not written") }
}

extension PropertyListError {
    /// For the end of a sentence.
    fileprivate var words: String {
        switch self {
        case .tooLong(let limit): "it is longer than \(ByteCount.text(limit))"
        case .notBinary: "it is not a binary property list"
        case .malformedTrailer, .malformedObject: "it is a damaged property list"
        case .unsupportedObject(let marker): "its property list has an object of unknown type \(marker)"
        case .invalidText: "it has text that is not UTF-8 or UTF-16"
        case .integerOutOfRange: "it has an integer of more than 64 bits"
        case .keyNotText: "it has a key that is not text"
        case .duplicateKey: "it has a key twice"
        case .tooManyObjects(let limit): "it has more than \(limit) values"
        case .cycle: "one of its values contains itself"
        case .tooDeep(let limit): "more than \(limit) of its arrays are in each other"
        case .expandsTooFar(let limit): "it expands to more than \(ByteCount.text(limit))"
        }
    }
}
