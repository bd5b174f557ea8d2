/// What this process calls itself before people and programs.
package enum Program {
    // Written once, while there is only one thread.
    nonisolated(unsafe) private static var given: String?

    /// The program's name, for example "keytool". What its words on stderr begin with, its environment variables, its
    /// systemd credentials and the schema of its JSON follow from it.
    package static var name: String { unsafe given ?? "program" }

    /// Sets the name and prepares the process; to be called once, before anything else.
    package static func begin(as name: String) {
        unsafe given = name
        ProcessPreparation.prepare()
    }

    /// An environment variable of this program: `KEYTOOL_SERVER_PASSWORD` for "server-password" in keytool.
    static func variable(_ name: String) -> String {
        (Program.name + "-" + name).uppercased().replacing("-", with: "_")
    }
}
