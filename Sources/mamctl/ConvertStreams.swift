// `encrypt` and `decrypt` between files and the standard streams.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// What is read: a file, or standard input.
enum Input {
    case file(Source)
    case stream

    /// Of what a stream becomes: as any new file.
    var attributes: stat {
        if case .file(let source) = self { return source.attributes }
        var attributes = stat()
        let mask = umask(0)
        umask(mask)
        attributes.st_mode = 0o666 & ~mask
        return attributes
    }

    /// Has the daemon convert it into an open file that is empty; returns the count of plain bytes.
    func convert(
        _ invocation: Invocation, _ conversion: Conversion, into destination: Descriptor,
        _ progress: ConversionProgress
    ) throws -> Int {
        if case .file(let source) = self {
            return try invocation.daemon(for: source.descriptor).convert(
                conversion, source.descriptor, destination, about: source.path.shown
            ) { progress.follow(destination, until: $0) }
        }
        guard conversion.seals else {
            return try invocation.daemon().convert(
                conversion.ofStreams, try standardStream(STDIN_FILENO), destination,
                about: inputName.shown
            ) { progress.follow(destination, until: $0) }
        }
        let pipe = try makePipe()
        var failure: Failure?
        let bytes = try invocation.daemon().convert(
            conversion, pipe.reader, destination, about: inputName.shown
        ) { pending in
            leave(pipe.reader)
            failure = failing { () throws(Failure) in
                try feed(pipe.writer, until: pending, progress)
            }
            leave(pipe.writer)
        }
        if let failure { throw failure }
        return bytes
    }

    fileprivate var path: ByteString {
        if case .file(let source) = self { source.path } else { inputName }
    }

    fileprivate func descriptor() throws(Failure) -> Descriptor {
        if case .file(let source) = self { return source.descriptor }
        return try standardStream(STDIN_FILENO)
    }
}

extension Conversion {
    /// Of what is read and written from front to back.
    fileprivate var ofStreams: Conversion {
        Conversion(
            method: seals ? "Protection.ProtectData" : "Protection.UnprotectData",
            methodInMount: methodInMount, parameters: parameters.merging(["strict": true]) { $1 },
            seals: seals)
    }
}

extension Invocation {
    func input(_ path: ByteString, _ conversion: Conversion) throws -> Input {
        if path.text == "-" { return .stream }
        let source = try Source(path)
        if conversion.seals {
            try source.refuseToEncrypt()
        } else {
            try source.refuseToDecrypt(self)
        }
        return .file(source)
    }

    /// To standard output.
    func convert(
        _ path: ByteString, _ conversion: Conversion, _ progress: ConversionProgress
    ) throws -> (Record?, JSONValue) {
        let input = try input(path, conversion)
        if conversion.seals {
            try sealToOutput(input, conversion, progress)
        } else {
            try openToOutput(input, conversion, progress)
        }
        return (nil, .null)
    }

    /// The daemon that serves the mount of what is read, else the one that is meant.
    private func daemon(for input: Input) throws(Failure) -> Daemon {
        guard case .file(let source) = input else { return try daemon() }
        return try daemon(for: source.descriptor)
    }

    /// In the form of streams: that of files is not written from front to back.
    private func sealToOutput(
        _ input: Input, _ conversion: Conversion, _ progress: ConversionProgress
    ) throws {
        guard isatty(STDOUT_FILENO) == 0 else {
            throw Failure.usage(
                verb, "protected data is no text, and standard output is a terminal")
        }
        let output = try standardStream(STDOUT_FILENO)
        _ = try daemon(for: input).convert(
            conversion.ofStreams, try input.descriptor(), output, about: input.path.shown
        ) { progress.follow(output, until: $0) }
    }

    /// As it is verified, block by block.
    private func openToOutput(
        _ input: Input, _ conversion: Conversion, _ progress: ConversionProgress
    ) throws {
        let pipe = try makePipe()
        var conversion = conversion
        if case .stream = input { conversion = conversion.ofStreams }
        var failure: Failure?
        var shown = 0
        do throws(Failure) {
            let sent = try daemon(for: input).convert(
                conversion, try input.descriptor(), pipe.writer, about: input.path.shown
            ) { pending in
                leave(pipe.writer)
                failure = failing { () throws(Failure) in
                    shown = try show(pipe.reader, until: pending, of: input.path, progress)
                }
                leave(pipe.reader)
            }
            guard failure != nil || shown == sent else {
                throw Failure(
                    .failure, "\(input.path.shown): \(shown) of \(sent) bytes came out",
                    next: "try again")
            }
        } catch {
            if let failure { throw failure }
            guard error.status == .damaged else { throw error }
            throw Failure(
                .damaged,
                "\(error.message); what came out before is right, and the rest is missing",
                next: error.next)
        }
        if let failure { throw failure }
    }

