// Resumes interrupted wipes.

internal import MAMEnrollment
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMVault

extension Wipe {
    /// Finds wipes that a crash or a failure interrupted, and resumes them with `repair`.
    package func checkWipes(repair: Bool) -> [Finding] {
        vault.keyring.wipes.all.map { wipe in
            let path = ByteString("wipes/\(wipe.account.bytes)")
            let reason: Message = "the wipe of \(wipe.identity) was interrupted"
            guard repair else { return Finding(path, in: .state, .wipe, reason, .left(nil)) }
            return resume(wipe)
                ? Finding(path, in: .state, .wipe, reason, .repaired("carried to its end"))
                : Finding(path, in: .state, .wipe, reason, .left("not all of it can be removed"))
        }
    }

    /// Resumes wipes that a crash or a failure interrupted. The keyring destroyed the keys at its
    /// start, so no file of theirs can be opened; the mount may already serve.
    package func resumeWipes() {
        for wipe in vault.keyring.wipes.all { _ = resume(wipe) }
    }

    /// False if something is left.
    private func resume(_ wipe: WipeIntent) -> Bool {
        let areKeysGone = vault.keyring.wipes.wiping(wipe.account) {
            isStillDecided(wipe) ? destroy(.keys, of: wipe) : nil
        }
        guard let areKeysGone else { return true }
        // Again, because the first notification may not have been sent.
        let isGoneElsewhere = tellHook(
            wipe, WipeReason(.resumed, "an earlier wipe was interrupted"))
        return vault.keyring.wipes.wiping(wipe.account) {
            guard isStillDecided(wipe) else { return true }
            return finish(wipe, areKeysGone: areKeysGone, isGoneElsewhere).isComplete
        }
    }
}
