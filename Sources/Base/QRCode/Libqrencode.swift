internal import CQREncode
internal import SecureMemory

/// libqrencode, opened on first use. Debian has no archive of it to link.
@safe
struct Libqrencode: @unchecked Sendable {
    /// The library, opened once in this process.
    static let opened = Result { () throws(SharedLibrary.Failure) in try Libqrencode() }

    typealias Code = UnsafeMutablePointer<QRcode>

    let encodeString: @convention(c) (UnsafePointer<CChar>?, CInt, QRecLevel, QRencodeMode, CInt) -> Code?
    let encodeData: @convention(c) (CInt, UnsafePointer<UInt8>?, CInt, QRecLevel) -> Code?
    let free: @convention(c) (Code?) -> Void

    let version: @convention(c) () -> UnsafePointer<CChar>

    private init() throws(SharedLibrary.Failure) {
        let library = try SharedLibrary(
            "libqrencode", ["libqrencode.so.4"], packages: ["libqrencode4"], loading: 1024 * 1024)
        unsafe encodeString = try library.function("QRcode_encodeString")
        unsafe encodeData = try library.function("QRcode_encodeData")
        unsafe version = try library.function("QRcode_APIVersionString")
        unsafe free = try library.function("QRcode_free")
    }
}
