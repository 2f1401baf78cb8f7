// `encrypt` and `decrypt`: protected files outside any mount. The daemon has the keys, we open the files.

internal import Glibc
internal import MAMControl
internal import MAMModel
internal import MAMSystem

func encrypt(_ invocation: Invocation) throws -> ExitStatus {
    guard let owner = try invocation.arguments.text("owner") else {
        throw Failure.usage(invocation.verb, "--owner is missing")
    }
    let source = try Source(invocation.operands[0])
    let output = invocation.arguments.value("output")
    try source.refuseToEncrypt(inPlace: output == nil)
    try refuseMount(output ?? source.path)
    return try invocation.convert(
        source, into: output, method: "Encrypt", parameters: ["owner": .string(owner)])
}

func decrypt(_ invocation: Invocation) throws -> ExitStatus {
    guard let output = invocation.arguments.value("output") else {
        throw Failure.usage(invocation.verb, "-o OUT is missing")
    }
    let source = try Source(invocation.operands[0])
    try source.refuseToDecrypt()
    return try invocation.convert(source, into: output, method: "Decrypt", parameters: [:])
}

/// The file that is read.
private struct Source {
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

    func refuseToEncrypt(inPlace: Bool) throws(Failure) {
        if inPlace, let name = workspace(of: descriptor) {
            throw Failure(
                .failure,
                "\(path.shown) lies in the mounted workspace '\(name)', which encrypts by owner",
                next: "mamctl owner --set UPN \(path.shown)")
        }
        let facts = try headerFacts(path, descriptor)
        if facts.isDamaged { throw facts.damage }
        if facts.isManaged {
            throw Failure(.failure, "\(path.shown) is encrypted already, for \(facts.owner)")
        }
    }

    func refuseToDecrypt() throws(Failure) {
        let facts = try headerFacts(path, descriptor)
        if facts.isDamaged { throw facts.damage }
        guard facts.state == .foreign else { return }
        let place = workspace(of: descriptor).map {
            "; the mount of workspace '\($0)' shows it in the clear, so copy it"
        }
        throw Failure(.notManaged, "\(path.shown) is not encrypted\(place ?? "")")
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
    fileprivate func convert(
        _ source: Source, into output: ByteString?, method: String,
        parameters: [String: JSONValue]
    ) throws -> ExitStatus {
        let destination = output ?? source.path
        let replacing = output == nil || arguments.has("force")
        let daemon = try daemon(for: source.descriptor)
        let new = try NewFile(for: destination, from: source.path, replacing: replacing)
        let indices: [String: JSONValue] = ["sourceDescriptor": 0, "destinationDescriptor": 1]
        let reply = try daemon.call(
            method, parameters.merging(indices) { $1 },
            descriptors: [source.descriptor, new.descriptor], about: source.path.shown)
        try new.finish(like: source.attributes, keepingOwnerAndTimes: output == nil)
        let bytes = try reply.integer("bytes")
        if isJSON {
            printJSON(["path": .string(destination.shown), "bytes": JSONValue(bytes)])
        } else {
            printOut("\(source.path.shown) → \(destination.shown): \(bytes) bytes")
        }
        return .success
    }
}
