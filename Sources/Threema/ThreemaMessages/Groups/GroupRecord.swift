package import SecureMemory
internal import Threema

// A group in a store, which knows its identity. Numbers are little-endian.
//
//   offset  length  meaning
//        0       1  1, the form
//        1       1  1 if the user has left, else 0
//        2       4  length of the name
//        6       n  name, UTF-8
//        …       1  1 if the group has a picture, else 0
//        …      60  the picture: see PictureRecord
//        …       …  IDs of the others, 8 bytes each

private let form: UInt8 = 1
private let headerCount = 6

extension Group {
    /// The bytes of the record.
    package func encoded() -> SecureBytes {
        let nameBytes = Array(name.utf8)
        let count = headerCount + nameBytes.count + 1 + UploadedPicture.recordCount + others.count * ThreemaID.count
        var buffer = SecureBuffer(capacity: count)
        buffer.append(form)
        buffer.append(standing == .left ? 1 : 0)
        buffer.append(littleEndian: UInt64(nameBytes.count), width: 4)
        buffer.append(nameBytes.span)
        buffer.append(picture == nil ? 0 : 1)
        picture?.append(to: &buffer)
        for member in others { buffer.append(member.bytes.span) }
        return buffer.finish()
    }

    /// - Returns: nil for anything but what `encoded` makes.
    package init?(decoding record: Span<UInt8>, of identity: GroupIdentity) {
        guard record.count > headerCount, record[0] == form, record[1] <= 1 else { return nil }
        let nameCount = Int(record.littleEndian(at: 2, width: 4))
        guard nameCount < record.count - headerCount,
            let name = record.extracting(headerCount..<headerCount + nameCount).text(),
            record[headerCount + nameCount] <= 1
        else { return nil }
        var position = headerCount + nameCount + 1
        var picture: UploadedPicture?
        if record[position - 1] == 1 {
            let end = position + UploadedPicture.recordCount
            guard end <= record.count, let read = UploadedPicture(record: record.extracting(position..<end)) else {
                return nil
            }
            picture = read
            position = end
        }
        guard let others = [ThreemaID](decoding: record.extracting(position..<record.count)),
            others == Self.sorted(others)
        else { return nil }
        self.init(
            identity: identity, others: others, name: name, picture: picture,
            standing: record[1] == 1 ? .left : .member)
    }
}
