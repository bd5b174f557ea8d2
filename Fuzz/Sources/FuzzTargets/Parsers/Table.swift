/// All targets; what speaks before a login stands first. Scripts/check-fuzz compares the parsers with those of the rooms.
let targets: [FuzzTarget] = beforeLogin + encodings + files + threema + messengers + stores

private let beforeLogin: [FuzzTarget] = [
    FuzzTarget("server-request", limit: 2048, []) { Server.requests($0) },
    FuzzTarget("server-login", limit: 512, []) { Server.login($0) },
    FuzzTarget(
        "server-names", limit: 512,
        [
            "SafeWire/BackupID.init(name:)", "SafeStore/StoreTime.init(stored:)", "SafeRules/Digest.init(_:)",
        ], Server.names),
    FuzzTarget("chat-server", limit: 2048, ["ThreemaChat/ChatServer.received(_:from:at:)"]) { Chat.server($0) },
    FuzzTarget("chat-client", limit: 2048, ["ThreemaChat/ChatClient.receive(_:)"]) { Chat.client($0) },
    FuzzTarget(
        "chat-login", limit: 2048,
        [
            "ThreemaChat/ChatServerConnection.receive(_:publicKey:)",
            "ThreemaChat/Hello.open(_:temporaryKey:clientCookie:serverKeys:)",
        ], Chat.login),
    FuzzTarget("chat-server-frames", limit: 2048, [], Chat.serverFrames),
    FuzzTarget(
        "chat-login-parts", limit: 1024,
        [
            "ThreemaChat/Hello.decodeClient(_:)", "ThreemaChat/LoginData.init(decoding:)",
            "ThreemaChat/LoginExtensions.init(decoding:)",
        ], Chat.loginParts),
    FuzzTarget("chat-payload", limit: 1024, ["ThreemaChat/ChatPayload.init(decoding:)"], Chat.payload),
    FuzzTarget(
        "chat-frame", limit: 1024, ["ThreemaChat/ChatFrame.open(_:with:)", "ThreemaChat/ChatCipher.open(_:)"],
        Chat.opened),
    FuzzTarget(
        "safe-backup", ["ThreemaSafe/SafeBackup.open(_:keys:)", "ThreemaSafe/SafeBackup.decrypt(_:keys:)"], Safe.backup),
    FuzzTarget("safe-document", limit: 8192, [], Safe.document),
    FuzzTarget("safe-member", [], Safe.member),
    FuzzTarget(
        "safe-config", limit: 512,
        [
            "SafeWire/ServerLimits.init(config:)", "SafeWire/ServerLimits.parse(config:)",
        ], Server.config),
    FuzzTarget("directory-answer", [], Safe.directory),
    FuzzTarget(
        "directory-server", limit: 2048, ["ThreemaDirectory/DirectoryServer.init(decoding:)"], Safe.directoryServer),
    FuzzTarget("provisioning", ["ThreemaDirectory/ProvisioningFile.init(_:signedBy:)"], Safe.provisioning),
    FuzzTarget("provisioning-signed", [], Safe.signedProvisioning),
    FuzzTarget(
        "signaling", limit: 2048,
        [
            "ThreemaWeb/ResponderClient.receive(_:)", "ThreemaWeb/InitiatorClient.receive(_:)",
        ]
    ) { Pairing.signaling($0) },
    FuzzTarget("object-list", [], Server.objectList),
]

