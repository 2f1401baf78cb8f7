// Reading and printing lists of file names: one per line, or raw and NUL-terminated.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire
internal import MAMWords

extension Option {
    static let null = Option(
        "null", short: "0", "end what is printed, and names in a list, with NUL; names as they are")
    static let filesFrom = Option(
        "files-from", value: "LIST", "read more names from this file; '-' is standard input")
}

extension Arguments {
    /// The names in the file of `--files-from`.
    func listedFiles() throws(Failure) -> [ByteString] {
        guard let list = value("files-from") else { return [] }
        let path = list.text == "-" ? ByteString("/proc/self/fd/0") : list
        let bytes = try naming(list) { () throws(Errno) in
            let file = try openFile(path.cString, O_RDONLY | O_NOCTTY)
            return try readToEnd(of: file, maximumByteCount: 1 << 40)
        }
        let hasNull = bytes.contains(0)
        guard has(.null) || !hasNull else {
            throw Failure(
                .usage, "\(list.shown): names in it end with NUL, not with a newline",
                next: "add --null"
            )
        }
        let end = has(.null) ? 0 : UInt8(ascii: "\n")
        return bytes.split(separator: end).map { ByteString(Array($0)) }
    }
}

/// The output for one file: its name with text before and after.
struct Record {
    var before = ""
    let path: ByteString
    /// Follows the path; in English after `-0`, which is for programs.
    var after: Message = ""

    /// A line with control characters escaped, or, if `isRaw`, the raw name and a NUL.
    func bytes(isRaw: Bool) -> [UInt8] {
        guard isRaw else { return Array("\(before)\(path.shown)\(after.translated)\n".utf8) }
        return Array(before.utf8) + path.bytes + Array(after.english.utf8) + [0]
    }
}

extension Invocation {
    func print(_ record: Record) {
        writeOut(record.bytes(isRaw: arguments.has(.null)))
    }

    /// Prints what `body` returns for each file. Reports failures and goes on; returns the first
    /// failure's status.
    func eachFile(
        before clear: () -> Void = {},
        _ body: (ByteString) throws -> (record: Record?, json: JSONValue)
    ) -> ExitStatus {
        var status = ExitStatus.success
        var answers: [JSONValue] = []
        for path in operands {
            do {
                let answer = try body(path)
                answers.append(answer.json)
                clear()
                if !isJSON, let record = answer.record { print(record) }
            } catch {
                let failure = Failure(any: error)
                clear()
                failure.report(isJSON: false)
                answers.append(["path": .string(path.shown), "error": failure.json])
                if status == .success { status = failure.status }
            }
        }
        if isJSON { printJSON(.array(answers)) }
        return status
    }
}
