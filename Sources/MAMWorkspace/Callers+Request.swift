// The identity of a request's caller.

internal import MAMIdentity
internal import MAMTree
internal import MAMVault

extension Callers {
    func found(for caller: Caller) -> FoundIdentity {
        found(forThread: caller.thread, user: caller.user)
    }
}
