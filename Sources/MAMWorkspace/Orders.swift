// Wipe orders in the policy directory.

package import MAMEnrollment
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Carries out wipe orders in the policy directory.
package struct Orders: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Wipes the account in an administrator's order, once per id: on its own thread, or at once
    /// before mounting.
    package func obeyWipe(_ request: WipeRequest) {
        guard let found = Wipe(tree).wipeable(named: request.account) else {
            // There is nothing to wipe, so the order is done: it does not apply to a later
            // registration of that name.
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

    /// True if the record of obeyed orders is lost.
    package var hasForgottenOrders: Bool { vault.enrollments.hasForgottenOrders }

    package func takeAsObeyed(_ requests: [WipeRequest]) {
        vault.enrollments.takeAsObeyed(requests)
    }
}
