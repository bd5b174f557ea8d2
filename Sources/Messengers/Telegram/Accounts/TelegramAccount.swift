/// The authorization keys of one account on one device: one for each data centre that the device has talked to.
public struct TelegramAccount: Equatable, Sendable {
    /// A key and the data centre that it is for.
    public struct Key: Equatable, Sendable {
        /// The data centre's number. Those of media connections are large numbers.
        public let dataCentre: Int32
        /// The authorization key for this data centre, 256 bytes.
        public let held: HeldAuthorizationKey
        /// Whether the user has marked the key as lost: somebody else may have it.
        public let isLost: Bool

        /// Puts a data centre and its key together.
        public init(dataCentre: Int32, held: HeldAuthorizationKey, isLost: Bool = false) {
            (self.dataCentre, self.held, self.isLost) = (dataCentre, held, isLost)
        }

        /// The name of the key.
        public var id: KeyID { held.key.id }
    }

    /// Most keys of an account.
    public static let maxKeys = DesktopAccount.maxKeys

    /// The user's number; nil if it is not known. A key tells nothing of it.
    public let user: UInt64?
    /// The data centre that has the account. There is a key for it.
    public let mainDataCentre: Int32
    /// The keys, sorted by data centre; at least one.
    public let keys: [Key]
    /// Whether it is a bot's; nil if that is not known. Only sessions of Pyrogram say it.
    public let isBot: Bool?
    /// The API ID of the program that has logged in; nil if it is not known. Only sessions of Pyrogram say it, and it is
    /// not secret.
    public let apiID: Int32?

    /// An account of these keys, in any order.
    /// - Throws: `.tooManyKeys`, `.duplicateDataCentre`, `.noMainKey`.
    public init(
        user: UInt64?, mainDataCentre: Int32, keys: [Key], isBot: Bool? = nil, apiID: Int32? = nil
    ) throws(TelegramAccountError) {
        guard keys.count <= Self.maxKeys else { throw .tooManyKeys(limit: Self.maxKeys) }
        let sorted = keys.sorted { $0.dataCentre < $1.dataCentre }
        for (key, next) in zip(sorted, sorted.dropFirst()) where key.dataCentre == next.dataCentre {
            throw .duplicateDataCentre(key.dataCentre)
        }
        guard sorted.contains(where: { $0.dataCentre == mainDataCentre }) else { throw .noMainKey(mainDataCentre) }
        (self.user, self.mainDataCentre, self.keys) = (user, mainDataCentre, sorted)
        (self.isBot, self.apiID) = (isBot, apiID)
    }

    /// The keys in use of an account of the Desktop app. Those that the app is about to destroy are left out: the
    /// servers forget them, and their data centres have other keys.
    /// - Throws: as `init(user:mainDataCentre:keys:)`.
    public init(_ account: DesktopAccount) throws(TelegramAccountError) {
        try self.init(
            user: account.user, mainDataCentre: account.mainDataCentre,
            keys: account.keys.map { Key(dataCentre: $0.dataCentre, held: $0.held) })
    }

    /// The key for the data centre that has the account.
    public var mainKey: Key {
        // There is one: `init` has looked.
        keys.first { $0.dataCentre == mainDataCentre }!
    }

    /// This account with all keys of this ID marked as lost.
    /// - Returns: nil if it has no such key.
    public func markingLost(_ id: KeyID) -> TelegramAccount? {
        guard keys.contains(where: { $0.id == id }) else { return nil }
        return TelegramAccount(
            self, keys: keys.map { Key(dataCentre: $0.dataCentre, held: $0.held, isLost: $0.isLost || $0.id == id) })
    }

    /// What of another account differs from this one: the data centres for which both have a key, but not the same one.
    public func differingDataCentres(from other: TelegramAccount) -> [Int32] {
        keys.filter { key in other.keys.contains { $0.dataCentre == key.dataCentre && $0.held != key.held } }
            .map(\.dataCentre)
    }

    /// - Parameter keys: of the same data centres.
    private init(_ account: TelegramAccount, keys: [Key]) {
        (user, mainDataCentre, self.keys) = (account.user, account.mainDataCentre, keys)
        (isBot, apiID) = (account.isBot, account.apiID)
    }
}

/// Why keys are not an account, or why a text is not one.
public enum TelegramAccountError: Error, Equatable, Sendable {
    /// The account has more keys than `limit`.
    case tooManyKeys(limit: Int)
    /// Two keys are for this data centre.
    case duplicateDataCentre(Int32)
    /// No key is for this data centre, which has the account.
    case noMainKey(Int32)
    /// The text has more than `limit` bytes.
    case tooLong(limit: Int)
    /// The text is not JSON, or a member is missing or not of its type.
    case malformed
    /// The text has a member that the format does not know.
    case unknownMember
    /// The text is of another messenger.
    case otherMessenger
    /// The text has another version of the format; nil if that is not a number.
    case unknownVersion(Int64?)
    /// The key for this data centre is not Base64 of 256 bytes.
    case malformedKey(dataCentre: Int32)
}
