// swift-tools-version: 6.2

import PackageDescription

/// The same strictness in every room: no implicit existentials, no transitive imports, and the word
/// `unsafe` before every expression that leaves memory safety (`grep -rn "unsafe " Sources` lists them).
let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .strictMemorySafety(),
]

/// - Parameter path: below `Sources`: the wing and the room, which has the target's name.
func room(_ path: String, _ dependencies: [Target.Dependency], linking libraries: [String] = []) -> Target {
    .target(
        name: String(path.split(separator: "/").last!),
        dependencies: dependencies,
        path: "Sources/" + path,
        swiftSettings: house,
        linkerSettings: libraries.map { .linkedLibrary($0) }
    )
}

/// A product that only the trait Server needs.
func server(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["Server"]))
}

func tests(of name: String, _ dependencies: [Target.Dependency], linking libraries: [String] = []) -> Target {
    .testTarget(
        name: name + "Tests",
        dependencies: [.target(name: name)] + dependencies,
        swiftSettings: [.swiftLanguageMode(.v6)],
        linkerSettings: libraries.map { .linkedLibrary($0) }
    )
}

let package = Package(
    name: "keytool",
    products: [
        .executable(name: "keytool", targets: ["keytool"]),
        .executable(name: "keytool-server", targets: ["keytool-server"]),
        // Each with every target whose types stand in its API; Scripts/check-arrows compares them with the imports.
        .library(name: "Primitives", targets: ["Primitives", "SecureMemory"]),
        .library(name: "Age", targets: ["Age", "AtomicFiles", "Primitives", "SecureMemory"]),
        .library(name: "Ratchet", targets: ["Ratchet", "Encodings", "Primitives", "SecureMemory"]),
        .library(name: "TCPTransport", targets: ["TCPTransport", "ByteStreams"]),
        .library(name: "SafeWire", targets: ["SafeWire", "HTTP", "SecureMemory"]),
        .library(
            name: "SafeServer",
            targets: ["SafeServer", "SafeStore", "SafeWire", "HTTP", "AtomicFiles", "Encodings", "SecureMemory"]),
        .library(name: "Keystore", targets: ["Keystore", "KeyWrapping", "AtomicFiles", "Primitives", "SecureMemory"]),
        .library(name: "SessionStore", targets: ["SessionStore", "AtomicFiles", "SecureMemory"]),
        .library(name: "Threema", targets: ["Threema", "KeyWrapping", "Encodings", "Primitives", "SecureMemory"]),
        .library(
            name: "ThreemaDirectory",
            targets: [
                "ThreemaDirectory", "Threema", "HTTP", "KeyWrapping", "Encodings", "Primitives", "SecureMemory",
            ]),
        .library(
            name: "ThreemaSafe",
            targets: [
                "ThreemaSafe", "Threema", "SafeWire", "HTTP", "KeyWrapping", "Encodings", "Primitives", "SecureMemory",
            ]),
        .library(
            name: "ThreemaDataBackup",
            targets: [
                "ThreemaDataBackup", "ThreemaSafe", "Threema", "SafeWire", "HTTP", "KeyWrapping", "Encodings",
                "Primitives", "SecureMemory",
            ]),
        .library(
            name: "ThreemaMessages",
            targets: [
                "ThreemaMessages", "Threema", "KeyWrapping", "Encodings", "Primitives", "SecureMemory",
            ]),
        .library(
            name: "ThreemaMedia",
            targets: [
                "ThreemaMedia", "ThreemaMessages", "Threema", "HTTP", "KeyWrapping", "Encodings", "Primitives",
                "SecureMemory",
            ]),
        .library(
            name: "ThreemaTransport",
            targets: [
                "ThreemaTransport", "ThreemaMedia", "ThreemaDirectory", "ThreemaMessages", "Threema", "HTTP",
                "KeyWrapping", "Encodings", "Primitives", "SecureMemory",
            ]),
        .library(
            name: "ThreemaForwardSecurity",
            targets: [
                "ThreemaForwardSecurity", "ThreemaMessages", "Threema", "KeyWrapping", "Encodings", "Primitives",
                "SecureMemory",
            ]),
        .library(
            name: "ThreemaCalls",
            targets: [
                "ThreemaCalls", "ThreemaMessages", "Threema", "HTTP", "KeyWrapping", "Encodings", "Primitives",
                "SecureMemory",
            ]),
        .library(
            name: "ThreemaChat",
            targets: [
                "ThreemaChat", "ThreemaMessages", "Threema", "ByteStreams", "KeyWrapping", "Encodings", "Primitives",
                "SecureMemory",
            ]),
        .library(
            name: "ThreemaClient",
            targets: [
                "ThreemaClient", "ThreemaForwardSecurity", "ThreemaChat", "ThreemaDirectory", "ThreemaMessages",
                "Threema", "SessionStore", "ByteStreams", "HTTP", "KeyWrapping", "AtomicFiles", "Encodings",
                "Primitives", "SecureMemory",
            ]),
        .library(
            name: "ThreemaWeb",
            targets: [
                "ThreemaWeb", "ThreemaMessages", "Threema", "HTTP", "KeyWrapping", "Encodings", "Primitives",
                "SecureMemory",
            ]),
        .library(name: "Telegram", targets: ["Telegram", "SecureMemory"]),
        .library(name: "ProtonMainKey", targets: ["ProtonMainKey", "SecureMemory"]),
        .library(
            name: "TextSecure", targets: ["TextSecure", "Ratchet", "HTTP", "Encodings", "Primitives", "SecureMemory"]),
        .library(
            name: "SophaxChat",
            targets: ["SophaxChat", "SophaxGroups", "Ratchet", "Encodings", "Primitives", "SecureMemory"]),
        .library(
            name: "SophaxMesh",
            targets: ["SophaxMesh", "SophaxChat", "Ratchet", "Encodings", "Primitives", "SecureMemory"]),
        .library(
            name: "SophaxStorage",
            targets: ["SophaxStorage", "SophaxChat", "Ratchet", "Encodings", "Primitives", "SecureMemory"]),
    ],
    traits: [
        .trait(name: "Server", description: "The Safe server keytool-server, which needs Hummingbird and SwiftNIO."),
        // What is built in .build-all has it, also from Examples and Vectors: a trait changes how each room is compiled.
        .default(enabledTraits: Context.environment["WITH_SERVER"] == "1" ? ["Server"] : []),
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
        // SQLite is linked where this is used.
        .target(name: "CSQLiteFiles", path: "Sources/C/CSQLiteFiles"),
        .systemLibrary(name: "CZip", path: "Sources/C/CZip", providers: [.apt(["libzip-dev"])]),
        .systemLibrary(name: "CLinux", path: "Sources/C/CLinux"),
        .systemLibrary(name: "CScrypt", path: "Tests/CScrypt", providers: [.apt(["libscrypt-dev"])]),
        .systemLibrary(name: "CWindows", path: "Tests/CWindows"),
        // Storey 1
        room("Base/SecureMemory", ["CSodium"], linking: [":libsodium.a"]),
        // Storey 2
        room("Base/Encodings", ["SecureMemory", "CZlib"], linking: ["z"]),
        room(
            "Base/Primitives", ["SecureMemory", "CSodium", "COpenSSL", "CArgon2"],
            linking: [":libsodium.a", ":libcrypto.a", ":libargon2.a"]),
        room("Base/AtomicFiles", ["SecureMemory", "CLinux"]),
        room("Base/ByteStreams", []),
        // Storey 3
        room("Base/HTTP", ["Encodings", "SecureMemory"]),
        room("Base/ObservedTime", ["Encodings"]),
        room("Base/Tar", ["SecureMemory"]),
        room("Base/Age", ["Encodings", "Primitives", "AtomicFiles", "SecureMemory"]),
        room("Base/KeyWrapping", ["Encodings", "Primitives", "SecureMemory"]),
        room("Base/Ratchet", ["Encodings", "Primitives", "SecureMemory"]),
        room("Base/Passwords", ["Encodings", "Primitives", "SecureMemory"]),
        room("Base/QRCode", ["CQREncode", "CZlib"], linking: ["qrencode", "z"]),
        room("Base/Paper", []),
        // Storey 4
        room("Programs/HTTPTransport", ["HTTP", "Encodings", "Primitives", "AtomicFiles", "SecureMemory", "CCurl"]),
        room("Programs/TCPTransport", ["ByteStreams", "AtomicFiles", "CLinux"]),
        room("Safe/SafeWire", ["HTTP", "Encodings", "SecureMemory"]),
        room(
            "Programs/Console",
            [
                "Passwords", "Encodings", "AtomicFiles", "SecureMemory", "CLinux",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        room("Storage/Keystore", ["KeyWrapping", "Encodings", "Primitives", "AtomicFiles", "SecureMemory", "CLinux"]),
        room(
            "Storage/SessionStore",
            ["Encodings", "Primitives", "AtomicFiles", "SecureMemory", "CSQLite", "CSQLiteFiles"],
            linking: [":libsqlite3.a"]),
        room("Threema/Threema", ["KeyWrapping", "Encodings", "Primitives", "SecureMemory"]),
        room("Messengers/Telegram", ["Encodings", "Primitives", "SecureMemory"]),
        room("Messengers/TextSecure", ["Ratchet", "HTTP", "Encodings", "Primitives", "SecureMemory"]),
        room("Messengers/SophaxChat", ["Ratchet", "Encodings", "Primitives", "SecureMemory"]),
        room("Messengers/ProtonMainKey", ["Encodings", "Primitives", "SecureMemory"]),
        // Storey 5
        room(
            "Programs/CommandParsing",
            [
                "Console", "Encodings", "CLinux",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        room("Messengers/SophaxGroups", ["SophaxChat", "Ratchet", "Encodings", "Primitives", "SecureMemory"]),
        room("Messengers/SophaxStorage", ["SophaxChat", "Ratchet", "Encodings", "Primitives", "SecureMemory"]),
        room("Threema/ThreemaSafe", ["Threema", "SafeWire", "Encodings", "Primitives", "SecureMemory"]),
        room("Threema/ThreemaMessages", ["Threema", "Encodings", "Primitives", "SecureMemory"]),
        room(
            "Threema/ThreemaDirectory", ["Threema", "HTTP", "Encodings", "Primitives", "SecureMemory"]),
        room("Safe/SafeStore", ["SafeWire", "ObservedTime", "Encodings", "Primitives", "AtomicFiles"]),
        room("Safe/SafeRules", ["SafeWire", "HTTP", "ObservedTime", "Encodings"]),
        // Storey 6
        room(
            "Messengers/SophaxMesh",
            ["SophaxGroups", "SophaxChat", "Ratchet", "Encodings", "Primitives", "SecureMemory"]),
        room("Programs/ThreemaRecords", ["Keystore", "ThreemaSafe", "Threema", "SecureMemory"]),
        room(
            "Safe/SafeTransports",
            ["SafeWire", "SafeStore", "HTTP", "AtomicFiles", "SecureMemory"]),
        room(
            "Safe/SafeServer",
            ["SafeStore", "SafeWire", "HTTP", "Encodings", "Primitives", "AtomicFiles", "SecureMemory"]),
        room("Safe/SafeObjectStore", ["SafeStore", "SafeWire", "HTTP", "Encodings", "Primitives", "SecureMemory"]),
        room(
            "Threema/ThreemaCalls",
            ["ThreemaMessages", "Threema", "HTTP", "Encodings", "Primitives", "SecureMemory", "COpenSSL"]),
        room("Threema/ThreemaMedia", ["ThreemaMessages", "Threema", "HTTP", "Primitives", "SecureMemory"]),
        room("Threema/ThreemaDataBackup", ["ThreemaSafe", "Threema", "Encodings", "SecureMemory", "CZip"]),
        room(
            "Threema/ThreemaForwardSecurity",
            ["ThreemaMessages", "Threema", "Encodings", "Primitives", "SecureMemory"]),
        room(
            "Threema/ThreemaChat", ["ThreemaMessages", "Threema", "ByteStreams", "Primitives", "SecureMemory"]),
        room(
            "Threema/ThreemaWeb",
            ["ThreemaMessages", "Threema", "HTTP", "Encodings", "Primitives", "SecureMemory"]),
        // Storey 7
        room(
            "Programs/SafeKeeping",
            [
                "ThreemaRecords", "Keystore", "ThreemaSafe", "Threema", "SafeRules", "SafeWire", "HTTP", "ObservedTime",
                "Encodings", "Primitives", "SecureMemory",
            ]),
        room(
            "Threema/ThreemaClient",
            [
                "ThreemaForwardSecurity", "ThreemaChat", "ThreemaDirectory", "ThreemaMessages", "Threema",
                "SessionStore", "Encodings", "SecureMemory",
            ]),
        room(
            "Programs/ThreemaTransport", ["HTTPTransport", "ThreemaMedia", "ThreemaDirectory", "HTTP"]),
        room(
            "Programs/MessengerKeeping",
            [
                "Keystore", "SessionStore", "ProtonMainKey", "SophaxStorage", "SophaxGroups", "SophaxChat", "Telegram",
                "TextSecure",
                "Ratchet", "Age", "Tar", "Encodings", "AtomicFiles", "SecureMemory",
            ]),
        room(
            "Safe/SafeServerHTTP",
            [
                "SafeServer", "SafeStore", "HTTP", "Encodings", "Primitives", "CLinux", "COpenSSL",
                server("HummingbirdCore", "hummingbird"), server("NIOCore", "swift-nio"),
                server("NIOPosix", "swift-nio"), server("NIOTLS", "swift-nio"), server("NIOHTTP1", "swift-nio"),
                server("NIOHTTP2", "swift-nio-http2"), server("NIOHPACK", "swift-nio-http2"),
                server("NIOSSL", "swift-nio-ssl"),
                server("Logging", "swift-log"),
            ]),
        // Storey 8
        room(
            "Programs/ThreemaKeeping",
            [
                "SafeKeeping", "ThreemaRecords", "Keystore", "ThreemaSafe", "ThreemaDirectory", "Threema", "Encodings",
                "SecureMemory",
            ]),
        // Storey 9
        .executableTarget(
            name: "keytool",
            dependencies: [
                "ThreemaKeeping", "SafeKeeping", "ThreemaRecords", "MessengerKeeping", "ThreemaDataBackup",
                "SafeTransports", "Keystore", "SessionStore", "ThreemaSafe", "ThreemaDirectory", "Threema", "Telegram",
                "TextSecure", "ProtonMainKey", "SophaxStorage", "SophaxGroups", "SophaxChat", "SafeRules", "SafeWire",
                "HTTPTransport",
                "HTTP", "CommandParsing", "Console", "KeyWrapping", "Ratchet", "Age", "Tar", "QRCode", "Paper",
                "Encodings", "Primitives", "AtomicFiles", "SecureMemory",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Programs/keytool",
            swiftSettings: house
        ),
        .executableTarget(
            name: "keytool-server",
            dependencies: [
                "SafeServerHTTP", "SafeObjectStore", "SafeServer", "SafeStore", "SafeWire", "HTTPTransport",
                "CommandParsing", "Console", "Encodings", "Primitives", "AtomicFiles", "SecureMemory",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Programs/keytool-server",
            swiftSettings: house
        ),
        // Tests
        .target(
            name: "VectorKit", dependencies: ["SecureMemory"], path: "Tests/VectorKit",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        tests(of: "SecureMemory", ["VectorKit"]),
        tests(of: "Encodings", ["SecureMemory", "VectorKit"]),
        tests(of: "Primitives", ["SecureMemory", "VectorKit", "CScrypt"], linking: ["scrypt"]),
        tests(of: "AtomicFiles", ["SecureMemory", "VectorKit"]),
        .target(
            name: "ServerKit", path: "Tests/ServerKit",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .target(
            name: "StreamKit", dependencies: ["ByteStreams"], path: "Tests/StreamKit",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        tests(of: "TCPTransport", ["ByteStreams", "StreamKit"]),
        tests(of: "HTTP", ["SecureMemory"]),
        tests(of: "ObservedTime", ["Encodings"]),
        tests(of: "Tar", ["SecureMemory", "VectorKit"]),
        tests(of: "HTTPTransport", ["HTTP", "SecureMemory", "ServerKit"]),
        tests(of: "SafeWire", ["SecureMemory", "VectorKit"]),
        tests(of: "Age", ["Encodings", "Primitives", "AtomicFiles", "SecureMemory", "VectorKit"]),
        tests(of: "KeyWrapping", ["SecureMemory", "VectorKit"]),
        .target(
            name: "RatchetModel",
            dependencies: ["SophaxChat", "TextSecure", "Ratchet", "Encodings", "Primitives", "SecureMemory"],
            path: "Tests/RatchetModel", swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "ratchet-model", dependencies: ["RatchetModel", "Ratchet"],
            path: "Tests/RatchetModelRun", swiftSettings: [.swiftLanguageMode(.v6)]),
        tests(
            of: "Ratchet",
            [
                "RatchetModel", "SophaxChat", "TextSecure", "SessionStore", "Encodings", "Primitives", "AtomicFiles",
                "SecureMemory", "VectorKit",
            ]),
        tests(of: "Keystore", ["AtomicFiles", "KeyWrapping", "SecureMemory", "VectorKit"]),
        .executableTarget(
            name: "session-store-run", dependencies: ["SessionStore", "AtomicFiles", "SecureMemory"],
            path: "Tests/SessionStoreRun", swiftSettings: [.swiftLanguageMode(.v6)]),
        tests(
            of: "SessionStore",
            ["session-store-run", "Keystore", "AtomicFiles", "SecureMemory", "VectorKit", "CWindows"]),
        // Marks secrets for valgrind's memcheck, and runs codecs on them; Scripts/test-constant-time reads its reports.
        .systemLibrary(name: "CMemcheck", path: "Tests/CMemcheck"),
        .executableTarget(
            name: "constant-time-run",
            dependencies: [
                "ThreemaWeb", "ThreemaMessages", "Threema", "Telegram", "TextSecure", "ProtonMainKey", "SophaxStorage",
                "SophaxChat", "Ratchet", "Age", "Passwords", "KeyWrapping", "HTTP", "Encodings", "Primitives",
                "SecureMemory", "CMemcheck",
            ],
            path: "Tests/ConstantTimeRun", swiftSettings: [.swiftLanguageMode(.v6)]),
        tests(of: "Passwords", ["Encodings", "SecureMemory", "VectorKit"]),
        tests(of: "Threema", ["KeyWrapping", "Encodings", "SecureMemory", "VectorKit"]),
        tests(of: "Telegram", ["Primitives", "SecureMemory", "VectorKit"]),
        tests(
            of: "TextSecure",
            [
                "HTTPTransport", "Ratchet", "HTTP", "Encodings", "Primitives", "SecureMemory", "ServerKit", "VectorKit",
            ]),
        .target(
            name: "SophaxKit", dependencies: ["SophaxChat", "Ratchet", "Encodings", "SecureMemory", "VectorKit"],
            path: "Tests/SophaxKit", swiftSettings: [.swiftLanguageMode(.v6)]),
        tests(of: "SophaxChat", ["Ratchet", "Encodings", "Primitives", "SecureMemory", "SophaxKit", "VectorKit"]),
        tests(
            of: "SophaxGroups",
            ["SophaxChat", "Ratchet", "Encodings", "Primitives", "SecureMemory", "SophaxKit", "VectorKit"]),
        tests(
            of: "SophaxMesh",
            ["SophaxChat", "Ratchet", "Encodings", "Primitives", "SecureMemory", "SophaxKit", "VectorKit"]),
        tests(
            of: "SophaxStorage",
            ["SophaxChat", "Ratchet", "Encodings", "Primitives", "SecureMemory", "SophaxKit", "VectorKit"]),
        tests(of: "ProtonMainKey", ["Primitives", "SecureMemory", "VectorKit"]),
        tests(
            of: "MessengerKeeping",
            [
                "Keystore", "SessionStore", "ProtonMainKey", "SophaxStorage", "SophaxGroups", "SophaxChat", "Ratchet",
                "Tar",
                "Encodings",
                "AtomicFiles", "SecureMemory",
            ]),
        tests(of: "ThreemaSafe", ["Threema", "Passwords", "Encodings", "Primitives", "SecureMemory", "VectorKit"]),
        tests(of: "ThreemaDataBackup", ["SecureMemory"]),
        tests(
            of: "ThreemaMessages",
            [
                "ThreemaMedia", "Threema", "SessionStore", "Encodings", "Primitives", "AtomicFiles", "SecureMemory",
                "VectorKit",
            ]),
        tests(
            of: "ThreemaMedia", ["ThreemaMessages", "Threema", "HTTP", "Primitives", "SecureMemory", "VectorKit"]),
        .target(
            name: "IbexModel",
            dependencies: ["ThreemaForwardSecurity", "ThreemaMessages", "Threema", "Encodings", "SecureMemory"],
            path: "Tests/IbexModel", swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "ibex-model", dependencies: ["IbexModel"],
            path: "Tests/IbexModelRun", swiftSettings: [.swiftLanguageMode(.v6)]),
        tests(
            of: "ThreemaForwardSecurity",
            [
                "IbexModel", "ThreemaMessages", "Threema", "SessionStore", "Encodings", "Primitives", "AtomicFiles",
                "SecureMemory", "VectorKit",
            ]),
        tests(
            of: "ThreemaChat",
            ["ThreemaMessages", "Threema", "ByteStreams", "StreamKit", "Primitives", "SecureMemory", "VectorKit"]),
        tests(
            of: "ThreemaClient",
            [
                "ThreemaForwardSecurity", "ThreemaChat", "ThreemaDirectory", "ThreemaMessages", "Threema",
                "SessionStore", "ByteStreams", "StreamKit", "Encodings", "AtomicFiles", "SecureMemory", "VectorKit",
            ]),
        // Either half of the chat server protocol, which Scripts/test-chat runs against another implementation.
        .executableTarget(
            name: "chat-run",
            dependencies: [
                "ThreemaChat", "ThreemaMessages", "Threema", "TCPTransport", "ByteStreams", "Encodings",
                "SecureMemory",
            ],
            path: "Tests/ChatRun", swiftSettings: [.swiftLanguageMode(.v6)]),
        // One side of a pairing, which Scripts/test-pairing leads through a real server.
        .executableTarget(
            name: "web-peer", dependencies: ["ThreemaWeb", "Threema", "SecureMemory"],
            path: "Tests/WebPeer", swiftSettings: [.swiftLanguageMode(.v6)]),
        tests(
            of: "ThreemaWeb",
            [
                "ThreemaMessages", "Threema", "KeyWrapping", "SessionStore", "HTTP", "Primitives", "AtomicFiles",
                "SecureMemory", "VectorKit",
            ]),
        tests(
            of: "ThreemaCalls",
            ["ThreemaMessages", "Threema", "HTTP", "Encodings", "Primitives", "SecureMemory", "VectorKit"]),
        tests(
            of: "ThreemaDirectory",
            ["Threema", "HTTPTransport", "HTTP", "Encodings", "Primitives", "SecureMemory", "ServerKit", "VectorKit"]),
        .target(
            name: "SafeModel", dependencies: ["SafeRules", "SafeWire", "ObservedTime", "Encodings"],
            path: "Tests/SafeModel",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "safe-model", dependencies: ["SafeModel", "SafeRules"], path: "Tests/SafeModelRun",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        tests(of: "SafeRules", ["SafeModel", "ObservedTime", "Encodings", "VectorKit"]),
        .target(
            name: "SafeKit", dependencies: ["SafeWire"], path: "Tests/SafeKit",
            swiftSettings: house),
        .target(
            name: "SafeKeepingKit",
            dependencies: [
                "SafeKeeping", "ThreemaRecords", "Keystore", "ThreemaSafe", "Threema", "SafeRules", "SafeWire",
                "Encodings", "SecureMemory", "SafeKit", "VectorKit",
            ],
            path: "Tests/SafeKeepingKit", swiftSettings: [.swiftLanguageMode(.v6)]),
        tests(
            of: "SafeKeeping",
            [
                "ThreemaRecords", "Keystore", "ThreemaSafe", "Threema", "SafeRules", "SafeWire", "ObservedTime",
                "Encodings", "Primitives", "SecureMemory", "SafeKeepingKit", "SafeKit", "VectorKit",
            ]),
        tests(
            of: "ThreemaKeeping",
            [
                "SafeKeeping", "ThreemaRecords", "Keystore", "ThreemaSafe", "ThreemaDirectory", "Threema",
                "Encodings", "SecureMemory", "SafeKeepingKit", "VectorKit",
            ]),
        .target(
            name: "StoreKit", dependencies: ["SafeStore", "SafeWire", "Encodings"], path: "Tests/StoreKit",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // What of the listener needs no packages: the rest is tested as the binary, in Tests/ServerTests.
        tests(of: "SafeServerHTTP", ["SafeServer", "SafeStore", "SafeWire", "HTTP", "Encodings"]),
        tests(of: "SafeStore", ["SafeWire", "Encodings", "AtomicFiles", "StoreKit", "VectorKit"]),
        tests(
            of: "SafeObjectStore",
            [
                "SafeStore", "SafeWire", "HTTPTransport", "HTTP", "Encodings", "SecureMemory", "ServerKit", "StoreKit",
                "VectorKit",
            ]),
        tests(
            of: "SafeServer",
            [
                "SafeStore", "SafeWire", "HTTP", "Encodings", "AtomicFiles", "SecureMemory", "VectorKit",
            ]),
        tests(
            of: "SafeTransports",
            [
                "SafeServer", "SafeStore", "SafeWire", "HTTPTransport", "HTTP", "Encodings", "SecureMemory", "SafeKit",
                "ServerKit", "VectorKit",
            ]),
        tests(of: "QRCode", ["VectorKit"]),
        tests(of: "Paper", []),
        tests(of: "Console", ["Encodings", "SecureMemory"]),
        tests(of: "CommandParsing", []),
        // What of the program is neither a verb's work nor a question: tests of the binary are in Tests/KeytoolTests.
        .testTarget(
            name: "KeytoolLogicTests",
            dependencies: [
                "keytool", "CommandParsing", "Console", "MessengerKeeping", "Keystore", "Age", "Threema", "Encodings",
                "SecureMemory", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)

// `make check ROOM=Threema` builds the tests of one room, and only what they need.
if let room = Context.environment["ROOM"], !room.isEmpty {
    package.targets.removeAll { $0.type == .test && $0.name != room + "Tests" }
}
