public import Threema
public import ThreemaMessages

/// Why a mailbox does not do what it is asked.
public enum MailboxError: Error, Equatable, Sendable {
    /// Nobody of this ID was added, and none was found.
    case unknownContact(ThreemaID)
    /// The directory has said that this contact was revoked: nobody would read a message to it.
    case revokedContact(ThreemaID)
    /// The contact is known under another public key. An ID never changes its key: one of the two is forged.
    case otherPublicKey(ThreemaID)
    /// A picture was to be uploaded, and ``Mailbox/media`` is nil.
    case noMediaServer
    /// A message of this connection was not stored, or the connection has failed. Nothing was changed. Connect again, and
    /// the message comes again: a later one before it would use up its key.
    case connectionOver
    /// A value of the store, or a message in the outbox, does not open or has a form that this library does not write.
    /// Or a server would read a push token as another one. Names the contact whose value it is, or the identity itself.
    case malformedValue(ThreemaID)
    /// The record of this group is damaged: each message of the group throws until ``Mailbox/forget(_:)`` is called.
    case damagedGroup(GroupIdentity)
}
