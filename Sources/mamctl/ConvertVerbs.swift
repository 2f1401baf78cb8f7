// `encrypt` and `decrypt`: protected files outside any mount. The daemon has the keys, we open the files.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

func encrypt(_ invocation: Invocation) throws -> ExitStatus {
    guard let owner = try invocation.arguments.text("owner") else {
        throw Failure.usage(invocation.verb, "--owner is missing")
    }
    return try invocation.convertEach(
        Conversion(
            method: "Encrypt", methodInMount: "Protection.EncryptFile",
            parameters: ["owner": .string(owner)], seals: true))
}

/// Without an output the file itself becomes plain, inside a mount and outside.
func decrypt(_ invocation: Invocation) throws -> ExitStatus {
    try invocation.convertEach(
        Conversion(
            method: "Decrypt", methodInMount: "Protection.DecryptFile", parameters: [:],
            seals: false))
}

/// One of the two ways.
struct Conversion {
    let method: String
    let methodInMount: String
    let parameters: [String: JSONValue]
    let seals: Bool
}

/// The file that is read.
struct Source {
    let path: ByteString
    let descriptor: Descriptor
    let attributes: stat

    init(_ path: ByteString) throws(Failure) {
        self.path = path
        let file = try openForQuestion(path)
        (descriptor, attributes) = try naming(path) { () throws(Errno) in
            let open = try reopen(file.raw, O_RDONLY)
            return (open, try status(of: open.raw))
        }
    }

    /// Where the file lies that was opened: a link on the way to it may lead elsewhere by now.
    var place: ByteString {
        get throws(Failure) {
            try naming(path) { () throws(Errno) in try currentPath(of: descriptor.raw) }
        }
    }

    /// Refuses to have it replaced if somebody has written to it since it was opened, or it is not there any more.
    func refuseIfChanged(at place: ByteString) throws(Failure) {
        let now = try? status(at: workingDirectory, place.cString, followLinks: false)
        guard let now, now.st_dev == attributes.st_dev, now.st_ino == attributes.st_ino,
            now.st_size == attributes.st_size,
            now.st_mtim.tv_sec == attributes.st_mtim.tv_sec,
            now.st_mtim.tv_nsec == attributes.st_mtim.tv_nsec
        else {
            throw Failure(
                .failure, "\(path.shown) was changed meanwhile, and is left as it is",
                next: "close it in other programs, and try again")
        }
    }

    /// Refuses to seal what is sealed already.
    func refuseToEncrypt() throws(Failure) {
        let facts = try headerFacts(path, descriptor)
        if facts.isDamaged { throw facts.damage }
        if facts.isManaged {
            throw Failure(
                .failure, "\(path.shown) is encrypted already, for \(facts.owner)",
                next: "mamctl info \(path.asArgument)")
        }
    }

    /// Refuses what has no header of ours, and in a mount, where none is seen, what is plain.
    func refuseToDecrypt(_ invocation: Invocation) throws {
        let name = workspace(of: descriptor)
        let facts =
            try name.map {
                try invocation.protection("ProtectionInfo", of: descriptor, path, in: $0)
            } ?? headerFacts(path, descriptor)
        if facts.isDamaged { throw facts.damage }
        guard name == nil ? facts.state == .foreign : !facts.isEncrypted else { return }
        throw Failure(
            .notManaged, "\(path.shown) is not encrypted",
            next: "mamctl info \(path.asArgument)")
    }
}

/// What lies in a mount is encrypted by the mount: a protected file in it would be protected twice.
private func refuseMount(_ destination: ByteString) throws(Failure) {
    guard let directory = try? openFile(destination.directory.cString, openPathOnly),
        let name = workspace(of: directory)
    else { return }
    throw Failure(
        .failure,
        "\(destination.shown) would lie in the mounted workspace '\(name)', which encrypts by itself",
        next: "copy the plain file there")
}

extension Invocation {
    fileprivate func convertEach(_ conversion: Conversion) throws -> ExitStatus {
        let output = try Output(self)
        let progress = ConversionProgress(operands)
        defer { progress.clear() }
        return eachFile(before: progress.clear) { path in
            defer { progress.finish(path) }
            switch output {
            case .stream: return try convert(path, conversion, progress)
            case .inPlace:
                if let done = try convertInMount(path, conversion) { return done }
                return try convert(path, into: nil, conversion, progress)
            case .file(let place): return try convert(path, into: place, conversion, progress)
            case .directory(let place):
                return try convert(
                    path, into: place.appending(path.lastComponent), conversion, progress)
            }
        }
    }

