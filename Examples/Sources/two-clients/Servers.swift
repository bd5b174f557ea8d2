import Foundation
import TCPTransport
import Threema
import ThreemaChat
import ThreemaClient
import ThreemaDirectory
import ThreemaMedia
import ThreemaMessages

/// A directory and a media server that answer the library's requests, and a chat server on a port of this machine.
final class Servers {
    private let key = ServerKey.random()
    private let listener: TCPListener
    private let keys: [ThreemaID: PublicKey]
    private var blobs: [String: [UInt8]] = [:]

    init(_ keys: [ThreemaID: PublicKey]) throws {
        self.keys = keys
        listener = try TCPListener(address: "127.0.0.1")
        Thread.detachNewThread { [listener, key] in
            try? listener.serve(ChatServer(key: key) { keys[$0] })
        }
    }

    func logIn(_ own: borrowing Identity) throws -> ChatSession {
        let stream = try TCPStream(host: "localhost", port: listener.port, within: .seconds(20))
        let client = ChatClient(
            identity: own, serverKeys: [key.publicKey], extensions: try LoginExtensions([.clientInfo("1.0;L;en/CH")]))
        return try ChatSession(client, on: stream)
    }

    func find(_ id: ThreemaID) throws -> Contact? {
        guard let key = keys[id].map({ Data($0.bytes).base64EncodedString() }) else { return nil }
        let json = #"{"identity":"\#(id)","publicKey":"\#(key)","featureMask":64,"state":0,"type":0}"#
        return Contact(try Question.fetch(id).answer(DirectoryReply(status: 200, body: Array(json.utf8))))
    }

    func ask<Answer>(_ question: MediaQuestion<Answer>) throws -> Answer {
        func reply(_ body: [UInt8]) throws -> Answer { try question.answer(MediaReply(status: 200, body: body)) }
        guard let body = question.request.body else { return try reply(blobs[question.request.path] ?? []) }
        let id = BlobID([UInt8](repeating: UInt8(blobs.count), count: BlobID.count))
        blobs["\(id)"] = Array(body.dropFirst(BlobForm.beginning.count).dropLast(BlobForm.end.count))
        return try reply(Array("\(id)".utf8))
    }
}
