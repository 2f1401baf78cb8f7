// Serves only the socket: for a check of a workspace that is not mounted.

import Glibc
import MAMAudit
internal import MAMCommandLine
import MAMControl
import MAMKeyring
internal import MAMModel
internal import MAMPlaces
import MAMSystem
import MAMTree
import MAMVault
import MAMWire
internal import MAMWords

func serveUnmounted(_ arguments: StartOptions) throws(Failure) {
    protectProcess(keeping: arguments.readyDescriptor)
    let isReadOnly = arguments.isReadOnly
    let backing = try Backing(
        try absolutePath(arguments.backing), for: .check(isReadOnly: isReadOnly))
    leaveDirectory()
    // A backup may be checked anywhere, but repaired only where the settings know it.
    do throws(Failure) {
        try checkIsKnown(backing.manifest, backing.root, at: backing.path)
    } catch {
        guard isReadOnly else { throw error }
        complain(error.message.translated)
    }
    let places = Places.current
    let logFile = try isReadOnly ? openNowhere() : openLogFile(places.state(of: backing.name))
    let log = arguments.log(of: backing.name, orFile: logFile)
    let stateLock = try lockState(places.state(of: backing.name))
    defer { withExtendedLifetime(stateLock) {} }
    // A check includes keybags, and repairs them only if requested.
    let state = try StateForCheck(places.state(of: backing.name), isReadOnly: isReadOnly)
    let (vault, _) = try makeVault(
        places, backing.name, backing.id, log, state: state.path, mayRepair: false,
        isReadOnly: isReadOnly
    ) { log.info($0) }
    let noMountPoint = ByteString("")
    let tree = try makeTree(
        vault, backing, noMountPoint, isReadOnly: isReadOnly
    ) { _ in }
    openAccounts(of: tree)
    let lastVerify = LastVerify(in: state.path, mayWrite: !isReadOnly)
    state.removeIfMade()
    let signals = StopSignals()
    let server = try makeServer(
        places, backing, noMountPoint, tree, nil, lastVerify, isStateLocked: stateLock != nil)
    let end = MAMSystem.Semaphore()
    do throws(Errno) {
        try signals.onStop { end.signal() }
        try endWithStarter(arguments.readyDescriptor, end)
        try vault.sinks.trail.start()
    } catch { throw Failure("no thread can be started: \(error)") }
    announceReady(
        arguments.readyDescriptor.map { dup($0) },
        errorFile: arguments.isForeground ? nil : logFile)
    // It holds the lock.
    withExtendedLifetime(backing) { end.wait() }
    server.stop()
    tree.beginStopping()
    vault.dropAllKeys()
    vault.sinks.trail.finish(by: Deadline(seconds: 2))
}

/// The state directory; if it is missing and must not be created, an empty temporary one.
private struct StateForCheck {
    let path: String
    private let isMade: Bool

    init(_ path: String, isReadOnly: Bool) throws(Failure) {
        guard isReadOnly, access("\(path)/keybags", F_OK) != 0 else {
            (self.path, isMade) = (path, false)
            return
        }
        var template = Array("/tmp/mamd-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Failure("cannot create a directory in /tmp: \(Errno.current)")
        }
        (self.path, isMade) = (ByteString(cString: template).shown, true)
    }

    func removeIfMade() {
        guard isMade else { return }
        for name in (try? entries(of: ByteString(path))) ?? [] {
            let place = ByteString(path).appending(name)
            if rmdir(place.cString) != 0 { unlink(place.cString) }
        }
        rmdir(path)
    }
}

private func openNowhere() throws(Failure) -> Descriptor {
    do throws(Errno) { return try openFile("/dev/null", O_WRONLY) } catch {
        throw Failure("/dev/null cannot be opened: \(error)")
    }
}

/// The parent holds the other end of a pipe: when it closes, this process is no longer needed.
private func endWithStarter(_ pipe: Int32?, _ end: MAMSystem.Semaphore) throws(Errno) {
    guard let pipe else { return }
    try startThread(named: "starter") {
        var waiting = pollfd(fd: pipe, events: 0, revents: 0)
        while poll(&waiting, 1, -1) < 0 {}
        end.signal()
    }
}
