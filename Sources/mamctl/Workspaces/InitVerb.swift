// `init`: a new workspace.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

/// Checks everything before creating anything. Writes the workspace's manifest last, so that an
/// interrupted run can be repeated.
func initialise(_ invocation: Invocation) throws -> ExitStatus {
    let plan = try WorkspacePlan(invocation)
    try plan.checkBacking(adopting: invocation.arguments.has(.adopt))
    try plan.checkName()
    if !invocation.arguments.has(.smallBlocks) { try plan.checkBlocks() }
    try plan.checkStore()
    try plan.create()
    return invocation.answer(
        [
            "name": .string(plan.name.description), "id": .string(plan.id.description),
            "backingDirectory": .string(plan.backing.shown),
            "configurationDirectory": .string(plan.configuration),
        ],
        words: """
            workspace '\(plan.name)' is ready; settings and policies: \(plan.configuration)
            its policy requires passphrases of ten characters, which resist a month of offline \
            guessing
            next: mamctl mount \(plan.backing.asArgument) MOUNTPOINT
            """)
}

/// What `init` will create.
struct WorkspacePlan {
    let backing: ByteString
    let name: WorkspaceName
    let id: Bytes16
    let settings: [UInt8]
    let configuration: String
    let state: String

    init(_ invocation: Invocation) throws {
        let backing = invocation.operands[0].withoutTrailingSlashes
        guard !backing.bytes.isEmpty else {
            throw invocation.misuse("BACKING is empty")
        }
        self.init(
            backing: backing, name: try Self.name(invocation, backing),
            settings: try readSettings(invocation.arguments.value("settings")))
    }

