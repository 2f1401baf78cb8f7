// Orders to wipe that come with the policies.

package import MAMEnrollment
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem

extension Vault {
    /// Wipes the account that an administrator's document names, once for each id, on a thread of its own.
    package func obeyWipe(_ request: WipeRequest) {
        guard let found = wipeable(named: request.account) else {
            return log.info(
                "wipe request \(request.id): there is no account \(request.account) here")
        }
        guard enrollments.begin(request, at: clock.now) else { return }
        let reason = WipeReason(.administrator, "wipe request \(request.id)")
        do throws(Errno) {
            try startThread(named: "wipe-request") {
                do throws(KeyringError) {
                    _ = try self.wipe(found.account, because: reason)
                } catch { self.log.error("wipe request \(request.id): \(error)") }
            }
        } catch { log.error("wipe request \(request.id): no thread can be started: \(error)") }
    }
}