private let encodings: [FuzzTarget] = [
    FuzzTarget("json", ["Encodings/JSONScanner.parse(_:limits:)"], Encoded.json),
    FuzzTarget(
        "json-cuts",
        [
            "Encodings/JSONScanner.parse(_:cutting:limits:)", "Encodings/JSONScanner.parse(_:cuttingEach:limits:)",
            "Encodings/JSONScanner.unescape(_:of:)",
        ], Encoded.cutJSON),
    FuzzTarget(
        "json-outline",
        [
            "Encodings/JSONOutline.init(of:limits:)", "Encodings/JSONOutline.member(_:in:)",
            "Encodings/JSONOutline.member(after:in:)",
        ]
    ) { Encoded.outline($0) },
    FuzzTarget("xml", [], Encoded.xml),
    FuzzTarget("protobuf", limit: 1024, ["Encodings/ProtobufWire.next(_:at:)"], Encoded.protobuf),
    FuzzTarget("gzip", ["Encodings/Gzip.open(_:limit:)"], Encoded.gzip),
    FuzzTarget("deflate", ["Encodings/Deflate.open(_:count:)"]) { Encoded.deflate($0) },
    FuzzTarget(
        "texts", limit: 512,
        [
            "Encodings/Base32.decode(_:)", "Encodings/Base64.decode(_:)", "Encodings/Base64.decodePublic(_:isPadded:)",
            "Encodings/Bech32.decode(_:)", "Encodings/Hex.decode(_:)",
        ]
    ) { Encoded.texts($0) },
    FuzzTarget("http-headers", limit: 512, []) { Encoded.headers($0) },
]

private let files: [FuzzTarget] = [
    FuzzTarget("age-file", ["Age/AgeFile.init(_:_:)"], Files.age),
    FuzzTarget("age-header", limit: 2048, [], Files.ageHeader),
    FuzzTarget("age-payload", limit: 64, [], Files.agePayload),
    FuzzTarget("age-keys", limit: 1024, ["Age/AgeIdentity.init(_:)", "Age/AgeKeyFile.init(_:)"], Files.ageKeys),
    FuzzTarget("tar", ["Tar/TarArchive.init(_:maxEntries:)"], Files.tar),
    FuzzTarget("tar-checksums", [], Files.tarWithChecksums),
    FuzzTarget("shares", limit: 512, ["Shares/ShareWords.init(parsing:)"], Files.shares),
    FuzzTarget(
        "shares-checksums", limit: 512, ["Shares/ShareCollection.join(passphrase:maxIterationExponent:)"],
        Files.sharesWithChecksums),
    FuzzTarget("key-file", limit: 512, ["KeyWrapping/WrappedKey.init(_:)"], Files.keyFile),
    FuzzTarget(
        "argon2-message", limit: 512,
        [
            "KeyWrapping/Argon2idMessage.init(_:memoryUnit:)", "KeyWrapping/MessageFields.init(_:)",
        ], Files.argon2Message),
]

