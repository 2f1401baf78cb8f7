// `encrypt` and `decrypt` between files and the standard streams.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// The input: a file or standard input.
enum Input {
    case file(Source)
    case stream

    /// The attributes of the output: the source's, or a new file's for a stream.
    var attributes: stat {
        if case .file(let source) = self { return source.attributes }
        var attributes = stat()
        let mask = umask(0)
        umask(mask)
        attributes.st_mode = 0o666 & ~mask
        return attributes
    }

    /// Has the daemon convert it into an open, empty file; returns the number of plaintext bytes.
    func convert(
        _ invocation: Invocation, _ conversion: Direction, into destination: Descriptor,
        _ progress: ConversionProgress
    ) throws -> Int {
        if case .file(let source) = self {
            if !conversion.seals, let plain = try PlainCopy(of: source) {
                return try plain.write(into: destination, progress)
            }
            return try invocation.daemon(for: source.descriptor).convert(
                source, conversion, into: destination, override: try invocation.override(),
                progress)
        }
        guard conversion.seals else {
            return try invocation.daemon().convert(
                conversion, as: .stream, try standardStream(STDIN_FILENO), destination,
                override: try invocation.override(), about: .verbatim(inputName.shown)
            ) { progress.follow(destination, until: $0) }
        }
        let pipe = try makePipe()
        var failure: Failure?
        let bytes = try invocation.daemon().convert(
            conversion, pipe.reader, destination, override: try invocation.override(),
            about: .verbatim(inputName.shown)
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

    var path: ByteString {
        if case .file(let source) = self { source.path } else { inputName }
    }

    func descriptor() throws(Failure) -> Descriptor {
        if case .file(let source) = self { return source.descriptor }
        return try standardStream(STDIN_FILENO)
    }
}

extension Daemon {
    /// A file's content, into an empty one.
    func convert(
        _ source: Source, _ conversion: Direction, into destination: Descriptor,
        override: String?, _ progress: ConversionProgress
    ) throws(Failure) -> Int {
        try convert(
            conversion, source.descriptor, destination,
            override: override, about: .verbatim(source.path.shown)
        ) { progress.follow(destination, until: $0) }
    }

    /// Returns the count of plain bytes.
    func convert(
        _ conversion: Direction, as form: DataForm = .file, _ source: Descriptor,
        _ destination: Descriptor, override: String?, about subject: Message,
        meanwhile: (PendingReply) -> Void = { _ in }
    ) throws(Failure) -> Int {
        func pass<Request: VarlinkRequest>(_ request: Request) throws(Failure) -> Request.Reply {
            try self.pass(
                request, from: source, to: destination, about: subject, meanwhile: meanwhile)
        }
        return switch (conversion, form) {
        case (.seal(let owner), .file):
            try pass(
                Varlink.Workspace.Encrypt(
                    owner: owner, sourceDescriptor: 0, destinationDescriptor: 1,
                    override: override)
            ).bytes
        case (.open, .file):
            try pass(
                Varlink.Workspace.Decrypt(
                    sourceDescriptor: 0, destinationDescriptor: 1, override: override)
            ).bytes
        case (.seal(let owner), _):
            try pass(
                Varlink.Protection.ProtectData(
                    owner: owner, unmanaged: form.mayBeUnmanaged, strict: form.isStrict,
                    sourceDescriptor: 0, destinationDescriptor: 1, override: override)
            ).bytes
        case (.open, _):
            try pass(
                Varlink.Protection.UnprotectData(
                    strict: form.isStrict, sourceDescriptor: 0, destinationDescriptor: 1,
                    override: override)
            ).bytes
        }
    }
}

/// Of a stream, what was written before the damage is verified.
func explainingCut<Value>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    do throws(Failure) { return try body() } catch {
        guard error.status == .damaged else { throw error }
        throw Failure(
            .damaged, "\(error.message); what came out before is right, and the rest is missing",
            next: error.next)
    }
}

func refuseTerminal(_ output: Int32, _ verb: Verb) throws(Failure) {
    guard isatty(output) == 0 else {
        throw .usage(verb, "refusing to write protected data to a terminal")
    }
}

/// Closes our copy of a pipe's end by redirecting its number to /dev/null, as other references to
/// the descriptor may exist.
func leave(_ end: Descriptor) {
    guard let nothing = try? openFile("/dev/null", O_RDWR) else { return }
    try? redirect(end, to: nothing)
}

func failing(_ body: () throws(Failure) -> Void) -> Failure? {
    do throws(Failure) { try body() } catch { return error }
    return nil
}

/// Copies standard input into a pipe until it ends or the daemon replies.
private func feed(
    _ writer: Descriptor, until answer: PendingReply, _ progress: ConversionProgress
) throws(Failure) {
    signal(SIGPIPE, SIG_IGN)
    defer { signal(SIGPIPE, SIG_DFL) }
    let name = inputName
    let input = try naming(name, duplicate(STDIN_FILENO))
    // Non-blocking, so that a daemon that does not read cannot block us.
    _ = fcntl(writer.raw, F_SETFL, O_WRONLY | O_NONBLOCK)
    var isRead = true
    try pump(from: input, name, while: { isRead && answer.lets(input, POLLIN) }) { bytes in
        // Ignore a closed reader: the reply says why.
        isRead = offer(bytes, to: writer, until: answer)
        progress.add(bytes.count)
    }
}

/// False if the daemon no longer reads.
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

func writeToOutput(_ bytes: [UInt8]) throws(Failure) {
    try naming(ByteString("standard output"), writeAll(bytes, to: STDOUT_FILENO))
}

/// Reads to the end of the input.
func pump(
    from reader: Descriptor, _ name: ByteString, while goesOn: () -> Bool = { true },
    _ body: ([UInt8]) throws(Failure) -> Void
) throws(Failure) {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while goesOn() {
        let count = try naming(name, retrying { read(reader.raw, &buffer, buffer.count) })
        if count == 0 { return }
        try body(Array(buffer[..<count]))
    }
}

/// Whether a terminal can show data that starts like this: UTF-8 without control characters, except
/// for a character cut off at the end.
func isText(_ bytes: [UInt8]) -> Bool {
    let isCut = bytes.suffix(3).lastIndex { $0 >= 0xC0 }
    let whole = isCut.map { bytes[..<$0] } ?? bytes[...]
    let controls = whole.contains {
        $0 < 0x20 && ![0x09, 0x0A, 0x0C, 0x0D].contains($0) || $0 == 0x7F
    }
    return !controls && String(validating: whole, as: UTF8.self) != nil
}

/// For messages.
let inputName = ByteString("standard input")

extension Daemon {
    /// From one open file, which is the request's descriptor 0, to another, its 1.
    func pass<Request: VarlinkRequest>(
        _ request: Request, from source: Descriptor, to destination: Descriptor,
        about subject: Message, meanwhile: (PendingReply) -> Void = { _ in }
    ) throws(Failure) -> Request.Reply {
        do throws(Failure) {
            return try call(
                request, descriptors: [source, destination], about: subject, meanwhile: meanwhile)
        } catch {
            // The reader, such as head(1), closed the pipe: end by SIGPIPE as if we had written to
            // it.
            if hasNoReader(destination) { raise(SIGPIPE) }
            throw error
        }
    }
}

/// Whether the reader of a pipe has gone. Only pipes report POLLERR.
private func hasNoReader(_ destination: Descriptor) -> Bool {
    var output = pollfd(fd: destination.raw, events: 0, revents: 0)
    return poll(&output, 1, 0) == 1 && output.revents & Int16(POLLERR) != 0
}
