import Console

extension InputError: Explained {
    /// The sentence and the exit code.
    var failure: Failure { plainFailure }
}
