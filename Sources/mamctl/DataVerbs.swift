// `data protect`, `data unprotect` and `data info`: from standard input to standard output.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

private let dataSubject = "standard input"

func protectData(_ invocation: Invocation) throws -> ExitStatus {
    guard let owner = try invocation.arguments.text("owner") else {
        throw Failure.usage(invocation.verb, "--owner is missing")
    }
    let daemon = try invocation.daemon()
    if invocation.arguments.has("string") {
        let reply = try daemon.call(
            "Protection.ProtectString",
            ["owner": .string(owner), "text": .string(try readText())], about: dataSubject)
        printOut(try reply.string("text"))
        return .success
    }
    guard isatty(STDOUT_FILENO) == 0 else {
        throw Failure.usage(
            invocation.verb, "protected data is no text, and standard output is a terminal")
    }
    _ = try daemon.call(
        "Protection.ProtectData",
        ["owner": .string(owner), "sourceDescriptor": 0, "destinationDescriptor": 1],
        descriptors: try standardStreams(), about: dataSubject)
    return .success
}

func unprotectData(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    if invocation.arguments.has("string") {
        return try unprotectString(daemon)
    }
    do throws(Failure) {
        _ = try daemon.call(
            "Protection.UnprotectData", ["sourceDescriptor": 0, "destinationDescriptor": 1],
            descriptors: try standardStreams(), about: dataSubject)
    } catch {
        guard error.status == .damaged else { throw error }
        throw Failure(
            .damaged, "\(error.message); what came out before is right, and the rest is missing")
    }
    return .success
}

private func unprotectString(_ daemon: Daemon) throws -> ExitStatus {
    let text = try readText()
    // As `data protect --string` printed it.
    let line = text.hasSuffix("\n") ? String(text.dropLast()) : text
    let reply = try daemon.call(
        "Protection.UnprotectString", ["text": .string(line)], about: dataSubject)
    let plain = try reply.bool("protected") ? try reply.string("text") : text
    writeOut(Array(plain.utf8))
    return .success
}

/// As `info` tells it of a file; 4 for what is not protected.
func dataInfo(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let reply: Parameters
    if invocation.arguments.has("string") {
        let text = try readText()
        let line = text.hasSuffix("\n") ? String(text.dropLast()) : text
        reply = try daemon.call(
            "Protection.StringInfo", ["text": .string(line)], about: dataSubject)
    } else {
        reply = try daemon.call(
            "Protection.DataInfo", ["sourceDescriptor": 0],
            descriptors: [try standardStream(STDIN_FILENO)], about: dataSubject)
    }
    guard reply.has("protection") else {
        if invocation.isJSON { printJSON(.object(reply.members)) }
        printError("\(dataSubject): not protected")
        return .notManaged
    }
    if invocation.isJSON {
        printJSON(.object(reply.members))
    } else {
        let info = try ProtectionInfo(try reply.object("protection"))
        invocation.print(description(of: FileFacts(ByteString(dataSubject), info)))
    }
    return .success
}

private func standardStreams() throws(Failure) -> [Descriptor] {
    [try standardStream(STDIN_FILENO), try standardStream(STDOUT_FILENO)]
}

private func standardStream(_ number: Int32) throws(Failure) -> Descriptor {
    try naming(ByteString(number == STDIN_FILENO ? dataSubject : "standard output")) {
        () throws(Errno) in
        Descriptor(owning: try retrying { fcntl(number, F_DUPFD_CLOEXEC, 0) })
    }
}

/// A string that one call can carry.
private func readText() throws(Failure) -> String {
    let limit = FrameReader.requestByteCount / 2
    let bytes = try naming(ByteString(dataSubject)) { () throws(Errno) in
        try readSmallFile("/proc/self/fd/0", maximumByteCount: limit)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
        throw Failure(
            .usage, "\(dataSubject) is not text in UTF-8", next: "leave out --string")
    }
    return text
}
