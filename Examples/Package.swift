// swift-tools-version: 6.2

import PackageDescription

// Programs that use keytool's libraries as another package would: by its products, and by what is public.
let package = Package(
    name: "Examples",
    dependencies: [
        // Named, because a package at a path is otherwise called after the directory of the clone.
        .package(name: "keytool", path: "..")
    ],
    targets: [
        .executableTarget(name: "seal-line", dependencies: [.product(name: "Primitives", package: "keytool")]),
        .executableTarget(name: "compare-lines", dependencies: [.product(name: "Primitives", package: "keytool")]),
        .executableTarget(name: "edit-json", dependencies: [.product(name: "Threema", package: "keytool")]),
        .executableTarget(name: "write-whole", dependencies: [.product(name: "Age", package: "keytool")]),
        .executableTarget(name: "wrap-key", dependencies: [.product(name: "Keystore", package: "keytool")]),
        .executableTarget(name: "serve-echo", dependencies: [.product(name: "TCPTransport", package: "keytool")]),
        .executableTarget(name: "trust-server", dependencies: [.product(name: "SafeWire", package: "keytool")]),
        .executableTarget(name: "keep-backups", dependencies: [.product(name: "SafeServer", package: "keytool")]),
        .executableTarget(name: "write-archive", dependencies: [.product(name: "Age", package: "keytool")]),
        .executableTarget(name: "write-down", dependencies: [.product(name: "Threema", package: "keytool")]),
        .executableTarget(name: "read-app-files", dependencies: [.product(name: "Threema", package: "keytool")]),
        .executableTarget(name: "open-safe", dependencies: [.product(name: "ThreemaSafe", package: "keytool")]),
        .executableTarget(name: "serve-safe", dependencies: [.product(name: "SafeServer", package: "keytool")]),
        .executableTarget(name: "seal-message", dependencies: [.product(name: "ThreemaMessages", package: "keytool")]),
        .executableTarget(
            name: "two-clients",
            dependencies: [
                .product(name: "ThreemaClient", package: "keytool"),
                .product(name: "ThreemaTransport", package: "keytool"),
                .product(name: "TCPTransport", package: "keytool"),
            ]),
        .executableTarget(
            name: "wake-up",
            dependencies: [
                .product(name: "ThreemaClient", package: "keytool"),
                .product(name: "TCPTransport", package: "keytool"),
            ]),
        .executableTarget(
            name: "ask-directory", dependencies: [.product(name: "ThreemaDirectory", package: "keytool")]),
        .executableTarget(
            name: "read-provisioning", dependencies: [.product(name: "ThreemaDirectory", package: "keytool")]),
        .executableTarget(
            name: "read-data-backup", dependencies: [.product(name: "ThreemaDataBackup", package: "keytool")]),
        .executableTarget(name: "share-secret", dependencies: [.product(name: "Shares", package: "keytool")]),
        .executableTarget(name: "keep-records", dependencies: [.product(name: "Keystore", package: "keytool")]),
        .executableTarget(
            name: "keep-sessions",
            dependencies: [
                .product(name: "SessionStore", package: "keytool"), .product(name: "Keystore", package: "keytool"),
            ]),
        .executableTarget(
            name: "receive-once",
            dependencies: [
                .product(name: "ThreemaMessages", package: "keytool"),
                .product(name: "SessionStore", package: "keytool"), .product(name: "Keystore", package: "keytool"),
            ]),
        .executableTarget(name: "talk-ratchet", dependencies: [.product(name: "Ratchet", package: "keytool")]),
        .executableTarget(
            name: "begin-session",
            dependencies: [
                .product(name: "SophaxChat", package: "keytool"), .product(name: "SophaxMesh", package: "keytool"),
            ]),
        .executableTarget(
            name: "pass-on",
            dependencies: [
                .product(name: "SophaxChat", package: "keytool"), .product(name: "SophaxMesh", package: "keytool"),
            ]),
        .executableTarget(name: "write-to-group", dependencies: [.product(name: "SophaxGroups", package: "keytool")]),
        .executableTarget(name: "keep-account", dependencies: [.product(name: "SophaxStorage", package: "keytool")]),
        .executableTarget(name: "start-textsecure", dependencies: [.product(name: "TextSecure", package: "keytool")]),
        .executableTarget(name: "read-telegram", dependencies: [.product(name: "Telegram", package: "keytool")]),
        .executableTarget(name: "open-mainkey", dependencies: [.product(name: "ProtonMainKey", package: "keytool")]),
        .executableTarget(name: "log-in", dependencies: [.product(name: "ThreemaChat", package: "keytool")]),
        .executableTarget(
            name: "pair-app",
            dependencies: [
                .product(name: "ThreemaWeb", package: "keytool"),
                .product(name: "ThreemaTransport", package: "keytool"),
            ]),
        .executableTarget(
            name: "take-call",
            dependencies: [
                .product(name: "ThreemaCalls", package: "keytool"), .product(name: "ThreemaSafe", package: "keytool"),
            ]),
        .executableTarget(
            name: "group-call",
            dependencies: [
                .product(name: "ThreemaCalls", package: "keytool"),
                .product(name: "ThreemaTransport", package: "keytool"),
            ]),
        .executableTarget(
            name: "echo-bot",
            dependencies: [
                .product(name: "ThreemaClient", package: "keytool"),
                .product(name: "ThreemaTransport", package: "keytool"),
                .product(name: "TCPTransport", package: "keytool"), .product(name: "Keystore", package: "keytool"),
            ]),
        .executableTarget(
            name: "write-forward",
            dependencies: [
                .product(name: "ThreemaClient", package: "keytool"),
                .product(name: "SessionStore", package: "keytool"), .product(name: "Keystore", package: "keytool"),
            ]),
    ]
)
