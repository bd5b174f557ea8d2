// swift-tools-version: 6.2

import PackageDescription

/// Whether the trait Server is on, and whether this is the build of the tests (docs/decisions/builds.md).
let isWhole = Context.environment["WITH_SERVER"] == "1"
let isForTests = Context.environment["BUILD_FOR_TESTS"] == "1"

/// The same strictness in every room: no implicit existentials, no transitive imports, and the word
/// `unsafe` before every expression that leaves memory safety (`grep -rn "unsafe " Sources` lists them).
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .strictMemorySafety(),
]

/// What is optimised in the build of the tests: the models, and where tests loop over bytes.
let loops: Set = [
    "SecureMemory", "Encodings", "Primitives", "Shares", "Age", "Tar", "ProtonMainKey", "ObservedTime", "Ratchet",
    "TextSecure", "SophaxChat", "ThreemaForwardSecurity", "ThreemaMessages", "SafeRules", "SafeWire", "SafeStore",
    "SafeServer", "SafeKeeping", "VectorKit", "SafeModel", "RatchetModel", "IbexModel",
]
func optimised(_ name: String) -> [SwiftSetting] {
    // The frontend's flag: of the driver's, the last one counts, and that is `-Onone` from the command line.
    return isForTests && loops.contains(name) ? [.unsafeFlags(["-Xfrontend", "-O"])] : []
}

/// - Parameter path: below `Sources`: the wing and the room, which has the target's name.
func room(_ path: String, _ dependencies: Target.Dependency..., linking libraries: [String] = []) -> Target {
    let name = String(path.split(separator: "/").last!)
    return .target(
        name: name, dependencies: dependencies, path: "Sources/" + path, swiftSettings: strict + optimised(name),
        linkerSettings: libraries.map { .linkedLibrary($0) })
}

/// A program for users.
func tool(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Sources/Programs/" + name, swiftSettings: strict)
}

/// Links the programs of that build to Swift's static libraries, as in a release: a command takes a quarter less. As
/// a setting of a program's target it would be one of the tests, too, and there is no static library Testing.
let staticRuntime = isForTests ? ["StaticRuntime"] : []

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

/// A product that only the trait Server needs.
func server(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["Server"]))
}

/// - Parameter room: below `Sources`, as in `room`; its tests stand in the same wing of `Tests`.
func tests(of room: String, _ dependencies: Target.Dependency..., linking libraries: [String] = []) -> Target {
    let name = String(room.split(separator: "/").last!)
    return .testTarget(
        name: name + "Tests", dependencies: [.target(name: name)] + dependencies, path: "Tests/" + room + "Tests",
        swiftSettings: [.swiftLanguageMode(.v6)], linkerSettings: libraries.map { .linkedLibrary($0) })
}

/// What several tests share, or a model of a room.
/// - Parameter path: below `Tests`; its last part is the target's name.
func kit(
    _ path: String, _ dependencies: Target.Dependency..., settings: [SwiftSetting] = [.swiftLanguageMode(.v6)]
) -> Target {
    let name = String(path.split(separator: "/").last!)
    return .target(
        name: name, dependencies: dependencies, path: "Tests/" + path, swiftSettings: settings + optimised(name))
}

/// A program that a script or a test runs.
func program(_ name: String, at path: String, _ dependencies: Target.Dependency...) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Tests/" + path, swiftSettings: [.swiftLanguageMode(.v6)])
}

