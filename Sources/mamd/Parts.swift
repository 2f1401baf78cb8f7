// Creates the daemon's components; each failure has its own message.

import Glibc
internal import MAMCommandLine
import MAMControl
import MAMEnrollment
import MAMKeyring
import MAMModel
internal import MAMPlaces
import MAMPolicy
import MAMService
import MAMSettings
import MAMSystem
import MAMTree
import MAMVault
import MAMWire
import MAMWorkspace

func makeVault(
    _ places: Places, _ name: WorkspaceName, _ id: Bytes16, _ log: Log, state: String? = nil,
    mayRepair: Bool = true, isReadOnly: Bool = false, report: @escaping @Sendable (String) -> Void
) throws(Failure) -> (Vault, PolicyDirectory) {
    let settings = try readSettings(places.configuration(of: name), log)
    log.rules.set(isVerbose: settings.verboseLogging, scrubbed: [])
    let state = state ?? places.state(of: name)
    let fleet = try makeFleet(state, settings, isReadOnly: isReadOnly)
    let policies = try makePolicyDirectory(
        "\(places.configuration(of: name))/policies", state, isReadOnly: isReadOnly,
        of: [name.description, id.description], settings, fleet, log)
    let book = try policies.start()
    guard
        let cost = KeyDerivationCost(
            passes: settings.keyDerivationPasses,
            memoryByteCount: settings.keyDerivationMemoryByteCount)
    else { throw Failure("the setting KeyDerivation has an invalid value") }
    let clock = Clock()
    let vault: Vault
    do {
        if !isReadOnly { try makeDirectories(state, mode: 0o700) }
        let directory = try openFile(state, O_RDONLY | O_DIRECTORY)
        let keyring = try Keyring(
            stateDirectory: directory, cost: cost, mayRepair: mayRepair,
            isReadOnly: isReadOnly, credential: try DeviceSecret.credential(),
            chip: .asked(by: ["/proc/self/exe", chipArgument]),
            clock: { clock.now.wallSeconds }
        ) {
            report("\(state): \($0)")
        }
        vault = try Vault(
            settings: settings, policies: book, keyring: keyring,
            stateDirectory: isReadOnly ? nil : directory.raw, fleet: fleet,
            signIns: settings.signIn.map { SignIns($0, in: isReadOnly ? nil : state) },
            log: log, clock: clock)
    } catch {
        throw Failure("the keys in \(state) cannot be used: \(error)")
    }
    return (vault, policies)
}

/// Applies blocks to accounts, and unlocks those without a passphrase.
func openAccounts(of tree: Tree) {
    Enrollment(tree).settleAll()
    Unlock(tree).unlockWithoutPassphrase()
}

private func makePolicyDirectory(
    _ path: String, _ state: String, isReadOnly: Bool, of workspace: [String],
    _ settings: Settings, _ fleet: Fleet, _ log: Log
) throws(Failure) -> PolicyDirectory {
    let debugPolicy: PolicyDocument?
    do throws(PolicyError) { debugPolicy = try settings.debugDocument() } catch {
        throw Failure("the setting MAMDebugSettings is invalid: \(error)")
    }
    do throws(Errno) {
        return try PolicyDirectory(
            path, state: state, isReadOnly: isReadOnly, of: workspace, settings,
            debugPolicy: debugPolicy, fleet: fleet, log)
    } catch { throw Failure("\(state)/policies cannot be used: \(error)") }
}

private func makeFleet(
    _ state: String, _ settings: Settings, isReadOnly: Bool
) throws(Failure) -> Fleet {
    let fleet: Fleet
    do throws(FleetError) { fleet = try Fleet(in: state, isReadOnly: isReadOnly) } catch {
        throw Failure(
            "\(state)/fleet/standing.json is refused: \(error); restore it from a backup")
    }
    if fleet.isJoined, settings.debugSettingsEnabled {
        throw Failure(
            "DebugSettingsEnabled is on, and this workspace has joined an organisation: turn it off"
        )
    }
    return fleet
}

