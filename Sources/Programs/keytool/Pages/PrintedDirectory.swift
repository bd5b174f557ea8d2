import Console
import Encodings
import Keystore
import Paper
import Threema
import ThreemaDirectory
import ThreemaKeeping
import ThreemaRecords

/// The directory of an identity on paper: what has to be known to revoke the identity, or to ask as it.
struct PrintedDirectory {
    private let url: String
    /// Of a company; nil for another directory, and if the keystore has lost it.
    private let file: OnPremFile?
    /// Whether the identity is one of a company: no app on a phone uses it without the company's servers and licence.
    let isCompany: Bool

    /// - Returns: nil if the identity has none.
    /// - Throws: `KeystoreError.damaged`.
    init?(of id: ThreemaID, in keeper: ThreemaKeeper) throws {
        guard let known = try keeper.knownDirectory(of: id) else { return nil }
        url = known.server.url
        file = known.file
        isCompany = known.server.onPrem != nil
    }

    /// The same for a page that is useful without it. What the page then lacks is a warning.
    static func ofPage(_ id: ThreemaID, in keeper: ThreemaKeeper, _ output: Output) throws -> PrintedDirectory? {
        do {
            return try PrintedDirectory(of: id, in: keeper)
        } catch KeystoreError.damaged("directory", _, _) {
            output.warn("the directory of \(id) is damaged in the keystore; the page does not name it")
            output.hint("keytool contact check --identity \(id) --directory URL; write the page again after that")
            return nil
        }
    }

    /// Whether an app on a phone can restore an identity that has this directory.
    static func hasApp(_ id: ThreemaID, _ directory: PrintedDirectory?) -> Bool {
        !id.isGateway && directory?.isCompany != true
    }

    /// Whether the company's servers want a password.
    var hasLicence: Bool { file?.user != nil }

    /// - Parameter hasUser: whether there is room for the user of the licence.
    func facts(_ language: PageLanguage, hasUser: Bool) -> PagePen.Facts {
        let sentences = DirectorySentences.in(language)
        let facts: [(Sentence, String?)] = [
            (sentences.directory, url), (sentences.file, file.flatMap { $0.url ?? $0.name.text }),
            (sentences.key, file.map { Base64.encode($0.key.span) }),
            (sentences.user, hasUser ? file?.user : nil),
        ]
        return facts.compactMap { label, value in value.map { (label, [PrintableText($0)]) } }
    }

    /// What it is for.
    func words(_ language: PageLanguage) -> [Sentence] {
        let sentences = DirectorySentences.in(language)
        return isCompany ? sentences.company : sentences.other
    }
}