    init(backing: ByteString, name: WorkspaceName, settings: [UInt8]) {
        (self.backing, self.name, self.settings) = (backing, name, settings)
        id = Bytes16(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
        configuration = Places.current.configuration(of: name)
        state = Places.current.state(of: name)
    }

    private static func name(
        _ invocation: Invocation, _ backing: ByteString
    ) throws(Failure) -> WorkspaceName {
        if let text = invocation.arguments.value("name") { return try workspaceName(text) }
        let last = (backing.resolvedDirectory ?? backing).lastComponent
        let text = last.text?.drop { $0 == "." || $0 == "-" }
        if let name = text.flatMap({ WorkspaceName(String($0)) }) { return name }
        throw Failure(
            .usage, "'\(last.shown)' is not a valid workspace name", next: "add --name NAME")
    }

    func checkBacking(adopting: Bool) throws(Failure) {
        if let missing = MissingBacking(at: backing) { throw missing.failure }
        let parent = try naming(backing, openFile(backing.directory.cString, openPathOnly))
        if let name = workspace(of: parent) { throw insideMount(name) }
        try refuseInsideBacking()
        guard let directory = try existingBacking() else { return }
        if let name = workspace(of: directory) { throw insideMount(name) }
        if faccessat(directory.raw, ".mamd/workspace.json", F_OK, 0) == 0 {
            throw Failure(
                .failure, "\(backing.shown) is already a workspace",
                next: "mamctl mount \(backing.asArgument) MOUNTPOINT")
        }
        // Accept what an interrupted run left.
        let names = try naming(backing, entries(of: directory.raw))
        guard adopting || names.allSatisfy({ $0.text == ".mamd" }) else {
            throw Failure(
                .failure, "\(backing.shown) is not empty",
                next: "add --adopt to show its files as they are, owned by nobody")
        }
    }

    /// Refuses nesting: the outer workspace would show the inner one's ciphertext as its own files.
    private func refuseInsideBacking() throws(Failure) {
        let parent = backing.directory.resolved ?? backing.directory
        guard let place = backingDirectory(around: parent) else { return }
        throw Failure(
            .failure, "\(backing.shown) is in \(place.shown), a backing directory",
            next: "use a directory outside of any workspace")
    }

    /// Refuses small blocks: a power failure can tear a write over several blocks, and a mix of old
    /// and new fails authentication.
    func checkBlocks() throws(Failure) {
        let size = try naming(backing) { () throws(Errno) -> Int in
            let place = faccessat(workingDirectory, backing.cString, F_OK, 0) == 0
            let path = place ? backing : backing.directory
            return try blockByteCount(ofFileSystem: openFile(path.cString, openPathOnly))
        }
        guard size < safeBlockByteCount else { return }
        throw Failure(
            .failure,
            "the file system of \(backing.shown) has blocks of \(size) bytes: a power cut may"
                + " destroy files that are being written, including synced data",
            next: "use one with blocks of 4096 bytes (mkfs.ext4 -b 4096), or add --small-blocks")
    }

    /// Tries what mamd does with files. Refuses a file system on which nothing would work, leaves
    /// nothing behind on it, and says what is lost on another.
    func checkStore() throws(Failure) {
        let places = [backing, backing.appending(".mamd"), backing.appending(".mamd/work")]
        var made: [ByteString] = []
        defer { for place in made.reversed() { rmdir(place.cString) } }
        for place in places {
            if mkdir(place.cString, 0o700) == 0 {
                made.append(place)
            } else {
                guard Errno.current == .exists else { throw Failure(place, .current) }
            }
        }
        let probe = try naming(backing) { () throws(Errno) in
            try StoreProbe(in: try openFile(places[2].cString, O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
        }
        for need in probe.lacking {
            let loss = StoreProbe.loss(of: need, at: backing)
            guard !need.isVital else {
                throw Failure(.failure, loss, next: "use a directory on another disk")
            }
            printError("mamctl: \(loss)")
        }
    }

    private func existingBacking() throws(Failure) -> Descriptor? {
        do throws(Errno) {
            return try openFile(backing.cString, O_RDONLY | O_DIRECTORY)
        } catch {
            if error == .noEntry { return nil }
            throw Failure(backing, error)
        }
    }

    private func insideMount(_ name: WorkspaceName) -> Failure {
        Failure(
            .failure, "\(backing.shown) is in the mounted workspace '\(name)'",
            next: "use a directory outside of any workspace")
    }

    /// Refuses a name in use: two workspaces of one name would share settings and keys.
    func checkName() throws(Failure) {
        var marks = ["\(state)/device-secret"]
        if !isBegun { marks.append("\(configuration)/workspace.json") }
        for path in marks where access(path, F_OK) == 0 {
            throw Failure(
                .failure, "the name '\(name)' is in use by another workspace: \(path) exists",
                next: "add --name NAME")
        }
    }

    /// An interrupted run has noted this directory. ``checkBacking(adopting:)`` found no workspace
    /// there.
    private var isBegun: Bool {
        guard let record = Places.current.record(of: name),
            let directory = try? openFile(backing.cString, openPathOnly)
        else { return false }
        return record.isAt(directory)
    }

    func create() throws {
        try makeDirectory(backing, mode: 0o700)
        let configuration = WorkspaceConfiguration(of: name)
        try configuration.create(settings: settings)
        try configuration.note(id, at: backing.resolved ?? backing)
        try makeDirectories(state, mode: 0o700)
        // An existing directory may be too permissive for keys.
        guard chmod(state, 0o700) == 0 else { throw Failure(ByteString(state), .current) }
        try WorkspaceManifest(name: name, id: id).write(to: backing)
    }
}

/// Parses the value of `--name`, or an operand.
func workspaceName(
    _ text: ByteString, next: Message = "add --name NAME"
) throws(Failure) -> WorkspaceName {
    if let name = text.text.flatMap({ WorkspaceName($0) }) { return name }
    throw Failure(
        .usage,
        "'\(text.shown)' is not a valid workspace name: use 1 to 64 letters, digits, '.', '_' or"
            + " '-',"
            + " beginning with neither '.' nor '-'", next: next)
}
