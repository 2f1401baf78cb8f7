// `data protect`, `data unprotect` and `data info`: from standard input or a file to standard
// output or a new file.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

private typealias Wire = Varlink.Protection

func protectData(_ invocation: Invocation) throws -> ExitStatus {
    guard let owner = try invocation.arguments.text("owner") else {
        throw invocation.misuse("--owner is missing")
    }
    let daemon = try invocation.daemon()
    let ends = try DataEnds(invocation)
    let unmanaged = invocation.mayBeUnmanaged
    if invocation.arguments.has("string") {
        let request = Wire.ProtectString(
            owner: owner, unmanaged: unmanaged, text: try ends.readText())
        return try ends.finish(
            with: "\(try daemon.call(request, about: .verbatim(ends.name)).text)\n")
    }
    try refuseTerminal(ends.destination.raw, invocation.verb)
    try ends.convert(
        .seal(owner: owner), as: .data(unmanaged: unmanaged), daemon, try invocation.override())
    return try ends.finish()
}

/// On damaged data, creates no file, but standard output has the part before the damage.
func unprotectData(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let ends = try DataEnds(invocation)
    let override = try invocation.override()
    if invocation.arguments.has("string") { return try unprotectString(daemon, ends, override) }
    func convert() throws(Failure) {
        try ends.convert(.open, as: .data(unmanaged: false), daemon, override)
    }
    try ends.isNewFile ? convert() : explainingCut(convert)
    return try ends.finish()
}

private func unprotectString(
    _ daemon: Daemon, _ ends: DataEnds, _ override: String?
) throws -> ExitStatus {
    let text = try ends.readText()
    let reply = try daemon.call(
        Wire.UnprotectString(text: line(text), override: override), about: .verbatim(ends.name))
    return try ends.finish(with: reply.protected ? reply.text : text)
}

/// Without the newline that `data protect --string` adds.
private func line(_ text: String) -> String {
    text.hasSuffix("\n") ? String(text.dropLast()) : text
}

/// Prints the same as `info` for a file; exits with 4 if the data is not protected.
func dataInfo(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let ends = try DataEnds(invocation)
    let reply =
        try invocation.arguments.has("string")
        ? daemon.call(Wire.StringInfo(text: line(try ends.readText())), about: .verbatim(ends.name))
        : daemon.call(
            Wire.DataInfo(sourceDescriptor: 0), descriptors: [ends.source],
            about: .verbatim(ends.name))
    if invocation.isJSON { printJSON(reply.json) }
    guard let protection = reply.protection else {
        printError("\(ends.name): not protected")
        return .notManaged
    }
    if !invocation.isJSON {
        let info = try FileProtection(protection)
        var tables = RepeatedTable()
        invocation.print(description(of: FileReport(ends.path, info), in: &tables))
    }
    return .success
}

/// The input and output of a verb.
private struct DataEnds {
    let path: ByteString
    let source: Descriptor
    let destination: Descriptor
    private let new: NewFile?
    private let attributes: stat

    var name: String { path.shown }
    var isNewFile: Bool { new != nil }

    init(_ invocation: Invocation) throws(Failure) {
        if let file = invocation.operands.first, file.text != "-" {
            path = file
            source =
                try invocation.override() == nil
                ? openFile(file, O_RDONLY | O_NOCTTY)
                : Source(file, overrides: true).descriptor
        } else {
            path = inputName
            source = try standardStream(STDIN_FILENO)
        }
        let source = source
        attributes = try naming(path, status(of: source.raw))
        if let out = invocation.arguments.value("output"), out.text != "-" {
            let file = try NewFile(
                for: out, from: path, replacing: invocation.arguments.has("force"))
            (new, destination) = (file, file.descriptor)
        } else {
            (new, destination) = (nil, try standardStream(STDOUT_FILENO))
        }
    }

    /// From one to the other.
    func convert(
        _ conversion: Direction, as form: DataForm, _ daemon: Daemon, _ override: String?
    ) throws(Failure) {
        _ = try daemon.convert(
            conversion, as: form, source, destination, override: override,
            about: .verbatim(name))
    }

    /// Gives a new file its name and the mode of its source.
    func finish(with text: String? = nil) throws(Failure) -> ExitStatus {
        if let text {
            let bytes = Array(text.utf8)
            if let new { try new.write(bytes) } else { writeOut(bytes) }
        }
        var like = attributes
        if like.st_mode & S_IFMT != S_IFREG { like.st_mode = 0o600 }
        try new?.finish(like: like)
        return .success
    }

    /// Reads a string, up to the size that fits into a call.
    func readText() throws(Failure) -> String {
        let limit = FrameReader.requestByteCount / 2
        let bytes = try naming(path, readToEnd(of: source, maximumByteCount: limit))
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.usage, "\(name) is not text in UTF-8", next: "leave out --string")
        }
        return text
    }
}

func standardStream(_ number: Int32) throws(Failure) -> Descriptor {
    let name = number == STDIN_FILENO ? "standard input" : "standard output"
    return try naming(ByteString(name), duplicate(number))
}
