/// Computes a vector's results and compares them.
typealias Operation = @Sendable (inout Check) throws -> Void

/// The operations that keytool's public API can do, by the system that defines them. README.md has inputs and results.
let systems: [String: [String: Operation]] = [
    "threema": operations, "telegram-mtproto1": telegramOperations, "proton-mainkey": mainKeyOperations,
    "textsecure-v1": textSecureOperations, "sophaxchat": sophaxChatOperations, "primitives": primitiveOperations,
    areaSystem: areaOperations,
]

/// Stands for a system in vectors with an area and without an operation.
let areaSystem = "area"

/// The operations of system `threema`, by name.
let operations: [String: Operation] = [
    "blake2b-512": Primitive.blake2b512,
    "blake2b-kdf": Primitive.blake2bKDF,
    "box": Primitive.box,
    "derive-public-key": Primitive.derivePublicKey,
    "desktop-boxes": Primitive.desktopBoxes,
    "device-group-keys": Primitive.deviceGroupKeys,
    "secretbox-detached": Primitive.secretBoxDetached,
    "shared-secret": Primitive.sharedSecret,

    "encode-payload": Payload.encode,
    "mix-entropy": Primitive.mixEntropy,
    "nonce-hash": Payload.nonceHash,
    "open-message": Payload.open,
    "seal-message": Payload.seal,
    "seal-metadata": Payload.sealMetadata,

    "decode-file-message": Body.decodeFileMessage,
    "group-member-text": Body.groupMemberText,
    "group-setup": Body.groupSetup,
    "pad": Body.pad,

    "seal-blob": Media.sealBlob,
    "set-profile-picture": Media.setProfilePicture,

    "csp-handshake": Chat.handshake,

    "fs-ratchet": ForwardSecurity.ratchet,
    "fs-ratchet-limit": ForwardSecurity.ratchetLimit,
    "fs-session": ForwardSecurity.session,

    "remote-secret-derivations": Rendezvous.remoteSecret,
    "rendezvous-box": Rendezvous.box,
    "rendezvous-transport": Rendezvous.transport,

    "saltyrtc-token-message": Web.tokenMessage,
    "web-pairing-payload": Web.pairingPayload,
    "web-push-hash": Web.pushHash,
    "web-trusted-key-store": Web.trustedKeyStore,

    "open-push-payload": Push.openPayload,
    "push-token-payload": Push.tokenPayload,

    "decode-identity": Directory.decodeIdentity,
    "decode-turn-credentials": Directory.decodeTurnCredentials,
    "directory-challenge": Directory.challenge,
    "work-directory-challenge": Directory.workChallenge,

    "group-call-derivations": Calls.derivations,
    "group-call-frame": Calls.frame,
    "group-call-handshake": Calls.handshake,
    "group-call-id": Calls.id,
    "sdp-patch": Calls.patch,

    "match-email-alternatives": Matching.emailAlternatives,
    "match-email-hash": Matching.emailHash,
    "match-phone-hash": Matching.phoneHash,
]

/// The operations of system `telegram-mtproto1`, by name.
let telegramOperations: [String: Operation] = [
    "aes-ige-decrypt": TelegramKeys.decryptIGE,
    "aes-ige-encrypt": TelegramKeys.encryptIGE,
    "aes-key-iv": TelegramKeys.blockKeys,
    "auth-key-id": TelegramKeys.id,
    "dh-tmp-aes-key-iv": TelegramKeys.temporaryKeys,

    "auth-key-protect-hardened": TelegramKeyFiles.scrypt,
    "auth-key-protect-literal": TelegramKeyFiles.literal,
    "auth-key-protect-sshpem": TelegramKeyFiles.openSSL,
    "tdesktop-legacy-local-key": TelegramKeyFiles.legacyPasscodeKey,
    "tdesktop-local-encrypt": TelegramKeyFiles.encryptLocally,
    "tdesktop-local-key": TelegramKeyFiles.passcodeKey,

    "encrypted-message": TelegramPackets.encrypted,
    "encrypted-message-reject": TelegramPackets.reject,
    "msg-id": TelegramPackets.messageID,
    "replay-window": TelegramPackets.replayWindow,
    "seq-no-series": TelegramPackets.sequences,
    "time-window": TelegramPackets.timeWindow,
    "unencrypted-message": TelegramPackets.plain,
]

/// The operations of system `proton-mainkey`, by name.
let mainKeyOperations: [String: Operation] = [
    "autolock": MainKeys.autolock,
    "ctr-encrypt": MainKeys.encryptCTR,
    "locked-value": MainKeys.lockedValue,
    "locked-value-malleability": MainKeys.malleability,
    "none-protection": MainKeys.none,
    "pin-derive": MainKeys.derivePIN,
    "pin-protection-legacy-unlock": MainKeys.unlockLegacy,
    "pin-protection-lock": MainKeys.lock,
    "pin-protection-unlock-wrong-pin": MainKeys.unlockWrongPIN,
]

