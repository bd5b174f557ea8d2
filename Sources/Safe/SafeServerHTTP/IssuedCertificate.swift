#if Server
internal import COpenSSL
internal import Encodings

/// A P-256 key that signs certificates, in OpenSSL's memory, which wipes what it frees.
@safe
struct SigningKey: ~Copyable {
    fileprivate let pointer: OpaquePointer

    /// A new key.
    /// - Throws: `SelfSignedError.library`.
    init() throws(SelfSignedError) {
        let context = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        let isMade =
            unsafe EVP_PKEY_keygen_init(context) == 1
            && EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1
            && EVP_PKEY_keygen(context, &key) == 1
        guard isMade, let key = unsafe key else { throw .library }
        unsafe pointer = key
    }

    /// - Parameter pem: PKCS #8 or SEC 1, without a passphrase.
    /// - Returns: nil for anything but a P-256 key.
    init?(pem: [UInt8]) {
        // With a text in its place, OpenSSL does not ask a terminal for a passphrase.
        var passphrase = [CChar](repeating: 0, count: 1)
        let read = unsafe readPEM(pem) { unsafe PEM_read_bio_PrivateKey($0, nil, nil, &passphrase) }
        guard let key = unsafe read else { return nil }
        var curve = [CChar](repeating: 0, count: 32)
        let isP256 =
            unsafe EVP_PKEY_get_group_name(key, &curve, curve.count, nil) == 1
            && strcmp(curve, OBJ_nid2sn(NID_X9_62_prime256v1)) == 0
        guard isP256 else {
            unsafe EVP_PKEY_free(key)
            return nil
        }
        unsafe pointer = key
    }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// PKCS #8, for the server's own file.
    func revealPEM() throws(SelfSignedError) -> [UInt8] {
        try unsafe writePEM { unsafe PEM_write_bio_PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
    }
}

/// An X.509 certificate (RFC 5280) that one key signed, and that is of the same key.
@safe
struct IssuedCertificate: ~Copyable {
    private let pointer: OpaquePointer

    /// - Returns: nil if it is none.
    init?(pem: [UInt8]) {
        var passphrase = [CChar](repeating: 0, count: 1)
        let read = unsafe readPEM(pem) { unsafe PEM_read_bio_X509($0, nil, nil, &passphrase) }
        guard let read = unsafe read else { return nil }
        unsafe pointer = read
    }

    /// Without content.
    private init() throws(SelfSignedError) {
        guard let new = unsafe X509_new() else { throw .library }
        unsafe pointer = new
    }

    /// An authority: it signs certificates that sign nothing.
    /// - Throws: `SelfSignedError.library`.
    static func authority(
        _ name: String, _ begin: Timestamp, _ end: Timestamp, _ key: borrowing SigningKey
    ) throws(SelfSignedError) -> IssuedCertificate {
        let made = try IssuedCertificate()
        try unsafe made.fill(name, begin, end, issuer: made.pointer, key)
        try unsafe made.add(NID_basic_constraints, "critical,CA:TRUE,pathlen:0", issuer: made.pointer)
        try unsafe made.add(NID_key_usage, "critical,keyCertSign", issuer: made.pointer)
        // Without it, an authority of the same name and another key would be taken for this one.
        try unsafe made.add(NID_subject_key_identifier, "hash", issuer: made.pointer)
        try made.sign(key)
        return made
    }

    /// The certificate of a server.
    /// - Parameter names: at least one. The first is the common name, too, which has 64 characters at most.
    /// - Throws: `SelfSignedError.library`.
    static func server(
        _ names: [SubjectName], _ begin: Timestamp, _ end: Timestamp, by issuer: borrowing IssuedCertificate,
        _ key: borrowing SigningKey
    ) throws(SelfSignedError) -> IssuedCertificate {
        let made = try IssuedCertificate()
        try unsafe made.fill(String(names[0].text.prefix(64)), begin, end, issuer: issuer.pointer, key)
        try unsafe made.add(NID_basic_constraints, "critical,CA:FALSE", issuer: issuer.pointer)
        try unsafe made.add(NID_key_usage, "critical,digitalSignature", issuer: issuer.pointer)
        try unsafe made.add(NID_ext_key_usage, "serverAuth", issuer: issuer.pointer)
        // Neither form has a character that means something to OpenSSL's list.
        let list = names.map { name in
            switch name {
            case .host(let name): "DNS:\(name)"
            case .address(let text, _): "IP:\(text)"
            }
        }
        try unsafe made.add(NID_subject_alt_name, list.joined(separator: ","), issuer: issuer.pointer)
        try unsafe made.add(NID_authority_key_identifier, "keyid", issuer: issuer.pointer)
        try made.sign(key)
        return made
    }

