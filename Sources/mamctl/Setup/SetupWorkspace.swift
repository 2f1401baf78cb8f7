// `setup`: the workspace, its mount, and the unit that mounts it. What is there already stays as
// it is.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

struct SetupWorkspace {
    let answers: SetupAnswers
    /// What the mount is asked for, in the unit and without one.
    private static let options = "rw,shut"

    /// Once it is created.
    var id: Bytes16? { Places.current.record(of: answers.name)?.id }

    /// Creates mount point and workspace, or what an interrupted run has left out of it, or takes
    /// over a copy. False if the workspace was there. All is checked before anything is made, and
    /// what only a new one needs by `prepare`.
    func create(
        settings: [UInt8], _ options: Arguments, _ prepare: () throws -> Void
    ) throws -> Bool {
        try refuseForeignBacking()
        let (isNew, begin) = try plan(settings, options)
        if isNew {
            if access(answers.mountPoint.cString, F_OK) == 0 { _ = try checkedMountPointIfFree() }
            try prepare()
        }
        let isMade = try makeMountPoint()
        do {
            _ = try checkedMountPointIfFree()
            try begin()
        } catch {
            if isMade { rmdir(answers.mountPoint.cString) }
            throw error
        }
        return isNew
    }

    /// What is to be done, after checks.
    private func plan(
        _ settings: [UInt8], _ options: Arguments
    ) throws -> (isNew: Bool, begin: () throws -> Void) {
        guard let record = Places.current.record(of: answers.name) else {
            if manifest(in: answers.backing) != nil {
                let named = try NamedMount(of: answers.backing, as: answers.name)
                return (false, named.settle)
            }
            let plan = WorkspacePlan(
                backing: answers.backing, name: answers.name, settings: settings)
            try plan.checkBacking(adopting: options.has(.adopt))
            try plan.checkName()
            if !options.has(.smallBlocks) { try plan.checkBlocks() }
            try plan.checkStore()
            return (true, plan.create)
        }
        if let missing = MissingBacking(at: record.backing) { throw missing.failure }
        let found = try? openFile(answers.backing.cString, O_RDONLY | O_DIRECTORY)
        guard let found, record.isAt(found) else {
            throw Failure(
                .failure,
                "the workspace '\(answers.name)' is at \(record.backing.shown) already",
                next: "add --backing \(record.backing.asArgument), or --name OTHER")
        }
        guard manifest(in: record.backing) == nil else { return (false, {}) }
        let manifest = WorkspaceManifest(name: answers.name, id: record.id)
        return (false, { try manifest.write(to: answers.backing) })
    }

    private func manifest(in backing: ByteString) -> WorkspaceManifest? {
        (try? openFile(backing.cString, O_RDONLY | O_DIRECTORY))
            .flatMap { WorkspaceManifest(below: $0) }
    }

    /// Shut from the start: nothing is written there before the first mount. False if it was there.
    private func makeMountPoint() throws -> Bool {
        if mkdir(answers.mountPoint.cString, 0) == 0 { return true }
        guard Errno.current == .exists else { throw Failure(answers.mountPoint, .current) }
        return false
    }

    /// What is there must be fit for `mount`, whose checks mamd has only in part.
    private func checkedMountPointIfFree() throws -> ByteString? {
        guard try daemon() == nil else { return nil }
        return try checkedMountPoint(answers.mountPoint, answers.backing)
    }

    /// The owner of the backing directory can remove all that is in it.
    private func refuseForeignBacking() throws(Failure) {
        let directory: Descriptor
        do throws(PathFailure) { directory = try openTrusted(answers.backing) } catch {
            if case .failed(.noEntry) = error { return }
            throw Failure(.failure, "\(answers.backing.shown): \(error)")
        }
        let owner = try naming(answers.backing, CachedFacts(of: directory.raw).uid)
        guard owner != geteuid() else { return }
        throw Failure(
            .failure, "\(answers.backing.shown) belongs to uid \(owner)",
            next: "add --backing with another DIRECTORY")
    }

    /// Where the units read it.
    func writeUnitSettings() throws {
        let path = ByteString(Places.current.configuration(of: answers.name))
        let directory = try openFile(path.cString, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        let lines = [
            "BACKING=", answers.backing.shown, "\nMOUNTPOINT=", answers.mountPoint.shown,
            "\nOPTIONS=\(Self.options)\n",
        ]
        guard faccessat(directory.raw, "mount", F_OK, 0) != 0 else { return }
        try Array(lines.joined().utf8).span.withUnsafeBytes { bytes throws(Errno) in
            try replaceFile(in: directory.raw, named: "mount", with: bytes)
        }
    }

    /// Nil if it is not mounted; fails if it is mounted elsewhere.
    func daemon() throws -> Daemon? {
        let path = Places.current.ownSocket(of: answers.name)
        guard let daemon = try? Daemon(of: answers.name, at: path) else { return nil }
        let place = ByteString(try daemon.status().mountPoint)
        guard place == answers.mountPoint else {
            throw Failure(
                .failure, "the workspace '\(answers.name)' is mounted at \(place.shown)",
                next: "mamctl setup \(place.asArgument)")
        }
        return daemon
    }

    /// Without a service manager.
    func mount() throws {
        let command = [companion("mamd"), ByteString("-o"), ByteString(Self.options)]
        let operands = [answers.backing, answers.mountPoint]
        guard case .ended(let end) = try startDaemon(command, operands) else { return }
        throw Failure(
            .failure, "mamd \(end); its message is above",
            next: "correct that, and run mamctl setup again: it goes on from here")
    }
}

struct SetupService {
    let name: WorkspaceName

    private var systemctl: [String] { UnitNames.systemctl }
    private var unit: String { "mamd@\(name).service" }

    /// What to do if the unit does not start, or no daemon answers after its start.
    var remedy: Message {
        "\(systemctl.joined(separator: " ")) status \(unit), then mamctl setup again"
    }

    /// A manager answers, and knows mamd's units.
    var isOffered: Bool {
        output(of: systemctl + ["cat", unit]) != nil
            && output(of: systemctl + ["show-environment"]) != nil
    }

    /// Carries the organisation's documents from now on.
    func enableFleet() throws(Failure) {
        let unit = "mamfleet@\(name).service"
        guard output(of: systemctl + ["enable", "--now", unit]) == nil else { return }
        throw Failure(
            .failure, "\(unit) cannot be started",
            next: "\(systemctl.joined(separator: " ")) status \(unit)")
    }

    /// Mounts it from now on, and now, if it is not mounted by hand.
    func enable(mounting: Bool) throws(Failure) {
        let command = systemctl + ["enable"] + (mounting ? ["--now"] : []) + [unit]
        guard output(of: command) == nil else {
            if let backing = Places.current.record(of: name)?.backing {
                UnitNames(of: name).follow(diskOf: backing)
            }
            return
        }
        throw Failure(.failure, "\(unit) cannot be started", next: remedy)
    }
}
