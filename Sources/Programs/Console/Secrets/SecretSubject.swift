/// What a secret belongs to; a prompt says it behind the secret's name.
package enum SecretSubject {
    /// There is only one: "Keystore passphrase: ".
    case only
    /// Somebody or something that the secret serves: "Server password for alice: ".
    case `for`(String)
    /// A thing that the secret opens: "Backup password of this code: ".
    case of(String)
    /// A thing whose kind the secret's name says already: "Passphrase of the file key.dat: ".
    case named(String)
    /// A thing that a secret of another one may open, too: "Keystore passphrase, of key.dat: ".
    case also(of: String)

    /// What comes behind the secret's name.
    var words: String {
        switch self {
        case .only: ""
        case .for(let name): " for " + name
        case .of(let name): " of " + name
        case .named(let name): " " + name
        case .also(let name): ", of " + name
        }
    }
}
