// `encrypt` and `decrypt`: protected files outside any mount. The daemon has the keys, we open the files.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

func encrypt(_ invocation: Invocation) throws -> ExitStatus {
    guard let owner = try invocation.arguments.text("owner") else {
        throw Failure.usage(invocation.verb, "--owner is missing")
    }
    let output = invocation.arguments.value("output")
    if output == nil,
        let done = try invocation.convertInMount("EncryptFile", ["owner": .string(owner)])
    {
        return done
    }
    let source = try Source(invocation.operands[0])
    try source.refuseToEncrypt()
    try refuseMount(output ?? source.path)
    return try invocation.convert(
        source, into: output, method: "Encrypt", parameters: ["owner": .string(owner)])
}

/// Without an output the file itself becomes plain, inside a mount and outside.
func decrypt(_ invocation: Invocation) throws -> ExitStatus {
    let output = invocation.arguments.value("output")
    if output == nil, let done = try invocation.convertInMount("DecryptFile", [:]) { return done }
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

    func refuseToEncrypt() throws(Failure) {
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
    /// Nil for a file that lies in no mount.
    fileprivate func convertInMount(
        _ method: String, _ parameters: [String: JSONValue]
    ) throws -> ExitStatus? {
        let path = operands[0]
        let file = try openForQuestion(path)
        guard let name = workspace(of: file) else { return nil }
        let facts = try protection("Protection.\(method)", parameters, of: file, path, in: name)
        if isJSON {
            printJSON(facts.json)
        } else {
            let word = facts.isEncrypted ? "encrypted" : "plain"
            printOut(
                "\(path.shown): \(word), owned by \(ByteString(facts.owner.description).shown)")
        }
        return .success
    }

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
