// One run of `encrypt` or `decrypt`.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

struct Converter {
    let invocation: Invocation
    let conversion: Direction
    let progress: ConversionProgress

    init(_ invocation: Invocation, _ conversion: Direction) {
        (self.invocation, self.conversion) = (invocation, conversion)
        progress = ConversionProgress(invocation.operands)
    }

    func convertEach() throws -> ExitStatus {
        let output = try ConvertOutput.of(invocation)
        defer { progress.clear() }
        let questions = FileQuestions(about: invocation.operands, orDirectory: false)
        return invocation.eachFile(before: progress.clear) { path in
            defer { progress.finish(path) }
            switch output {
            case .stream: return try toOutput(path)
            case .inPlace:
                if let held = (try? questions.next())?.dataHeldIfRead {
                    throw explainHeld(path, held)
                }
                if let done = try convertInMount(path) { return done }
                return try convert(path, into: nil)
            case .file(let place): return try convert(path, into: place)
            case .directory(let place):
                return try convert(
                    path, into: place.appending(path.lastComponent))
            }
        }
    }

    /// Nil for a file outside any mount.
    private func convertInMount(_ path: ByteString) throws -> (Record?, JSONValue)? {
        let file = try openForQuestion(path)
        guard let name = workspace(of: file) else { return nil }
        let facts: FileReport
        do { facts = try convert(file, path, in: name) } catch {
            throw Failure(any: error).naming(otherNamesOf: file, path)
        }
        let owner = shown(facts.owner.description)
        let isEncrypted = facts.isEncrypted
        let after: Message =
            isEncrypted ? ": encrypted, owned by \(owner)" : ": plain, owned by \(owner)"
        return (Record(path: path, after: after), facts.json)
    }

    private func convert(
        _ file: Descriptor, _ path: ByteString, in workspace: WorkspaceName
    ) throws -> FileReport {
        let override = try invocation.override()
        return switch conversion {
        case .seal(let owner):
            try invocation.protection(
                Varlink.Protection.EncryptFile(
                    owner: owner, fileDescriptor: 0, override: override),
                of: file, path, in: workspace)
        case .open:
            try invocation.protection(
                Varlink.Protection.DecryptFile(fileDescriptor: 0, override: override),
                of: file, path, in: workspace)
        }
    }

    private func convert(
        _ path: ByteString, into output: ByteString?
    ) throws -> (Record?, JSONValue) {
        let input = try self.input(path)
        let replaced: Source? =
            if output == nil, case .file(let source) = input { source } else { nil }
        let destination = try output ?? replaced?.place ?? path
        if conversion.seals { try refuseMount(destination) }
        let new = try NewFile(
            for: destination, from: path,
            replacing: output == nil || invocation.arguments.has("force"))
        let bytes = try input.convert(
            invocation, conversion, into: new.descriptor, progress)
        try new.finish(like: input.attributes, inPlaceOf: replaced?.descriptor) {
            () throws(Failure) in
            try replaced?.refuseIfChanged(at: destination)
        }
        warnOfOtherNames(path, input.attributes, wasReplaced: output == nil)
        return (
            Record(path: path, after: " → \(destination.shown): \(bytes.asByteCount)"),
            ["path": .string(destination.shown), "bytes": JSONValue(bytes)]
        )
    }

    func input(_ path: ByteString) throws -> Input {
        if path.text == "-" { return .stream }
        let source = try Source(path, overrides: try invocation.override() != nil)
        if conversion.seals {
            try source.refuseToEncrypt()
        } else {
            try source.refuseToDecrypt(invocation)
        }
        return .file(source)
    }
}

/// Replacing a file with hard links replaces only one of its names.
private func warnOfOtherNames(_ path: ByteString, _ file: stat, wasReplaced: Bool) {
    guard wasReplaced, file.st_nlink > 1 else { return }
    let more = Int(file.st_nlink) - 1
    printError(
        Message(
            more,
            one: "mamctl: \(path.shown) had \(more) more hard link, which still has the old"
                + " content",
            many: "mamctl: \(path.shown) had \(more) more hard links, which still have the old"
                + " content"))
}

/// Refuses an encrypted output file in a mount, which would encrypt it again.
private func refuseMount(_ destination: ByteString) throws(Failure) {
    guard let directory = try? openFile(destination.directory.cString, openPathOnly),
        let name = workspace(of: directory)
    else { return }
    throw Failure(
        .failure,
        "\(destination.shown) would be in the mounted workspace '\(name)',"
            + " which encrypts by itself",
        next: "copy the plain file there")
}
