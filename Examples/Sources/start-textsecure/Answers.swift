import Encodings
import HTTP
import TextSecure

/// What a server answers to the requests of a client. There is no server: the answers are made here.
enum Answers {
    static func show(contact number: AccountNumber, with key: PublicKey33) throws {
        let keys = try ServerRequest<ContactKeys>.keys(of: number)
        print("GET", keys.path)
        for status in [401, 404, 413] {
            do throws(ServerError) {
                _ = try keys.answer(HTTPResponse(status: status))
            } catch {
                print(status, error)
            }
        }
        let given = try keys.answer(
            json("{\"keyId\":7,\"publicKey\":\"\(key.text)\",\"identityKey\":\"\(key.text)\"}"))
        print("prekey \(given.prekey.id), the identity is the known one:", given.identity == key)

        let message = AddressedMessage(to: number, type: 1, timestamp: Timestamp(milliseconds: 0), body: [])
        let sent = try ServerRequest<SendingResult>.send([message])
            .answer(json("{\"success\":[\"\(number)\"],\"failure\":[]}"))
        print("sent to \(sent.success.count), not to \(sent.failure.count)")

        let blob = "\"location\":\"https://blobs.example/1\""
        let place = try ServerRequest<AttachmentPlace>.attachmentPlace().answer(json("{\"id\":\"1\",\(blob)}"))
        let found = try ServerRequest<AttachmentLocation>.attachment(place.id).answer(json("{\(blob)}"))
        print("uploaded without the login:", !ServerRequest<Void>.upload([], to: place.location).isAuthorized)
        print("downloaded:", try ServerRequest<[UInt8]>.download(found).answer(json("{}")).count, "bytes")
    }

    static func json(_ text: String) -> HTTPResponse { HTTPResponse(status: 200, body: Array(text.utf8)) }
}
