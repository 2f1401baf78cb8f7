// `provider fetch` and `provider import`: copies from and to an account's cloud, as its file
// provider makes them.

internal import Glibc
internal import MAMCommandLine
internal import MAMFormat
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

/// Copies a file from the account's cloud, encrypted if policy requires it. In a mount the copy
/// belongs to the account, and the mount encrypts it.
func providerFetch(_ invocation: Invocation) throws -> ExitStatus {
    let handover = try Handover(invocation)
    try handover.refuseWhatIsNotTheAccounts()
    let seals = try !handover.isIntoMount && handover.policyAsksForEncryption()
    return try handover.write(seals ? .encrypted : handover.plainForm, opensHeldData: false)
}

/// Copies a local file to the account's cloud, which never stores ciphertext. Asks the account's
/// policy first.
func providerImport(_ invocation: Invocation) throws -> ExitStatus {
    guard invocation.operands[0].text != "-" else {
        throw invocation.misuse("standard input cannot be imported; name a file")
    }
    let handover = try Handover(invocation)
    try handover.refuseWhatMayNotComeIn()
    return try handover.write(handover.plainForm, opensHeldData: true)
}

/// The transfer of one file.
private struct Handover {
    enum Form {
        case plain, encrypted, decrypted
    }

    private let invocation: Invocation
    private let account: String
    private let daemon: Daemon
    /// `O_PATH`, so that policy can be asked before anything is opened; nil for standard input.
    private let source: Descriptor?
    private let sourcePath: ByteString
    private let isFromMount: Bool
    private let destination: ByteString
    let isIntoMount: Bool
    /// Whether the file belongs to an account, by its header or by what the mount says of it.
    private let isSourceProtected: Bool
    private let override: String?

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        let place = invocation.operands[1]
        (sourcePath, destination) = (invocation.operands[0], place)
        let isStream = sourcePath.text == "-"
        source = isStream ? nil : try openForQuestion(sourcePath)
        let directory = try naming(place, openFile(place.directory.cString, openPathOnly))
        let (from, into) = (source.flatMap { workspace(of: $0) }, workspace(of: directory))
        (isFromMount, isIntoMount) = (from != nil, into != nil)
        let daemon = try invocation.daemon(for: isFromMount ? source : directory)
        self.daemon = daemon
        guard [from, into].allSatisfy({ [daemon.name, nil].contains($0) }) else {
            throw Failure(
                .failure, "\(destination.shown): another workspace than '\(daemon.name)'",
                next: "hand it out of the one first, then take it into the other")
        }
        account = try Self.account(of: invocation, daemon)
        // From here on this process acts for the account: it may read what the account may, and its
        // new files are the account's.
        try daemon.call(
            Varlink.Identity.SetProcessIdentity(
                identity: account, scoped: true, unmanaged: invocation.mayBeUnmanaged),
            about: .verbatim(account))
        if let source, let from {
            let facts = try invocation.protection(of: source, sourcePath, in: from)
            isSourceProtected = facts.isEncrypted
        } else if let source {
            isSourceProtected = try isProtected(source, sourcePath)
        } else {
            isSourceProtected = false
        }
        override = try invocation.override()
        guard override == nil || isSourceProtected else {
            throw invocation.misuse(
                "--override: \(sourcePath.shown) belongs to no account, whose policy could refuse")
        }
    }

    /// What an account has leaves it only through the daemon, which asks the account's policy.
    var plainForm: Form { isSourceProtected ? .decrypted : .plain }

    /// `--owner`, else the identity that this process acts for, else the caller's account.
    private static func account(of invocation: Invocation, _ daemon: Daemon) throws -> String {
        if let owner = try invocation.meantOwner("owner") { return owner }
        let acting = try daemon.call(Varlink.Identity.GetIdentity()).acting
        let identity = acting.name.isEmpty ? acting.objectID : acting.name
        // "Nobody" is kept if it was set, and replaced if it is only the default.
        guard identity.isEmpty, acting.source == .default else { return identity }
        return try invocation.defaultOwner(of: try daemon.status())
    }

    /// A file from the mount may be another account's: checks that this one may receive it. Data
    /// from the account's own cloud needs no check.
    func refuseWhatIsNotTheAccounts() throws {
        if isFromMount { return try refuseWhatMayNotComeIn() }
        if isSourceProtected { throw alreadyEncrypted }
    }

    /// An override is the daemon's to judge.
    func refuseWhatMayNotComeIn() throws {
        guard let source, override == nil else { return }
        if isFromMount, let refusal = refusal(of: .read, on: source, sourcePath) { throw refusal }
        // Outside a mount the daemon has to read the header.
        let file = isFromMount ? source : try openSource(source)
        let decision = try daemon.call(
            Varlink.Policy.CanReceive(fileDescriptor: 0, account: account), descriptors: [file],
            about: .verbatim(sourcePath.shown)
        ).decision
        guard decision.allowed else {
            throw Failure(
                .refused, "\(sourcePath.shown): \(decision.message)",
                next: "mamctl can receive \(sourcePath.asArgument) --account \(account)")
        }
    }

    func policyAsksForEncryption() throws -> Bool {
        try daemon.call(
            Varlink.Policy.Ask(question: "shouldFileProviderEncryptFiles", account: account),
            about: .verbatim(sourcePath.shown)
        ).decision.allowed
    }

    func write(_ form: Form, opensHeldData: Bool) throws -> ExitStatus {
        let input = try source.map(openSource) ?? standardStream(STDIN_FILENO)
        let isHolder = isFromMount && override == nil && ownerOfDataHeld(in: input) != nil
        if isHolder, !opensHeldData { throw alreadyEncrypted }
        let new = try NewFile(
            for: destination, from: sourcePath, replacing: invocation.arguments.has("force"))
        let isSealed = try isEncryptedByMount(new) || form == .encrypted
        let bytes: Int
        switch form {
        case _ where isHolder: bytes = try convert(.open, as: .stream, input, new)
        case .plain: bytes = try copy(input, into: new.descriptor)
        case .decrypted: bytes = try convert(.open, input, new)
        case .encrypted:
            bytes = try convert(
                .seal(owner: account), source == nil ? spooled(input) : input, new)
        }
        try finish(new, like: input)
        report(bytes, isSealed)
        return .success
    }

    private func isEncryptedByMount(_ new: NewFile) throws -> Bool {
        guard isIntoMount else { return false }
        return try invocation.protection(of: new.descriptor, destination, in: daemon.name)
            .isEncrypted
    }

    private func convert(
        _ conversion: Direction, as form: DataForm = .file, _ input: Descriptor, _ new: NewFile
    ) throws(Failure) -> Int {
        try daemon.convert(
            conversion, as: form, input, new.descriptor, override: override,
            about: .verbatim(sourcePath.shown))
    }

    /// Copies the input to memory: data that is already protected is refused before it is
    /// encrypted, and plaintext to be encrypted never reaches a disk.
    private func spooled(_ input: Descriptor) throws -> Descriptor {
        let memory = try naming(ByteString("/dev/shm"), openMemoryFile())
        _ = try copy(input, into: memory, next: "save it in the mount, and name the file")
        return memory
    }

    /// Copies from the input's current offset to its end.
    private func copy(
        _ input: Descriptor, into output: Descriptor, next: Message? = nil
    ) throws(Failure) -> Int {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var done = 0
        while true {
            // The first read of a pipe may be shorter than the magic number.
            let count = try naming(sourceName) { () throws(Errno) in
                try readPiece(input, into: &buffer, atLeast: done == 0 ? fileMagic.count : 1)
            }
            guard count > 0 else { return done }
            if done == 0, source == nil, buffer.prefix(count).starts(with: fileMagic) {
                throw alreadyEncrypted
            }
            do throws(Errno) {
                let span = buffer.span.bytes.extracting(first: count)
                try span.withUnsafeBytes { bytes throws(Errno) in
                    try writeFully(output.raw, from: bytes, at: Int64(done))
                }
            } catch { throw Failure(destination, error, next: next) }
            done += count
        }
    }

    /// Returns fewer bytes only at the end of file.
    private func readPiece(
        _ input: Descriptor, into buffer: inout [UInt8], atLeast least: Int
    ) throws(Errno) -> Int {
        var count = 0
        while count < least {
            let more = try retrying {
                buffer.withUnsafeMutableBytes {
                    read(input.raw, $0.baseAddress.map { $0 + count }, $0.count - count)
                }
            }
            if more == 0 { break }
            count += more
        }
        return count
    }

    private func finish(_ new: NewFile, like input: Descriptor) throws {
        var attributes = try naming(sourceName, status(of: input.raw))
        // A pipe's mode says nothing about its content: keep the copy private.
        if source == nil { attributes.st_mode = 0o600 }
        try new.finish(like: attributes, inPlaceOf: source == nil ? nil : input)
    }

    private func report(_ bytes: Int, _ isSealed: Bool) {
        if invocation.isJSON {
            return printJSON([
                "path": .string(destination.shown), "bytes": JSONValue(bytes),
                "account": .string(account), "encrypted": .bool(isSealed),
            ])
        }
        let form: Message = isSealed ? "encrypted for \(shown(account))" : "plain"
        printOut("\(sourceName.shown) → \(destination.shown): \(bytes.asByteCount), \(form)")
    }

    private var sourceName: ByteString {
        source == nil ? ByteString("standard input") : sourcePath
    }

    private var alreadyEncrypted: Failure {
        Failure(
            .failure, "\(sourceName.shown) is a protected file: a cloud holds plain ones",
            next: "mamctl provider import SRC DST")
    }

    /// For an override the daemon opens what policy keeps from this process.
    private func openSource(_ file: Descriptor) throws(Failure) -> Descriptor {
        if isFromMount, override != nil { return file }
        return try naming(sourcePath, reopen(file.raw, O_RDONLY))
    }
}

/// Whether the file has one of our headers; refuses a damaged one.
private func isProtected(_ file: Descriptor, _ path: ByteString) throws(Failure) -> Bool {
    let facts = try headerFacts(path, file)
    if let flaw = facts.flaw { throw flaw }
    return facts.state != .foreign
}
