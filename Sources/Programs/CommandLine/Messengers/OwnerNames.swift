package import Encodings
package import Keystore
package import Threema
import ThreemaRecords

extension Owner {
    /// The identity as a person types it. A Threema ID needs no messenger.
    package var name: String { messenger == Self.threema ? id : messenger + "/" + id }

    /// The ID of a Threema identity; nil for those of other messengers.
    package var threemaID: ThreemaID? { messenger == Self.threema ? try? ThreemaID(id) : nil }

    /// The first members of a result.
    package var members: [(String, JSONValue?)] { [("messenger", .string(messenger)), ("id", .string(id))] }
}
