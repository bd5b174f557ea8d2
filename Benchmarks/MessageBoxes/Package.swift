// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "MessageBoxes",
    dependencies: [
        // Named, because a package at a path is otherwise called after the directory of the clone.
        .package(name: "keytool", path: "../..")
    ],
    targets: [
        .systemLibrary(name: "CPeers"),
        .executableTarget(
            name: "MessageBoxes",
            dependencies: [
                "CPeers", .product(name: "ThreemaMessages", package: "keytool"),
                .product(name: "ThreemaMedia", package: "keytool"),
            ],
            linkerSettings: [.linkedLibrary("sodium")]
        ),
    ]
)
