// Watches the policy directory for changes.

import Glibc
import MAMSettings
import MAMSystem
import MAMTree
import MAMVault
import MAMWorkspace

/// Reads at the start, and after each change once it has been quiet briefly.
struct PolicyWatch: Sendable {
    private let directory: ByteString
    private let wakeUp: WakeUpDescriptor
    private let read: @Sendable (_ isBlind: Bool) -> Void

    private static let quietMilliseconds: Int32 = 200
    /// The limit on waiting for a writer that keeps writing.
    private static let patience = 10
    /// The polling interval where inotify is unavailable.
    private static let blindMilliseconds: Int32 = 5000

    init(
        _ directory: String, read: @escaping @Sendable (_ isBlind: Bool) -> Void
    ) throws(Errno) {
        self.directory = ByteString(directory)
        self.read = read
        wakeUp = try WakeUpDescriptor()
    }

    /// Triggers a reading, on the watch's own thread.
    func look() { wakeUp.signal() }

    func start() throws(Errno) {
        try startThread(named: "policies") {
            while true {
                // Before the reading, so that no change is missed in between.
                let notifier = try? Notifier(of: directory)
                let isBlind = notifier?.seesAll != true
                read(isBlind)
                wait(for: notifier, isBlind)
            }
        }
    }

    /// Returns some time after the next change.
    private func wait(for notifier: Notifier?, _ isBlind: Bool) {
        poll(notifier, isBlind ? Self.blindMilliseconds : -1)
        var rounds = 0
        while rounds < Self.patience, poll(notifier, Self.quietMilliseconds) { rounds += 1 }
    }

    /// True if something happened.
    @discardableResult
    private func poll(_ notifier: Notifier?, _ milliseconds: Int32) -> Bool {
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

/// inotify(7) on the directory and its parent, because the directory itself may be replaced.
private struct Notifier {
    let descriptor: Descriptor
    /// False if it could miss a change.
    let seesAll: Bool

    private static let changes = UInt32(
        IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM
            | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)

    init(of directory: ByteString) throws(Errno) {
        let raw = try retrying { inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)) }
        descriptor = Descriptor(owning: raw)
        let watched = [directory.directory, directory].map {
            inotify_add_watch(raw, $0.cString, Self.changes)
        }
        seesAll = !watched.contains(-1)
    }

    func clear() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while Glibc.read(descriptor.raw, &buffer, buffer.count) > 0 {}
    }
}

/// Applies changes of the directory, and of the settings beside it, to the vault.
func watch(
    _ policies: PolicyDirectory, _ settings: SettingsFile, for tree: Tree, _ log: Log
) throws(StartError) -> PolicyWatch {
    do throws(Errno) {
        return try PolicyWatch(policies.path) { isBlind in
            let hasNewRules = settings.reload(into: tree.vault)
            // After the settings, whose groups it uses.
            let reading = policies.reload(into: tree)
            // A poll that finds no change is not a check-in.
            guard reading.isNews || hasNewRules || !isBlind else { return }
            CheckIn(tree).checkedIn(reading.outcome, isNews: reading.isNews)
            if hasNewRules { AutoEnrollment(tree).enrollKnownAccountsSoon() }
        }
    } catch { throw StartError("no event descriptor can be created: \(error)") }
}