private let threema: [FuzzTarget] = [
    FuzzTarget(
        "message-payload", limit: 2048,
        [
            "ThreemaMessages/MessagePayload.init(decoding:)"
        ], Messages.payload),
    FuzzTarget("message-sealed", limit: 2048, [], Messages.sealed),
    FuzzTarget(
        "message-body", limit: 2048,
        [
            "ThreemaMessages/MessageBody.init(container:)", "ThreemaMessages/MessageBody.init(typed:)",
        ], Messages.body),
    FuzzTarget(
        "message-body-parts", limit: 2048,
        [
            "ThreemaMessages/MessageBody.init(_:decoding:)", "ThreemaMessages/GroupIdentity.init(decoding:)",
            "ThreemaMessages/PictureMessage.init(decoding:)", "ThreemaMessages/FileMessage.init(decoding:)",
            "Threema/ThreemaID.init(bytes:)",
        ], Messages.bodyParts),
    FuzzTarget(
        "message-metadata", limit: 512, ["ThreemaMessages/MessageMetadata.open(_:nonce:keys:)"], Messages.metadata),
    FuzzTarget("push-notification", limit: 1024, ["ThreemaMessages/PushNotification.init(_:key:)"], Messages.push),
    FuzzTarget(
        "message-records", limit: 1024,
        [
            "ThreemaMessages/Group.init(decoding:of:)", "ThreemaMessages/UploadedPicture.init(record:)",
        ], Messages.records),
    FuzzTarget(
        "forward-security-envelope", limit: 1024, ["ThreemaForwardSecurity/Envelope.init(decoding:)"], Messages.envelope
    ),
    FuzzTarget(
        "forward-security-sessions", limit: 1024,
        [
            "ThreemaForwardSecurity/SessionSet.init(decoding:)", "ThreemaForwardSecurity/Conversation.init(decoding:)",
        ], Messages.sessions),
    FuzzTarget(
        "message-boxes", limit: 512,
        [
            "ThreemaForwardSecurity/InnerBox.open(_:key:)", "ThreemaMedia/Blob.open(_:_:key:)",
            "ThreemaMedia/LegacyImage.open(_:keys:)",
        ], Messages.boxes),
    FuzzTarget("message-pack", ["ThreemaWeb/MessagePackValue.init(decoding:limits:)"], Pairing.messagePack),
    FuzzTarget(
        "pairing-code", limit: 512,
        [
            "ThreemaWeb/PairingPayload.init(decoding:)", "ThreemaWeb/PairingPayload.init(code:)",
        ], Pairing.code),
    FuzzTarget("trusted-pairing", limit: 512, ["ThreemaWeb/TrustedPairing.init(decoding:)"], Pairing.trusted),
    FuzzTarget("wake-up", limit: 512, ["ThreemaWeb/PushWakeUp.init(_:)"], Pairing.wakeUp),
    FuzzTarget("pairing-token", limit: 512, ["ThreemaWeb/TokenMessage.open(_:token:)"], Pairing.token),
    FuzzTarget(
        "call-message", limit: 1024,
        [
            "ThreemaCalls/PeerHandshake.receive(_:)", "ThreemaCalls/PeerSession.open(_:)",
            "ThreemaCalls/CallState.open(_:keys:)",
        ], Pairing.callMessage),
    FuzzTarget(
        "media-frame", limit: 512,
        [
            "ThreemaCalls/MediaFrame.clearHeaderCount(_:_:)", "ThreemaCalls/MediaFrame.footer(of:)",
            "ThreemaCalls/MediaReceiver.open(_:_:)",
        ], Pairing.mediaFrame),
    FuzzTarget("call-description", [], Pairing.description),
    FuzzTarget("data-backup", limit: 8192, [], AppFiles.dataBackup),
    FuzzTarget("data-backup-sealed", limit: 8192, [], SealedBackup.open),
    FuzzTarget("data-backup-tables", [], AppFiles.tables),
    FuzzTarget(
        "android-files",
        [
            "Threema/AndroidAccount.init(settings:)", "Threema/AndroidPreference.open(_:masterKey:)",
            "Threema/AndroidPreference.identity(in:masterKey:of:)",
        ], AppFiles.android),
    FuzzTarget("desktop-key-storage", limit: 1024, ["Threema/DesktopKeyStorage.cost(of:)"], AppFiles.desktop),
    FuzzTarget(
        "threema-texts", limit: 512,
        [
            "Threema/GatewayKeyText.decode(_:mayBeBare:)", "Threema/Identity.init(decoding:)",
        ], AppFiles.texts),
    FuzzTarget(
        "safe-files", limit: 8192,
        [
            "ThreemaSafe/DocumentFile.init(decoding:)", "ThreemaSafe/Profile.init(decodingWhole:)",
        ], Safe.documentFile),
    FuzzTarget(
        "picture", ["ThreemaSafe/ProfilePicture.init(jpeg:)", "ThreemaSafe/ProfilePicture.size(of:)"], Safe.picture),
]

