import CommandLine

extension Messengers {
    /// Those of keytool. A line for each.
    static let shipped = Messengers([
        ThreemaMessenger.self,
        TelegramMessenger.self,
        TextSecureMessenger.self,
        MainKeyMessenger.self,
        SophaxChatMessenger.self,
        OnPremMessenger.self,
    ])
}
