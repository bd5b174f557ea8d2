/// What this process calls itself before people and programs.
package enum Program {
    // Written once, while there is only one thread.
    nonisolated(unsafe) private static var given: String?
    nonisolated(unsafe) private static var givenFamily: String?

    /// The program's name, for example "keytool". What its words on stderr begin with, and the schema of its JSON, follow
    /// from it.
    package static var name: String { unsafe given ?? "program" }

    /// What its environment variables and its systemd credentials begin with: the program's name, or that of the program
    /// whose secrets it shares.
    static var family: String { unsafe givenFamily ?? name }

    /// Sets the name and prepares the process; to be called once, before anything else.
    package static func begin(as name: String, family: String? = nil) {
        unsafe given = name
        unsafe givenFamily = family
        ProcessPreparation.prepare()
    }

    /// An environment variable of this program: `KEYTOOL_SERVER_PASSWORD` for "server-password" in keytool.
    static func variable(_ name: String) -> String {
        (family + "-" + name).uppercased().replacing("-", with: "_")
    }
}
