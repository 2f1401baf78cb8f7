// Watches the policy directory for changes.

import Glibc
internal import MAMCommandLine
internal import MAMModel
import MAMSettings
import MAMSystem
import MAMTree
import MAMVault
import MAMWorkspace

/// Reads at the start, and after each change once it has been quiet briefly.
struct PolicyWatch: Sendable {
    private let directory: ByteString
    private let wakeUp: WakeUpDescriptor
    private let read: @Sendable (_ isPoll: Bool) -> Void

    private static let quietMilliseconds: Int32 = 200
    /// The limit on waiting for a writer that keeps writing.
    private static let patience = 10
    /// The polling interval where inotify is unavailable.
    private static let blindMilliseconds: Int32 = 5000

    init(
        _ directory: String, read: @escaping @Sendable (_ isPoll: Bool) -> Void
    ) throws(Errno) {
        self.directory = ByteString(directory)
        self.read = read
        wakeUp = try WakeUpDescriptor()
    }

    /// Triggers a reading, on the watch's own thread.
    func look() { wakeUp.signal() }

    func start() throws(Errno) {
        try startThread(named: "policies") {
            // The daemon has read them just before: only what changed since counts.
            var isFirst = true
            while true {
                // Before the reading, so that no change is missed in between.
                let notifier = try? DirectoryNotifier(of: directory)
                let isBlind = notifier?.seesAll != true
                read(isBlind || isFirst)
                isFirst = false
                wait(for: notifier, isBlind)
            }
        }
    }

    /// Returns some time after the next change.
    private func wait(for notifier: DirectoryNotifier?, _ isBlind: Bool) {
        poll(notifier, isBlind ? Self.blindMilliseconds : -1)
        var rounds = 0
        while rounds < Self.patience, poll(notifier, Self.quietMilliseconds) { rounds += 1 }
    }

    /// True if something happened.
    @discardableResult
    private func poll(_ notifier: DirectoryNotifier?, _ milliseconds: Int32) -> Bool {
        var waiting = [pollfd(fd: wakeUp.descriptor.raw, events: Int16(POLLIN), revents: 0)]
        if let notifier {
            waiting.append(pollfd(fd: notifier.descriptor.raw, events: Int16(POLLIN), revents: 0))
        }
        let count = Glibc.poll(&waiting, nfds_t(waiting.count), milliseconds)
        if count < 0 { return true }
        wakeUp.clear()
        notifier?.clear()
        return count > 0
    }
}

/// Applies changes of the directory, and of the settings beside it, to the vault.
func watch(
    _ policies: PolicyDirectory, _ settings: SettingsFile, for tree: Tree, _ log: Log
) throws(Failure) -> PolicyWatch {
    do throws(Errno) {
        return try PolicyWatch(policies.path) { isPoll in
            let hasNewRules = settings.reload(into: tree.vault)
            // After the settings, whose groups it uses.
            let reading = policies.reload(into: tree)
            // A poll that finds no change is not a check-in.
            guard reading.isNews || hasNewRules || !isPoll else { return }
            CheckIn(tree).checkedIn(reading.outcome, isNews: reading.isNews)
            if hasNewRules { AutoEnrollment(tree).enrollKnownAccountsSoon() }
        }
    } catch { throw Failure("no event descriptor can be created: \(error)") }
}
