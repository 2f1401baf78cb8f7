// Automatic locks: screen lock and system sleep.

import Glibc
internal import MAMCommandLine
import MAMKeyring
internal import MAMModel
import MAMPolicy
import MAMSession
import MAMSettings
import MAMSystem
import MAMTree
import MAMVault
import MAMWire
import MAMWorkspace
import Synchronization

/// Listens for the events that the settings in force use.
final class SessionLocks: Sendable {
    private let tree: Tree
    private let state = Mutex(State())

    private struct State: Sendable {
        var watch: SessionWatch?
        var needs = Needs()
        var isStopped = false
    }

    private struct Needs: Sendable, Equatable {
        var locks = false
        var sleep = false
    }

    init(of tree: Tree) { self.tree = tree }

    /// Listens for what the settings use now.
    func follow() throws(Errno) {
        let settings = tree.vault.rules.settings
        let needs = Needs(locks: settings.lockOnSession != .never, sleep: settings.locksOnSleep)
        try state.withLock { state throws(Errno) in
            guard !state.isStopped, needs != state.needs else { return }
            state.watch?.stop()
            state.watch = needs == Needs() ? nil : watch(needs)
            try state.watch?.start()
            state.needs = needs
        }
    }

    /// The organisation has made them stricter, or does so no more.
    func followSettings() {
        do throws(Errno) { try follow() } catch {
            tree.vault.rules.noticesSessions = false
            tree.vault.log.error("screen locks and sleep are not noticed: no thread: \(error)")
        }
    }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.watch?.stop()
        }
    }

    private func watch(_ needs: Needs) -> SessionWatch {
        let (tree, log) = (tree, tree.vault.log)
        let beforeSleep: @Sendable () -> Void = {
            log.info("the machine is about to sleep")
            Lock(tree).lockAll()
        }
        let events = SessionEvents(
            locked: { user in lockAccounts(of: user, in: tree) },
            unlocked: { user in resumeAccounts(of: user, in: tree) },
            prepareForSleep: needs.sleep ? beforeSleep : nil)
        return SessionWatch(events, log: log, relay: relay) { isConnected in
            tree.vault.rules.noticesSessions = isConnected
        }
    }
}

/// In a unit's sandbox, which has no access to the system bus.
private var relay: (@Sendable () throws(Errno) -> Descriptor)? {
    guard let path = getenv("MAMD_LOGINS").map({ String(cString: $0) }) else { return nil }
    return { () throws(Errno) in try UnixSocket.connect(to: path) }
}

/// Runs outside the sandbox for such a daemon: `mamd --logins`.
func relayLogins() throws(Failure) {
    signal(SIGPIPE, SIG_IGN)
    do throws(Errno) {
        try MAMSession.relayLogins(
            from: STDIN_FILENO, to: STDOUT_FILENO, log: .toStandardError(prefix: "mamd"))
    } catch { throw Failure("cannot relay logind's signals: \(error)") }
}

/// Nil: all users'.
private func lockAccounts(of user: UInt32?, in tree: Tree) {
    let locked = (user.map { accounts(of: $0, in: tree) } ?? Accounts(tree.vault).all).map(\.id)
    switch tree.vault.rules.settings.lockOnSession {
    case .never: break
    case .grace: Lock(tree).lock(locked, now: false)
    case .now: Lock(tree).lock(locked, now: true)
    }
}

private func resumeAccounts(of user: UInt32, in tree: Tree) {
    guard tree.vault.rules.settings.lockOnSession != .never else { return }
    for account in accounts(of: user, in: tree) { Unlock(tree).resume(account.id) }
}

/// Root's daemon serves many users, each with their own accounts; a user's daemon has only that
/// user's.
private func accounts(of user: UInt32, in tree: Tree) -> [AccountStatus] {
    if geteuid() == 0 { return Accounts(tree.vault).all.filter { $0.user == user } }
    return user == geteuid() ? Accounts(tree.vault).all : []
}
