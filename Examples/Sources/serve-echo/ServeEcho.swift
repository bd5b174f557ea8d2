import ByteStreams
import Foundation
import TCPTransport

/// Sends a line to a server in this process, prints its answer, and waits until the server closes the connection.
///
///     echo 'TEXT' | serve-echo
@main
struct ServeEcho {
    static func main() throws {
        let listener = try TCPListener(address: "127.0.0.1")
        Thread.detachNewThread { try? listener.serve(LoudEcho(silenceLimit: .milliseconds(300))) }
        let stream = try TCPStream(host: "127.0.0.1", port: listener.port, within: .seconds(20))
        try stream.write(Array("\(readLine() ?? "")\n".utf8).span, within: .seconds(20))
        print(try line(of: stream) ?? "no answer")
        print(try line(of: stream) ?? "The server has closed the connection.")
        listener.stop()
    }

    /// Waits for a whole line; nil if the other side has closed the connection.
    static func line(of stream: some ByteStream) throws(StreamError) -> String? {
        var line: [UInt8] = []
        while line.last != UInt8(ascii: "\n") {
            let bytes = try stream.read(upTo: LoudEcho.maxLine, within: .seconds(20))
            if bytes.isEmpty { return nil }
            line += bytes
        }
        return String(decoding: line.dropLast(), as: UTF8.self)
    }
}
