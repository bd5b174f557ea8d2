internal import HTTP
internal import SecureMemory
package import ThreemaMessages

extension MediaClient {
    /// Downloads and opens a picture.
    /// - Parameter most: longest JPEG, in bytes.
    /// - Returns: nil for one that never comes: it is gone, altered or too long.
    /// - Throws: what may be over later.
    package func picture(_ picture: PictureMessage, most: Int) throws(MediaFailure) -> [UInt8]? {
        let request: MediaRequest<[UInt8]>
        do throws(MediaError) {
            request = try .download(picture.blobID, from: server, limit: most + Blob.overhead)
        } catch {
            throw .service(error)
        }
        do throws(MediaFailure) {
            let blob = try ask(request)
            return try? Blob.open(blob.span, key: picture.key).withBytes { $0.revealBytes() }
        } catch {
            switch error {
            case .service(.unknownBlob), .service(.tooLong(limit: _)), .http(.bodyTooLong): return nil
            default: throw error
            }
        }
    }

    /// Seals a picture under a fresh key, and uploads it.
    /// - Returns: what receivers are told of it.
    package func upload(picture jpeg: [UInt8]) throws -> PictureMessage {
        let (blob, key) = Blob.sealPicture(jpeg.span)
        let id = try ask(.upload(blob, to: server, persists: true))
        return PictureMessage(blobID: id, encryptedSize: UInt32(blob.count), key: key)
    }
}

extension MediaFailure {
    /// Whether the server has refused this request, so that it may answer the next one.
    package var isRefusal: Bool {
        switch self {
        case .service: true
        case .http: false
        }
    }
}
