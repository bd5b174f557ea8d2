import ArgumentParser
import Console

/// The passphrase of the keystore that a command opens.
struct KeystoreOptions: ParsableArguments {
    @OptionGroup(title: "Keystore passphrase")
    var passphrase: SecretOptions<KeystorePassphrase>
}