    /// A terminal gets text alone. Returns the number of bytes.
    private func show(
        _ reader: Descriptor, until answer: PendingReply, of path: ByteString,
        _ progress: ConversionProgress
    ) throws(Failure) -> Int {
        var isFirst = true
        var count = 0
        let guards = isatty(STDOUT_FILENO) == 1 && !arguments.has("force")
        let hasMore = { answer.lets(reader, POLLIN) }
        try pump(from: reader, path, while: hasMore) { bytes throws(Failure) in
            if isFirst, guards, !isText(bytes) {
                throw Failure(
                    .failure, "\(path.shown) is no text, and standard output is a terminal",
                    next: "add -o OUT, or --force")
            }
            isFirst = false
            count += bytes.count
            try writeToOutput(bytes)
            // On the same screen it would stand in the middle of the text.
            if isatty(STDOUT_FILENO) == 0 { progress.add(bytes.count) }
        }
        return count
    }
}

extension Daemon {
    fileprivate func convert(
        _ conversion: Conversion, _ source: Descriptor, _ destination: Descriptor,
        about subject: String, meanwhile: (PendingReply) -> Void = { _ in }
    ) throws(Failure) -> Int {
        try pass(
            conversion.method, conversion.parameters, from: source, to: destination,
            about: subject, meanwhile: meanwhile)
    }
}

/// Closes our copy of an end of a pipe that others may still hold: its number goes on, to nothing.
private func leave(_ end: Descriptor) {
    guard let nothing = try? openFile("/dev/null", O_RDWR) else { return }
    try? redirect(end, to: nothing)
}

private func failing(_ body: () throws(Failure) -> Void) -> Failure? {
    do throws(Failure) { try body() } catch { return error }
    return nil
}

/// Standard input into a pipe, until it ends or there is an answer.
private func feed(
    _ writer: Descriptor, until answer: PendingReply, _ progress: ConversionProgress
) throws(Failure) {
    signal(SIGPIPE, SIG_IGN)
    defer { signal(SIGPIPE, SIG_DFL) }
    let name = inputName
    let input = try naming(name) { () throws(Errno) in try duplicate(STDIN_FILENO) }
    // So that a daemon that takes nothing does not keep us.
    _ = fcntl(writer.raw, F_SETFL, O_WRONLY | O_NONBLOCK)
    var isRead = true
    try pump(from: input, name, while: { isRead && answer.lets(input, POLLIN) }) { bytes in
        // Why nobody reads it, the answer tells.
        isRead = offer(bytes, to: writer, until: answer)
        progress.add(bytes.count)
    }
}

/// False if nobody takes them.
private func offer(
    _ bytes: [UInt8], to writer: Descriptor, until answer: PendingReply
) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
        guard answer.lets(writer, POLLOUT),
            let count = try? retrying({
                rest.withUnsafeBytes { write(writer.raw, $0.baseAddress, $0.count) }
            })
        else { return false }
        rest = rest.dropFirst(count)
    }
    return true
}

private func writeToOutput(_ bytes: [UInt8]) throws(Failure) {
    try naming(ByteString("standard output")) { () throws(Errno) in
        try writeAll(bytes, to: STDOUT_FILENO)
    }
}

/// Until the end.
private func pump(
    from reader: Descriptor, _ name: ByteString, while goesOn: () -> Bool = { true },
    _ body: ([UInt8]) throws(Failure) -> Void
) throws(Failure) {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while goesOn() {
        let count = try naming(name) { () throws(Errno) in
            try retrying { read(reader.raw, &buffer, buffer.count) }
        }
        if count == 0 { return }
        try body(Array(buffer[..<count]))
    }
}

/// A beginning that a terminal can show: UTF-8, but for a character that is cut at its end, without control characters.
private func isText(_ bytes: [UInt8]) -> Bool {
    let isCut = bytes.suffix(3).lastIndex { $0 >= 0xC0 }
    let whole = isCut.map { bytes[..<$0] } ?? bytes[...]
    let controls = whole.contains {
        $0 < 0x20 && ![0x09, 0x0A, 0x0C, 0x0D].contains($0) || $0 == 0x7F
    }
    return !controls && String(validating: whole, as: UTF8.self) != nil
}
