import Age
import CommandLine
import Console

extension AgeError: Explained {
    var failure: Failure {
        switch self {
        case .armor(let fault): Failure(.badData, "the armor of the age file is damaged: \(fault.words)")
        case .header(.version(let version)):
            Failure(
                .badData, "the age file has version \(version.printable), which is not supported",
                hints: "a newer keytool, or age, may know it")
        case .header(let fault): Failure(.badData, fault.words)
        case .workFactor(let factor, let limit):
            Failure(
                .badData,
                "the age file demands the work factor \(factor == .max ? "of a greater number" : "\(factor)")"
                    + "\(Self.memoryWords(factor)); at most \(limit) is accepted",
                hints: "if you trust the file, age -d decrypts up to work factor \(AgeFile.greatestWorkFactor)")
        case .noMatch(let kinds): Self.failure(ofNoMatch: kinds)
        case .headerChanged: Failure(.badData, "the header of the age file was changed; its key is right")
        case .payload(let fault): fault.failure
        case .derivation(let error): error.failure
        case .emptyPassphrase: Failure(.badData, "the passphrase of the file is empty")
        case .recipients(let count, let limit):
            Failure(.usage, "an age file has 1 to \(limit) recipients; \(count) were named")
        case .notReproduced: .defect("verification of the new age file failed; it was discarded")
        }
    }

    private static func memoryWords(_ factor: Int) -> String {
        let memory = AgeFile.memory(workFactor: factor)
        return memory == .max ? "" : ", which is \(ByteCount.text(memory)) of memory"
    }

    private static func failure(ofNoMatch kinds: [AgeRecipientKind]) -> Failure {
        if kinds.contains(.passphrase) {
            return Failure(.wrongPassword, "the passphrase of the file is wrong")
        }
        let others = kinds.filter { $0 != .x25519 }.map(\.words).joined(separator: ", ")
        guard kinds.contains(.x25519) else {
            return Failure(
                .badData, "the age file opens only with what keytool does not read: \(others)",
                hints: "decrypt it with age, and encrypt it for a key age1... or under a passphrase"
            ).because(of: "unsupported_recipient")
        }
        return Failure(
            .wrongPassword, "no key of --identity opens the age file",
            hints: others.isEmpty
                ? "it is encrypted for another key" : "it is encrypted for another key, or for \(others)")
    }
}

extension AgeRecipientKind {
    /// What opens the file, for people.
    fileprivate var words: String {
        switch self {
        case .passphrase: "a passphrase"
        case .x25519: "an age key (age1...)"
        case .ssh: "an ssh key"
        case .postQuantum: "a post-quantum age key (age1pq1...)"
        case .hardware: "a hardware key (age1tag1...)"
        case .other(let type): "a plugin's key (\(type.printable))"
        }
    }
}

extension AgeError.ArmorFault {
    fileprivate var words: String {
        switch self {
        case .beginning: "its first line is misspelled"
        case .line(let number): "line \(number) is malformed"
        case .end: "its last line is missing; the file may be cut off"
        case .trailingData: "something stands behind its last line"
        }
    }
}

extension AgeError.HeaderFault {
    fileprivate var words: String {
        switch self {
        case .notAge: "the file is not an age file"
        case .version: "the age file has another version"
        case .carriageReturn: "the age file was converted like a text: its lines end in carriage returns"
        case .truncated: "the age file is cut off in its header"
        case .tooLarge: "the header of the age file is too large"
        case .stanza, .body, .authenticationCode, .x25519, .scrypt: "the header of the age file is damaged"
        case .scryptNotAlone: "the age file has a passphrase and another recipient, which the format forbids"
        }
    }
}

extension AgeError.PayloadFault {
    fileprivate var failure: Failure {
        switch self {
        case .notAuthentic, .emptyLastChunk:
            Failure(.badData, "the content of the age file is damaged; its key is right")
        case .truncated: Failure(.badData, "the age file is cut off; its key is right")
        case .trailingData: Failure(.badData, "the age file continues behind its end; its key is right")
        case .tooLarge(let limit):
            Failure(.badData, "the content of the age file is longer than \(ByteCount.text(limit))")
        }
    }
}

extension AgeKeyError {
    /// What is wrong, about a key that is "it".
    fileprivate var words: String {
        switch self {
        case .notKey: "it is not a key of age"
        case .character(let position): "it has an invalid character at position \(position)"
        case .checksum: "its checksum is wrong: it was mistyped or cut off"
        case .malformed: "it is malformed"
        case .isIdentity: "it is a secret key"
        case .isRecipient: "it is a recipient, not a secret key"
        case .unsupported(.postQuantum): "keytool does not support post-quantum keys"
        case .unsupported(.hardware): "keytool does not support hardware keys"
        case .unsupported(.ssh): "keytool does not support ssh keys"
        case .unsupported(.plugin(let name)): "keytool does not support the plugin \(name.printable)"
        }
    }
}

extension AgeKeyError: Explained {
    var failure: Failure { Failure(.badData, "this key of age is not usable: \(words)") }
}

extension AgeRecipientError: Explained {
    var failure: Failure {
        let sentence = "recipient \(number) is not usable: \(reason.words)"
        guard reason == .isIdentity else {
            return Failure(.usage, sentence, hints: "a recipient begins with age1 and has 62 characters")
        }
        return Failure(
            .usage, sentence,
            hints: "other processes can see arguments: replace this key", "age-keygen -y prints its recipient")
    }
}

extension AgeIdentityError: Explained {
    var failure: Failure {
        switch self {
        case .needed:
            Failure(
                .needSecret, "the age file is encrypted for recipients; it opens with a secret key",
                hints: "name the file with the key: --identity AGEKEYFILE")
        case .underPassphrase:
            Failure(.usage, "the age file is under a passphrase, and no key opens it", hints: "leave --identity out")
        case .none(let path):
            Failure(.badData, "\(path) contains no key AGE-SECRET-KEY-1...", hints: "age-keygen writes such a file")
        case .encrypted(let path):
            Failure(
                .badData, "\(path) is encrypted itself",
                hints:
                    "decrypt it for this command: age -d \(path == "-" ? "FILE" : ShellWord.path(path)) | keytool ... --identity -"
            )
        case .key(let path, let line, let error):
            Failure(.badData, "line \(line) of \(path) is not a secret key: \(error.words)")
        }
    }
}

extension AgeKeyFileError: Explained {
    var failure: Failure {
        switch self {
        case .tooLong(let limit): Failure(.badData, "a file of age's keys has at most \(ByteCount.text(limit))")
        }
    }
}
