// Carrying on with wipes that were interrupted.

internal import MAMEnrollment
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
internal import MAMTree
package import MAMVault

extension Wipe {
    /// Wipes that a crash or a failure interrupted; with `repair` carries on with them.
    package func checkWipes(repair: Bool) -> [Finding] {
        vault.keyring.wipes.all.map { wipe in
            let path = ByteString("wipes/\(wipe.account.bytes)")
            let reason = "the wipe of \(wipe.identity) was interrupted"
            guard repair else { return Finding(path, in: .state, .wipe, reason, .left(nil)) }
            return resume(wipe)
                ? Finding(path, in: .state, .wipe, reason, .repaired("carried to its end"))
                : Finding(path, in: .state, .wipe, reason, .left("not all of it can be removed"))
        }
    }

    /// Carries on with what a crash or a failure has interrupted. The keyring has destroyed the
    /// keys when it started, and opens no file of theirs meanwhile; the mount may serve.
    package func resumeWipes() {
        for wipe in vault.keyring.wipes.all { _ = resume(wipe) }
    }

    /// False if something is left.
    private func resume(_ wipe: WipeIntent) -> Bool {
        let areKeysGone = vault.wiping.withLock(wipe.account) {
            isStillDecided(wipe) ? destroy(.keys, of: wipe) : nil
        }
        guard let areKeysGone else { return true }
        // Again: it may have been told, or not.
        tellHook(wipe, WipeReason(.resumed, "an earlier wipe was interrupted"))
        return vault.wiping.withLock(wipe.account) {
            guard isStillDecided(wipe) else { return true }
            return finish(wipe, areKeysGone: areKeysGone).isComplete
        }
    }
}
