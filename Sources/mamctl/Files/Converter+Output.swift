// Protected data to standard output, and plain data out of it.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

extension Converter {
    /// Converts to standard output.
    func toOutput(_ path: ByteString) throws -> (Record?, JSONValue) {
        let input = try self.input(path)
        if conversion.seals {
            try sealToOutput(input)
        } else if case .file(let source) = input, let plain = try PlainCopy(of: source) {
            try plain.show { bytes, isFirst throws(Failure) in
                try show(bytes, isFirst: isFirst, of: path)
            }
        } else {
            try openToOutput(input)
        }
        return (nil, .null)
    }

    /// The daemon of the mount that contains the input, else the selected one.
    private func daemon(for input: Input) throws(Failure) -> Daemon {
        guard case .file(let source) = input else { return try invocation.daemon() }
        return try invocation.daemon(for: source.descriptor)
    }

    /// Writes the stream format: the file format is not written sequentially.
    private func sealToOutput(_ input: Input) throws {
        try refuseTerminal(STDOUT_FILENO, invocation.verb)
        let output = try standardStream(STDOUT_FILENO)
        _ = try daemon(for: input).convert(
            conversion, as: .stream, try input.descriptor(), output,
            override: try invocation.override(), about: .verbatim(input.path.shown)
        ) { progress.follow(output, until: $0) }
    }

    /// Writes plaintext as each block is verified.
    private func openToOutput(_ input: Input) throws {
        let pipe = try makePipe()
        let isStream = if case .file = input { false } else { true }
        var failure: Failure?
        var shown = 0
        let sent: Int
        do throws(Failure) {
            sent = try explainingCut { () throws(Failure) in
                try daemon(for: input).convert(
                    conversion, as: isStream ? .stream : .file, try input.descriptor(),
                    pipe.writer, override: try invocation.override(),
                    about: .verbatim(input.path.shown)
                ) { pending in
                    leave(pipe.writer)
                    failure = failing { () throws(Failure) in
                        shown = try show(pipe.reader, until: pending, of: input.path)
                    }
                    leave(pipe.reader)
                }
            }
        } catch { throw failure ?? error }
        if let failure { throw failure }
        guard shown == sent else {
            throw Failure(
                .failure, "\(input.path.shown): \(shown) of \(sent) bytes came out",
                next: "try again")
        }
    }

    /// Copies to standard output, but refuses binary data on a terminal. Returns the number of
    /// bytes.
    private func show(
        _ reader: Descriptor, until answer: PendingReply, of path: ByteString
    ) throws(Failure) -> Int {
        var isFirst = true
        var count = 0
        let hasMore = { answer.lets(reader, POLLIN) }
        try pump(from: reader, path, while: hasMore) { bytes throws(Failure) in
            try show(bytes, isFirst: isFirst, of: path)
            isFirst = false
            count += bytes.count
        }
        return count
    }

    private func show(
        _ bytes: [UInt8], isFirst: Bool, of path: ByteString
    ) throws(Failure) {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        guard !isFirst || !isTerminal || invocation.arguments.has("force") || isText(bytes) else {
            throw Failure(
                .failure, "\(path.shown) is not text, and standard output is a terminal",
                next: "add -o OUT, or --force")
        }
        try writeToOutput(bytes)
        // No progress on a terminal that also shows the text.
        if !isTerminal { progress.add(bytes.count) }
    }
}
