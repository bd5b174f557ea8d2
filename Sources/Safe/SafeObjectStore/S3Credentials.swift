package import SecureMemory
internal import Synchronization

/// The access key and the secret key of an account on an S3 server.
package struct S3Credentials: ~Copyable, Sendable {
    /// The name of the key pair, which is not secret: printable ASCII.
    package let accessKey: String
    /// Signs the requests. It is never sent.
    package let secretKey: SecureBytes

    /// - Parameters:
    ///   - accessKey: printable ASCII. For OpenStack Swift's tempauth it is `ACCOUNT:USER`.
    ///   - secretKey: as the server's operator writes it, without a newline.
    package init(accessKey: String, secretKey: consuming SecureBytes) {
        self.accessKey = accessKey
        self.secretKey = secretKey
    }
}

/// Signs requests. The signing key is derived once a day.
final class S3Signer: Sendable {
    private final class DayKey: Sendable {
        let day: String
        let key: SecureBytes

        init(day: String, key: consuming SecureBytes) {
            self.day = day
            self.key = key
        }
    }

    let region: String
    private let credentials: S3Credentials
    private let latest = Mutex<DayKey?>(nil)

    init(_ credentials: consuming S3Credentials, region: String) {
        self.credentials = credentials
        self.region = region
    }

    /// The value of the header `Authorization`.
    /// - Parameter signature: of this signer's region.
    func authorization(of signature: S3Signature) -> String {
        signature.authorization(accessKey: credentials.accessKey, key: key(of: signature.day).key)
    }

    private func key(of day: String) -> DayKey {
        latest.withLock { latest in
            if let latest, latest.day == day { return latest }
            let key = S3Signature.signingKey(secretKey: credentials.secretKey, day: day, region: region)
            let new = DayKey(day: day, key: key)
            latest = new
            return new
        }
    }
}
