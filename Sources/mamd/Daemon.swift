// Runs the daemon from its arguments to the end of its mount.

import CShims
import Glibc
import MAMAudit
internal import MAMCommandLine
import MAMControl
import MAMCrypto
import MAMFuse
internal import MAMModel
internal import MAMPlaces
import MAMService
import MAMSystem
import MAMTree
import MAMVault
import MAMWire
internal import MAMWords
import MAMWorkspace

func runDaemon(_ arguments: StartOptions) -> ExitStatus {
    do throws(Failure) {
        if let name = Places.unusableVariable { throw Failure(Places.reason(against: name)) }
        switch arguments.task {
        case .serve: try serve(arguments)
        case .serveUnmounted: try serveUnmounted(arguments)
        case .prepareMount: try prepareMount(arguments)
        case .removeMount: try removeMount(arguments.mountPoint)
        case .relayLogins: try relayLogins()
        }
        return .success
    } catch {
        // A service's errors are for the journal, which has one language.
        let isForPerson = !arguments.isForeground || isatty(STDERR_FILENO) == 1
        complain(isForPerson ? error.message.translated : error.message.english)
        return error.status
    }
}

private func serve(_ arguments: StartOptions) throws(Failure) {
    let given = GivenDescriptors()
    if given.device == nil { try shutMountPoint(arguments) }
    protectProcess(keeping: arguments.readyDescriptor)
    try chooseCipher(arguments.cipher)
    // In a system unit. Otherwise the daemon reports the programs that use a file, and mounts
    // itself.
    if given.device != nil { _ = mam_leave_processes_alone() }
    let mountPoint = try mountPlace(arguments.mountPoint)
    let backing = try openBacking(arguments, at: mountPoint)
    let places = Places.current
    // The sandbox makes no other workspace writable.
    try check(given.listener, isAt: places.socket(of: backing.name))
    let logFile = try openLogFile(places.state(of: backing.name))
    let log = arguments.log(of: backing.name, orFile: logFile)
    let report = reporter(log, arguments)
    let stateLock = try lockState(places.state(of: backing.name))
    defer { letGo(of: [backing.lock, stateLock].compactMap(\.self)) }
    // Covers every exit: a start that fails has changed nothing.
    let recovery = Recovery(of: backing, log)
    defer { recovery.finish() }
    let (vault, policies) = try makeVault(
        places, backing.name, backing.id, log, report: report)
    let probe = try probe(backing, isReadOnly: arguments.isReadOnly, report)
    warn(of: backing, probe, log, report)
    try recovery.begin(
        vault.openFiles.uncertainEnds, inState: places.state(of: backing.name),
        isReadOnly: arguments.isReadOnly)

    // Before any thread starts, so that all threads block these signals.
    let signals = StopSignals()
    let tree = try makeTree(
        vault, backing, mountPoint, isReadOnly: arguments.isReadOnly,
        keepsLinks: probe.map { !$0.lacking.contains(.links) }
    ) { tree in
        reportServing(tree, backing.path)
        announceReady(arguments.readyDescriptor, errorFile: arguments.isForeground ? nil : logFile)
    }
    openAccounts(of: tree)
    try startEnrollment(of: tree, policies, report: report)
    if !arguments.isReadOnly { RecoveryUpdates(vault).keepRecoveryRecords(in: backing.own) }
    finishWipes(in: tree, log)
    let session = try mount(
        tree, at: mountPoint, backing.name, arguments, given.device, report: report)
    let service = try makeService(tree, session, backing, policies, given.listener)
    try service.start(signals, recovery)
    let isQuiet = session.serve()
    service.finish()
    recovery.stop(tree, isQuiet: isQuiet)
}

/// The last look at a path that may be relative.
private func openBacking(
    _ arguments: StartOptions, at mountPoint: ByteString
) throws(Failure) -> Backing {
    defer { leaveDirectory() }
    return try Backing(
        try absolutePath(arguments.backing),
        for: .mount(at: mountPoint, isReadOnly: arguments.isReadOnly))
}

