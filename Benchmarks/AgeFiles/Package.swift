// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "AgeFiles",
    dependencies: [
        // Named, because a package at a path is otherwise called after the directory of the clone.
        .package(name: "keytool", path: "../..")
    ],
    targets: [.executableTarget(name: "AgeFiles", dependencies: [.product(name: "Age", package: "keytool")])]
)
