import Console

extension InputError: Explained {
    var failure: Failure { plainFailure }
}
