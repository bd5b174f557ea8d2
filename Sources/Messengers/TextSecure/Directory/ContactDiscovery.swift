/// The numbers that a directory is asked for, and the way back from its tokens to them.
public struct ContactDiscovery: Sendable {
    /// Most tokens in one request.
    public static let maxTokens = 1000

    private let numbers: [DirectoryToken: AccountNumber]
    /// The tokens to send, one list for each request, in the order of the numbers and each once.
    public let batches: [[DirectoryToken]]

    /// - Parameter numbers: the same number twice is asked for once.
    public init(_ numbers: [AccountNumber]) {
        var known: [DirectoryToken: AccountNumber] = [:]
        var batches: [[DirectoryToken]] = []
        for number in numbers {
            let token = DirectoryToken(number)
            guard known.updateValue(number, forKey: token) == nil else { continue }
            if batches.last.map({ $0.count == Self.maxTokens }) ?? true { batches.append([]) }
            batches[batches.count - 1].append(token)
        }
        self.numbers = known
        self.batches = batches
    }

    /// The numbers of an answer. Tokens that nobody asked for are ignored; of a token that stands twice, the first
    /// entry counts.
    public func match(_ answer: [DirectoryEntry]) -> [FoundContact] {
        var seen: Set<DirectoryToken> = []
        return answer.compactMap { entry in
            guard let number = numbers[entry.token], seen.insert(entry.token).inserted else { return nil }
            return FoundContact(number: number, relay: entry.relay, supportsSMS: entry.supportsSMS)
        }
    }
}

/// One entry of the directory's answer.
public struct DirectoryEntry: Equatable, Sendable {
    /// The token of the number that has an account. Compare it with those that were sent.
    public let token: DirectoryToken
    /// The server in a federation; nil for the one that was asked.
    public let relay: String?
    /// Whether the client also receives messages in SMS.
    public let supportsSMS: Bool
}

/// A number with an account.
public struct FoundContact: Equatable, Sendable {
    /// The number, one of those that were asked for.
    public let number: AccountNumber
    /// The server in a federation; nil for the one that was asked.
    public let relay: String?
    /// Whether the client also receives messages in SMS.
    public let supportsSMS: Bool
}
