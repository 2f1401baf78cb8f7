// Orders to wipe that come with the policies.

package import MAMEnrollment
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem

extension Vault {
    /// Wipes the account that an administrator's document names, once for each id: on a thread of
    /// its own, or before anything is mounted at once.
    package func obeyWipe(_ request: WipeRequest) {
        guard let found = wipeable(named: request.account) else {
            // There is nothing to be wiped, which is how it is to be: who registers that name later
            // is not meant.
            guard enrollments.begin(request, at: clock.now) else { return }
            return log.warning(
                "wipe request \(request.id): there is no account \(request.account) here, and the"
                    + " request is done; one for an account that comes later takes another id"
            )
        }
        guard mount?.isReadOnly != true else {
            return log.error(
                "wipe request \(request.id): the mount is read-only, it is obeyed later")
        }
        guard enrollments.begin(request, for: found.account, at: clock.now) else { return }
        tell(.wipeReceived, nil, found.account, .policy)
        guard mount != nil else { return obey(request, found.account) }
        do throws(Errno) {
            try startThread(named: "wipe-request") { self.obey(request, found.account) }
        } catch { obey(request, found.account) }
    }

    private func obey(_ request: WipeRequest, _ account: AccountID) {
        do throws(KeyringError) {
            _ = try wipe(
                account, because: WipeReason(.administrator, "wipe request \(request.id)"))
            enrollments.end(request)
        } catch {
            log.error("wipe request \(request.id): \(error)")
            enrollments.takeBack(request)
        }
    }

    /// True if it is not known any more which orders were obeyed.
    package var hasForgottenOrders: Bool { enrollments.hasForgottenOrders }

    package func takeAsObeyed(_ requests: [WipeRequest]) { enrollments.takeAsObeyed(requests) }
}
