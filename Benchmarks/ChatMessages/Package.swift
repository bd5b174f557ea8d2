// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "ChatMessages",
    dependencies: [
        // Named, because a package at a path is otherwise called after the directory of the clone.
        .package(name: "keytool", path: "../..")
    ],
    targets: [
        .systemLibrary(name: "CPeers"),
        .executableTarget(
            name: "ChatMessages",
            dependencies: [
                "CPeers", .product(name: "ThreemaChat", package: "keytool"),
                .product(name: "TCPTransport", package: "keytool"),
                .product(name: "ThreemaClient", package: "keytool"),
            ],
            linkerSettings: [.linkedLibrary("sodium")]
        ),
    ]
)
