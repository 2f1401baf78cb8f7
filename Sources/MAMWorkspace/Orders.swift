// Orders to wipe that come with the policies.

package import MAMEnrollment
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Obeys the orders to wipe that come with the policies.
package struct Orders: Sendable {
    let tree: Tree
    var vault: Vault { tree.vault }

    package init(_ tree: Tree) { self.tree = tree }

    /// Wipes the account that an administrator's document names, once for each id: on a thread of
    /// its own, or before anything is mounted at once.
    package func obeyWipe(_ request: WipeRequest) {
        guard let found = Wipe(tree).wipeable(named: request.account) else {
            // There is nothing to be wiped, which is how it is to be: who registers that name later
            // is not meant.
            guard vault.enrollments.begin(request, at: vault.clock.now) else { return }
            return vault.log.warning(
                "wipe request \(request.id): there is no account \(request.account) here, and the"
                    + " request is done; one for an account that comes later takes another id"
            )
        }
        guard !tree.isReadOnly else {
            return vault.log.error(
                "wipe request \(request.id): the mount is read-only, it is obeyed later")
        }
        guard vault.enrollments.begin(request, for: found.account, at: vault.clock.now) else {
            return
        }
        Enrollment(tree).tell(.wipeReceived, nil, found.account, .policy)
        guard tree.isServed else { return obey(request, found.account) }
        do throws(Errno) {
            try startThread(named: "wipe-request") { obey(request, found.account) }
        } catch { obey(request, found.account) }
    }

    private func obey(_ request: WipeRequest, _ account: AccountID) {
        do throws(KeyringError) {
            _ = try Wipe(tree).wipe(
                account, because: WipeReason(.administrator, "wipe request \(request.id)"))
            vault.enrollments.end(request)
        } catch {
            vault.log.error("wipe request \(request.id): \(error)")
            vault.enrollments.takeBack(request)
        }
    }

    /// True if it is not known any more which orders were obeyed.
    package var hasForgottenOrders: Bool { vault.enrollments.hasForgottenOrders }

    package func takeAsObeyed(_ requests: [WipeRequest]) {
        vault.enrollments.takeAsObeyed(requests)
    }
}
