import Console

// The secrets that keytool and keytool-lab ask for.

package enum KeystorePassphrase: Secret {
    package static let stem = "passphrase"
    package static let title = "keystore passphrase"
}

package enum AttachmentSecret: Secret {
    package static let stem = "attachment-key"
    package static let title = "key of the attachment"
}

package enum MainKeyPIN: Secret {
    package static let stem = "pin"
    package static let title = "PIN"
}

package enum NewMainKeyPIN: Secret {
    package static let stem = "new-pin"
    package static let title = "new PIN"
}

/// How long a PIN is.
package enum PINRules {
    /// Fewest characters.
    package static let minimum = 4
    /// Fewest digits that need no second question.
    package static let enoughDigits = 6
}
