import Console

// The secrets that keytool asks for.

enum NewKeystorePassphrase: Secret {
    static let stem = "new-passphrase"
    static let title = "new keystore passphrase"
}

enum FilePassphrase: Secret {
    static let stem = "file-passphrase"
    static let title = "passphrase of the file"
}

enum NewFilePassphrase: Secret {
    static let stem = "new-file-passphrase"
    static let title = "new passphrase of the file"
}

enum TelegramPasscode: Secret {
    static let stem = "telegram-passcode"
    static let title = "Telegram passcode"
}

/// It is typed, and has no options: elsewhere it is a file that is imported.
enum TelegramSessionText: Secret {
    static var stem: String { "telegram-session" }
    static let title = "session text"
}

enum ClientPassword: Secret {
    static let stem = "client-password"
    static let title = "password of the client"
}

enum GatewaySecretText: Secret {
    static let stem = "gateway-secret"
    static let title = "API secret"
}

enum OnPremPassword: Secret {
    static let stem = "onprem-password"
    static let title = "licence password"
}

enum ArchivePassphrase: Secret {
    static let stem = "archive-passphrase"
    static let title = "archive passphrase"
    static let isGenerated = true
}

enum BackupPassword: Secret {
    static let stem = "backup-password"
    static let title = "backup password"
    static let isGenerated = true
}

enum SafePassword: Secret {
    static let stem = "safe-password"
    static let title = "Safe password"
    static let isGenerated = true
}

enum NewSafePassword: Secret {
    static let stem = "new-safe-password"
    static let title = "new Safe password"
    static let isGenerated = true
}

enum ServerPassword: Secret {
    static let stem = "server-password"
    static let title = "Safe server password"
}

enum RevocationPassword: Secret {
    static let stem = "revocation-password"
    static let title = "revocation password"
}
