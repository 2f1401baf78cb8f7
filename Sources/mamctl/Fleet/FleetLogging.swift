// What verbs note in the organisation's log once it is done.

internal import Glibc
internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem

extension LogEntry {
    /// By who runs this, now.
    init(_ event: Event) {
        let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) }
        self.init(
            event, at: Int64(currentTime()), by: user ?? "\(geteuid())",
            on: SetupDefaults.host.shown)
    }

    init(_ event: Event, _ file: String, _ envelope: Envelope) {
        self.init(event)
        document = try? Document(file, envelope)
    }

    init(_ event: Event, machine: MachineID, reason: String? = nil) {
        self.init(event)
        self.machine = machine
        self.reason = reason.map(excerpt(of:))
    }
}

extension OrganizationDirectory {
    /// What is done is done: where it cannot be noted that is told, and changes no status.
    func note(_ entries: [LogEntry]) {
        do throws(Failure) { try log(entries) } catch { tellUnlogged(.init(error)) }
    }
}

private func tellUnlogged(_ failure: Failure) {
    Failure(
        failure.status, "this is done, and not in the log: \(failure.message)",
        next: "mamctl fleet log --add, once that is mended"
    ).report(isJSON: false)
}

/// The same of files of an organisation's directory. What is signed elsewhere is noted nowhere.
func note(_ event: LogEntry.Event, _ files: [FleetFile]) {
    for file in files {
        guard let (directory, name) = organizationPlace(of: file) else { continue }
        directory.note([LogEntry(event, name, file.envelope)])
    }
}

/// The directory of the document's organisation that the file is in, and its name there.
private func organizationPlace(
    of file: FleetFile
) -> (directory: OrganizationDirectory, name: String)? {
    guard !file.isForStandardOutput, let path = file.path.resolved else { return nil }
    var above = path.directory
    var name = path.lastComponent.shown
    // As deep as directories for groups are made by hand.
    for _ in 0..<4 {
        let directory = OrganizationDirectory(above)
        let root = directory.whole(OrganizationDirectory.root)
        if let found = try? FleetRoot(reading: root, requiresSignatures: false) {
            let isKept =
                file.envelope.kind == .root
                || OrganizationDirectory.logged.contains { name.hasPrefix("\($0)/") }
            return found.organization == file.statement.organization && isKept
                ? (directory, name) : nil
        }
        name = "\(above.lastComponent.shown)/\(name)"
        above = above.directory
    }
    return nil
}
