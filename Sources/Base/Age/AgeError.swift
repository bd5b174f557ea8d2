public import Primitives

/// Why an age file was not opened or written. The cases are the layers of the format, from the outside in.
public enum AgeError: Error, Equatable, Sendable {
    /// The text around an armored file is wrong.
    case armor(ArmorFault)
    /// The header does not have the structure of a header, or a stanza in it is wrong.
    case header(HeaderFault)
    /// A passphrase costs more to check than the caller allows; nothing was derived. The binary logarithm of scrypt's N,
    /// `Int.max` if it does not fit, and the allowed one. `AgeFile.memory(workFactor:)` has the memory.
    case workFactor(Int, limit: Int)
    /// The header is sound, but no stanza opens with this passphrase or identity. The recipients that the file has.
    case noMatch([AgeRecipientKind])
    /// The file key was found, but the header was changed after it was written.
    case headerChanged
    /// The encrypted content is damaged, cut off or too long.
    case payload(PayloadFault)
    /// The key was not derived from the passphrase.
    case derivation(KeyDerivationError)
    /// A passphrase must not be empty.
    case emptyPassphrase
    /// A file is written to at least one recipient, and to at most `limit`; `count` were given.
    case recipients(count: Int, limit: Int)
    /// A file that was just written did not open to the same content. Memory or processor may be faulty.
    case notReproduced

    /// What is wrong with an armor.
    public enum ArmorFault: Equatable, Sendable {
        /// The first line is not `-----BEGIN AGE ENCRYPTED FILE-----`.
        case beginning
        /// A line is empty, or not canonical Base64 of 64 characters (the last one may have fewer); its number from 1.
        case line(Int)
        /// The line `-----END AGE ENCRYPTED FILE-----` is missing or misspelled.
        case end
        /// Something else than white space is behind the last line, or more of that than 1024 bytes.
        case trailingData
    }

    /// What is wrong with a header.
    public enum HeaderFault: Equatable, Sendable {
        /// The file does not begin as an age file does. It may be empty.
        case notAge
        /// Another version of the format; what is written behind the slash, at most 32 characters.
        case version(String)
        /// A line ends in a carriage return. The file was probably converted like a text.
        case carriageReturn
        /// The file ends within the header, or within the 16 bytes behind it.
        case truncated
        /// A line of more than 8 KiB, a stanza of more than 64 KiB, a header of more than 1 MiB, or more than 1000
        /// stanzas.
        case tooLarge
        /// The first line of a stanza is malformed, or the header has none.
        case stanza
        /// The body of a stanza is malformed.
        case body
        /// The line with the authentication code is malformed.
        case authenticationCode
        /// An X25519 stanza has wrong arguments or a body of a wrong length, or a share that no key has.
        case x25519
        /// A scrypt stanza has wrong arguments or a body of a wrong length.
        case scrypt
        /// A scrypt stanza is beside another one, so that not only the passphrase opens the file.
        case scryptNotAlone
    }

    /// What is wrong with the encrypted content.
    public enum PayloadFault: Equatable, Sendable {
        /// A chunk does not open: it was changed, moved, or cut off; the chunks count from 0.
        case notAuthentic(chunk: UInt64)
        /// The file ends before the last chunk.
        case truncated
        /// The last chunk is empty, but others are before it.
        case emptyLastChunk
        /// There are bytes behind the last chunk.
        case trailingData
        /// The content is longer than the caller allows, in bytes.
        case tooLarge(limit: Int)
    }
}
