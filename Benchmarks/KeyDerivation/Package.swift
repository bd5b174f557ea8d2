// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "KeyDerivation",
    dependencies: [
        // Named, because a package at a path is otherwise called after the directory of the clone.
        .package(name: "keytool", path: "../..")
    ],
    targets: [
        .systemLibrary(name: "CPeers"),
        .executableTarget(
            name: "KeyDerivation",
            dependencies: ["CPeers", .product(name: "Primitives", package: "keytool")],
            linkerSettings: [.linkedLibrary("crypto"), .linkedLibrary("sodium")]
        ),
    ]
)
