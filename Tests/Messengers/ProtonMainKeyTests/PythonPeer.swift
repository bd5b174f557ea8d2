import Foundation
import VectorKit

/// Python's plistlib and hashlib, with OpenSSL's AES by the package cryptography, and an encoder of property lists that
/// chooses other sizes, orders and sharing than plistlib.
enum PythonPeer {
    private static let source = #"""
        import datetime, hashlib, json, os, plistlib, random, struct, sys
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        def dumps(value):
            return plistlib.dumps(value, fmt=plistlib.FMT_BINARY)

        def key(key):
            return {"list": dumps(list(key))}

        def scalar(draw):
            return [lambda: "".join(chr(draw.randrange(32, 127)) for _ in range(draw.randrange(20))),
                    lambda: "".join(chr(draw.choice([65, 0xe9, 0x4e2d, 0xffff, 0x1f600, 0x10ffff]))
                                    for _ in range(draw.randrange(1, 20))),
                    lambda: "x" * draw.choice([14, 15, 255, 256, 300]),
                    lambda: draw.randbytes(draw.choice([0, 1, 14, 15, 16, 255, 256])),
                    lambda: draw.choice([0, 1, 255, 256, 65535, 65536, 2 ** 32 - 1, 2 ** 32, 2 ** 63 - 1, 2 ** 63,
                                         2 ** 64 - 1, -1, -2 ** 31, -2 ** 63]),
                    lambda: draw.randrange(-300, 300),
                    lambda: draw.choice([True, False]),
                    lambda: draw.choice([1.5, 1.0, -2.25, 1e300, float("inf"), draw.random()]),
                    lambda: datetime.datetime(2001, 1, 1) + datetime.timedelta(seconds=draw.randrange(-10 ** 9, 10 ** 9)),
                    ][draw.randrange(9)]()

        def value(draw, depth, seen):
            if seen and draw.random() < 0.1:
                return draw.choice(seen)
            if depth == 0 or draw.random() < 0.5:
                return scalar(draw)
            count = draw.choice([0, 1, 1, 2, 2, 3, 3, 4, 15])
            if draw.random() < 0.5:
                made = [value(draw, depth - 1, seen) for _ in range(count)]
            else:
                made = {}
                for number in range(count):
                    name = scalar(draw)
                    made[name if isinstance(name, str) else "k%d" % number] = value(draw, depth - 1, seen)
            seen.append(made)
            return made

        def other(root, draw):
            """The same values in another valid form. A container that is used twice stays one object."""
            items, numbers = [], {}

            def collect(value):
                if isinstance(value, (list, dict)) and id(value) in numbers:
                    return numbers[id(value)]
                # Nothing else is shared.
                number = len(items)
                items.append(None)
                if isinstance(value, list):
                    numbers[id(value)] = number
                    items[number] = ("a", [collect(each) for each in value])
                elif isinstance(value, dict):
                    numbers[id(value)] = number
                    pairs = list(value.items())
                    draw.shuffle(pairs)
                    items[number] = ("d", [collect(key) for key, _ in pairs], [collect(each) for _, each in pairs])
                else:
                    items[number] = ("s", value)
                return number

            collect(root)
            place = list(range(len(items)))
            draw.shuffle(place)
            # Sizes that are larger than needed, and some that are no power of two.
            size = draw.choice([2, 3, 4, 5, 8])
            width = draw.choice([4, 5, 8])

            def length(marker, count):
                if count < 15 and draw.random() < 0.7:
                    return bytes([marker | count])
                power = draw.choice([power for power in range(4) if count < 256 ** 2 ** power])
                return bytes([marker | 15, 0x10 | power]) + count.to_bytes(2 ** power, "big")

            def references(numbers):
                return b"".join(place[number].to_bytes(size, "big") for number in numbers)

