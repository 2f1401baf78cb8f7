// Orders that an organisation has signed.

internal import MAMAudit
internal import MAMEnrollment
internal import MAMFleet
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
internal import MAMTree
package import MAMVault

extension Orders {
    /// Obeys what was accepted and is not done yet, in no order: none depends on another. A wipe
    /// runs on a thread of its own, or at once before mounting.
    package func obeyPending(of fleet: Fleet) {
        guard let standing = fleet.standing else { return }
        for (nonce, order) in standing.pending {
            let words = "order \(nonce) of \(standing.root.name)"
            if fleet.isFirst(nonce) {
                let told = "\(order.action.rawValue): \(words)"
                vault.audit(.ordered, nil, told) { $0.reason = told }
            }
            switch order.action {
            case .wipe: wipe(order.account, words, nonce, fleet)
            case .lock:
                inBackground(nonce, fleet) {
                    Lock(tree).lockAll()
                    return true
                }
            case .checkIn: checkIn(nonce, fleet)
            case .leave: leave(words, fleet)
            }
        }
    }

    // MARK: Wipes

    private func wipe(
        _ id: Bytes16?, _ words: String, _ nonce: String, _ fleet: Fleet
    ) {
        guard let account = vault.keyring.accounts.first(where: { $0.bytes == id }) else {
            // A wipe that was decided is continued without the order.
            vault.log.warning("\(words): there is no account \(id?.description ?? "") here")
            return done(nonce, fleet)
        }
        guard !tree.isReadOnly else {
            return vault.log.error("\(words): the mount is read-only, it is obeyed later")
        }
        inBackground(nonce, fleet) {
            do throws(KeyringError) {
                _ = try Wipe(tree).wipe(account, because: WipeReason(.administrator, words))
                return true
            } catch {
                vault.log.error("\(words): \(error); it is obeyed later")
                return false
            }
        }
    }

    // MARK: Others

    /// First: the check-in comes here again.
    private func checkIn(_ nonce: String, _ fleet: Fleet) {
        done(nonce, fleet)
        readPolicies()
    }

    private func readPolicies() {
        guard tree.isServed else { return }
        do throws(Errno) {
            try startThread(named: "order") {
                CheckIn(tree).checkIn()
                LaunchChecks(tree).checkLaunchOfAll()
            }
        } catch { vault.log.error("policies are not read: \(error)") }
    }

    private func leave(_ words: String, _ fleet: Fleet) {
        do throws(FleetError) {
            try fleet.leave()
            vault.audit(.left, nil, words) { $0.reason = words }
            readPolicies()
        } catch { vault.log.error("\(words): \(error)") }
    }

    /// Done only afterwards: a crash must not lose an order. Obeying one twice destroys nothing
    /// more than once, since its account is gone. `obey`: whether it could be obeyed.
    private func inBackground(
        _ nonce: String, _ fleet: Fleet, _ obey: @escaping @Sendable () -> Bool
    ) {
        guard fleet.begin(nonce) else { return }
        let body: @Sendable () -> Void = {
            if obey() { done(nonce, fleet) }
            fleet.end(nonce)
        }
        guard tree.isServed else { return body() }
        do throws(Errno) { try startThread(named: "order", body) } catch { body() }
    }

    private func done(_ nonce: String, _ fleet: Fleet) {
        do throws(FleetError) { try fleet.finish(nonce) } catch {
            vault.log.error("order \(nonce) is done, which could not be stored: \(error)")
        }
    }
}
