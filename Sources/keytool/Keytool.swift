import ArgumentParser
import CLinux
import Encodings
import Glibc

/// The table of verbs: a noun, then a verb.
@main
struct Keytool: ParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "keytool",
        abstract: "Create, back up and restore Threema identities.",
        discussion: """
            New here? Make an identity: keytool id create. Or bring yours from a phone: keytool backup import. \
            Then write it down: keytool backup export. Then keep a copy on a server: keytool safe setup.

            The words are explained in man keytool.
            """,
        version: "keytool \(version)",
        subcommands: [
            IDCommand.self, BackupCommand.self, SafeCommand.self, KeyCommand.self, RevokeCommand.self, QRCommand.self,
            Doctor.self,
        ]
    )

    @OptionGroup var globals: GlobalOptions

    static func main() {
        Program.begin(as: configuration.commandName ?? _commandName)
        prepareProcess()
        let (arguments, areUTF8) = ProcessArguments.read()
        do {
            // Two paths would become one.
            guard areUTF8 || CommandEnd.isCompletion(arguments) else { throw UsageFailure("an argument is not UTF-8 text") }
            var command = try parseAsRoot(arguments)
            try command.run()
        } catch {
            CommandEnd.end(error, arguments, in: .keytool)
        }
    }

    /// Before the first secret: files are ours alone, and no core of this process is written.
    private static func prepareProcess() {
        // Before any file is opened: one that became stdout or stderr would take what is written there. Opened the
        // wrong way round, so that reading and writing fail as they do on closed ones.
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(descriptor, F_GETFD) < 0 {
            _ = unsafe keytool_openat(AT_FDCWD, "/dev/null", mode, 0)
        }
        umask(0o077)
        // Whoever started us may have opened a descriptor for a secret, which no program of ours is to have.
        _ = keytool_close_on_exec_from(UInt32(STDERR_FILENO) + 1)
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        keytool_forbid_dumps()
        // By these, OpenSSL would load code and change how it connects, in libcurl, too.
        Environment.withhold("OPENSSL_CONF")
        Environment.withhold("OPENSSL_MODULES")
        Environment.withhold("OPENSSL_ENGINES")
        // This one would write the keys of connections to a file.
        Environment.withhold("SSLKEYLOGFILE")
        // Whoever started us may ignore the ends of children; then nobody learns how ours ended.
        signal(SIGCHLD, SIG_DFL)
        // A closed pipe is a failed write (74), not a death without a word.
        signal(SIGPIPE, SIG_IGN)
        // So is a file that outgrows its limit.
        signal(SIGXFSZ, SIG_IGN)
        OutOfMemory.prepare()
    }
}

struct IDCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "id", abstract: "Create, list, show and remove identities.",
        subcommands: [IDCreate.self, IDList.self, IDShow.self, IDRemove.self])

    @ParentCommand var root: Keytool
    @OptionGroup var globals: GlobalOptions
}

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Export an identity as a backup code on paper, and import it again.",
        subcommands: [BackupExport.self, BackupImport.self, BackupCheck.self])

    @ParentCommand var root: Keytool
    @OptionGroup var globals: GlobalOptions
}

struct SafeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "safe", abstract: "Keep an encrypted backup of an identity on a Safe server.",
        subcommands: [
            SafeSetup.self, SafePush.self, SafePull.self, SafeStatus.self, SafeCheck.self, SafePasswd.self,
            SafeMove.self, SafeServerCommand.self,
            SafeDelete.self,
        ])

    @ParentCommand var root: Keytool
    @OptionGroup var globals: GlobalOptions
}

struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Protect the keystore with a passphrase.",
        subcommands: [
            KeyStatus.self, KeyProtect.self, KeyPasswd.self, KeyUnprotect.self, KeyImport.self, KeyUnlock.self,
            KeyLock.self,
        ])

    @ParentCommand var root: Keytool
    @OptionGroup var globals: GlobalOptions
}

struct QRCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "qr", abstract: "Draw QR codes in the terminal or as a picture.",
        subcommands: [QRShow.self, QRContact.self])

    @ParentCommand var root: Keytool
    @OptionGroup var globals: GlobalOptions
}

struct RevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Prepare the revocation of an identity.",
        subcommands: [RevokeHash.self])

    @ParentCommand var root: Keytool
    @OptionGroup var globals: GlobalOptions
}
