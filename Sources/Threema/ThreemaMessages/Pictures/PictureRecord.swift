internal import Encodings
package import SecureMemory

// An uploaded picture in a store. Numbers are little-endian.
//
//   offset  length  meaning
//        0      52  as in a message: see PictureMessage
//       52       8  time of the upload, milliseconds since the epoch
//
// A picture that has to be downloaded is the first 52 bytes.

extension PictureMessage {
    /// The bytes of the record: 52.
    package func encoded() -> SecureBytes {
        var buffer = SecureBuffer(capacity: Self.count)
        append(to: &buffer)
        return buffer.finish()
    }

    fileprivate func append(to buffer: inout SecureBuffer) {
        buffer.append(blobID.bytes.span)
        buffer.append(littleEndian: UInt64(encryptedSize), width: 4)
        buffer.append(key.bytes)
    }
}

extension UploadedPicture {
    static let recordCount = PictureMessage.count + 8

    /// The bytes of the record: 60.
    package func encoded() -> SecureBytes {
        var buffer = SecureBuffer(capacity: Self.recordCount)
        append(to: &buffer)
        return buffer.finish()
    }

    func append(to buffer: inout SecureBuffer) {
        message.append(to: &buffer)
        buffer.append(littleEndian: UInt64(bitPattern: uploadedAt.milliseconds), width: 8)
    }

    /// - Returns: nil for another length.
    package init?(record: Span<UInt8>) {
        guard record.count == Self.recordCount,
            let message = try? PictureMessage(decoding: record.extracting(0..<PictureMessage.count))
        else { return nil }
        let time = Int64(bitPattern: record.littleEndian(at: PictureMessage.count, width: 8))
        self.init(message: message, uploadedAt: Timestamp(milliseconds: time))
    }
}