private let messengers: [FuzzTarget] = [
    FuzzTarget("telegram-account", ["Telegram/TelegramAccount.init(decoding:)"], TelegramFiles.account),
    FuzzTarget(
        "telegram-key-file",
        [
            "Telegram/LegacyKeyFile.candidates(of:)", "Telegram/LegacyKeyFile.open(_:)",
            "Telegram/AuthorizationKey.init(number:)",
        ], TelegramFiles.keyFile),
    FuzzTarget("telegram-key-file-sums", ["Telegram/LegacyKeyFile.open(_:password:)"], TelegramFiles.hashedKeyFile),
    FuzzTarget("telegram-desktop", ["Telegram/DesktopFile.init(_:)"], TelegramFiles.desktop),
    FuzzTarget(
        "telegram-desktop-account",
        [
            "Telegram/DesktopAccount.init(payload:maxKeys:)", "Telegram/DesktopLocalKey.open(_:)",
        ], TelegramFiles.desktopAccount),
    FuzzTarget(
        "telegram-packet",
        [
            "Telegram/LegacyMTProto1.Packet.keyID(of:)", "Telegram/LegacyMTProto1.Packet.open(_:key:_:)",
            "Telegram/PlainPacket.init(decoding:)", "Telegram/ServiceMessage.init(decoding:)",
            "Telegram/ReplayWindow.init(decoding:)", "Telegram/LegacyMTProto1.Session.init(decoding:)",
        ], TelegramFiles.packet),
    FuzzTarget(
        "telegram-sealed-packets", limit: 2048,
        [
            "Telegram/LegacyMTProto1.Session.receive(_:key:now:trustsClock:)"
        ], TelegramFiles.sealedPackets),
    FuzzTarget(
        "telegram-key-exchange", limit: 1024, ["Telegram/KeyExchangeAnswer.open(_:keys:)"], TelegramFiles.keyExchange),
    FuzzTarget(
        "telegram-session-text", limit: 1024, ["TelegramSessions/TelegramSession.init(text:)"],
        TelegramFiles.sessionText),
    FuzzTarget(
        "telegram-session-file", limit: 16_384,
        [
            "TelegramSessions/TelegramSession.init(database:log:journal:)"
        ], TelegramFiles.sessionFile),
    FuzzTarget("telegram-session-file-sums", limit: 16_384, [], Repaired.sessionFile),
    FuzzTarget(
        "textsecure-messages", limit: 1024,
        [
            "TextSecure/WhisperMessage.init(parsing:)", "TextSecure/PreKeyWhisperMessage.init(parsing:)",
            "TextSecure/PublicKey33.init(_:)",
        ], TextSecureParts.messages),
    FuzzTarget(
        "textsecure-contents", limit: 1024,
        [
            "TextSecure/IncomingPushSignal.init(parsing:)", "TextSecure/PushMessageContent.init(parsing:)",
        ], TextSecureParts.contents),
    FuzzTarget("textsecure-push", limit: 1024, ["TextSecure/PushPayload.open(_:key:)"], TextSecureParts.push),
    FuzzTarget(
        "textsecure-records", limit: 8192,
        [
            "TextSecure/TextSecureSession.init(decoding:)", "TextSecure/TextSecureAccount.init(decoding:at:)",
        ], TextSecureParts.records),
    FuzzTarget(
        "textsecure-wraps",
        [
            "TextSecure/MasterSecret.open(_:)", "TextSecure/RNCryptorBlob.check(_:)",
            "TextSecure/RNCryptorBlob.open(_:password:)", "TextSecure/AndroidPreferences.init(parsing:)",
        ], TextSecureParts.wraps),
    FuzzTarget(
        "textsecure-attachment", limit: 1024,
        [
            "TextSecure/AttachmentCheck.read(_:)", "TextSecure/AttachmentOpener.open(_:)",
        ], TextSecureParts.attachment),
    FuzzTarget("textsecure-answers", [], TextSecureParts.answers),
    FuzzTarget("sophax-frames", ["SophaxMesh/FrameReader.read(_:)"], Sophax.frames),
    FuzzTarget("sophax-message", ["SophaxChat/WireMessage.init(parsing:)"], Sophax.message),
    FuzzTarget(
        "sophax-prekeys",
        [
            "SophaxChat/PrekeyBundle.init(parsing:)", "SophaxChat/Initiation.init(parsing:)",
            "SophaxChat/PairMessage.init(parsing:)", "SophaxChat/PublicIdentity.init(code:)",
        ], Sophax.prekeys),
    FuzzTarget(
        "sophax-records",
        [
            "SophaxChat/PrekeyStore.init(decoding:)", "SophaxChat/PairSession.init(decoding:of:with:)",
            "SophaxChat/PeerRecord.init(decoding:of:)", "SophaxChat/StoredSession.open(_:key:)",
            "SophaxChat/StoredSession.summarize(_:)",
        ], Sophax.records),
    FuzzTarget(
        "sophax-groups",
        [
            "SophaxGroups/GroupPayload.init(parsing:)", "SophaxGroups/SenderKeyDistribution.init(parsing:)",
            "SophaxGroups/GroupRecord.init(decoding:of:)",
        ], Sophax.groups),
    FuzzTarget(
        "sophax-payloads",
        [
            "SophaxMesh/ChatMessage.init(parsing:)", "SophaxMesh/GroupMemberLeft.init(parsing:)",
            "SophaxMesh/GroupInvite.init(parsing:)", "SophaxMesh/Relay.init(parsing:)",
            "SophaxMesh/SealedMessage.init(parsing:)",
        ], Sophax.payloads),
    FuzzTarget("sophax-sealed", ["SophaxMesh/SealedMessage.openBytes(_:_:)"], Sophax.sealed),
    FuzzTarget(
        "sophax-backups",
        [
            "SophaxStorage/IdentityBackup.check(_:)", "SophaxStorage/MessageBackup.check(_:)",
            "SophaxStorage/MessageBackup.init(summarizing:)", "SophaxStorage/IdentityShare.init(parsing:)",
            "SophaxStorage/IdentityShare.init(opening:from:by:)", "SophaxStorage/IdentityBackup.init(parsing:)",
            "SophaxStorage/StoredMessages.open(_:key:)", "SophaxStorage/SophaxAccount.init(decoding:)",
        ], Sophax.backups),
    FuzzTarget(
        "sophax-pin-records", limit: 512,
        [
            "SophaxStorage/PINLock.init(decoding:)", "SophaxStorage/PINAttempts.init(decoding:)",
            "SophaxStorage/PINAllowance.init(decoding:)",
        ]
    ) { Sophax.pinRecords($0) },
    FuzzTarget("property-list", ["ProtonMainKey/PropertyList.init(reading:)"], Stores.propertyList),
    FuzzTarget(
        "main-key", limit: 1024,
        [
            "ProtonMainKey/ProtectionItem.content(of:)", "ProtonMainKey/LockedValue.open(_:name:key:)",
            "ProtonMainKey/LockedValue.openVersion1(_:key:)",
        ], Stores.mainKey),
]

private let stores: [FuzzTarget] = [
    FuzzTarget("archive", limit: 16_384, ["MessengerKeeping/Archive.init(_:)"], Stores.archive),
    FuzzTarget("exported-values", ["SessionStore/ExportedValues.init(_:)"], Stores.exportedValues),
    FuzzTarget(
        "keystore-names", limit: 512,
        [
            "Keystore/RecordName.init(_:)", "Keystore/RecordFile.init(text:)",
        ]
    ) { Stores.keystoreNames($0) },
    FuzzTarget(
        "ratchets",
        [
            "Ratchet/PrekeyPool.init(decoding:rules:)", "Ratchet/GroupSession.init(decoding:limits:)",
            "Ratchet/DoubleRatchet.init(decoding:suite:)",
        ], Stores.ratchets),
    FuzzTarget("safe-setup", limit: 2048, ["ThreemaRecords/SafeSetup.init(decoding:)"], Stores.safeSetup),
    FuzzTarget("server-accounts", limit: 2048, []) { Server.accounts($0) },
]
