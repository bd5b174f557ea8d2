internal import SecureMemory
internal import Telegram

extension TelegramAccount {
    /// The account of a session. A value that cannot be one is refused: it would be lost without a word.
    /// - Parameters:
    ///   - keys: with the numbers of their data centres; the first one is of the account's.
    ///   - user: nil or 0 if it is not known.
    /// - Throws: `.noKey` without keys; `.damaged`.
    static func session(
        keys: [(number: Int64, held: HeldAuthorizationKey)], isTest: Bool, user: UInt64? = nil, isBot: Bool? = nil,
        apiID: UInt64? = nil
    ) throws(TelegramSessionError) -> TelegramAccount {
        guard !keys.isEmpty else { throw .noKey }
        guard keys.allSatisfy({ DataCentres.numbers.contains($0.number) }) else { throw .damaged }
        let offset = isTest ? DataCentres.testOffset : 0
        let keys = keys.map { Key(dataCentre: Int32($0.number) + offset, held: $0.held) }
        // JSON's numbers of 32 bits are signed, and so are those of the libraries.
        let api = apiID.map { Int32(exactly: $0) }
        guard api != .some(nil), user.map({ Int64(exactly: $0) != nil }) ?? true else { throw .damaged }
        do {
            return try TelegramAccount(
                user: user == 0 ? nil : user, mainDataCentre: keys[0].dataCentre, keys: keys, isBot: isBot,
                apiID: api.flatMap { $0 == 0 ? nil : $0 })
        } catch {
            throw .damaged
        }
    }

    /// Whether the account is one of the test servers.
    var isForTests: Bool { mainDataCentre > DataCentres.testOffset }

    /// The user's number, which is signed in a session file.
    var sessionUser: Int64? { user.flatMap { Int64(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil } }

    /// The server of the main data centre.
    var sessionServer: DataCentres.Server {
        get throws(TelegramSessionError) {
            guard let server = DataCentres.server(of: mainDataCentre) else {
                throw .noAddress(dataCentre: mainDataCentre)
            }
            return server
        }
    }

    /// The user's number, without which there is no session of Pyrogram; that library has to know the server, too.
    var pyrogramUser: Int64 {
        get throws(TelegramSessionError) {
            _ = try sessionServer
            guard let user = sessionUser else { throw .noUser }
            return user
        }
    }

    /// The number of the main data centre in a session that says otherwise whether it is for tests.
    var sessionNumber: UInt8 { UInt8(mainDataCentre - (isForTests ? DataCentres.testOffset : 0)) }
}

/// A part of what is written: the key, or what is not secret.
enum SecretPiece {
    case plain([UInt8])
    case key(HeldAuthorizationKey)

    var count: Int {
        switch self {
        case .plain(let bytes): bytes.count
        case .key: AuthorizationKey.count
        }
    }

    func append(to buffer: inout SecureBuffer) {
        switch self {
        case .plain(let bytes): buffer.append(bytes.span)
        case .key(let held): buffer.append(held.key.bytes)
        }
    }
}

/// The low bytes of a number.
func bigEndian(_ number: UInt64, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
}
