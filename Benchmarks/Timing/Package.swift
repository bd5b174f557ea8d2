// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Timing",
    dependencies: [
        // Named, because a package at a path is otherwise called after the directory of the clone.
        .package(name: "keytool", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "Timing",
            dependencies: [
                .product(name: "SafeServer", package: "keytool"), .product(name: "SophaxStorage", package: "keytool"),
                .product(name: "TextSecure", package: "keytool"),
            ])
    ]
)
