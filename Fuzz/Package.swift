// swift-tools-version: 6.2

import PackageDescription

/// With WITH_SERVER=1 in the environment, the program has the targets of the server's listener, and no others: these need
/// SwiftNIO, without which the others are built.
let listens = Context.environment["WITH_SERVER"] == "1"

/// Products of keytool, some of them only if FUZZ=1 is in the environment.
let products =
    listens
    ? ["SafeServerHTTP"]
    : [
        "Age", "Shares", "MessengerKeeping", "SafeKeeping", "SafeObjectStore", "SafeServer", "TelegramSessions",
        "ThreemaDirectory", "ThreemaDataBackup", "ThreemaMedia", "ThreemaForwardSecurity", "ThreemaCalls",
        "ThreemaChat", "ThreemaWeb", "SophaxMesh",
    ]
let network: [Target.Dependency] = ["NIOCore", "NIOPosix"].map { .product(name: $0, package: "swift-nio") }

// One program that gives a fuzzer's bytes to the parsers of all rooms; Scripts/fuzz builds it with the sanitizers.
let package = Package(
    name: "Fuzz",
    dependencies: [
        // Named, because a package at a path is otherwise called after the directory of the clone.
        .package(name: "keytool", path: "..")
    ] + (listens ? [.package(url: "https://github.com/apple/swift-nio", from: "2.101.2")] : []),
    targets: [
        // Not optimised: the work is in the rooms, and the compiler (6.2) fails on some of these functions with -O.
        .target(
            name: "FuzzTargets",
            dependencies: products.map { .product(name: $0, package: "keytool") } + (listens ? network : []),
            exclude: [listens ? "Parsers" : "Listener"],
            swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-Onone"])]),
        // In C, because libFuzzer has its own `main`.
        .executableTarget(name: "fuzz", dependencies: ["FuzzTargets"]),
    ]
)
