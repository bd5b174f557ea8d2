import CPeers
import Glibc
import ThreemaCalls
import ThreemaMessages

/// Measures media frames in turn with OpenSSL's AES-256-GCM, in one process, so that a machine that slows down slows
/// both. Prints a line per pair: name, the library's CPU seconds, OpenSSL's CPU seconds, for one frame.
@main
struct MediaFrames {
    static func main() throws {
        let frames = FrameWork(count: 1200)
        try measure("seal") {
            try frames.seal()
        } peer: {
            frames.sealPeer()
        }
        try measure("open") {
            try frames.open()
        } peer: {
            frames.openPeer()
        }
    }

    static func measure(_ name: String, ours: () throws -> Void, peer: () throws -> Void) rethrows {
        // The first pair warms up.
        try ours()
        try peer()
        for pair in 0..<31 {
            // The second one finds warm caches and a hot processor, so they take turns.
            let peerFirst = pair.isMultiple(of: 2) ? try seconds(peer) : nil
            let own = try seconds(ours)
            print(name, own, try peerFirst ?? seconds(peer))
        }
    }

    static func seconds(_ work: () throws -> Void) rethrows -> Double {
        let count = 20_000
        let start = cpuSeconds()
        for _ in 0..<count { try work() }
        return (cpuSeconds() - start) / Double(count)
    }

    static func cpuSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// One frame, sealed and opened by the library and by OpenSSL with an expanded key.
final class FrameWork {
    private let call = EnclosedKey.random()
    private var sender: MediaSender
    private var receiver: MediaReceiver
    private let frame: [UInt8]
    private let sealed: [UInt8]
    private let sealing = EVP_CIPHER_CTX_new()
    private let opening = EVP_CIPHER_CTX_new()
    private var counter: UInt32 = 0
    private var buffer: [UInt8]
    private var peerSealed: [UInt8]
    private let footer: [UInt8] = [0, 0, 1, 0, 0, 0]

    init(count: Int) {
        let frame = [UInt8](repeating: 7, count: count)
        self.frame = frame
        buffer = [UInt8](repeating: 0, count: count + 16)
        peerSealed = buffer
        sender = MediaSender(CallKeys(call))
        // Cannot throw: one key has one epoch, and a frame of Opus has no header.
        receiver = try! MediaReceiver(CallKeys(call), sender.distributed)
        sealed = try! sender.seal(frame.span, .opus)
        let key = [UInt8](repeating: 9, count: 32)
        guard EVP_EncryptInit_ex(sealing, EVP_aes_256_gcm(), nil, key, nil) == 1,
            EVP_DecryptInit_ex(opening, EVP_aes_256_gcm(), nil, key, nil) == 1
        else { fatalError("OpenSSL") }
        sealPeer()
        peerSealed = buffer
    }

    func seal() throws {
        let frame = frame
        guard try sender.seal(frame.span, .opus).count == frame.count + 22 else { fatalError("seal") }
    }

    func open() throws {
        let sealed = sealed
        guard try receiver.open(sealed.span, .opus).count == frame.count else { fatalError("open") }
    }

    func sealPeer() {
        let nonce = [UInt8](repeating: 3, count: 12)
        var length: Int32 = 0
        let count = frame.count
        let isDone = buffer.withUnsafeMutableBufferPointer { buffer in
            EVP_EncryptInit_ex(sealing, nil, nil, nil, nonce) == 1
                && EVP_EncryptUpdate(sealing, nil, &length, footer, Int32(footer.count)) == 1
                && EVP_EncryptUpdate(sealing, buffer.baseAddress!, &length, frame, Int32(count)) == 1
                && EVP_EncryptFinal_ex(sealing, buffer.baseAddress! + count, &length) == 1
                && EVP_CIPHER_CTX_ctrl(sealing, EVP_CTRL_AEAD_GET_TAG, 16, buffer.baseAddress! + count) == 1
        }
        guard isDone else { fatalError("OpenSSL") }
    }

    func openPeer() {
        let nonce = [UInt8](repeating: 3, count: 12)
        var length: Int32 = 0
        let count = frame.count
        let isDone = buffer.withUnsafeMutableBufferPointer { buffer in
            peerSealed.withUnsafeMutableBufferPointer { sealed in
                EVP_DecryptInit_ex(opening, nil, nil, nil, nonce) == 1
                    && EVP_DecryptUpdate(opening, nil, &length, footer, Int32(footer.count)) == 1
                    && EVP_DecryptUpdate(opening, buffer.baseAddress!, &length, sealed.baseAddress!, Int32(count)) == 1
                    && EVP_CIPHER_CTX_ctrl(opening, EVP_CTRL_AEAD_SET_TAG, 16, sealed.baseAddress! + count) == 1
                    && EVP_DecryptFinal_ex(opening, buffer.baseAddress! + count, &length) == 1
            }
        }
        guard isDone else { fatalError("OpenSSL") }
    }
}
