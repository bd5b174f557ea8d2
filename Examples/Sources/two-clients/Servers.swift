import Foundation
import TCPTransport
import Threema
import ThreemaChat
import ThreemaDirectory
import ThreemaMessages

/// A directory and a media server that answer the library's requests, and a chat server on a port of this machine.
final class Servers {
    private let keys: [ThreemaID: PublicKey]
    private var blobs: [String: [UInt8]] = [:]

    init(_ keys: [ThreemaID: PublicKey]) { self.keys = keys }

    /// - Returns: its port.
    func startChat(_ serverKey: ServerKey) throws -> UInt16 {
        let listener = try TCPListener(address: "127.0.0.1")
        Thread.detachNewThread { [keys] in
            try? listener.serve(ChatServer(key: serverKey) { keys[$0] })
        }
        return listener.port
    }

    func ask<Answer>(_ question: Question<Answer>) throws -> Answer {
        let id = try ThreemaID(String(question.request.path.split(separator: "/")[1]))
        guard let key = keys[id] else { return try question.answer(DirectoryReply(status: 404, body: [])) }
        let key64 = Data(key.bytes).base64EncodedString()
        let json = #"{"identity":"\#(id)","publicKey":"\#(key64)","featureMask":64,"state":0,"type":0}"#
        return try question.answer(DirectoryReply(status: 200, body: Array(json.utf8)))
    }

    func ask<Answer>(_ question: MediaQuestion<Answer>) throws -> Answer {
        guard let body = question.request.body else {
            return try question.answer(MediaReply(status: 200, body: blobs[question.request.path] ?? []))
        }
        let id = BlobID([UInt8](repeating: UInt8(blobs.count), count: BlobID.count))
        blobs["\(id)"] = Array(body.dropFirst(BlobForm.beginning.count).dropLast(BlobForm.end.count))
        return try question.answer(MediaReply(status: 200, body: Array("\(id)".utf8)))
    }
}
