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
    /// Obeys what was accepted and is not done yet. Leaving comes last: the other orders would be
    /// gone with the standing. A wipe runs on a thread of its own, or at once before mounting.
    package func obeyPending(of fleet: Fleet) {
        guard let standing = fleet.standing else { return }
        vault.keyring.endPastResetRequests()
        for (nonce, order) in standing.pending {
            if fleet.isObeyed(nonce) {
                done(nonce, fleet)
                continue
            }
            let words = "order \(nonce) of \(standing.root.name)"
            switch order.action {
            case .wipe: wipe(order.account, words, nonce, fleet)
            case .lock:
                obey(nonce, fleet, "lock: \(words)") {
                    Lock(tree).lockAll()
                    return true
                }
            case .checkIn: checkIn(words, nonce, fleet)
            case .withdraw: withdraw(order.withdrawn?.description ?? "", words, nonce, fleet)
            case .leave: if isAlone(nonce, in: standing) { leave(words, nonce, fleet) }
            case .reset: dropUnawaited(order, words, nonce, fleet, standing)
            // The next status has them, and ends it.
            case .collectDiagnostics: break
            }
        }
    }

    private func isAlone(_ nonce: String, in standing: MachineStanding) -> Bool {
        standing.pending.allSatisfy { $0.key == nonce || $0.value.action.waits }
    }

    /// The orders to collect diagnostics are done: whether there were any.
    package func endDiagnostics(of fleet: Fleet) -> Bool {
        guard let standing = fleet.standing else { return false }
        let nonces = standing.pending.filter { $0.value.action == .collectDiagnostics }.keys
        for nonce in nonces where fleet.begin(nonce) {
            tell("collectDiagnostics: order \(nonce) of \(standing.root.name)")
            finish(nonce, fleet)
        }
        return !nonces.isEmpty
    }

    // MARK: Wipes

    private func wipe(
        _ id: Bytes16?, _ words: String, _ nonce: String, _ fleet: Fleet
    ) {
        guard !tree.isReadOnly else {
            return vault.log.error("\(words): the mount is read-only, it is obeyed later")
        }
        guard let account = vault.keyring.accounts.first(where: { $0.bytes == id }) else {
            return missing(id?.description ?? "", words, nonce, fleet)
        }
        obey(nonce, fleet, "wipe: \(words)") {
            do throws(KeyringError) {
                _ = try Wipe(tree).wipe(account, because: WipeReason(.administrator, words))
                return true
            } catch {
                vault.log.error("\(words): \(error); it is obeyed later")
                return false
            }
        }
    }

    /// A wipe that was decided is continued without the order. An account whose keys cannot be read
    /// now may come back from a backup.
    private func missing(_ id: String, _ words: String, _ nonce: String, _ fleet: Fleet) {
        let damaged = vault.keyring.unreadableKeybags.map(\.fileName)
        guard !damaged.contains(where: { $0.hasPrefix(id) }) else {
            return vault.log.error(
                "\(words): the keybag of account \(id) is damaged; it is obeyed once that is back")
        }
        vault.log.warning("\(words): there is no account \(id) here")
        if fleet.begin(nonce) { finish(nonce, fleet) }
    }

    // MARK: Others

    /// Done first: the check-in comes here again.
    private func checkIn(_ words: String, _ nonce: String, _ fleet: Fleet) {
        guard fleet.begin(nonce) else { return }
        tell("checkIn: \(words)")
        if finish(nonce, fleet) { readPolicies() }
    }

    /// The other order is refused since this one was accepted.
    private func withdraw(
        _ other: String, _ words: String, _ nonce: String, _ fleet: Fleet
    ) {
        guard fleet.begin(nonce) else { return }
        tell("withdraw order \(other): \(words)")
        finish(nonce, fleet)
    }

    private func leave(_ words: String, _ nonce: String, _ fleet: Fleet) {
        guard !tree.isReadOnly, fleet.begin(nonce) else { return }
        tell("leave: \(words)")
        do throws(FleetError) {
            try fleet.leave()
            for account in vault.keyring.accounts { PassphraseHelp(tree).end(account) }
            vault.audit(.left, nil, words) { $0.reason = words }
            readPolicies()
        } catch { vault.log.error("\(words): \(error)") }
        fleet.end(nonce, wasObeyed: false)
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

    func tell(_ words: String) {
        vault.audit(.ordered, nil, words) { $0.reason = words }
    }

    /// An order is done only afterwards: a crash must not lose it. Obeyed twice, it destroys no
    /// more, since its account is gone. `body`: whether it could be obeyed.
    private func obey(
        _ nonce: String, _ fleet: Fleet, _ words: String, _ body: @escaping @Sendable () -> Bool
    ) {
        guard fleet.begin(nonce) else { return }
        tell(words)
        let obeying: @Sendable () -> Void = {
            if body() { finish(nonce, fleet) } else { fleet.end(nonce, wasObeyed: false) }
        }
        guard tree.isServed else { return obeying() }
        do throws(Errno) { try startThread(named: "order", obeying) } catch { obeying() }
    }

    @discardableResult
    func finish(_ nonce: String, _ fleet: Fleet) -> Bool {
        fleet.end(nonce, wasObeyed: true)
        return done(nonce, fleet)
    }

    @discardableResult
    func done(_ nonce: String, _ fleet: Fleet) -> Bool {
        do throws(FleetError) {
            try fleet.finish(nonce)
            return true
        } catch {
            vault.log.error("order \(nonce) is done, which could not be stored: \(error)")
            return false
        }
    }
}
