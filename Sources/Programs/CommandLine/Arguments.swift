public import ArgumentParser
import Keystore
import MessengerKeeping
public import SophaxChat
public import Telegram
public import TextSecure

// How the IDs of messengers are spelled on the command line.

extension KeyID: ExpressibleByArgument {
    /// 16 hexadecimal characters; `telegram/` may stand before them, as in `id list`.
    public init?(argument: String) { self.init(argument.withoutMessenger(Owner.telegram)) }
}

extension AccountNumber: ExpressibleByArgument {
    /// The number with or without its plus sign; `textsecure/` may stand before it, as in `id list`.
    public init?(argument: String) {
        let text = argument.withoutMessenger(Owner.textSecure)
        self.init(text.hasPrefix("+") ? text : "+" + text)
    }

    /// Those in the keystore.
    public static var defaultCompletionKind: CompletionKind {
        .custom(IDCompletion.candidates(of: TextSecureMessenger.self))
    }
}

extension PeerID: ExpressibleByArgument {
    /// 32 hexadecimal characters, or the first 16, in either case; `sophaxchat/` may stand before them, as in `id list`.
    public init?(argument: String) { self.init(typed: argument.withoutMessenger(Owner.sophaxChat)) }
}

extension String {
    /// An ID as a verb of a messenger takes it.
    package func withoutMessenger(_ messenger: String) -> String {
        hasPrefix(messenger + "/") ? String(dropFirst(messenger.count + 1)) : self
    }
}
