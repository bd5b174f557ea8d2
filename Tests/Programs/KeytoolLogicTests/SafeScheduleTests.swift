import Testing

@testable import keytool

/// What cron and the systemd unit find by themselves, and what has to be named.
@Suite struct SafeScheduleTests {
    private func schedule(
        home: String, keystore: String, directories: [SafeSchedule.Access: [String]] = [:]
    ) -> SafeSchedule {
        SafeSchedule(
            account: "alice", home: home, program: "/usr/local/bin/keytool", keystore: keystore, passphrase: .notNeeded,
            identity: nil, works: [.push], directories: directories)
    }

    @Test func `the usual keystore needs no word`() throws {
        let usual = schedule(home: "/home/alice", keystore: "/home/alice/.local/share/keytool")
        #expect(
            try Crontab(usual).lines == [
                "17 3 * * * /usr/local/bin/keytool safe push --all -q --no-input --jitter 30m --tolerate 3d",
                "47 4 * * 0 /usr/local/bin/keytool safe check --all -q --no-input --jitter 30m",
            ])
        #expect(try DropIn(usual).lines == nil)
        #expect(try DropIn(usual).instance == "keytool-safe@alice")
    }

    /// The unit shows `/home/ACCOUNT` only.
    @Test func `a home elsewhere is named for systemd`() throws {
        let elsewhere = schedule(home: "/srv/alice", keystore: "/srv/alice/.local/share/keytool")
        #expect(try Crontab(elsewhere).lines.first?.contains("--keystore") == false)
        #expect(
            try DropIn(elsewhere).lines == [
                "[Service]", "Environment=KEYTOOL_KEYSTORE=/srv/alice/.local/share/keytool",
                "ReadWritePaths=/srv/alice/.local/share/keytool",
            ])
        let root = schedule(home: "/root", keystore: "/root/.local/share/keytool")
        #expect(try DropIn(root).lines?.last == "BindPaths=/root/.local/share/keytool")
    }

    @Test func `a directory that the unit hides is shown`() throws {
        let directories: [SafeSchedule.Access: [String]] = [
            .writing: ["/mnt/nas/safe", "/home/bob/safe: 1%"], .reading: ["/srv/phone", "/home/alice/phone"],
        ]
        let found =
            try DropIn(
                schedule(home: "/home/alice", keystore: "/home/alice/.local/share/keytool", directories: directories)
            ).lines ?? []
        #expect(
            Set(found) == [
                "[Service]", "ReadWritePaths=-/mnt/nas/safe", "BindPaths=\"-/home/bob/safe: 1%%\"",
                "BindReadOnlyPaths=-/home/alice/phone",
            ])
    }

    @Test(arguments: ["a\nb", "a\u{7f}b"])
    func `control characters are refused`(_ keystore: String) {
        let hostile = schedule(home: "/home/alice", keystore: "/" + keystore)
        #expect(throws: (any Error).self) { try Crontab(hostile) }
        #expect(throws: (any Error).self) { try DropIn(hostile) }
    }
}
