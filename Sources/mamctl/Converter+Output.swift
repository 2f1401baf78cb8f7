// Protected data to standard output, and plain data out of it.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

extension Converter {
    /// To standard output.
    func toOutput(_ path: ByteString) throws -> (Record?, JSONValue) {
        let input = try self.input(path)
        if conversion.seals {
            try sealToOutput(input)
        } else {
            try openToOutput(input)
        }
        return (nil, .null)
    }

    /// The daemon that serves the mount of what is read, else the one that is meant.
    private func daemon(for input: Input) throws(Failure) -> Daemon {
        guard case .file(let source) = input else { return try invocation.daemon() }
        return try invocation.daemon(for: source.descriptor)
    }

    /// In the form of streams: that of files is not written from front to back.
    private func sealToOutput(_ input: Input) throws {
        guard isatty(STDOUT_FILENO) == 0 else {
            throw Failure.usage(
                invocation.verb, "refusing to write protected data to a terminal")
        }
        let output = try standardStream(STDOUT_FILENO)
        _ = try daemon(for: input).convert(
            conversion.ofStreams, try input.descriptor(), output, about: input.path.shown
        ) { progress.follow(output, until: $0) }
    }

    /// As it is verified, block by block.
    private func openToOutput(_ input: Input) throws {
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
                    shown = try show(pipe.reader, until: pending, of: input.path)
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
        _ reader: Descriptor, until answer: PendingReply, of path: ByteString
    ) throws(Failure) -> Int {
        var isFirst = true
        var count = 0
        let guards = isatty(STDOUT_FILENO) == 1 && !invocation.arguments.has("force")
        let hasMore = { answer.lets(reader, POLLIN) }
        try pump(from: reader, path, while: hasMore) { bytes throws(Failure) in
            if isFirst, guards, !isText(bytes) {
                throw Failure(
                    .failure, "\(path.shown) is not text, and standard output is a terminal",
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
