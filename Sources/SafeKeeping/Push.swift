public import Encodings
internal import Keystore
public import SafeWire
public import Threema

extension SafeKeeper {
    /// How to push.
    public struct PushOptions: Sendable {
        /// Upload even if nothing is due.
        public var isForced = false
        /// Replace what another device has written.
        public var isOverwriting = false
        /// Fetch what was uploaded and compare.
        public var isVerifying = true
        /// Decide, but do nothing.
        public var isDryRun = false
        /// How long to wait for another keytool at work on this identity.
        public var lockWait = Duration.seconds(60)

        /// What cron wants: upload if due, verify, never overwrite.
        public init() {}
    }

    /// What a push did.
    public struct PushResult: Equatable, Sendable {
        /// The words of the decision table.
        public enum Outcome: Equatable, Sendable {
            case uploaded, refreshed, restored, confirmed, unchanged
            case deferred(until: Timestamp)
            /// What a dry run would have done.
            case wouldUpload, wouldConfirm
        }

        /// What was done, or was found to need no doing.
        public let outcome: Outcome
        /// Where the backup lies, or is to lie.
        public let server: SafeServerAddress
        /// Whether no backup under an old password or on an old server is left to be deleted.
        public internal(set) var isOldRemoved = true
        /// What was uploaded in this run; nil where nothing was.
        public let upload: Upload?
        /// What was noticed of the server on the way.
        public let notes: ExchangeNotes
        /// When the backup was last uploaded, this run included.
        public let uploadedAt: Timestamp?
        /// When it was last seen on the server as it was uploaded, this run included.
        public let seenAt: Timestamp?
        /// When the server may delete it.
        public let expiresAt: Timestamp?
        /// When half of the retention is over; nil where no upload is known.
        public let refreshAfter: Timestamp?

        /// 1, and one more for each request that was sent again; 0 where the server was not asked.
        public var attempts: Int {
            switch outcome {
            case .uploaded, .refreshed, .restored, .confirmed: 1 + notes.retries
            case .unchanged, .deferred, .wouldUpload, .wouldConfirm: 0
            }
        }
    }

    /// One upload.
    public struct Upload: Equatable, Sendable {
        /// What the server allowed.
        public let limits: ServerLimits
        /// Length of the encrypted backup.
        public let bytes: Int
        /// The backup's number, from 1.
        public let generation: Int64
        /// Whether the server returned exactly what was sent.
        public let isVerified: Bool
        /// What stood there and was replaced, where that is worth a word.
        public let replaced: Replaced?

        /// Something unexpected on the server that was nevertheless ours to replace.
        public enum Replaced: Equatable, Sendable {
            /// It did not decrypt.
            case damaged
            /// An older backup of this keystore: somebody put it back.
            case older(generation: Int64)
        }
    }

    /// Uploads the Safe backup of an identity if it is due (see `UploadDecision`). Needs no password.
    ///
    /// Never over somebody else's backup: what stands on the server is fetched first. The state is written
    /// before the upload, as a failed one, with the digest of what is about to be sent: a run that dies
    /// halfway is repeated by the next, and an acknowledgement that is lost makes no conflict.
    /// - Throws: `SafeKeepingError.noSetup`, `.deletionFinished`, `.waiting`, `.conflict`, `.losesContacts`, `.tooLarge`,
    ///   `.badLimits`, `.notVerified`; `SafeExchangeError`; `FileError.locked`.
    public func push(_ id: ThreemaID, _ options: PushOptions) throws -> PushResult {
        let identity = try keystore.lockedIdentity(id.text, wait: options.lockWait)
        var unfinished: SafeExchangeError?
        if !options.isDryRun {
            do {
                try finishBegun(identity)
            } catch let error as SafeExchangeError {
                // What is to be deleted is not to be uploaded.
                guard try !identity.records.requiredSetup().isDeleting else { throw error }
                // The new server of a change is away: that must not let the backup on the old one expire.
                unfinished = error
            }
        }
        let target = try identity.records.requiredSetup().takeCurrent()
        var push = try PushRun(identity: identity, keeper: self, target: target)
        var result = try push.run(identity, options)
        if !options.isDryRun {
            // Last: an old server that does not answer must not use up the present one's time.
            result.isOldRemoved = try removeRetired(identity)
            if let unfinished { throw unfinished }
            identity.setTimeOfLock(milliseconds: now().milliseconds)
        }
        return result
    }
}