/// The operations of system `textsecure-v1`, by name.
let textSecureOperations: [String: Operation] = [
    "attachment-encrypt": TextSecureFormats.attachment,
    "attachment-reject": TextSecureFormats.attachmentReject,
    "axolotl-chain": RatchetKeys.axolotlChain,
    "axolotl-initial-root": RatchetKeys.initialRoot,
    "basic-auth": TextSecureRequests.basicAuth,
    "directory-token": TextSecureFormats.directoryToken,
    "hkdf-v2": RatchetKeys.hkdf2,
    "master-cipher": TextSecureFormats.masterCipher,
    "numeric-fingerprint": TextSecureMessages.numericFingerprint,
    "prekeys-json": TextSecureRequests.prekeysJSON,
    "public-key-serialize": TextSecureMessages.publicKey,
    "push-message-content": TextSecureFormats.content,
    "signaling-decrypt": TextSecureFormats.signalingDecrypt,
    "signaling-encrypt": TextSecureFormats.signalingEncrypt,
    "signaling-key-text": TextSecureRequests.signalingKeyText,
    "signaling-reject": TextSecureFormats.signalingReject,
    "storage-master-key-android": TextSecureFormats.android,
    "storage-master-key-rncryptor3": TextSecureFormats.rncryptor,
    "whisper-message": TextSecureMessages.whisper,
]

/// The operations of system `sophaxchat`, by name.
let sophaxChatOperations: [String: Operation] = [
    "chat-message": SophaxPayloads.chatMessage,
    "double-ratchet-he-transcript": SophaxTranscript.compare,
    "dr-header-keys": RatchetKeys.headerKeys,
    "group-invite": SophaxPayloads.groupInvite,
    "group-member-left": SophaxPayloads.groupMemberLeft,
    "identity-export-sxid2": Sophax.identityBackup,
    "kdf-ck": RatchetKeys.chainSteps,
    "kdf-rk": RatchetKeys.rootStep,
    "peer-id": Sophax.peerID,
    "pin-hash-v1": Sophax.pinVersion1,
    "pin-hash-v2": Sophax.pinVersion2,
    "safety-number": Sophax.safetyNumber,
    "sealed-sender": Sophax.sealedSender,
    "sender-key-chain": RatchetKeys.senderChain,
    "sender-key-encrypt": RatchetKeys.senderSeal,
    "session-state-mac": Sophax.sessionMAC,
    "shamir-split": Sophax.shares,
    "share-box": SophaxPayloads.shareBox,
    "signed-prekey": Sophax.signedPrekey,
    "store-encrypt": Sophax.store,
    "tcp-frame": Sophax.frame,
    "tcp-frame-limit": Sophax.frameLimit,
    "wire-signature": Sophax.wireSignature,
    "x3dh": RatchetKeys.x3dh,
]

/// The operations of system `primitives`, by name.
let primitiveOperations: [String: Operation] = [
    "aes-256-gcm": Standards.aesGCM,
    "aes-cbc": Standards.aesCBC,
    "argon2id": StandardHashes.argon2id,
    "chacha20-poly1305": Standards.chaChaPoly,
    "ed25519-sign": Standards.ed25519Sign,
    "ed25519-verify": Standards.ed25519Verify,
    "hkdf-sha256": StandardHashes.hkdfSHA256,
    "hmac-sha1": StandardHashes.hmacSHA1,
    "hmac-sha256": StandardHashes.hmacSHA256,
    "md5": StandardHashes.md5,
    "pbkdf2-sha1": StandardHashes.pbkdf2SHA1,
    "scrypt": StandardHashes.scrypt,
    "sha1": StandardHashes.sha1,
    "sha256": StandardHashes.sha256,
    "sha512": StandardHashes.sha512,
    "x25519": Standards.x25519,
    "xchacha20-poly1305": Standards.xChaChaPoly,
]

/// What an area computes, by its name, in files that name no operation. The inputs decide about the rest.
let areaOperations: [String: Operation] = [
    "directory_auth": Identities.directory,
    "id_backup": Identities.backup,
    "keypair": Identities.keyPair,
    "public_key_display": Identities.display,
    "qr_contact": Identities.contact,
    "qr_web": Identities.pairing,
    "revocation": Identities.revocation,
    "threema_id": Identities.id,

    "desktop_keystorage": KeyFiles.desktop,
    "masterkey_v1": KeyFiles.version1,
    "masterkey_v2": KeyFiles.version2,

    "safe_auth": SafeFormats.login,
    "safe_config": SafeFormats.config,
    "safe_decrypt": SafeFormats.open,
    "safe_encrypt": SafeFormats.seal,
    "safe_json": SafeFormats.json,
    "safe_kdf": SafeFormats.keys,
    "safe_url": SafeFormats.address,
]

/// Areas that only the program keytool can compute, and why no library can.
let privateAreas: [String: String] = [
    "qr_matrix": "no library draws QR codes",
    "safe_password": "no library rates passwords",
    "safe_upload_decision": "no library decides about uploads",
]
