// The body of an upload is a form of one part (RFC 7578):
//
//     -----------------------------Boundary_Line
//     Content-Disposition: form-data; name="blob"; filename="blob.bin"
//     Content-Type: application/octet-stream
//
//     the blob
//     -----------------------------Boundary_Line--
//
// Lines end with CR LF. The boundary is fixed: nobody can choose a key so that it appears in a blob.

/// The form in which a blob is uploaded. `MediaRequest.upload` puts it around a blob in memory. To send a blob from a
/// file, write `beginning`, the blob and `end` one after the other, with the length `count(of:)`.
public enum BlobForm {
    private static let boundary = "---------------------------Boundary_Line"

    /// The header of the request.
    public static let contentType = "Content-Type: multipart/form-data; boundary=\(boundary)"

    /// The bytes before the blob.
    public static let beginning = Array(
        ("--\(boundary)\r\nContent-Disposition: form-data; name=\"blob\"; filename=\"blob.bin\"\r\n"
            + "Content-Type: application/octet-stream\r\n\r\n").utf8)

    /// The bytes after the blob.
    public static let end = Array("\r\n--\(boundary)--\r\n".utf8)

    /// Length of the body in bytes.
    /// - Parameter blobCount: length of the blob in bytes.
    public static func count(of blobCount: Int) -> Int { beginning.count + blobCount + end.count }
}
