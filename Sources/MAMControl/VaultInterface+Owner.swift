// The owner that a call names for files or data: a misspelt one would make them plain.

internal import MAMModel
internal import MAMVault
internal import MAMWire

extension VaultService {
    /// The owner that a call gives something to; it answers to the caller. Nil for none.
    func namedOwner(_ name: String?, _ call: VarlinkCall) throws(VarlinkError) -> Identity? {
        guard let owner = try identity(name, in: "owner") else { return nil }
        try requireControl(call, of: owner)
        return owner
    }

    /// Refuses an owner that is no account, and so would have everything plain, unless the call
    /// says `unmanaged`, or its caller works for that one. Nobody is never a slip.
    func requireMeant(
        _ owner: Identity, unmanaged: Bool?, _ call: VarlinkCall
    ) throws(VarlinkError) {
        guard !owner.isNobody, !vault.isManaged(owner) else { return }
        guard unmanaged != true else { return }
        guard !identity(of: call.peer).matches(owner) else { return }
        throw .unmanagedOwner(owner.description, guess(owner, call))
    }

    /// For what only an account can have.
    func notManaged(_ owner: Identity, _ call: VarlinkCall) -> VarlinkError {
        .notManaged("\(owner) is not a managed account here\(guess(owner, call))")
    }

    /// Of accounts of others nothing is told.
    private func guess(_ owner: Identity, _ call: VarlinkCall) -> String {
        didYouMean(owner.description, in: controlled(by: call.peer).map(\.identity.description))
    }
}

extension VarlinkError {
    /// What is left out is no wish to have it plain.
    static var noOwner: VarlinkError { .invalidInput("owner is missing; \"\" is nobody") }
}
