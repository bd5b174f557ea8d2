package import ArgumentParser
package import Console

/// The passphrase of the keystore that a command opens.
package struct KeystoreOptions: ParsableArguments {
    package init() {}

    @OptionGroup(title: "Keystore passphrase")
    package var passphrase: SecretOptions<KeystorePassphrase>
}
