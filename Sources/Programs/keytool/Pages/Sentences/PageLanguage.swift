import ArgumentParser
import Console

/// The language of a page to print. Who reads it may be someone else than who had it printed.
enum PageLanguage: String, CaseIterable, ExpressibleByArgument {
    case de, en

    /// That of the locale's messages: the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set.
    static var ofLocale: PageLanguage {
        PageLanguage(
            locale: Environment.value("LC_ALL") ?? Environment.value("LC_MESSAGES") ?? Environment.value("LANG") ?? "C")
    }

    /// - Parameter locale: like `de_AT.UTF-8`. Every language without a table of sentences is English.
    init(locale: String) {
        let name = locale.lowercased().prefix { !"_.@".contains($0) }
        self = PageLanguage(rawValue: String(name)) ?? .en
    }
}

/// The option of commands that write pages.
struct PageLanguageOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Language of what is printed: de or en. The default is that of the locale, else English.",
            valueName: "language"))
    var language: PageLanguage?

    var chosen: PageLanguage { language ?? .ofLocale }

    /// Refuses the option if there is no page.
    /// - Parameter option: what would write one.
    func require(_ isPageWanted: Bool, option: String) throws {
        guard language == nil || isPageWanted else {
            throw ValidationError("--language is for the page of \(option), which is not given")
        }
    }
}
