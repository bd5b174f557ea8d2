import Foundation

/// One known answer: what goes in, and what has to come out or to be refused.
///
/// The files stand in `Tests/Vectors`, one for each area. They are found beside this source file, so
/// that tests need no bundle and always read what is in the working copy.
public struct Vector: Decodable, Sendable, CustomStringConvertible {
    /// Names the behaviour; unique in its area.
    public let id: String
    /// The file that it stands in.
    public let area: Area
    /// What is done with the inputs, in areas where that differs.
    public let op: String?
    /// What goes in.
    public let inputs: Fields
    /// What comes out; in a negative vector `error` names the layer that refuses.
    public let expected: Fields
    /// Whether the input has to be refused.
    public let negative: Bool

    /// A test names its arguments by this.
    public var description: String { id }

    /// A file of vectors, without `.json`.
    public enum Area: String, CaseIterable, Decodable, Sendable {
        case idBackup = "id_backup"
        case threemaID = "threema_id"
        case keypair
        case publicKeyDisplay = "public_key_display"
        case safeKDF = "safe_kdf"
        case safeEncrypt = "safe_encrypt"
        case safeDecrypt = "safe_decrypt"
        case safeJSON = "safe_json"
        case safeConfig = "safe_config"
        case safeUploadDecision = "safe_upload_decision"
        case safePassword = "safe_password"
        case revocation
        case contactCode = "qr_contact"
        case masterKeyV1 = "masterkey_v1"
        case masterKeyV2 = "masterkey_v2"
        case desktopKeyStorage = "desktop_keystorage"
        case threemaClient = "threema_client"
        case masterKeyFile = "master_key_file"
        case keystoreRecord = "keystore_record"
        case keystoreHistory = "keystore_history"
        case keystoreCommit = "keystore_commit"
        case sessionValue = "session_value"
        case sessionExport = "session_export"
        case safeSeal = "safe_seal"
        case pushNotification = "push_notification"
        case legacyImage = "legacy_image"
        case ageFile = "age_file"
        case telegram = "telegram_mtproto1"
        case protonMainKey = "proton_mainkey"
        case ratchet
        case sophaxChat = "sophaxchat"
        case sophaxChatGroups = "sophaxchat_groups"
        case textSecure = "textsecure"
        case textSecureFormats = "textsecure_formats"
        case slip39

        case aes256GCM = "aes256_gcm"
        case blake2b = "blake2b_256"
        case chachaPoly = "chacha20_poly1305"
        case hkdfSHA256 = "hkdf_sha256"
        case hmacSHA256 = "hmac_sha256"
        case pbkdf2 = "pbkdf2_hmac_sha256"
        case scrypt
        case secretBox = "secretbox"
        case sha256
        case sha512
        case x25519
        case x25519Shared = "x25519_shared"
        case xchachaPoly = "xchacha20_poly1305"
        case xsalsa20
    }

    /// Every vector of an area, in the order of its file.
    /// - Throws: where the file is missing or is not a list of vectors of that area; also where the
    ///   list is empty, because a test without arguments would pass.
    public static func all(in area: Area) throws -> [Vector] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Vectors/\(area.rawValue).json")
        let vectors = try JSONDecoder().decode([Vector].self, from: Data(contentsOf: file))
        return try checked(vectors, area)
    }

    /// The vectors of an area that have to work.
    /// - Throws: as `all(in:)`.
    public static func positive(in area: Area) throws -> [Vector] {
        try checked(all(in: area).filter { !$0.negative }, area)
    }

    /// The vectors of an area that have to be refused.
    /// - Throws: as `all(in:)`.
    public static func negative(in area: Area) throws -> [Vector] {
        try checked(all(in: area).filter(\.negative), area)
    }

    /// The vectors of an area for one operation.
    /// - Throws: as `all(in:)`.
    public static func all(in area: Area, op: String) throws -> [Vector] {
        try checked(all(in: area).filter { $0.op == op }, area)
    }

    /// The vector of that id.
    /// - Throws: as `all(in:)`; also where the area has no such vector.
    public static func named(_ id: String, in area: Area) throws -> Vector {
        let vectors = try all(in: area).filter { $0.id == id }
        guard let vector = vectors.first else { throw VectorError.noVector(area, id: id) }
        return vector
    }

    private static func checked(_ vectors: [Vector], _ area: Area) throws -> [Vector] {
        guard !vectors.isEmpty else { throw VectorError.noVector(area, id: nil) }
        if let stray = vectors.first(where: { $0.area != area }) { throw VectorError.strayVector(area, id: stray.id) }
        return vectors
    }
}

/// Why vectors could not be used.
public enum VectorError: Error {
    case noVector(Vector.Area, id: String?)
    case strayVector(Vector.Area, id: String)
    case noField(String)
    case wrongType(String)
}
