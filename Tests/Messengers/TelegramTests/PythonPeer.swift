import Foundation
import VectorKit

/// Other implementations, in Python: tgcrypto and cryptg (AES-IGE), telethon 0.15, the last one with version 1 of the
/// protocol, and a writer of the Desktop app's files on hashlib and tgcrypto. Scripts/set-up installs them in the
/// directory `.build/telegram`.
enum PythonPeer {
    private static let python = InstalledPython("telegram")

    /// One line in, one line out. Everything is a map of text to text; bytes are hexadecimal.
    private static let source = #"""
        import base64, hashlib, json, os, struct, sys
        import cryptg, tgcrypto
        from telethon import helpers

        def ige(key, iv, data, **_):
            return {"tgcrypto": tgcrypto.ige256_encrypt(data, key, iv), "cryptg": cryptg.encrypt_ige(data, key, iv)}

        def seal(key, client, salt, session, id, sequence, data):
            plain = salt + session + id + sequence + struct.pack("<I", len(data)) + data
            message_key = helpers.calc_msg_key(plain)
            aes_key, iv = helpers.calc_key(key, message_key, client == b"\1")
            padded = plain + os.urandom(-len(plain) % 16)
            sealed = tgcrypto.ige256_encrypt(padded, aes_key, iv)
            return {"packet": hashlib.sha1(key).digest()[-8:] + message_key + sealed}

        def open_packet(key, client, packet):
            assert packet[:8] == hashlib.sha1(key).digest()[-8:]
            aes_key, iv = helpers.calc_key(key, packet[8:24], client == b"\1")
            plain = tgcrypto.ige256_decrypt(packet[24:], aes_key, iv)
            length, = struct.unpack("<I", plain[28:32])
            assert helpers.calc_msg_key(plain[:32 + length]) == packet[8:24] and len(plain) - 32 - length < 16
            return {"salt": plain[:8], "session": plain[8:16], "id": plain[16:24], "sequence": plain[24:28],
                    "data": plain[32:32 + length]}

        def array(data):
            return struct.pack(">I", len(data)) + data

        def shell(data, version):
            tail = hashlib.md5(data + struct.pack("<ii", len(data), version) + b"TDF$").digest()
            return b"TDF$" + struct.pack("<i", version) + data + tail

        def blob(key, payload):
            plain = struct.pack("<I", 4 + len(payload)) + payload
            plain += os.urandom(-len(plain) % 16)
            digest = hashlib.sha1(plain).digest()[:16]
            aes_key, iv = helpers.calc_key(key, digest, False)
            return digest + tgcrypto.ige256_encrypt(plain, aes_key, iv)

        def account(user, old, keys, gone):
            who = struct.pack(">ii", user, 2) if old else struct.pack(">QQi", 2 ** 64 - 1, user, 2)
            def listed(keys):
                return struct.pack(">i", len(keys)) + b"".join(struct.pack(">i", dc) + key for dc, key in keys)
            return struct.pack(">I", 0x4b) + array(who + listed(keys) + listed(gone))

        def name(index):
            text = hashlib.md5(b"data" if index == 0 else b"data#%d" % (index + 1)).hexdigest().upper()[:16]
            return "".join(text[at + 1] + text[at] for at in range(0, 16, 2))

        def tdata(passcode, accounts, old, legacy, ending, key0, key1):
            """Accounts 0, 2, 4 …; each has both keys, and one to destroy."""
            salt, local, version = os.urandom(32), os.urandom(256), 4008001
            if legacy == b"\1":
                key = hashlib.pbkdf2_hmac("sha1", passcode, salt, 4000 if passcode else 4, 256)
            else:
                hashed = hashlib.sha512(salt + passcode + salt).digest()
                key = hashlib.pbkdf2_hmac("sha512", hashed, salt, 100000 if passcode else 1, 256)
            indices = range(0, 2 * accounts[0], 2)
            info = struct.pack(">i", len(indices)) + b"".join(struct.pack(">i", each) for each in indices)
            info += struct.pack(">i", indices[-1])
            place = name(0) + "/map" if legacy == b"\1" else "key_data"
            suffix = ending.decode()
            files = {place + suffix: shell(array(salt) + array(blob(key, local)) + array(blob(local, info)), version)}
            for index in indices:
                payload = account(1000 + index if old == b"\1" else 2 ** 40 + index, old == b"\1",
                                  [(2, key0), (10004, key1)], [(-1, key1)])
                files[name(index) + suffix] = shell(array(blob(local, payload)), version)
            return files

        def account_text(user, lost, key0, key1):
            """The text of an account, as another program would write it."""
            encoded = [base64.b64encode(key).decode() for key in (key0, key1)]
            keys = [{"dc": -3, "key": encoded[0], "lost": lost == b"\1"},
                    {"dc": 2, "key": encoded[1], "lost": False}]
            value = {"version": 1, "messenger": "telegram", "main_dc": 2, "keys": keys}
            if user:
                value["user_id"] = str(int.from_bytes(user, "big"))
            return {"exact": json.dumps(value, sort_keys=True, separators=(",", ":")).encode(),
                    "loose": json.dumps(value, indent=2).replace("/", "\\/").encode()}

        for line in sys.stdin:
            order = json.loads(line)
            what = order.pop("what")
            given = {name: bytes.fromhex(value) for name, value in order.items()}
            made = {"ige": ige, "seal": seal, "open": open_packet, "tdata": tdata, "account": account_text}[what](**given)
            print(json.dumps({name: value.hex() for name, value in made.items()}))
        """#

    /// Gives Python these orders; bytes that each says, and `what`.
    /// - Returns: its answers, in their order.
    static func carryOut(_ orders: [(what: String, given: [String: [UInt8]])]) throws -> [[String: [UInt8]]] {
        let lines = try orders.map { order in
            var line = order.given.mapValues(\.hex)
            line["what"] = order.what
            return try JSONEncoder().encode(line)
        }
        let output = try python.run(source, reading: lines)
        return try output.split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode([String: String].self, from: $0).mapValues { [UInt8](hex: $0) ?? [] }
        }
    }
}
