// The components that run while the mount serves, and their shutdown.

import Glibc
import MAMAudit
internal import MAMCommandLine
import MAMControl
import MAMFuse
internal import MAMModel
import MAMPolicy
import MAMService
import MAMSettings
import MAMSystem
import MAMTree
import MAMVault
import MAMWorkspace

/// The components of a mounted daemon.
struct RunningService: Sendable {
    let backing: Backing
    let mountPoint: ByteString
    let log: Log
    let tree: Tree
    private var vault: Vault { tree.vault }
    let session: MountSession
    let server: VarlinkServer
    let policies: PolicyDirectory
    let policyWatch: PolicyWatch
    let sessionLocks: SessionLocks

    func start(_ signals: StopSignals, _ recovery: Recovery) throws(Failure) {
        tree.setServed(true)
        ClassPass(tree).updateClassesOfUnlockedAccounts()
        do throws(Errno) {
            try signals.onStop(stop, onHangUp: policyWatch.look)
            // Before programs create files that should belong to these accounts; in a large tree
            // soon after.
            _ = finishes(by: Deadline(milliseconds: 300), named: "enrol") { [tree] in
                AutoEnrollment(tree).enrollKnownAccounts()
            }
            try vault.sinks.trail.start()
            try Timers(tree).startTimers()
            try policyWatch.start()
            policies.onNewSettings(sessionLocks.followSettings)
            try sessionLocks.follow()
            try recovery.start(tree)
            try startBackingWatch(backing, tree)
            try startWatchdog(session, server, vault)
        } catch {
            session.stop()
            throw Failure("no thread can be started: \(error)")
        }
    }

    /// Writes back, locks and unmounts; the session's loop then ends.
    @Sendable private func stop() {
        log.info("stopping: writing back and unmounting \(mountPoint.shown)")
        notifyServiceManager("STOPPING=1\nSTATUS=Writing back and unmounting")
        server.stop()
        sessionLocks.stop()
        let deadline = Deadline(seconds: vault.rules.settings.lockDeadlineSeconds)
        for file in Purge(tree).writeBack(until: deadline) {
            log.warning("stopping although \(file); its further writes are lost")
        }
        Lock(tree).lockAll()
        session.stop { error in
            log.warning(
                "\(mountPoint.shown) could not be unmounted: \(error); the mount stays and fails"
                    + " all requests until: mamctl unmount"
            )
        }
    }

    /// Called after the mount is gone.
    func finish() {
        server.stop()
        sessionLocks.stop()
        tree.setServed(false)
        Enrollment(tree).saveEnrollments()
        vault.dropAllKeys()
        vault.audit(.stopped, nil, "\(mountPoint.shown) is no longer served")
        vault.sinks.trail.finish(by: Deadline(seconds: 2))
    }
}

/// SIGTERM and SIGINT shut the daemon down. SIGHUP makes it read its policies, or shuts it down
/// too.
///
/// Blocks the signals in all later threads, and waits for them on its own thread.
struct StopSignals {
    private static let numbers = [SIGTERM, SIGINT, SIGHUP]

    init() {
        var set = Self.set
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    private static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        return set
    }

    /// Runs the action once, at the first of the signals. SIGHUP is one of them without `onHangUp`,
    /// or on a terminal, which sends it when closed.
    func onStop(
        _ action: @escaping @Sendable () -> Void, onHangUp: (@Sendable () -> Void)? = nil
    ) throws(Errno) {
        try startThread(named: "signals") {
            var set = Self.set
            var number: Int32 = 0
            while sigwait(&set, &number) == 0, number == SIGHUP, let onHangUp, isatty(2) == 0 {
                onHangUp()
            }
            action()
        }
    }
}