            def encode(item):
                if item[0] == "a":
                    return length(0xa0, len(item[1])) + references(item[1])
                if item[0] == "d":
                    return length(0xd0, len(item[1])) + references(item[1]) + references(item[2])
                value = item[1]
                if isinstance(value, bool):
                    return b"\x09" if value else b"\x08"
                if isinstance(value, int):
                    powers = [power for power in range(5) if value >= 0 and value < 256 ** 2 ** power // (2 if power > 2 else 1)
                              or power > 2 and abs(value + 1) < 2 ** 63]
                    power = draw.choice([power for power in powers if power > 3 or value < 2 ** 63])
                    return bytes([0x10 | power]) + value.to_bytes(2 ** power, "big", signed=power > 2)
                if isinstance(value, float):
                    try:
                        short = struct.pack(">f", value)
                    except OverflowError:
                        short = b""
                    if short and struct.unpack(">f", short)[0] == value and draw.random() < 0.5:
                        return b"\x22" + short
                    return b"\x23" + struct.pack(">d", value)
                if isinstance(value, datetime.datetime):
                    return b"\x33" + struct.pack(">d", (value - datetime.datetime(2001, 1, 1)).total_seconds())
                if isinstance(value, bytes):
                    return length(0x40, len(value)) + value
                if value.isascii() and draw.random() < 0.7:
                    return length(0x50, len(value)) + value.encode()
                units = value.encode("utf-16-be")
                return length(0x60, len(units) // 2) + units

            body, offsets = b"bplist00", [0] * len(items)
            for number in draw.sample(range(len(items)), len(items)):
                offsets[place[number]] = len(body)
                body += encode(items[number])
            table = b"".join(offset.to_bytes(width, "big") for offset in offsets)
            return body + table + struct.pack(">5xBBBQQQ", draw.randrange(2), width, size, len(items), place[0], len(body))

        def nested(seed):
            draw = random.Random(seed)
            while True:
                made = value(draw, draw.randrange(5), [])
                own, others = dumps(made), other(made, draw)
                # Within the limits of the library; what is used twice is expanded there.
                if len(own) <= 65536 and len(others) <= 65536 and count(made) <= 4096 and depth(made) <= 16:
                    # plistlib reads both.
                    assert dumps(plistlib.loads(others)) == dumps(plistlib.loads(own)) == own
                    return {"own": own, "other": others}

        def count(value):
            if isinstance(value, dict):
                return 1 + len(value) + sum(map(count, value.values()))
            return 1 + sum(map(count, value)) if isinstance(value, list) else 1

        def depth(value):
            inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
            return 0 if inner is None else 1 + max(map(depth, inner), default=0)

        def compare(list, other):
            """Whether plistlib reads the same of both; nothing if it refuses the first one."""
            try:
                read = plistlib.loads(list, fmt=plistlib.FMT_BINARY)
            except plistlib.InvalidFileException:
                return {}
            return {"same": bytes([plain(read) == plain(plistlib.loads(other, fmt=plistlib.FMT_BINARY))])}

        def plain(value):
            """Text, in which 1 is not True, NaN is equal to itself, and keys have one order."""
            if isinstance(value, dict):
                return "{%s}" % ",".join(f"{key!r}:{plain(value[key])}" for key in sorted(value))
            return "[%s]" % ",".join(map(plain, value)) if isinstance(value, list) else repr(value)

        def cipher(key, iv, data):
            return Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor().update(data)

        def pin_key(pin, salt):
            return hashlib.scrypt(pin, salt=salt, n=32768, r=8, p=1, dklen=32, maxmem=2 ** 26)

        def lock(key, pin, legacy):
            salt, iv = os.urandom(8), os.urandom(16)
            derived = pin_key(pin, salt)
            if legacy == b"\1":
                return {"salt": salt, "blob": cipher(derived, derived[:16], dumps(list(key)))}
            return {"salt": salt, "blob": iv + cipher(derived, iv, dumps(list(key)))}

        def unlock(pin, salt, blob):
            return {"key": bytes(plistlib.loads(cipher(pin_key(pin, salt), blob[:16], blob[16:])))}

        def lock_value(key, kind, value):
            content = {b"string": lambda: [value.decode()], b"data": lambda: [value],
                       b"list": lambda: plistlib.loads(value)}[kind]()
            iv = os.urandom(16)
            return {"blob": iv + cipher(key, iv, dumps(content))}

        def unlock_value(key, blob):
            return {"list": cipher(key, blob[:16], blob[16:])}

        for line in sys.stdin:
            order = json.loads(line)
            what = order.pop("what")
            given = {name: bytes.fromhex(value) for name, value in order.items()}
            print(json.dumps({name: value.hex() for name, value in globals()[what](**given).items()}))
        """#

    /// Gives Python these orders; bytes that each says, and the function.
    /// - Returns: its answers, in their order.
    static func carryOut(_ orders: [(what: String, given: [String: [UInt8]])]) throws -> [[String: [UInt8]]] {
        let lines = try orders.map { order in
            var line = order.given.mapValues(\.hex)
            line["what"] = order.what
            return try JSONEncoder().encode(line)
        }
        let input = FileManager.default.temporaryDirectory.appending(path: "mainkey-\(UUID()).json")
        try Data(lines.joined(separator: [UInt8(ascii: "\n")])).write(to: input)
        defer { try? FileManager.default.removeItem(at: input) }
        let output = try Program.output(of: "/usr/bin/python3", ["-c", source], reading: input)
        return try output.split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode([String: String].self, from: $0).mapValues { [UInt8](hex: $0) ?? [] }
        }
    }
}
