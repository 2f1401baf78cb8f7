// Where `encrypt` and `decrypt` write to.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem

/// Where `encrypt` and `decrypt` write to.
enum ConvertOutput {
    case inPlace
    case file(ByteString)
    case directory(ByteString)
    /// Standard output.
    case stream

    static func of(_ invocation: Invocation) throws(Failure) -> ConvertOutput {
        let (verb, operands) = (invocation.verb, invocation.operands)
        let readsStream = operands.contains { $0.text == "-" }
        guard let path = invocation.arguments.value("output") else {
            guard readsStream else { return .inPlace }
            guard operands.count == 1 else {
                throw .usage(verb, "standard input cannot be replaced: add -o OUT")
            }
            return try toOutput(invocation)
        }
        if path.text == "-" { return try toOutput(invocation) }
        let isDirectory =
            path.bytes.last == UInt8(ascii: "/")
            || ((try? status(at: workingDirectory, path.cString, followLinks: true).st_mode) ?? 0)
                & S_IFMT == S_IFDIR
        if isDirectory {
            try refuseOneName(of: operands, verb)
            return .directory(path)
        }
        guard operands.count <= 1 else {
            throw .usage(verb, "several files need a directory: \(path.shown)/")
        }
        return .file(path)
    }

    private static func toOutput(_ invocation: Invocation) throws(Failure) -> ConvertOutput {
        guard invocation.operands.count == 1, !invocation.isJSON else {
            throw invocation.misuse("standard output takes one file and no JSON")
        }
        return .stream
    }
}

/// Refuses two files with the same name: the second would replace the first.
private func refuseOneName(of operands: [ByteString], _ verb: Verb) throws(Failure) {
    var names: Set<ByteString> = []
    for path in operands {
        guard path.text != "-" else {
            throw .usage(verb, "standard input has no name: add a file name to the directory")
        }
        guard names.insert(path.lastComponent).inserted else {
            throw .usage(verb, "two of the files are named \(path.lastComponent.shown)")
        }
    }
}