    /// Nil for a file that lies in no mount.
    private func convertInMount(
        _ path: ByteString, _ conversion: Conversion
    ) throws -> (Record?, JSONValue)? {
        let file = try openForQuestion(path)
        guard let name = workspace(of: file) else { return nil }
        let facts = try protection(
            conversion.methodInMount, conversion.parameters, of: file, path, in: name)
        let owner = ByteString(facts.owner.description).shown
        let word = facts.isEncrypted ? "encrypted" : "plain"
        return (Record(path: path, after: ": \(word), owned by \(owner)"), facts.json)
    }

    private func convert(
        _ path: ByteString, into output: ByteString?, _ conversion: Conversion,
        _ progress: ConversionProgress
    ) throws -> (Record?, JSONValue) {
        let input = try input(path, conversion)
        let replaced: Source? =
            if output == nil, case .file(let source) = input { source } else { nil }
        let destination = try output ?? replaced?.place ?? path
        if conversion.seals { try refuseMount(destination) }
        let new = try NewFile(
            for: destination, from: path, replacing: output == nil || arguments.has("force"))
        let bytes = try input.convert(
            self, conversion, into: new.descriptor, progress)
        try new.finish(like: input.attributes, inPlaceOf: replaced?.descriptor) {
            () throws(Failure) in
            try replaced?.refuseIfChanged(at: destination)
        }
        warnOfOtherNames(path, input.attributes, wasReplaced: output == nil)
        return (
            Record(path: path, after: " → \(destination.shown): \(bytes) bytes"),
            ["path": .string(destination.shown), "bytes": JSONValue(bytes)]
        )
    }

    /// A file of several names is replaced under one of them.
    private func warnOfOtherNames(_ path: ByteString, _ file: stat, wasReplaced: Bool) {
        guard wasReplaced, file.st_nlink > 1 else { return }
        printError(
            "mamctl: \(path.shown) had \(file.st_nlink - 1) more hard links: they still are what it was"
        )
    }
}

/// Where `encrypt` and `decrypt` write to.
private enum Output {
    case inPlace
    case file(ByteString)
    case directory(ByteString)
    /// Standard output.
    case stream

    init(_ invocation: Invocation) throws(Failure) {
        let (verb, operands) = (invocation.verb, invocation.operands)
        let readsStream = operands.contains { $0.text == "-" }
        guard let path = invocation.arguments.value("output") else {
            if readsStream, operands.count == 1 {
                self = try .toOutput(invocation)
                return
            }
            if readsStream {
                throw .usage(verb, "standard input is no file that could be replaced: add -o OUT")
            }
            self = .inPlace
            return
        }
        if path.text == "-" {
            self = try .toOutput(invocation)
            return
        }
        let isDirectory =
            path.bytes.last == UInt8(ascii: "/")
            || ((try? status(at: workingDirectory, path.cString, followLinks: true).st_mode) ?? 0)
                & S_IFMT == S_IFDIR
        guard isDirectory else {
            guard operands.count <= 1 else {
                throw .usage(verb, "several files need a directory: \(path.shown)/")
            }
            self = .file(path)
            return
        }
        try refuseOneName(of: operands, verb)
        self = .directory(path)
    }

    private static func toOutput(_ invocation: Invocation) throws(Failure) -> Output {
        guard invocation.operands.count == 1, !invocation.isJSON else {
            throw .usage(
                invocation.verb, "standard output takes one file, and no JSON beside it")
        }
        return .stream
    }
}

/// The second of two files of one name would replace the first.
private func refuseOneName(of operands: [ByteString], _ verb: Verb) throws(Failure) {
    var names: Set<ByteString> = []
    for path in operands {
        guard path.text != "-" else {
            throw .usage(verb, "standard input has no name: add one to the directory")
        }
        guard names.insert(path.lastComponent).inserted else {
            throw .usage(verb, "two of the files are named \(path.lastComponent.shown)")
        }
    }
}
