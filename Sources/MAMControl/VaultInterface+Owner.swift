// The owner that a call names for files or data. A misspelt one would leave them unencrypted.

internal import MAMModel
internal import MAMVault
internal import MAMWire

extension VaultService {
    /// The owner that a call names; nil for nil. Refused if the caller does not control it.
    func namedOwner(_ name: String?, _ call: VarlinkCall) throws(VarlinkError) -> Identity? {
        guard let owner = try identity(name, in: "owner") else { return nil }
        try requireControl(call, of: owner)
        return owner
    }

    /// Refuses an owner without an account, which would leave the data unencrypted, unless the call
    /// sets `unmanaged` or its caller acts for that owner. The empty owner, nobody, is always
    /// meant.
    func requireMeant(
        _ owner: Identity, unmanaged: Bool?, _ call: VarlinkCall
    ) throws(VarlinkError) {
        guard !owner.isNobody, !vault.isManaged(owner) else { return }
        guard unmanaged != true else { return }
        guard !identity(of: call.peer).matches(owner) else { return }
        throw .unmanagedOwner(owner.description, guess(owner, call))
    }

    /// The error where only an account can be the owner.
    func notManaged(_ owner: Identity, _ call: VarlinkCall) -> VarlinkError {
        .notManaged("\(owner) is not a managed account here\(guess(owner, call))")
    }

    /// Suggests only accounts that the caller controls: others stay hidden.
    private func guess(_ owner: Identity, _ call: VarlinkCall) -> Message {
        didYouMean(owner.description, in: controlled(by: call.peer).map(\.identity.description))
    }
}

extension VarlinkError {
    /// A missing owner is not a request for no encryption.
    static var noOwner: VarlinkError { .invalidInput("owner is missing; \"\" is nobody") }
}
