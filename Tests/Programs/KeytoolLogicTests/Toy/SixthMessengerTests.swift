import CommandLine
import Console
import Foundation
import Keystore
import Testing

@testable import keytool

/// What a further messenger needs: a room, a keeper, one file, one line in the registry. Nothing else of the program
/// knows it.
@Suite struct SixthMessengerTests {
    private static func lines(_ result: ExitTest.Result?) throws -> [String] {
        String(decoding: try #require(result).standardOutputContent, as: UTF8.self).split(separator: "\n").map(
            String.init)
    }

    @Test func `the generic verbs`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            try ToyScene.enter {
                for arguments in [
                    ["list"], ["import", "key", "--no-passphrase"], ["list", "--json"], ["show", "01020304"],
                    ["export", "-o", "copy"] + ToyScene.filePassphrase, ["verify", "copy"] + ToyScene.filePassphrase,
                ] {
                    try ToyScene.run(arguments)
                }
            }
        }
        let lines = try Self.lines(result)
        #expect(
            lines == [
                "imported key",
                #"{"schema":"keytool/1","command":"toy list","messenger":"toy","accounts":[{"id":"01020304","wooden":true}]}"#,
                "key  01020304", "wrote the key 01020304 to copy", "copy opens", "key  01020304",
            ])
    }

    @Test func `the verbs of all messengers`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            try ToyScene.enter {
                try ToyScene.run(["import", "key", "--no-passphrase", "-q"])
                try ToyScene.run(IDList.self, ["id", "list"])
                try ToyScene.run(IDShow.self, ["id", "show", "toy/01020304"])
                try ToyScene.run(
                    ArchiveExport.self, ["archive", "export", "-o", "archive"] + ToyScene.archivePassphrase)
                try ToyScene.run(IDRemove.self, ["id", "remove", "toy/01020304", "--yes"])
                try ToyScene.run(ArchiveImport.self, ["archive", "import", "archive"] + ToyScene.archivePassphrase)
                try ToyScene.runDoctor()
            }
        }
        let lines = try Self.lines(result)
        try #require(lines.count == 6)
        #expect(lines[0] == "toy/01020304  a key")
        #expect(lines[1] == "key  01020304")
        #expect(lines[2].hasPrefix("wrote 1 identity to archive, "))
        #expect(lines[3] == "removed toy/01020304")
        #expect(lines[4] == "added toy/01020304")
        #expect(lines[5] == "ok       toy           1, all of them open")
    }

    @Test func `words and pages`() {
        #expect(ArchiveReadme.text(of: .withToy).contains("A KEY OF THE TOY, toy/ID\n  key             16 bytes\n"))
        #expect(!ArchiveReadme.text(of: .shipped).contains("TOY"))
        #expect(Messengers.withToy.forms["toy-id"] == "8 characters, 0-9 and a-f")
        #expect(Messengers.withToy.commonNames.contains { $0.noun == "toy" })
        let complete = IDCompletion.candidates(of: ToyMessenger.self)
        #expect(complete(["keytool", "toy", "show", "--keystore", "/nowhere"], 2, "") == [])
    }

    /// Names of nouns are directories of the keystore, so no two messengers may share one.
    @Test func `the shipped ones`() {
        let names = Messengers.shipped.all.map { $0.name }
        #expect(names.first == Owner.threema)
        #expect(Set(names).count == names.count)
        for messenger in Messengers.shipped.all {
            #expect(messenger.readme.split(separator: "\n").allSatisfy { $0.count <= 80 })
            #expect(messenger.readme.contains(", \(messenger.name)/"))
        }
    }
}

/// Commands in a process of their own, which has a directory with a key file.
private enum ToyScene {
    static let filePassphrase = ["--file-passphrase-file", "passphrase"]
    static let archivePassphrase = ["--archive-passphrase-file", "passphrase"]
    private static let keystore = ["--keystore", "keys"]

    static func enter(_ body: () throws -> Void) throws {
        Program.begin(as: "keytool")
        let directory = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath()
            .appending(path: "toy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: directory) }
        try Data((1...16).map { UInt8($0) }).write(to: directory.appending(path: "key"))
        try Data("a long passphrase of a file\n".utf8).write(to: directory.appending(path: "passphrase"))
        try #require(FileManager.default.changeCurrentDirectoryPath(directory.path))
        try body()
    }

    /// A verb of the toy's noun.
    static func run(_ arguments: [String]) throws {
        var command = try ToyTool.parseAsRoot(["toy"] + arguments + keystore)
        try command.run()
    }

    /// A verb of keytool, with the toy among its messengers.
    static func run<V: Verb>(_ type: V.Type, _ arguments: [String]) throws {
        let verb = try #require(try Keytool.parseAsRoot(arguments + keystore) as? V)
        try verb.run(Session(verb.globals, .withToy))
    }

    static func runDoctor() throws {
        let doctor = try #require(try Keytool.parseAsRoot(["doctor"] + keystore) as? Doctor)
        let session = Session(doctor.globals, .withToy)
        for finding in KeystoreCheck(session, doctor.keystore.passphrase).findings() where finding.name == "toy" {
            try session.output.data([finding.line], json: .null)
        }
    }
}
