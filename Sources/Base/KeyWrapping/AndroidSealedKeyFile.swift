// The Android app's key file since 6.4 (enc_master_key_v2.dat, on Android 8 and newer), a message:
//
//   field  type   meaning
//       1  bytes  name of a key in the phone's KeyStore
//       2  bytes  nonce of 12 bytes
//       3  bytes  AES-256-GCM: the second layout, and a tag of 16 bytes
//
// The key never leaves the phone, so the file is recognised only.

/// The Android app's key file that opens on its phone only.
enum AndroidSealedKeyFile {
    private static let (name, nonce, sealed) = (1, 2, 3)
    private static let (nonceCount, tagCount) = (12, 16)

    /// Whether a file has this structure. The Desktop app's has a number in field 3.
    static func isOne(_ file: Span<UInt8>) -> Bool {
        guard let places = try? MessageFields(file).places, places[name] != nil else { return false }
        return places[nonce]?.count == nonceCount && places[sealed, default: 0..<0].count > tagCount
    }
}
