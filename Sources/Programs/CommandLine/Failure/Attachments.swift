package import Console
package import TextSecure

/// It is not 64 bytes in Base64.
struct MalformedAttachmentKey: Explained {
    var failure: Failure {
        Failure(.badData, "the key of an attachment is \(AttachmentKey.count) bytes in Base64, 88 characters")
    }
}

extension AttachmentError: Explained {
    package var failure: Failure {
        switch self {
        case .tooShort:
            Failure(.badData, "an attachment has at least \(ByteCount.text(AttachmentBlob.minCount))")
        case .tooLong(let limit):
            Failure(.badData, "the file of an attachment has at most \(ByteCount.text(Int(limit)))")
        case .wrongLength: Failure(.badData, "the attachment has no whole blocks: a part is missing, or was added")
        case .notAuthentic:
            Failure(.badData, "the attachment was changed, or made with another key").because(of: "not_authentic")
        }
    }
}
