// The identity of a request's caller.

internal import MAMIdentity
internal import MAMTree
internal import MAMVault

extension Callers {
    func found(for caller: Caller) throws(VaultError) -> FoundIdentity {
        try foundOnMount(forThread: caller.thread, user: caller.user)
    }
}
