// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "RatchetMessages",
    dependencies: [
        // Named, because a package at a path is otherwise called after the directory of the clone.
        .package(name: "keytool", path: "../..")
    ],
    targets: [
        .systemLibrary(name: "CPeers"),
        .executableTarget(
            name: "RatchetMessages",
            dependencies: ["CPeers", .product(name: "Ratchet", package: "keytool")],
            linkerSettings: [.linkedLibrary("sodium")]
        ),
    ]
)