let package = Package(
    name: "keytool",
    products: ["keytool", "keytool-lab", "keytool-server"].map { .executable(name: $0, targets: [$0] + staticRuntime) },
    traits: [
        .trait(name: "Server", description: "The Safe server keytool-server, which needs Hummingbird and SwiftNIO."),
        // What is built in .build-all has it, also from Examples and Vectors: a trait changes how each room is
        // compiled.
        .default(enabledTraits: isWhole ? ["Server"] : []),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // The trait Server: without it SwiftPM neither fetches nor builds these.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    ],
    targets: [
        // Storey 0: C libraries of the system, and the system itself.
        .systemLibrary(name: "CSodium", path: "Sources/C/CSodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "COpenSSL", path: "Sources/C/COpenSSL", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CArgon2", path: "Sources/C/CArgon2", providers: [.apt(["libargon2-dev"])]),
        .systemLibrary(name: "CZlib", path: "Sources/C/CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CQREncode", path: "Sources/C/CQREncode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CCurl", path: "Sources/C/CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CSQLite", path: "Sources/C/CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "CBuild", path: "Sources/C/CBuild",
            cSettings: [.define("KEYTOOL_BUILD_FACTS", to: "\"\(Context.environment["KEYTOOL_BUILD_FACTS"] ?? "")\"")]),
        // SQLite is linked where this is used. The C library checks the lengths of its calls (journal.h).
        .target(
            name: "CSQLiteFiles", path: "Sources/C/CSQLiteFiles",
            cSettings: [.define("_FORTIFY_SOURCE", to: "3", .when(configuration: .release))]),
        .systemLibrary(name: "CZip", path: "Sources/C/CZip", providers: [.apt(["libzip-dev"])]),
        .systemLibrary(name: "CLinux", path: "Sources/C/CLinux"),
        .systemLibrary(name: "CScrypt", path: "Tests/C/CScrypt", providers: [.apt(["libscrypt-dev"])]),
        .systemLibrary(name: "CWindows", path: "Tests/C/CWindows"),
        // Storey 1
        room("Base/SecureMemory", "CSodium", linking: [":libsodium.a"]),
        // Storey 2
        room("Base/Encodings", "SecureMemory", "CZlib", linking: ["z"]),
        room(
            "Base/Primitives", "SecureMemory", "CSodium", "COpenSSL", "CArgon2",
            linking: [":libsodium.a", ":libcrypto.a", ":libargon2.a"]),
        room("Base/AtomicFiles", "SecureMemory", "CLinux"),
        room("Base/ByteStreams"),
        // Storey 3
        room("Base/HTTP", "Encodings", "SecureMemory"),
        room("Base/ObservedTime", "Encodings"),
        room("Base/Tar", "SecureMemory"),
        room("Base/Age", "Encodings", "Primitives", "AtomicFiles", "SecureMemory"),
        room("Base/KeyWrapping", "Encodings", "Primitives", "SecureMemory"),
        room("Base/Ratchet", "Encodings", "Primitives", "SecureMemory"),
        room("Base/Passwords", "Encodings", "Primitives", "SecureMemory"),
        room("Base/Shares", "Primitives", "SecureMemory"),
        room("Base/QRCode", "SecureMemory", "CQREncode", "CZlib", linking: ["z"]),
        room("Base/Paper"),
        // Storey 4
        room("Programs/HTTPTransport", "HTTP", "Encodings", "Primitives", "AtomicFiles", "SecureMemory", "CCurl"),
        room("Programs/TCPTransport", "ByteStreams", "AtomicFiles", "CLinux"),
        room("Safe/SafeWire", "HTTP", "Encodings", "SecureMemory"),
        room("Programs/Console", "Passwords", "Encodings", "AtomicFiles", "SecureMemory", "CLinux", argumentParser),
        room("Storage/Keystore", "KeyWrapping", "Encodings", "Primitives", "AtomicFiles", "SecureMemory", "CLinux"),
        room(
            "Storage/SessionStore", "Encodings", "Primitives", "AtomicFiles", "SecureMemory", "CSQLite", "CSQLiteFiles",
            linking: [":libsqlite3.a"]),
        room("Threema/Threema", "KeyWrapping", "Encodings", "Primitives", "SecureMemory"),
        room("Messengers/Telegram", "Encodings", "Primitives", "SecureMemory"),
        room("Messengers/TextSecure", "Ratchet", "HTTP", "Encodings", "Primitives", "SecureMemory"),
        room("Messengers/SophaxChat", "Ratchet", "ObservedTime", "Encodings", "Primitives", "SecureMemory"),
        room("Messengers/ProtonMainKey", "Encodings", "Primitives", "SecureMemory"),
        // Storey 5
        room("Programs/CommandParsing", "Console", "Encodings", "CLinux", "CBuild", argumentParser),
        room("Messengers/TelegramSessions", "Telegram", "Encodings", "SecureMemory"),
        room("Messengers/SophaxGroups", "SophaxChat", "Ratchet", "Encodings", "Primitives", "SecureMemory"),
        room("Messengers/SophaxStorage", "SophaxChat", "Ratchet", "Encodings", "Primitives", "SecureMemory"),
        room("Threema/ThreemaSafe", "Threema", "SafeWire", "Encodings", "Primitives", "SecureMemory"),
        room("Threema/ThreemaMessages", "Threema", "Encodings", "Primitives", "SecureMemory"),
        room("Threema/ThreemaDirectory", "Threema", "HTTP", "Encodings", "Primitives", "SecureMemory"),
        room("Safe/SafeStore", "SafeWire", "ObservedTime", "Encodings", "Primitives", "AtomicFiles"),
        room("Safe/SafeRules", "SafeWire", "HTTP", "ObservedTime", "Encodings"),
        // Storey 6
        room(
            "Messengers/SophaxMesh", "SophaxGroups", "SophaxChat", "Ratchet", "Encodings", "Primitives",
            "SecureMemory"),
        room(
            "Programs/ThreemaRecords", "Keystore", "ThreemaSafe", "Threema", "SafeRules", "SafeWire", "Shares", "HTTP",
            "Encodings", "Primitives", "SecureMemory"),
        room("Safe/SafeTransports", "SafeWire", "SafeStore", "HTTP", "AtomicFiles", "SecureMemory"),
        room(
            "Safe/SafeServer", "SafeStore", "SafeWire", "HTTP", "Encodings", "Primitives", "AtomicFiles",
            "SecureMemory"),
        room("Safe/SafeObjectStore", "SafeStore", "SafeWire", "HTTP", "Encodings", "Primitives", "SecureMemory"),
        room(
            "Threema/ThreemaCalls", "ThreemaMessages", "Threema", "HTTP", "Encodings", "Primitives", "SecureMemory",
            "COpenSSL"),
        room("Threema/ThreemaMedia", "ThreemaMessages", "Threema", "HTTP", "Primitives", "AtomicFiles", "SecureMemory"),
        room("Threema/ThreemaDataBackup", "ThreemaSafe", "Threema", "Encodings", "SecureMemory", "CZip"),
        room("Threema/ThreemaForwardSecurity", "ThreemaMessages", "Threema", "Encodings", "Primitives", "SecureMemory"),
        room("Threema/ThreemaChat", "ThreemaMessages", "Threema", "ByteStreams", "Primitives", "SecureMemory"),
        room("Threema/ThreemaWeb", "ThreemaMessages", "Threema", "HTTP", "Encodings", "Primitives", "SecureMemory"),
        // Storey 7
        room(
            "Programs/SafeKeeping", "ThreemaRecords", "Keystore", "ThreemaSafe", "Threema", "SafeRules", "SafeWire",
            "HTTP", "ObservedTime", "Encodings", "Primitives", "SecureMemory"),
        room(
            "Threema/ThreemaClient", "ThreemaForwardSecurity", "ThreemaChat", "ThreemaMedia", "ThreemaSafe",
            "ThreemaDirectory", "ThreemaMessages", "Threema", "SessionStore", "Encodings", "AtomicFiles",
            "SecureMemory"),
        room(
            "Programs/ThreemaTransport", "HTTPTransport", "ThreemaWeb", "ThreemaCalls", "ThreemaMedia",
            "ThreemaDirectory", "HTTP"),
        room(
            "Programs/MessengerKeeping", "Keystore", "SessionStore", "ProtonMainKey", "SophaxStorage", "SophaxGroups",
            "SophaxChat", "Telegram", "TextSecure", "Ratchet", "Age", "Tar", "Encodings", "AtomicFiles",
            "SecureMemory"),
        room(
            "Safe/SafeServerHTTP", "SafeServer", "SafeStore", "HTTP", "Encodings", "Primitives", "CLinux", "COpenSSL",
            server("HummingbirdCore", "hummingbird"), server("NIOCore", "swift-nio"), server("NIOPosix", "swift-nio"),
            server("NIOTLS", "swift-nio"), server("NIOHTTP1", "swift-nio"), server("NIOHTTP2", "swift-nio-http2"),
            server("NIOHPACK", "swift-nio-http2"), server("NIOSSL", "swift-nio-ssl"), server("Logging", "swift-log")),
        // Storey 8
        room(
            "Programs/ThreemaKeeping", "SafeKeeping", "ThreemaRecords", "Keystore", "ThreemaSafe", "ThreemaDirectory",
            "Threema", "SafeWire", "Shares", "HTTP", "Encodings", "Primitives", "SecureMemory"),
        room(
            "Programs/CommandLine", "MessengerKeeping", "ThreemaRecords", "Keystore", "SessionStore", "Threema",
            "Telegram", "TextSecure", "SophaxStorage", "SophaxChat", "CommandParsing", "Console", "KeyWrapping",
            "Ratchet", "Encodings", "Primitives", "AtomicFiles", "SecureMemory", argumentParser),
        // Storey 9
        tool(
            "keytool", "CommandLine", "ThreemaKeeping", "SafeKeeping", "ThreemaRecords", "MessengerKeeping",
            "ThreemaDataBackup", "SafeTransports", "Keystore", "SessionStore", "ThreemaSafe", "ThreemaDirectory",
            "Threema", "TelegramSessions", "Telegram", "TextSecure", "ProtonMainKey", "SophaxStorage", "SophaxChat",
            "SafeRules", "SafeWire", "HTTPTransport", "HTTP", "CommandParsing", "Console", "KeyWrapping", "Ratchet",
            "Age", "Tar", "QRCode", "Paper", "Shares", "Encodings", "Primitives", "AtomicFiles", "SecureMemory",
            argumentParser),
        tool(
            "keytool-lab", "CommandLine", "MessengerKeeping", "Telegram", "TextSecure", "SophaxStorage", "SophaxGroups",
            "SophaxChat", "HTTP", "CommandParsing", "Console", "Ratchet", "Encodings", "SecureMemory", argumentParser),
        tool(
            "keytool-server", "SafeServerHTTP", "SafeObjectStore", "SafeServer", "SafeStore", "SafeWire",
            "HTTPTransport", "CommandParsing", "Console", "Encodings", "Primitives", "AtomicFiles", "SecureMemory",
            argumentParser),
        // Tests
        .target(
            name: "StaticRuntime", path: "Tests/Kits/StaticRuntime",
            // The last two are named only in what is compiled for static libraries.
            linkerSettings: [
                .unsafeFlags(["-static-stdlib", "-use-ld=lld", "-l_FoundationCollections", "-l_FoundationCShims"])
            ]),
        kit("Kits/VectorKit", "SecureMemory"),
        tests(of: "Base/SecureMemory", "VectorKit"),
        tests(of: "Base/Encodings", "SecureMemory", "VectorKit"),
        tests(of: "Base/Primitives", "SecureMemory", "VectorKit", "CScrypt", linking: ["scrypt"]),
        tests(of: "Base/AtomicFiles", "SecureMemory", "VectorKit"),
        kit("Kits/ServerKit"),
        kit("Kits/StreamKit", "ByteStreams"),
        tests(of: "Programs/TCPTransport", "ByteStreams", "StreamKit"),
        tests(of: "Base/HTTP", "SecureMemory"),
        tests(of: "Base/ObservedTime", "Encodings"),
        tests(of: "Base/Tar", "SecureMemory", "VectorKit"),
        tests(of: "Programs/HTTPTransport", "HTTP", "SecureMemory", "ServerKit"),
        tests(of: "Safe/SafeWire", "SecureMemory", "VectorKit"),
        tests(of: "Base/Age", "Encodings", "Primitives", "AtomicFiles", "SecureMemory", "VectorKit"),
        tests(of: "Base/KeyWrapping", "SecureMemory", "VectorKit"),
        kit("Models/RatchetModel", "SophaxChat", "TextSecure", "Ratchet", "Encodings", "Primitives", "SecureMemory"),
        program("ratchet-model", at: "Models/RatchetModelRun", "RatchetModel", "Ratchet"),
        tests(
            of: "Base/Ratchet", "RatchetModel", "SophaxChat", "TextSecure", "SessionStore", "Encodings", "Primitives",
            "AtomicFiles", "SecureMemory", "VectorKit"),
        tests(of: "Storage/Keystore", "AtomicFiles", "KeyWrapping", "SecureMemory", "VectorKit"),
        program("session-store-run", at: "Storage/SessionStoreRun", "SessionStore", "AtomicFiles", "SecureMemory"),
        tests(
            of: "Storage/SessionStore", "session-store-run", "Keystore", "AtomicFiles", "SecureMemory", "VectorKit",
            "CWindows"),
        // Marks secrets for valgrind's memcheck, and runs codecs on them; Scripts/test-constant-time reads its reports.
        .systemLibrary(name: "CMemcheck", path: "Tests/C/CMemcheck"),
        program(
            "constant-time-run", at: "Programs/ConstantTimeRun", "ThreemaCalls", "ThreemaWeb", "ThreemaMessages",
            "Threema", "TelegramSessions", "Telegram", "TextSecure", "ProtonMainKey", "SophaxStorage", "SophaxChat",
            "Ratchet", "Age", "Shares", "Passwords", "KeyWrapping", "HTTP", "Encodings", "Primitives", "SecureMemory",
            "CMemcheck"),
        tests(of: "Base/Passwords", "Encodings", "SecureMemory", "VectorKit"),
        tests(of: "Threema/Threema", "KeyWrapping", "Encodings", "SecureMemory", "VectorKit"),
        tests(of: "Messengers/TelegramSessions", "Telegram", "Primitives", "SecureMemory", "VectorKit"),
        tests(of: "Messengers/Telegram", "Primitives", "SecureMemory", "VectorKit"),
        tests(
            of: "Messengers/TextSecure", "HTTPTransport", "Ratchet", "HTTP", "Encodings", "Primitives", "SecureMemory",
            "ServerKit", "VectorKit"),
        kit("Kits/SophaxKit", "SophaxChat", "Ratchet", "Encodings", "SecureMemory", "VectorKit"),
        tests(
            of: "Messengers/SophaxChat", "Ratchet", "Encodings", "Primitives", "SecureMemory", "SophaxKit",
            "VectorKit"),
        tests(
            of: "Messengers/SophaxGroups", "SophaxChat", "Ratchet", "Encodings", "Primitives", "SecureMemory",
            "SophaxKit", "VectorKit"),
        tests(
            of: "Messengers/SophaxMesh", "SophaxChat", "Ratchet", "Encodings", "Primitives", "SecureMemory",
            "SophaxKit", "VectorKit"),
        tests(
            of: "Messengers/SophaxStorage", "SophaxChat", "Ratchet", "Encodings", "Primitives", "SecureMemory",
            "SophaxKit", "VectorKit"),
        tests(of: "Messengers/ProtonMainKey", "Primitives", "SecureMemory", "VectorKit"),
        tests(
            of: "Programs/MessengerKeeping", "Keystore", "SessionStore", "ProtonMainKey", "SophaxStorage",
            "SophaxGroups", "SophaxChat", "Ratchet", "Tar", "Encodings", "AtomicFiles", "SecureMemory"),
        tests(
            of: "Threema/ThreemaSafe", "Threema", "Passwords", "Encodings", "Primitives", "SecureMemory", "VectorKit"),
        tests(of: "Threema/ThreemaDataBackup", "Encodings", "SecureMemory", "ThreemaSafe", "VectorKit"),
        tests(
            of: "Threema/ThreemaMessages", "ThreemaMedia", "Threema", "SessionStore", "Encodings", "Primitives",
            "AtomicFiles", "SecureMemory", "VectorKit"),
        tests(
            of: "Threema/ThreemaMedia", "ThreemaMessages", "Threema", "HTTP", "Primitives", "SecureMemory",
            "VectorKit"),
        kit("Models/IbexModel", "ThreemaForwardSecurity", "ThreemaMessages", "Threema", "Encodings", "SecureMemory"),
        program("ibex-model", at: "Models/IbexModelRun", "IbexModel"),
        tests(
            of: "Threema/ThreemaForwardSecurity", "IbexModel", "ThreemaMessages", "Threema", "SessionStore",
            "Encodings", "Primitives", "AtomicFiles", "SecureMemory", "VectorKit"),
        tests(
            of: "Threema/ThreemaChat", "ThreemaMessages", "Threema", "ByteStreams", "StreamKit", "Primitives",
            "SecureMemory", "VectorKit"),
        tests(
            of: "Threema/ThreemaClient", "ThreemaForwardSecurity", "ThreemaChat", "ThreemaMedia", "ThreemaSafe",
            "ThreemaDirectory", "ThreemaMessages", "Threema", "SessionStore", "HTTP", "ByteStreams", "StreamKit",
            "Encodings", "AtomicFiles", "SecureMemory", "VectorKit"),
        // Scripts run these, with other implementations, real servers, or copies of Examples/Sources/echo-bot.
        program(
            "chat-run", at: "Peers/ChatRun", "ThreemaChat", "ThreemaMessages", "Threema", "TCPTransport", "ByteStreams",
            "Encodings", "SecureMemory"),
        program(
            "bot-run", at: "Peers/BotRun", "ThreemaClient", "ThreemaTransport", "ThreemaMedia", "ThreemaDirectory",
            "ThreemaChat", "ThreemaSafe", "ThreemaMessages", "Threema", "TCPTransport", "Keystore", "SessionStore",
            "Encodings", "AtomicFiles", "SecureMemory", "VectorKit"),
        program("web-peer", at: "Peers/WebPeer", "ThreemaWeb", "Threema", "SecureMemory"),
        tests(
            of: "Threema/ThreemaWeb", "ThreemaMessages", "Threema", "KeyWrapping", "SessionStore", "HTTP", "Primitives",
            "AtomicFiles", "SecureMemory", "VectorKit"),
        tests(
            of: "Threema/ThreemaCalls", "ThreemaMessages", "Threema", "HTTP", "Encodings", "Primitives", "SecureMemory",
            "VectorKit"),
        tests(
            of: "Threema/ThreemaDirectory", "Threema", "HTTPTransport", "HTTP", "Encodings", "Primitives",
            "SecureMemory", "ServerKit", "VectorKit"),
        kit("Models/SafeModel", "SafeRules", "SafeWire", "ObservedTime", "Encodings"),
        program("safe-model", at: "Models/SafeModelRun", "SafeModel", "SafeRules"),
        tests(of: "Safe/SafeRules", "SafeModel", "ObservedTime", "Encodings", "VectorKit"),
        kit("Kits/SafeKit", "SafeWire", settings: strict),
        kit(
            "Kits/SafeKeepingKit", "SafeKeeping", "ThreemaRecords", "Keystore", "ThreemaSafe", "Threema", "SafeRules",
            "SafeWire", "Encodings", "SecureMemory", "SafeKit", "VectorKit"),
        tests(
            of: "Programs/SafeKeeping", "ThreemaRecords", "Keystore", "ThreemaSafe", "Threema", "SafeRules", "SafeWire",
            "ObservedTime", "Encodings", "Primitives", "SecureMemory", "SafeKeepingKit", "SafeKit", "VectorKit"),
        tests(
            of: "Programs/ThreemaKeeping", "SafeKeeping", "ThreemaRecords", "Keystore", "ThreemaSafe",
            "ThreemaDirectory", "Threema", "Encodings", "Primitives", "SecureMemory", "SafeKeepingKit", "VectorKit"),
        kit("Kits/StoreKit", "SafeStore", "SafeWire", "Encodings"),
        // What of the listener needs no packages: the rest is tested as the binary, in Tests/Programs/keytool-server.
        tests(of: "Safe/SafeServerHTTP", "SafeServer", "SafeStore", "SafeWire", "HTTP", "Encodings"),
        tests(of: "Safe/SafeStore", "SafeWire", "Encodings", "AtomicFiles", "StoreKit", "VectorKit"),
        tests(
            of: "Safe/SafeObjectStore", "SafeStore", "SafeWire", "HTTPTransport", "HTTP", "Encodings", "SecureMemory",
            "ServerKit", "StoreKit", "VectorKit"),
        tests(
            of: "Safe/SafeServer", "SafeStore", "SafeWire", "HTTP", "Encodings", "AtomicFiles", "SecureMemory",
            "VectorKit"),
        tests(
            of: "Safe/SafeTransports", "SafeServer", "SafeStore", "SafeWire", "HTTPTransport", "HTTP", "Encodings",
            "SecureMemory", "SafeKit", "ServerKit", "VectorKit"),
        tests(of: "Base/QRCode", "VectorKit"),
        tests(of: "Base/Paper"),
        tests(of: "Base/Shares", "Primitives", "SecureMemory", "VectorKit"),
        tests(of: "Programs/Console", "Encodings", "SecureMemory"),
        tests(of: "Programs/CommandParsing"),
        // What is neither a verb's work nor a question: tests of the binary are in Tests/Programs/keytool.
        .testTarget(
            name: "KeytoolLogicTests",
            dependencies: [
                "keytool", "CommandLine", "CommandParsing", "Console", "MessengerKeeping", "Keystore", "Age", "Threema",
                "Encodings", "SecureMemory", argumentParser,
            ],
            path: "Tests/Programs/KeytoolLogicTests", swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)

/// What other packages import, Examples and Vectors among them.
let libraries = [
    "Primitives", "Age", "Shares", "Ratchet", "TCPTransport", "SafeWire", "SafeServer", "Keystore", "SessionStore",
    "Threema", "ThreemaDirectory", "ThreemaSafe", "ThreemaDataBackup", "ThreemaMessages", "ThreemaMedia",
    "ThreemaTransport", "ThreemaForwardSecurity", "ThreemaCalls", "ThreemaChat", "ThreemaClient", "ThreemaWeb",
    "Telegram", "ProtonMainKey", "TextSecure", "SophaxChat", "SophaxGroups", "SophaxMesh", "SophaxStorage",
]

/// A room and the rooms below it, so that each type of its API can be named. Scripts/check-arrows compares the products
/// with the public imports.
func library(_ name: String, of targets: [Target]) -> Product {
    // No API shows types of these.
    let inner: Set = ["HTTPTransport", "ObservedTime"]
    let rooms = targets.filter { !$0.path!.hasPrefix("Sources/C/") && !inner.contains($0.name) }
    let below = Dictionary(uniqueKeysWithValues: rooms.map { ($0.name, $0.dependencies) })
    var names: [String] = []
    func add(_ name: String) {
        guard let dependencies = below[name], !names.contains(name) else { return }
        names.append(name)
        for case .byNameItem(let room, _) in dependencies { add(room) }
    }
    add(name)
    return .library(name: name, targets: names)
}

package.products += libraries.map { library($0, of: package.targets) }
let fuzzed = ["MessengerKeeping", "SafeKeeping", "SafeObjectStore", "SafeServerHTTP", "TelegramSessions"]
if Context.environment["FUZZ"] == "1" { package.products += fuzzed.map { library($0, of: package.targets) } }

// `make check ROOM=Threema` builds the tests of one room, and only what they need.
if let room = Context.environment["ROOM"], !room.isEmpty {
    package.targets.removeAll { $0.type == .test && $0.name != room + "Tests" }
}