func makeTree(
    _ vault: Vault, _ backing: Backing, _ mountPoint: ByteString, isReadOnly: Bool,
    keepsLinks: Bool? = nil, onReady: @escaping @Sendable (Tree) -> Void
) throws(Failure) -> Tree {
    do throws(Errno) {
        let root = try reopen(backing.root.raw, openPathOnly | O_DIRECTORY)
        return try Tree(
            vault: vault, workspace: backing.id, root: root, workDirectory: backing.work,
            mountPoint: mountPoint,
            isReadOnly: isReadOnly, keepsLinks: keepsLinks, onReady: onReady)
    } catch { throw Failure("\(backing.path.shown) cannot be used: \(error)") }
}

/// `policies`: nil for a daemon that only checks.
func makeServer(
    _ places: Places, _ backing: Backing, _ mountPoint: ByteString, _ tree: Tree,
    _ policies: PolicyDirectory?, _ lastVerify: LastVerify,
    _ listener: Descriptor? = nil, isStateLocked: Bool = true
) throws(Failure) -> VarlinkServer {
    let facts = WorkspaceFacts(
        name: backing.name.description, id: backing.id.description,
        backingDirectory: backing.path.wireText,
        mountPoint: mountPoint.wireText)
    var interfaces: [any VarlinkInterface] = [
        WorkspaceInterface(facts, tree: tree, lastVerify: lastVerify),
        EnrollmentInterface(tree: tree),
        ProtectionInterface(tree: tree),
        IdentityInterface(tree: tree),
        AuditInterface(tree: tree),
        ReportInterface(tree: tree, lastVerify: lastVerify),
    ]
    if let policies {
        let reports = FleetReports(facts, tree: tree, lastVerify: lastVerify)
        interfaces += interfacesOfPolicies(policies, tree, reports)
    }
    let service = VarlinkService(
        ServiceInformation(
            vendor: "mamd", product: "mamd", version: productVersion,
            url: "https://varlink.org/io.mamd"),
        interfaces.map { AuditedInterface($0, tree.vault) })
    let path = places.socket(of: backing.name)
    do throws(Errno) {
        return try VarlinkServer(
            at: path, lasting: isStateLocked ? places.lastingSocket(of: backing.name) : nil,
            mode: geteuid() == 0 ? 0o666 : 0o600, directoryMode: places.runtimeMode,
            given: listener, service: service
        ) { place, error in
            tree.vault.log.warning(
                "the socket \(place) cannot be opened, and is left out: \(error)")
        }
    } catch {
        let next =
            error.rawValue == EADDRINUSE
            ? "; if systemd listens there, start the daemon with it: systemctl start"
                + " mamd@\(backing.name)"
            : ""
        throw Failure("the socket \(path) cannot be opened: \(error)\(next)")
    }
}

/// Those that change what is in force.
private func interfacesOfPolicies(
    _ policies: PolicyDirectory, _ tree: Tree, _ reports: FleetReports
) -> [any VarlinkInterface] {
    // Returns why what is there is still held back.
    let read: @Sendable () -> String? = {
        let reading = policies.reload(into: tree)
        let outcome = CheckIn(tree).checkedIn(
            reading.outcome, isNews: reading.isNews || reading.isHeldBack)
        return reading.isHeldBack ? outcome.reason : nil
    }
    return [
        RecoveryInterface(tree: tree),
        SignInInterface(tree: tree) { _ = read() },
        FleetInterface(reports: reports) {
            _ = read()
            LaunchChecks(tree).checkLaunchOfAll()
        },
        PolicyInterface(tree: tree) { document, name throws(VarlinkError) in
            do throws(Errno) { try policies.write(document, as: name) } catch {
                guard policies.has(document, as: name) else {
                    throw .systemError(error, .verbatim("policies/\(name)"))
                }
                _ = read()
                throw .refused(
                    "policies/\(name) is stored, but may not survive a power cut: \(error)",
                    next: "check the disk, and import it again")
            }
            guard let reason = read() else { return }
            throw .refused(
                "policies/\(name) is stored, and held back: \(Message(known: reason))",
                next: "mamctl account check-in")
        },
    ]
}

/// Clients find a workspace's socket by the workspace's name.
func check(_ listener: Descriptor?, isAt path: String) throws(Failure) {
    guard let listener, !isListening(listener.raw, at: path) else { return }
    throw Failure(
        "the socket from systemd is not \(path): the unit's instance must be the workspace's name")
}