    deinit { unsafe X509_free(pointer) }

    /// - Throws: `SelfSignedError.library`.
    func pem() throws(SelfSignedError) -> [UInt8] { try unsafe writePEM { unsafe PEM_write_bio_X509($0, pointer) } }

    /// Whether it is of this key.
    func isOf(_ key: borrowing SigningKey) -> Bool {
        unsafe EVP_PKEY_eq(X509_get0_pubkey(pointer), key.pointer) == 1
    }

    /// Whether these are all of its alternative names, letter by letter.
    /// - Parameter names: none of them twice.
    func isOf(_ names: [SubjectName]) -> Bool {
        let all = unsafe OpaquePointer(X509_get_ext_d2i(pointer, NID_subject_alt_name, nil, nil))
        defer { unsafe GENERAL_NAMES_free(all) }
        return unsafe Int(OPENSSL_sk_num(all)) == names.count && names.allSatisfy { isFor($0) }
    }

    private func isFor(_ name: SubjectName) -> Bool {
        switch name {
        case .host(let name):
            let flags = X509_CHECK_FLAG_NO_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT
            return unsafe X509_check_host(pointer, name, name.utf8.count, UInt32(flags), nil) == 1
        case .address(_, let bytes): return unsafe X509_check_ip(pointer, bytes, bytes.count, 0) == 1
        }
    }

    func begins(after time: Timestamp) -> Bool {
        var time = Int(time.milliseconds / 1000)
        return unsafe X509_cmp_time(X509_get0_notBefore(pointer), &time) > 0
    }

    func ends(after time: Timestamp) -> Bool {
        var time = Int(time.milliseconds / 1000)
        return unsafe X509_cmp_time(X509_get0_notAfter(pointer), &time) > 0
    }

    private func fill(
        _ name: String, _ begin: Timestamp, _ end: Timestamp, issuer: OpaquePointer, _ key: borrowing SigningKey
    ) throws(SelfSignedError) {
        let common = Array(name.utf8)
        let isFilled =
            unsafe X509_set_version(pointer, 2) == 1
            && ASN1_INTEGER_set_uint64(X509_get_serialNumber(pointer), .random(in: 1 ... .max)) == 1
            && X509_NAME_add_entry_by_NID(
                X509_get_subject_name(pointer), NID_commonName, V_ASN1_UTF8STRING, common, CInt(common.count), -1, 0)
                == 1
            && X509_set_issuer_name(pointer, X509_get_subject_name(issuer)) == 1
            && ASN1_TIME_set(X509_getm_notBefore(pointer), Int(begin.milliseconds / 1000)) != nil
            && ASN1_TIME_set(X509_getm_notAfter(pointer), Int(end.milliseconds / 1000)) != nil
            && X509_set_pubkey(pointer, key.pointer) == 1
        guard isFilled else { throw .library }
    }

    /// Adds an extension, in the words of OpenSSL's x509v3_config(5).
    private func add(_ kind: CInt, _ value: String, issuer: OpaquePointer) throws(SelfSignedError) {
        var context = unsafe X509V3_CTX()
        unsafe X509V3_set_ctx(&context, issuer, pointer, nil, nil, 0)
        let added = unsafe X509V3_EXT_conf_nid(nil, &context, kind, value)
        defer { unsafe X509_EXTENSION_free(added) }
        guard unsafe added != nil && X509_add_ext(pointer, added, -1) == 1 else { throw .library }
    }

    private func sign(_ key: borrowing SigningKey) throws(SelfSignedError) {
        guard unsafe X509_sign(pointer, key.pointer, EVP_sha256()) > 0 else { throw .library }
    }
}

private func readPEM(_ pem: [UInt8], _ read: (OpaquePointer?) -> OpaquePointer?) -> OpaquePointer? {
    unsafe pem.withUnsafeBytes { bytes in
        let file = unsafe BIO_new_mem_buf(bytes.baseAddress, CInt(bytes.count))
        defer {
            unsafe BIO_free(file)
            // What could not be read is no error of a later call.
            ERR_clear_error()
        }
        return unsafe read(file)
    }
}

private func writePEM(_ write: (OpaquePointer?) -> CInt) throws(SelfSignedError) -> [UInt8] {
    // Its memory is wiped when it is freed.
    let file = unsafe BIO_new(BIO_s_mem())
    defer { unsafe BIO_free(file) }
    guard unsafe write(file) == 1 else { throw .library }
    var text: UnsafeMutableRawPointer?
    let count = unsafe BIO_ctrl(file, BIO_CTRL_INFO, 0, &text)
    return unsafe Array(UnsafeRawBufferPointer(start: text, count: count))
}
#endif
