import Foundation

/// The messenger's Gateway SDK for Python (threema.gateway, MIT): another implementation of messages. Scripts/set-up
/// installs it in the directory `.build/gateway`.
public enum GatewaySDK {
    private static let python = InstalledPython("gateway")

    /// Runs its command line.
    /// - Returns: what it printed.
    public static func program(_ arguments: [String]) throws -> String {
        let source = "from threema.gateway.bin.gateway_client import main; main()"
        return String(decoding: try python.run(source, arguments), as: UTF8.self)
    }

    /// One line in, one line out: what is to be opened or sealed, and what came of it.
    private static let source = """
        import asyncio, datetime, json, sys
        from libnacl.public import PublicKey, SecretKey
        from threema.gateway import ReceptionCapability
        from threema.gateway import e2e

        class Answer:
            def __init__(self, data):
                self.data = data
            async def read(self):
                return self.data

        class Connection:
            # What the SDK asks of a connection, without a network.
            blocking = False
            def __init__(self, own, key, peer):
                self.id, self.key, self.peer, self.blobs = own, SecretKey(key), PublicKey(peer), {}
            @property
            def unwrap(self):
                return self
            async def get_public_key(self, id_):
                return self.peer
            async def get_reception_capabilities(self, id_):
                return set(ReceptionCapability)
            async def upload(self, data):
                name = "%032x" % (len(self.blobs) + 0x1234567890abcdef)
                self.blobs[name] = bytes(data)
                return name
            async def download(self, name):
                return Answer(self.blobs[name])

        def hexed(value):
            return None if value is None else bytes(value).hex()

        def described(message):
            kind = message.type.name
            if kind == "text_message":
                return [kind, message.text]
            if kind == "image_message":
                return [kind, hexed(message.image)]
            if kind == "video_message":
                return [kind, str(message.duration), hexed(message.video), hexed(message.thumbnail_content)]
            if kind == "file_message":
                return [kind, hexed(message.file_content), message.mime_type, message._file_name,
                        hexed(message.thumbnail_content), message._caption]
            return [kind, message.receipt_type.name] + [hexed(each) for each in message.message_ids]

        def made(connection, to, what):
            kind, *rest = what
            if kind == "text_message":
                return e2e.TextMessage(connection, to_id=to, text=rest[0])
            if kind == "image_message":
                return e2e.ImageMessage(connection, to_id=to, image=bytes.fromhex(rest[0]), mime_type="image/png")
            if kind == "video_message":
                return e2e.VideoMessage(connection, to_id=to, duration=int(rest[0]), video=bytes.fromhex(rest[1]),
                                        thumbnail_content=bytes.fromhex(rest[2]))
            if kind == "file_message":
                thumbnail = rest[3] and bytes.fromhex(rest[3])
                return e2e.FileMessage(connection, to_id=to, file_content=bytes.fromhex(rest[0]), mime_type=rest[1],
                                       file_name=rest[2], thumbnail_content=thumbnail, caption=rest[4])
            receipt = e2e.DeliveryReceipt.ReceiptType[rest[0]]
            return e2e.DeliveryReceipt(connection, to_id=to, receipt_type=receipt,
                                       message_ids=[bytes.fromhex(each) for each in rest[1:]])

        async def main():
            for line in sys.stdin:
                order = json.loads(line)
                connection = Connection(order["own"], bytes.fromhex(order["key"]), bytes.fromhex(order["peerKey"]))
                if "box" in order:
                    connection.blobs = {name: bytes.fromhex(blob) for name, blob in order["blobs"].items()}
                    about = {"from_id": order["peer"], "message_id": bytes(8), "date": datetime.datetime.now()}
                    message = await e2e.Message.receive(
                        connection, about, bytes.fromhex(order["nonce"]), bytes.fromhex(order["box"]))
                    print(json.dumps({"what": described(message)}))
                else:
                    nonce, box = await made(connection, order["peer"], order["what"]).send(get_data_only=True)
                    blobs = {name: blob.hex() for name, blob in connection.blobs.items()}
                    print(json.dumps({"nonce": hexed(nonce), "box": hexed(box), "blobs": blobs}))

        asyncio.run(main())
        """

    /// What one line of the protocol holds, in either direction.
    public struct Line: Codable {
        /// The ID of the SDK's side.
        public var own: String?
        /// The private key of the SDK's side, in hexadecimal digits, as all bytes here.
        public var key: String?
        /// The ID of the other side.
        public var peer: String?
        /// The public key of the other side.
        public var peerKey: String?
        /// 24 bytes.
        public var nonce: String?
        /// The message box; nil in an order to seal.
        public var box: String?
        /// What the media server has, by its ID.
        public var blobs: [String: String]?
        /// The name of the kind, then the parts.
        public var what: [String?]?

        /// An order to the SDK.
        public init(
            own: String, key: String, peer: String, peerKey: String, nonce: String? = nil, box: String? = nil,
            blobs: [String: String]? = nil, what: [String?]? = nil
        ) {
            (self.own, self.key, self.peer, self.peerKey) = (own, key, peer, peerKey)
            (self.nonce, self.box, self.blobs, self.what) = (nonce, box, blobs, what)
        }
    }

    /// Gives the SDK these orders.
    /// - Returns: its answers, in their order.
    public static func carryOut(_ orders: [Line]) throws -> [Line] {
        let lines = try orders.map { try JSONEncoder().encode($0) }
        let output = try python.run(source, reading: lines)
        return try output.split(separator: UInt8(ascii: "\n")).map { try JSONDecoder().decode(Line.self, from: $0) }
    }
}
