import Encodings
import HTTP
import KeyWrapping
import ProtonMainKey
import Ratchet
import SecureMemory
import SophaxChat
import SophaxStorage
import Telegram
import TextSecure
import Threema
import ThreemaMessages
import ThreemaWeb

/// Keys in the formats of the messengers.
enum AccountCases {
    static var all: [Case] {
        [
            ("identity", identity), ("file-message", fileMessage), ("pairing-code", pairingCode),
            ("key-file-v1", keyFileV1), ("key-file-v2", keyFileV2), ("main-key-item", mainKeyItem),
            ("main-key-list", mainKeyList),
            ("shares", shares), ("sophax-backup", sophaxBackup), ("telegram-account", telegramAccount),
            ("textsecure-account", textSecureAccount), ("basic-login", basicLogin),
        ]
    }

    private static let key = EncodingCases.key
    private static let base64 = Base64.encode(key.span)

    private static func identity() throws {
        let identity = Identity(id: try ThreemaID("ECHOECHO"), clientKey: ClientKey(Hidden.secret(key)))
        let encoded = identity.encoded()
        let again = try encoded.withBytes { (bytes) throws(IdentityError) in try Identity(decoding: bytes) }
        try expect(identity.isSame(as: again), "the same identity")
        _ = identity.clientKey.publicKey
    }

    private static func fileMessage() throws {
        let hex = Hex.encode(key)
        let before = #"{"b":"000102030405060708090a0b0c0d0e0f","k":""#
        let text = Hidden.text(before, hex, #"","m":"image/png","s":3}"#)
        let message = try text.withBytes { (text) throws(MessageBodyError) in try FileMessage(decoding: text) }
        let body = try MessageBody.chat(.file(message)).container(randomPadding: 1)
        try expect(body.shown().text.contains(hex), "the key in the message")
    }

    private static func pairingCode() throws {
        let peer = PublicKey([UInt8](repeating: 9, count: 32))!
        let payload = PairingPayload(
            version: 1, options: [], initiatorKey: peer, token: AuthToken(Hidden.secret(key)),
            server: try SignalingServer(host: "example.org", port: 443, key: nil))
        let code = payload.code
        try expect(code.shown().text.hasSuffix("="), "the code")
    }

    private static func keyFileV1() throws {
        // Without protection: the key XOR the format's constant, and the check.
        let passphrase = Hidden.secret(Array("passphrase".utf8))
        passphrase.withBytes { Hidden.show($0) }
        let wrapped = try WrappedKey.protected(
            MasterKey(Hidden.secret(key)), by: passphrase, .scrypt(salt: [UInt8](repeating: 1, count: 8)))
        let opened = try wrapped.open(passphrase: passphrase)
        try expect(opened.bytes.shown() == key, "the master key")
    }

    private static func keyFileV2() throws {
        let wrapped = try WrappedKey.unprotected(MasterKey(Hidden.secret(key)))
        try expect(try wrapped.open().bytes.shown() == key, "the master key")
    }

    /// An item of the app's keychain as a file: as it is, in hexadecimal, and in Base64 with a line break.
    private static func mainKeyItem() throws {
        try check(item: Hidden.secret(key))
        try check(item: Hidden.text("", Hex.encode(key), "\n"))
        try check(item: Hidden.text("", base64, "\n"))
    }

    private static func check(item file: borrowing SecureBytes) throws {
        let content = try file.withBytes { (file) throws(ProtectionItemError) in
            try ProtectionItem.none.content(of: file)
        }
        try expect(content.shown() == key, "the MainKey in the clear")
    }

    private static func mainKeyList() throws {
        for bytes in [key, (0..<32).map { UInt8($0 % 5) }] {
            let pin = SecureBytes(copying: Array("1234".utf8).span)
            let salt = [UInt8](repeating: 1, count: PINProtection.saltCount)
            // The protection under a PIN that is known: its cipher is AES in OpenSSL.
            let locked = try PINProtection.lock(
                try MainKey(Hidden.secret(bytes)), pin: pin, salt: salt, iv: [UInt8](repeating: 2, count: 16))
            let opened = try locked.unlock(pin: pin)
            try expect(opened.bytes.shown() == bytes, "the MainKey")
        }
    }

    private static func shares() throws {
        let identity = SophaxIdentity(
            signing: SecureBytes(copying: key.span), agreement: SecureBytes(copying: key.span))!
        // Its name, a digest of the public keys, is not hidden.
        identity.signing.hide()
        identity.agreement.hide()
        let shares = try IdentityShare.split(identity, threshold: 2, total: 3, at: AppTime(seconds: 0)!)
        let read = try shares.map { share in
            let text = share.encoded()
            return try text.withBytes { (text) throws(BackupError) in try IdentityShare(parsing: text) }
        }
        let joined = try IdentityShare.join(Array(read.dropFirst()))
        try expect(joined.signing.shown() == key && joined.agreement.shown() == key, "the joined identity")
    }

    private static func sophaxBackup() throws {
        let text = Hidden.text(
            #"{"username":"a","exportedAt":1,"dhKeyPrivate":"\#(base64)","signingKeyPrivate":""#, base64, #""}"#)
        let backup = try text.withBytes { (text) throws(BackupError) in try IdentityBackup(parsing: text) }
        try expect(backup.identity.signing.shown() == key, "the signing key")
    }

    private static func telegramAccount() throws {
        let bytes = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
        let text = Hidden.text(
            #"{"keys":[{"dc":2,"key":""#, Base64.encode(bytes.span),
            #"","lost":false}],"main_dc":2,"messenger":"telegram","version":1}"#)
        let account = try text.withBytes { (text) throws(TelegramAccountError) in try TelegramAccount(decoding: text) }
        let encoded = account.encoded()
        try expect(encoded.shown().text.contains(Base64.encode(bytes.span)), "the authorization key")
    }

    private static func textSecureAccount() throws {
        let password = Hidden.text("", "0123456789abcdef")
        let account = try TextSecureAccount(
            number: AccountNumber("+12025550123")!, password: AccountPassword(password)!,
            signalingKey: SignalingKey(Hidden.secret([UInt8](repeating: 7, count: SignalingKey.count)))!,
            identity: AgreementKey(Hidden.secret(key))!, registrationID: 1, lastResort: LastResortPrekey(),
            prekeys: PrekeyPool(PrekeyPool.Rules.textSecure), server: nil, relay: nil)
        let encoded = account.encoded()
        let again = try encoded.withBytes { (text) throws(TextSecureAccountError) in
            try TextSecureAccount(decoding: text, at: Timestamp(milliseconds: 0))
        }
        try expect(again.identity.held.bytes.shown() == account.identity.held.bytes.shown(), "the identity")
    }

    private static func basicLogin() throws {
        let login = Login(user: "alice", password: Hidden.text("", "correct horse"))
        try expect(login.isSame(as: login.copy), "the same login")
    }
}
