import Primitives
import SecureMemory

/// Operations of system `primitives`: hashes, authentication codes, and keys that are derived.
enum StandardHashes {
    static func md5(_ check: inout Check) throws {
        let data = try check.inputs.bytes("data")
        try check.compare("digest", Legacy.MD5.hash(data.span))
    }

    static func sha1(_ check: inout Check) throws {
        let data = try check.inputs.bytes("data")
        try check.compare("digest", Legacy.SHA1.hash(data.span))
    }

    static func sha256(_ check: inout Check) throws {
        let data = try check.inputs.bytes("data")
        try check.compare("digest", SHA256.hash(data.span))
    }

    static func sha512(_ check: inout Check) throws {
        let data = try check.inputs.bytes("data")
        try check.compare("digest", SHA512.hash(data.span))
    }

    static func hmacSHA256(_ check: inout Check) throws {
        let message = try check.inputs.bytes("message")
        let key = try check.inputs.secret("key", count: nil)
        try check.compare("tag", key.withBytes { HMACSHA256.authenticate(message.span, key: $0) })
    }

    static func hmacSHA1(_ check: inout Check) throws {
        let message = try check.inputs.bytes("message")
        let key = try check.inputs.secret("key", count: nil)
        guard key.count <= 64 else { throw CheckError.notInAPI("a key of more than 64 bytes") }
        try check.compare("tag", Legacy.HMACSHA1.authenticate(message.span, key: key))
    }

    static func hkdfSHA256(_ check: inout Check) throws {
        let inputs = check.inputs
        let (salt, info) = (try inputs.bytes("salt"), try inputs.bytes("info"))
        let count = try inputs.integer("length")
        guard (1...8160).contains(count) else { throw CheckError.notInAPI("a key that is not of 1 to 8160 bytes") }
        let key = try inputs.secret("ikm", count: nil).withBytes {
            HKDFSHA256.deriveKey(from: $0, salt: salt.span, info: info.span, count: Int(count))
        }
        try check.compare("okm", key)
    }

    static func pbkdf2SHA1(_ check: inout Check) throws {
        let inputs = check.inputs
        let salt = try inputs.bytes("salt")
        let iterations = Int(try inputs.integer("iterations", in: 1...100_000_000))
        let count = Int(try inputs.integer("length", in: 1...1024))
        let key = try inputs.secret("password", count: nil).withBytes {
            Legacy.PBKDF2SHA1.deriveKey(password: $0, salt: salt, iterations: iterations, count: count)
        }
        try check.compare("key", key)
    }

    static func scrypt(_ check: inout Check) throws {
        let inputs = check.inputs
        let salt = try inputs.bytes("salt")
        let cost = UInt64(try inputs.integer("cost", in: 2...1 << 20))
        let blockSize = UInt32(try inputs.integer("blockSize", in: 1...1024))
        let parallelism = UInt32(try inputs.integer("parallelism", in: 1...1024))
        let count = Int(try inputs.integer("length", in: 1...1024))
        guard cost.nonzeroBitCount == 1 else { throw CheckError.malformed("input cost", "a power of two") }
        let key = try inputs.secret("password", count: nil).withBytes {
            try Scrypt.deriveKey(
                password: $0, salt: salt.span, cost: cost, blockSize: blockSize, parallelism: parallelism, count: count)
        }
        try check.compare("key", key)
    }

    static func argon2id(_ check: inout Check) throws {
        let inputs = check.inputs
        let salt = try inputs.bytes("salt")
        let memory = UInt32(try inputs.integer("memoryKiB", in: 8...1 << 20))
        let iterations = UInt32(try inputs.integer("iterations", in: 1...1000))
        let lanes = UInt32(try inputs.integer("lanes", in: 1...64))
        let count = Int(try inputs.integer("length", in: 1...1024))
        guard salt.count >= 8, memory / 8 >= lanes else {
            throw CheckError.malformed("input salt or memoryKiB", "at least 8 bytes, and 8 KiB for each lane")
        }
        guard count >= 16 else { throw CheckError.notInAPI("a key of less than 16 bytes") }
        let key = try inputs.secret("password", count: nil).withBytes {
            try Argon2id.deriveKey(
                password: $0, salt: salt, memoryKiB: memory, iterations: iterations, lanes: lanes, count: count)
        }
        try check.compare("key", key)
    }
}