/// One daemon per set of keys: copies of a workspace share its name, and so its state directory.
/// Taken before anything in it is read, and held while the daemon runs. Nil if there is no
/// directory.
func lockState(_ path: String) throws(Failure) -> Descriptor? {
    let directory: Descriptor
    let isOurs: Bool
    do throws(Errno) {
        directory = try openFile(path, O_RDONLY | O_DIRECTORY)
        isOurs = try takesLock(directory)
    } catch {
        if error == .noEntry { return nil }
        throw Failure("\(path) cannot be opened and locked: \(error)")
    }
    guard isOurs else {
        throw Failure(
            "another daemon uses \(path), for another copy of this workspace: mamctl status;"
                + " rename one of the copies, or unmount it first"
        )
    }
    return directory
}

private func shutMountPoint(_ arguments: StartOptions) throws(Failure) {
    guard geteuid() == 0, let manifest = knownWorkspace(arguments.backing) else { return }
    try shutMountPoint(
        try mountPlace(arguments.mountPoint), of: manifest.name, arguments.shutting,
        report: complain)
}

/// Reports findings of the start to the log and to the program that started the daemon.
private func reporter(_ log: Log, _ arguments: StartOptions) -> @Sendable (String) -> Void {
    { finding in
        log.warning(finding)
        if !arguments.isForeground { complain(finding) }
    }
}

/// Called once, when the kernel has the answer to its first request.
private func reportServing(_ tree: Tree, _ backing: ByteString) {
    let log = tree.vault.log
    let places = "\(backing.shown) at \(tree.mountPoint.shown)"
    if let transport = tree.transport.description { log.info("requests: \(transport)") }
    log.info("cipher: AES-256-GCM by \(GCMLibrary.chosen.rawValue)")
    tree.vault.audit(.started, nil, "serving \(places)")
    notifyServiceManager("READY=1\nSTATUS=Serving \(places)")
}

private func makeService(
    _ tree: Tree, _ session: MountSession, _ backing: Backing, _ policies: PolicyDirectory,
    _ listener: Descriptor?
) throws(Failure) -> RunningService {
    let (places, vault) = (Places.current, tree.vault)
    do throws(Failure) {
        let server = try makeServer(
            places, backing, tree.mountPoint, tree, policies,
            LastVerify(in: places.state(of: backing.name), mayWrite: true), listener)
        let policyWatch = try watch(
            policies,
            SettingsFile(
                in: places.configuration(of: backing.name), vault.rules.own, vault.log),
            for: tree, vault.log)
        return RunningService(
            backing: backing, mountPoint: tree.mountPoint, log: vault.log, tree: tree,
            session: session, server: server, policies: policies, policyWatch: policyWatch,
            sessionLocks: SessionLocks(of: tree))
    } catch {
        // Otherwise a dead mount would remain.
        session.stop()
        throw error
    }
}

/// Resumes interrupted wipes before anybody can use a file, but a large tree must not delay the
/// mount. The keys are gone, so the rest proceeds after mounting like any other wipe.
private func finishWipes(in tree: Tree, _ log: Log) {
    guard tree.vault.isWiping, !tree.isReadOnly else { return }
    let isDone = finishes(by: Deadline(milliseconds: 300), named: "wipe") {
        Wipe(tree).resumeWipes()
    }
    if !isDone { log.info("an interrupted wipe continues in the background") }
}

func absolutePath(_ path: ByteString) throws(Failure) -> ByteString {
    guard let resolved = path.resolved else { throw notUsable(path, .current) }
    return resolved
}

func notUsable(_ path: ByteString, _ error: Errno) -> Failure {
    let next: Message = error == .noEntry ? "; create it first" : ""
    return Failure(error == .noEntry ? .notFound : .failure, "\(path.shown): \(error)\(next)")
}
