// swift-tools-version: 6.2

import PackageDescription

// A program that computes test vectors with keytool's libraries, as another package would: by what is public.
let package = Package(
    name: "Vectors",
    dependencies: [
        // Named, because a package at a path is otherwise called after the directory of the clone.
        .package(name: "keytool", path: "..")
    ],
    targets: [
        .executableTarget(
            name: "vectors",
            dependencies: [
                .product(name: "Primitives", package: "keytool"), .product(name: "Threema", package: "keytool"),
                .product(name: "ThreemaMessages", package: "keytool"),
                .product(name: "ThreemaMedia", package: "keytool"),
                .product(name: "ThreemaForwardSecurity", package: "keytool"),
                .product(name: "ThreemaCalls", package: "keytool"),
                .product(name: "ThreemaChat", package: "keytool"),
                .product(name: "ThreemaWeb", package: "keytool"),
                .product(name: "ThreemaDirectory", package: "keytool"),
                .product(name: "ThreemaSafe", package: "keytool"),
                .product(name: "Telegram", package: "keytool"),
                .product(name: "ProtonMainKey", package: "keytool"),
                .product(name: "Ratchet", package: "keytool"),
                .product(name: "SophaxChat", package: "keytool"),
                .product(name: "SophaxMesh", package: "keytool"),
                .product(name: "SophaxStorage", package: "keytool"),
                .product(name: "TextSecure", package: "keytool"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // Scripts/test-libsignal lets it talk with another implementation.
        .executableTarget(
            name: "session-peer", dependencies: [.product(name: "TextSecure", package: "keytool")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
